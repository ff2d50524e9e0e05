// A block whose tiles no block has room for.
func.func @large(%x: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %e = tensor.empty() : tensor<512x512xf32>
  %r = mirage_kernel.graph ins(%x : tensor<512x512xf32>) outs(%e : tensor<512x512xf32>) {
  ^bb0(%a: tensor<512x512xf32>):
    %o = mirage_block.graph grid() threads(128) ins(%a imap()) outs(omap())
        : (tensor<512x512xf32>) -> tensor<512x512xf32> {
    ^bb0(%t: tensor<512x512xf32>):
      %s = mirage_block.transpose %t dims [1, 0] : tensor<512x512xf32>
      %p = mirage_block.matmul %s, %t : tensor<512x512xf32>, tensor<512x512xf32>
      mirage_block.yield %p : tensor<512x512xf32>
    }
    mirage_kernel.yield %o : tensor<512x512xf32>
  } : tensor<512x512xf32>
  return %r : tensor<512x512xf32>
}
