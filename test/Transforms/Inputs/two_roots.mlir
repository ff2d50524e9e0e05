// Two roots, or one root of a product: the same, but for signs that no theorem speaks about.
func.func @f(%x: tensor<16x4096xf16>, %s: tensor<16x1xf16>, %t: tensor<16x1xf16>) -> tensor<16x4096xf16> {
  %e = tensor.empty() : tensor<16x4096xf16>
  %r = mirage_kernel.graph ins(%x, %s, %t : tensor<16x4096xf16>, tensor<16x1xf16>, tensor<16x1xf16>) outs(%e : tensor<16x4096xf16>) {
  ^bb0(%a: tensor<16x4096xf16>, %b: tensor<16x1xf16>, %c: tensor<16x1xf16>):
    %p = mirage_kernel.sqrt %b : (tensor<16x1xf16>) -> tensor<16x1xf16>
    %q = mirage_kernel.sqrt %c : (tensor<16x1xf16>) -> tensor<16x1xf16>
    %root = mirage_kernel.mul %p, %q : (tensor<16x1xf16>, tensor<16x1xf16>) -> tensor<16x1xf16>
    %y = mirage_kernel.div %a, %root : (tensor<16x4096xf16>, tensor<16x1xf16>) -> tensor<16x4096xf16>
    mirage_kernel.yield %y : tensor<16x4096xf16>
  } : tensor<16x4096xf16>
  return %r : tensor<16x4096xf16>
}
