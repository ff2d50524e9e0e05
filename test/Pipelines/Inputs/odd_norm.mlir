// A norm as one operator, with an epsilon and a weight, and a linear layer; nothing divides.
func.func @odd_norm(%x: tensor<7x100xf16>, %g: tensor<100xf16>, %w: tensor<100x45xf16>) -> tensor<7x45xf16> {
  %e = tensor.empty() : tensor<7x45xf16>
  %r = mirage_kernel.graph ins(%x, %g, %w : tensor<7x100xf16>, tensor<100xf16>, tensor<100x45xf16>)
      outs(%e : tensor<7x45xf16>) {
  ^bb0(%a: tensor<7x100xf16>, %b: tensor<100xf16>, %c: tensor<100x45xf16>):
    %n = mirage_kernel.rms_norm %a, %b dims [1] epsilon 1.0e-5 : (tensor<7x100xf16>, tensor<100xf16>) -> tensor<7x100xf16>
    %o = mirage_kernel.matmul %n, %c : (tensor<7x100xf16>, tensor<100x45xf16>) -> tensor<7x45xf16>
    mirage_kernel.yield %o : tensor<7x45xf16>
  } : tensor<7x45xf16>
  return %r : tensor<7x45xf16>
}
