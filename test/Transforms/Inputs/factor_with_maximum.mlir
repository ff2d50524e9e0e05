// The factor may stand in front of the sum. It is the largest of four numbers, of which each trial picks one.
func.func @f(%x: tensor<16x4096xf16>, %y: tensor<16x4096xf16>, %s: tensor<16x1xf16>, %t: tensor<16x1xf16>, %u: tensor<16x1xf16>, %v: tensor<16x1xf16>) -> tensor<16x4096xf16> {
  %e = tensor.empty() : tensor<16x4096xf16>
  %r = mirage_kernel.graph ins(%x, %y, %s, %t, %u, %v : tensor<16x4096xf16>, tensor<16x4096xf16>, tensor<16x1xf16>, tensor<16x1xf16>, tensor<16x1xf16>, tensor<16x1xf16>) outs(%e : tensor<16x4096xf16>) {
  ^bb0(%a: tensor<16x4096xf16>, %b: tensor<16x4096xf16>, %c: tensor<16x1xf16>, %d: tensor<16x1xf16>, %f: tensor<16x1xf16>, %g: tensor<16x1xf16>):
    %p = mirage_kernel.maximum %c, %d : (tensor<16x1xf16>, tensor<16x1xf16>) -> tensor<16x1xf16>
    %q = mirage_kernel.maximum %p, %f : (tensor<16x1xf16>, tensor<16x1xf16>) -> tensor<16x1xf16>
    %m = mirage_kernel.maximum %q, %g : (tensor<16x1xf16>, tensor<16x1xf16>) -> tensor<16x1xf16>
    %k = mirage_kernel.mul %a, %m : (tensor<16x4096xf16>, tensor<16x1xf16>) -> tensor<16x4096xf16>
    %l = mirage_kernel.mul %b, %m : (tensor<16x4096xf16>, tensor<16x1xf16>) -> tensor<16x4096xf16>
    %z = mirage_kernel.add %k, %l : (tensor<16x4096xf16>, tensor<16x4096xf16>) -> tensor<16x4096xf16>
    mirage_kernel.yield %z : tensor<16x4096xf16>
  } : tensor<16x4096xf16>
  return %r : tensor<16x4096xf16>
}
