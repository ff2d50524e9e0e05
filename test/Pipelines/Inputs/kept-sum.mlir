// A sum of more elements than threads have registers for, which shared memory keeps from iteration to iteration.
func.func @kept_sum(%X: tensor<16x8192xf16>) -> tensor<16x2048xf32> {
  %e = tensor.empty() : tensor<16x2048xf32>
  %r = mirage_kernel.graph ins(%X : tensor<16x8192xf16>) outs(%e : tensor<16x2048xf32>) {
  ^bb0(%x: tensor<16x8192xf16>):
    %o = mirage_block.graph grid(x = 2) threads(64) loop(4)
        ins(%x imap(x -> 0) fmap(1)) outs(omap(x -> 0)) : (tensor<16x8192xf16>) -> tensor<16x2048xf32> {
    ^bb0(%xt: tensor<8x2048xf16>):
      %exp = mirage_block.exp %xt : tensor<8x2048xf16>
      %sum = mirage_block.accumulate %exp over loop sum : tensor<8x2048xf32>
      mirage_block.yield %sum : tensor<8x2048xf32>
    }
    mirage_kernel.yield %o : tensor<16x2048xf32>
  } : tensor<16x2048xf32>
  return %r : tensor<16x2048xf32>
}
