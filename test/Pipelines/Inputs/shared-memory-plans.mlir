// A ring, sums in shared memory, and what follows the loop in the ring's bytes.
func.func @sums(%x: tensor<8x256xf16>) -> (tensor<8x64xf32>, tensor<8x64xf32>) {
  %o:2 = mirage_block.graph grid() threads(128) loop(4) stages(2)
      ins(%x imap() fmap(1)) outs(omap(), omap()) : (tensor<8x256xf16>) -> (tensor<8x64xf32>, tensor<8x64xf32>) {
  ^bb0(%xt: tensor<8x64xf16>):
    %sum = mirage_block.accumulate %xt over loop sum : tensor<8x64xf16>
    %e = mirage_block.exp %xt : tensor<8x64xf16>
    %n = mirage_block.accumulate %e over loop sum : tensor<8x64xf32>
    %r = mirage_block.sqrt %sum : tensor<8x64xf32>
    mirage_block.yield %r, %n : tensor<8x64xf32>, tensor<8x64xf32>
  }
  return %o#0, %o#1 : tensor<8x64xf32>, tensor<8x64xf32>
}
