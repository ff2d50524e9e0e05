// A norm and a linear layer, small enough for a GPU that is played.
func.func @norm_linear(%x: tensor<16x64xf16>, %w: tensor<64x128xf16>,
                       %e: tensor<16x128xf16>) -> tensor<16x128xf16> {
  %r = mirage_kernel.graph ins(%x, %w : tensor<16x64xf16>, tensor<64x128xf16>) outs(%e : tensor<16x128xf16>) {
  ^bb0(%a: tensor<16x64xf16>, %b: tensor<64x128xf16>):
    %n = mirage_kernel.rms_norm %a dims [1] epsilon 0.0 : (tensor<16x64xf16>) -> tensor<16x64xf16>
    %m = mirage_kernel.matmul %n, %b : (tensor<16x64xf16>, tensor<64x128xf16>) -> tensor<16x128xf16>
    mirage_kernel.yield %m : tensor<16x128xf16>
  } : tensor<16x128xf16>
  return %r : tensor<16x128xf16>
}
