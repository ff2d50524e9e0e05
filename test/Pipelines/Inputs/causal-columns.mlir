// Blocks along x have columns of their own: of 64 rows and columns in a tile, those along y read 1, 2, 2 and 2 of the
// first two tiles, and 1, 1, 1 and 2 of the last two, as each reads one at least.
func.func @columns(%x: tensor<256x256xf32>) -> tensor<256x2xf32> {
  %e = tensor.empty() : tensor<256x2xf32>
  %r = mirage_kernel.graph ins(%x : tensor<256x256xf32>) outs(%e : tensor<256x2xf32>) {
  ^bb0(%k: tensor<256x256xf32>):
    %o = mirage_block.graph grid(x = 2, y = 4) threads(128) loop(2) ins(%k imap(x -> 1, y -> 0) fmap(1)) outs(omap(x -> 1, y -> 0)) : (tensor<256x256xf32>) -> tensor<256x2xf32> {
    ^bb0(%t: tensor<64x64xf32>):
      %m = mirage_block.causal_mask %t offset 0 rows ["y"] columns ["x", "loop"] : tensor<64x64xf32>
      %s = mirage_block.accumulate %m over loop max dims [1] : tensor<64x64xf32>
      mirage_block.yield %s : tensor<64x1xf32>
    }
    mirage_kernel.yield %o : tensor<256x2xf32>
  } : tensor<256x2xf32>
  return %r : tensor<256x2xf32>
}
