// Attention whose keys are split among blocks, as one kernel: of the 16 blocks along y each
// sums up 256 keys, and an accumulate over y joins the sums before all of them divide.
func.func @gqa_bs1(%Q: tensor<2x256x64xf16>, %K: tensor<2x64x4096xf16>, %V: tensor<2x4096x64xf16>) -> tensor<2x256x64xf16> {
  %e = tensor.empty() : tensor<2x256x64xf16>
  %r = mirage_kernel.graph ins(%Q, %K, %V : tensor<2x256x64xf16>, tensor<2x64x4096xf16>, tensor<2x4096x64xf16>)
      outs(%e : tensor<2x256x64xf16>) {
  ^bb0(%q: tensor<2x256x64xf16>, %k: tensor<2x64x4096xf16>, %v: tensor<2x4096x64xf16>):
    %o = mirage_block.graph grid(x = 2, y = 16, z = 4) threads(128) loop(4)
        ins(%q imap(x -> 0, z -> 1), %k imap(x -> 0, y -> 2) fmap(2),
            %v imap(x -> 0, y -> 1) fmap(1))
        outs(omap(x -> 0, z -> 1)) : (tensor<2x256x64xf16>, tensor<2x64x4096xf16>, tensor<2x4096x64xf16>) -> tensor<2x256x64xf16> {
    ^bb0(%qt: tensor<1x64x64xf16>, %kt: tensor<1x64x64xf16>, %vt: tensor<1x64x64xf16>):
      %s = mirage_block.matmul %qt, %kt : tensor<1x64x64xf16>, tensor<1x64x64xf16>
      %p = mirage_block.exp %s : tensor<1x64x64xf32>
      %h = mirage_block.cast %p : (tensor<1x64x64xf32>) -> tensor<1x64x64xf16>
      %pv = mirage_block.matmul %h, %vt : tensor<1x64x64xf16>, tensor<1x64x64xf16>
      %a = mirage_block.accumulate %pv over loop sum : tensor<1x64x64xf32>
      %b = mirage_block.accumulate %p over loop sum dims [2] : tensor<1x64x64xf32>
      %acc = mirage_block.accumulate %a over y sum : tensor<1x64x64xf32>
      %l = mirage_block.accumulate %b over y sum : tensor<1x64x1xf32>
      %d = mirage_block.div %acc, %l : tensor<1x64x64xf32>, tensor<1x64x1xf32>
      mirage_block.yield %d : tensor<1x64x64xf32>
    }
    mirage_kernel.yield %o : tensor<2x256x64xf16>
  } : tensor<2x256x64xf16>
  return %r : tensor<2x256x64xf16>
}
