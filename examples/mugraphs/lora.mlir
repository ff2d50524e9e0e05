// A linear layer with a low-rank correction, X·W + (X·A)·B, as one kernel: both products
// with X go over one read of it, and every block makes X·A anew, which is small.
func.func @lora(%X: tensor<16x256xf16>, %W: tensor<256x4096xf16>, %A: tensor<256x16xf16>, %B: tensor<16x4096xf16>) -> tensor<16x4096xf16> {
  %e = tensor.empty() : tensor<16x4096xf16>
  %r = mirage_kernel.graph ins(%X, %W, %A, %B : tensor<16x256xf16>, tensor<256x4096xf16>, tensor<256x16xf16>, tensor<16x4096xf16>)
      outs(%e : tensor<16x4096xf16>) {
  ^bb0(%x: tensor<16x256xf16>, %w: tensor<256x4096xf16>, %a: tensor<256x16xf16>, %b: tensor<16x4096xf16>):
    %o = mirage_block.graph grid(x = 64) threads(128) loop(4)
        ins(%x imap() fmap(1), %w imap(x -> 1) fmap(0), %a imap() fmap(0), %b imap(x -> 1))
        outs(omap(x -> 1))
        : (tensor<16x256xf16>, tensor<256x4096xf16>, tensor<256x16xf16>, tensor<16x4096xf16>) -> tensor<16x4096xf16> {
    ^bb0(%xt: tensor<16x64xf16>, %wt: tensor<64x64xf16>, %at: tensor<64x16xf16>, %bt: tensor<16x64xf16>):
      %pw = mirage_block.matmul %xt, %wt : tensor<16x64xf16>, tensor<64x64xf16>
      %pa = mirage_block.matmul %xt, %at : tensor<16x64xf16>, tensor<64x16xf16>
      %xw = mirage_block.accumulate %pw over loop sum : tensor<16x64xf32>
      %xa = mirage_block.accumulate %pa over loop sum : tensor<16x16xf32>
      %xah = mirage_block.cast %xa : (tensor<16x16xf32>) -> tensor<16x16xf16>
      %xab = mirage_block.matmul %xah, %bt : tensor<16x16xf16>, tensor<16x64xf16>
      %y = mirage_block.add %xw, %xab : tensor<16x64xf32>, tensor<16x64xf32>
      mirage_block.yield %y : tensor<16x64xf32>
    }
    mirage_kernel.yield %o : tensor<16x4096xf16>
  } : tensor<16x4096xf16>
  return %r : tensor<16x4096xf16>
}
