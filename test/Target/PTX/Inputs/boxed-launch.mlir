// A kernel that takes its left operand as a tensor map.
func.func @product(%x: tensor<16x256xf16>, %w: tensor<256x12xf16>) -> tensor<16x12xf16> {
  %e = tensor.empty() : tensor<16x12xf16>
  %r = mirage_kernel.graph ins(%x, %w : tensor<16x256xf16>, tensor<256x12xf16>) outs(%e : tensor<16x12xf16>) {
  ^bb0(%a: tensor<16x256xf16>, %b: tensor<256x12xf16>):
    %o = mirage_block.graph grid() threads(32) loop(4) stages(2)
        ins(%a imap() fmap(1), %b imap() fmap(0)) outs(omap())
        : (tensor<16x256xf16>, tensor<256x12xf16>) -> tensor<16x12xf16> {
    ^bb0(%xt: tensor<16x64xf16>, %wt: tensor<64x12xf16>):
      %p = mirage_block.matmul %xt, %wt : tensor<16x64xf16>, tensor<64x12xf16>
      %acc = mirage_block.accumulate %p over loop sum : tensor<16x12xf32>
      mirage_block.yield %acc : tensor<16x12xf32>
    }
    mirage_kernel.yield %o : tensor<16x12xf16>
  } : tensor<16x12xf16>
  return %r : tensor<16x12xf16>
}
