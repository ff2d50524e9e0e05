// benchmarks/prefill_attn.mlir as FlashAttention: 2048 blocks of 64 queries, 64 keys a step.
func.func @prefill_attn(%Q: tensor<32x4096x128xf16>, %K: tensor<32x128x4096xf16>, %V: tensor<32x4096x128xf16>) -> tensor<32x4096x128xf16> {
  %e = tensor.empty() : tensor<32x4096x128xf16>
  %r = mirage_kernel.graph ins(%Q, %K, %V : tensor<32x4096x128xf16>, tensor<32x128x4096xf16>, tensor<32x4096x128xf16>)
      outs(%e : tensor<32x4096x128xf16>) {
  ^bb0(%q: tensor<32x4096x128xf16>, %k: tensor<32x128x4096xf16>, %v: tensor<32x4096x128xf16>):
    %o = mirage_block.graph grid(x = 32, y = 64) threads(128) loop(64)
        ins(%q imap(x -> 0, y -> 1), %k imap(x -> 0) fmap(2), %v imap(x -> 0) fmap(1))
        outs(omap(x -> 0, y -> 1)) : (tensor<32x4096x128xf16>, tensor<32x128x4096xf16>, tensor<32x4096x128xf16>) -> tensor<32x4096x128xf16> {
    ^bb0(%qt: tensor<1x64x128xf16>, %kt: tensor<1x128x64xf16>, %vt: tensor<1x64x128xf16>):
      %s = mirage_block.matmul %qt, %kt : tensor<1x64x128xf16>, tensor<1x128x64xf16>
      %m = mirage_block.max %s dims [2] : tensor<1x64x64xf32>
      %c = mirage_block.sub %s, %m : tensor<1x64x64xf32>, tensor<1x64x1xf32>
      %p = mirage_block.exp %c : tensor<1x64x64xf32>
      %h = mirage_block.cast %p : (tensor<1x64x64xf32>) -> tensor<1x64x64xf16>
      %pv = mirage_block.matmul %h, %vt : tensor<1x64x64xf16>, tensor<1x64x128xf16>
      %acc = mirage_block.accumulate %pv over loop sum rescale by %m : tensor<1x64x128xf32>, tensor<1x64x1xf32>
      %l = mirage_block.accumulate %p over loop sum dims [2] rescale by %m : tensor<1x64x64xf32>, tensor<1x64x1xf32>
      %d = mirage_block.div %acc, %l : tensor<1x64x128xf32>, tensor<1x64x1xf32>
      mirage_block.yield %d : tensor<1x64x128xf32>
    }
    mirage_kernel.yield %o : tensor<32x4096x128xf16>
  } : tensor<32x4096x128xf16>
  return %r : tensor<32x4096x128xf16>
}
