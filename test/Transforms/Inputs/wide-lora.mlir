// 28672 columns are 256 tiles of 112, two on each SM of an H200 but for eight, or 448 of 64. Of
// 8-bit floats, whose tiles threads load whatever their size is: f16 would have rows that the copy
// engine takes, of 64 columns and fewer.
func.func @wide_lora(%x: tensor<8x4096xf8E4M3FN>, %w: tensor<4096x28672xf8E4M3FN>, %a: tensor<4096x16xf8E4M3FN>, %b: tensor<16x28672xf16>, %e: tensor<8x28672xf16>) -> tensor<8x28672xf16> {
  %r = mirage_kernel.graph ins(%x, %w, %a, %b : tensor<8x4096xf8E4M3FN>, tensor<4096x28672xf8E4M3FN>, tensor<4096x16xf8E4M3FN>, tensor<16x28672xf16>) outs(%e : tensor<8x28672xf16>) {
  ^bb0(%p: tensor<8x4096xf8E4M3FN>, %q: tensor<4096x28672xf8E4M3FN>, %s: tensor<4096x16xf8E4M3FN>, %t: tensor<16x28672xf16>):
    %xw = mirage_kernel.matmul %p, %q : (tensor<8x4096xf8E4M3FN>, tensor<4096x28672xf8E4M3FN>) -> tensor<8x28672xf16>
    %xa = mirage_kernel.matmul %p, %s : (tensor<8x4096xf8E4M3FN>, tensor<4096x16xf8E4M3FN>) -> tensor<8x16xf16>
    %xab = mirage_kernel.matmul %xa, %t : (tensor<8x16xf16>, tensor<16x28672xf16>) -> tensor<8x28672xf16>
    %sum = mirage_kernel.add %xw, %xab : (tensor<8x28672xf16>, tensor<8x28672xf16>) -> tensor<8x28672xf16>
    mirage_kernel.yield %sum : tensor<8x28672xf16>
  } : tensor<8x28672xf16>
  return %r : tensor<8x28672xf16>
}
