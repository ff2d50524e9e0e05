// Rows whose sums are split among two blocks, and joined by them.
func.func @split(%a: tensor<64x512xf16>) -> tensor<64x1xf32> {
  %e = tensor.empty() : tensor<64x1xf32>
  %0 = mirage_kernel.graph ins(%a : tensor<64x512xf16>) outs(%e : tensor<64x1xf32>) {
  ^bb0(%x: tensor<64x512xf16>):
    %1 = mirage_block.graph grid(x = 16, y = 2) threads(128) ins(%x imap(x -> 0, y -> 1)) outs(omap(x -> 0)) : (tensor<64x512xf16>) -> tensor<64x1xf32> {
    ^bb0(%t: tensor<4x256xf16>):
      %s = mirage_block.sum %t dims [1] : tensor<4x256xf16>
      %j = mirage_block.accumulate %s over y sum : tensor<4x1xf32>
      mirage_block.yield %j : tensor<4x1xf32>
    }
    mirage_kernel.yield %1 : tensor<64x1xf32>
  } : tensor<64x1xf32>
  return %0 : tensor<64x1xf32>
}
