// 28672 columns are 256 tiles of 112, two on each SM of an H200 but for eight, or 448 of 64.
func.func @wide_lora(%x: tensor<8x4096xf16>, %w: tensor<4096x28672xf16>, %a: tensor<4096x16xf16>, %b: tensor<16x28672xf16>, %e: tensor<8x28672xf16>) -> tensor<8x28672xf16> {
  %r = mirage_kernel.graph ins(%x, %w, %a, %b : tensor<8x4096xf16>, tensor<4096x28672xf16>, tensor<4096x16xf16>, tensor<16x28672xf16>) outs(%e : tensor<8x28672xf16>) {
  ^bb0(%p: tensor<8x4096xf16>, %q: tensor<4096x28672xf16>, %s: tensor<4096x16xf16>, %t: tensor<16x28672xf16>):
    %xw = mirage_kernel.matmul %p, %q : (tensor<8x4096xf16>, tensor<4096x28672xf16>) -> tensor<8x28672xf16>
    %xa = mirage_kernel.matmul %p, %s : (tensor<8x4096xf16>, tensor<4096x16xf16>) -> tensor<8x16xf16>
    %xab = mirage_kernel.matmul %xa, %t : (tensor<8x16xf16>, tensor<16x28672xf16>) -> tensor<8x28672xf16>
    %sum = mirage_kernel.add %xw, %xab : (tensor<8x28672xf16>, tensor<8x28672xf16>) -> tensor<8x28672xf16>
    mirage_kernel.yield %sum : tensor<8x28672xf16>
  } : tensor<8x28672xf16>
  return %r : tensor<8x28672xf16>
}
