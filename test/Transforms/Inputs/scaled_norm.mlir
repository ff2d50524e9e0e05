// Dividing what is summed, or the sum, makes no difference but to the terms under the root.
func.func @f(%x: tensor<16x4096xf16>, %s: tensor<16x1xf16>) -> tensor<16x4096xf16> {
  %e = tensor.empty() : tensor<16x4096xf16>
  %r = mirage_kernel.graph ins(%x, %s : tensor<16x4096xf16>, tensor<16x1xf16>) outs(%e : tensor<16x4096xf16>) {
  ^bb0(%a: tensor<16x4096xf16>, %b: tensor<16x1xf16>):
    %squares = mirage_kernel.square %a : (tensor<16x4096xf16>) -> tensor<16x4096xf16>
    %scaled = mirage_kernel.div %squares, %b : (tensor<16x4096xf16>, tensor<16x1xf16>) -> tensor<16x4096xf16>
    %sum = mirage_kernel.sum %scaled dims [1] : (tensor<16x4096xf16>) -> tensor<16x1xf16>
    %root = mirage_kernel.sqrt %sum : (tensor<16x1xf16>) -> tensor<16x1xf16>
    %y = mirage_kernel.div %a, %root : (tensor<16x4096xf16>, tensor<16x1xf16>) -> tensor<16x4096xf16>
    mirage_kernel.yield %y : tensor<16x4096xf16>
  } : tensor<16x4096xf16>
  return %r : tensor<16x4096xf16>
}
