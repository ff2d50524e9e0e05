// The factor may stand in front of the sum. It is a root of an absolute value, whose signs no theorem speaks about.
func.func @f(%x: tensor<16x4096xf16>, %y: tensor<16x4096xf16>, %s: tensor<16x1xf16>) -> tensor<16x4096xf16> {
  %e = tensor.empty() : tensor<16x4096xf16>
  %r = mirage_kernel.graph ins(%x, %y, %s : tensor<16x4096xf16>, tensor<16x4096xf16>, tensor<16x1xf16>) outs(%e : tensor<16x4096xf16>) {
  ^bb0(%a: tensor<16x4096xf16>, %b: tensor<16x4096xf16>, %c: tensor<16x1xf16>):
    %p = mirage_kernel.abs %c : (tensor<16x1xf16>) -> tensor<16x1xf16>
    %q = mirage_kernel.sqrt %p : (tensor<16x1xf16>) -> tensor<16x1xf16>
    %u = mirage_kernel.mul %a, %q : (tensor<16x4096xf16>, tensor<16x1xf16>) -> tensor<16x4096xf16>
    %v = mirage_kernel.mul %b, %q : (tensor<16x4096xf16>, tensor<16x1xf16>) -> tensor<16x4096xf16>
    %z = mirage_kernel.add %u, %v : (tensor<16x4096xf16>, tensor<16x4096xf16>) -> tensor<16x4096xf16>
    mirage_kernel.yield %z : tensor<16x4096xf16>
  } : tensor<16x4096xf16>
  return %r : tensor<16x4096xf16>
}
