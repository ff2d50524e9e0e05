// tanh(A) . B^T, of which the right factor is loaded as f16 and multiplied in f32: a warp has four items
// of eight steps, which share its columns.
func.func @exact_product(%a: tensor<64x96xf16>, %b: tensor<64x96xf16>) -> tensor<64x64xf32> {
  %e = tensor.empty() : tensor<64x64xf32>
  %r = mirage_kernel.graph ins(%a, %b : tensor<64x96xf16>, tensor<64x96xf16>) outs(%e : tensor<64x64xf32>) {
  ^bb0(%ak: tensor<64x96xf16>, %bk: tensor<64x96xf16>):
    %o = mirage_block.graph grid() threads(128) loop(3) stages(2) ins(%ak imap() fmap(1), %bk imap() fmap(1)) outs(omap())
        : (tensor<64x96xf16>, tensor<64x96xf16>) -> tensor<64x64xf32> {
    ^bb0(%at: tensor<64x32xf16>, %bt: tensor<64x32xf16>):
      %t = mirage_block.tanh %at : tensor<64x32xf16>
      %c = mirage_block.transpose %bt dims [1, 0] : tensor<64x32xf16>
      %p = mirage_block.matmul %t, %c : tensor<64x32xf32>, tensor<32x64xf16>
      %s = mirage_block.accumulate %p over loop sum : tensor<64x64xf32>
      mirage_block.yield %s : tensor<64x64xf32>
    }
    mirage_kernel.yield %o : tensor<64x64xf32>
  } : tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}
