// RMSNorm and a linear layer, as ../../../examples/rmsnorm_linear.mlir, with 8-bit weights and
// activations: f8 by f8 once the search has moved the norm behind the product.
func.func @float8_norm(%x: tensor<16x1024xf8E5M2>, %w: tensor<1024x512xf8E4M3FN>) -> tensor<16x512xf16> {
  %e = tensor.empty() : tensor<16x512xf16>
  %r = mirage_kernel.graph ins(%x, %w : tensor<16x1024xf8E5M2>, tensor<1024x512xf8E4M3FN>)
      outs(%e : tensor<16x512xf16>) {
  ^bb0(%a: tensor<16x1024xf8E5M2>, %b: tensor<1024x512xf8E4M3FN>):
    %n = mirage_kernel.rms_norm %a dims [1] epsilon 1.0e-5 : (tensor<16x1024xf8E5M2>) -> tensor<16x1024xf16>
    %o = mirage_kernel.matmul %n, %b : (tensor<16x1024xf16>, tensor<1024x512xf8E4M3FN>) -> tensor<16x512xf16>
    mirage_kernel.yield %o : tensor<16x512xf16>
  } : tensor<16x512xf16>
  return %r : tensor<16x512xf16>
}
