// Chains of rows whose products four warps can take together: attention that loops over keys, in
// f16 and bf16, with operands of one and of two panels, of 64 and 128 columns, with tiles that go
// beyond the keys, of several heads.

func.func @narrow(%q: tensor<2x64x64xf16>, %k: tensor<2x64x320xf16>, %v: tensor<2x320x64xf16>) -> tensor<2x64x64xf16> {
  %e = tensor.empty() : tensor<2x64x64xf16>
  %r = mirage_kernel.graph ins(%q, %k, %v : tensor<2x64x64xf16>, tensor<2x64x320xf16>, tensor<2x320x64xf16>) outs(%e : tensor<2x64x64xf16>) {
  ^bb0(%a: tensor<2x64x64xf16>, %b: tensor<2x64x320xf16>, %c: tensor<2x320x64xf16>):
    %o = mirage_block.graph grid(x = 2) threads(128) loop(5) stages(3)
        ins(%a imap(x -> 0), %b imap(x -> 0) fmap(2), %c imap(x -> 0) fmap(1)) outs(omap(x -> 0))
        : (tensor<2x64x64xf16>, tensor<2x64x320xf16>, tensor<2x320x64xf16>) -> tensor<2x64x64xf16> {
    ^bb0(%qt: tensor<1x64x64xf16>, %kt: tensor<1x64x64xf16>, %vt: tensor<1x64x64xf16>):
      %s = mirage_block.matmul %qt, %kt : tensor<1x64x64xf16>, tensor<1x64x64xf16>
      %p = mirage_block.exp %s : tensor<1x64x64xf32>
      %h = mirage_block.cast %p : (tensor<1x64x64xf32>) -> tensor<1x64x64xf16>
      %l = mirage_block.accumulate %p over loop sum dims [2] : tensor<1x64x64xf32>
      %m = mirage_block.matmul %h, %vt : tensor<1x64x64xf16>, tensor<1x64x64xf16>
      %n = mirage_block.accumulate %m over loop sum : tensor<1x64x64xf32>
      %d = mirage_block.div %n, %l : tensor<1x64x64xf32>, tensor<1x64x1xf32>
      mirage_block.yield %d : tensor<1x64x64xf32>
    }
    mirage_kernel.yield %o : tensor<2x64x64xf16>
  } : tensor<2x64x64xf16>
  return %r : tensor<2x64x64xf16>
}

// Panels of 32 keys, and two of 64 values; two warpgroups.
func.func @wide(%q: tensor<128x128xbf16>, %k: tensor<128x192xbf16>, %v: tensor<192x128xbf16>) -> tensor<128x128xbf16> {
  %e = tensor.empty() : tensor<128x128xbf16>
  %r = mirage_kernel.graph ins(%q, %k, %v : tensor<128x128xbf16>, tensor<128x192xbf16>, tensor<192x128xbf16>) outs(%e : tensor<128x128xbf16>) {
  ^bb0(%a: tensor<128x128xbf16>, %b: tensor<128x192xbf16>, %c: tensor<192x128xbf16>):
    %o = mirage_block.graph grid() threads(256) loop(6) stages(2)
        ins(%a imap(), %b imap() fmap(1), %c imap() fmap(0)) outs(omap())
        : (tensor<128x128xbf16>, tensor<128x192xbf16>, tensor<192x128xbf16>) -> tensor<128x128xbf16> {
    ^bb0(%qt: tensor<128x128xbf16>, %kt: tensor<128x32xbf16>, %vt: tensor<32x128xbf16>):
      %s = mirage_block.matmul %qt, %kt : tensor<128x128xbf16>, tensor<128x32xbf16>
      %p = mirage_block.exp %s : tensor<128x32xf32>
      %h = mirage_block.cast %p : (tensor<128x32xf32>) -> tensor<128x32xbf16>
      %l = mirage_block.accumulate %p over loop sum dims [1] : tensor<128x32xf32>
      %m = mirage_block.matmul %h, %vt : tensor<128x32xbf16>, tensor<32x128xbf16>
      %n = mirage_block.accumulate %m over loop sum : tensor<128x128xf32>
      %d = mirage_block.div %n, %l : tensor<128x128xf32>, tensor<128x1xf32>
      mirage_block.yield %d : tensor<128x128xf32>
    }
    mirage_kernel.yield %o : tensor<128x128xbf16>
  } : tensor<128x128xbf16>
  return %r : tensor<128x128xbf16>
}

// Two heads in a block, each of 64 rows; online softmax, whose sums are rescaled.
func.func @online(%q: tensor<4x64x32xf16>, %k: tensor<4x32x256xf16>, %v: tensor<4x256x32xf16>) -> tensor<4x64x32xf16> {
  %e = tensor.empty() : tensor<4x64x32xf16>
  %r = mirage_kernel.graph ins(%q, %k, %v : tensor<4x64x32xf16>, tensor<4x32x256xf16>, tensor<4x256x32xf16>) outs(%e : tensor<4x64x32xf16>) {
  ^bb0(%a: tensor<4x64x32xf16>, %b: tensor<4x32x256xf16>, %c: tensor<4x256x32xf16>):
    %o = mirage_block.graph grid(x = 2) threads(256) loop(4) stages(2)
        ins(%a imap(x -> 0), %b imap(x -> 0) fmap(2), %c imap(x -> 0) fmap(1)) outs(omap(x -> 0))
        : (tensor<4x64x32xf16>, tensor<4x32x256xf16>, tensor<4x256x32xf16>) -> tensor<4x64x32xf16> {
    ^bb0(%qt: tensor<2x64x32xf16>, %kt: tensor<2x32x64xf16>, %vt: tensor<2x64x32xf16>):
      %s = mirage_block.matmul %qt, %kt : tensor<2x64x32xf16>, tensor<2x32x64xf16>
      %x = mirage_block.max %s dims [2] : tensor<2x64x64xf32>
      %t = mirage_block.sub %s, %x : tensor<2x64x64xf32>, tensor<2x64x1xf32>
      %p = mirage_block.exp %t : tensor<2x64x64xf32>
      %h = mirage_block.cast %p : (tensor<2x64x64xf32>) -> tensor<2x64x64xf16>
      %z = mirage_block.sum %p dims [2] : tensor<2x64x64xf32>
      %l = mirage_block.accumulate %z over loop sum rescale by %x : tensor<2x64x1xf32>, tensor<2x64x1xf32>
      %m = mirage_block.matmul %h, %vt : tensor<2x64x64xf16>, tensor<2x64x32xf16>
      %n = mirage_block.accumulate %m over loop sum rescale by %x : tensor<2x64x32xf32>, tensor<2x64x1xf32>
      %d = mirage_block.div %n, %l : tensor<2x64x32xf32>, tensor<2x64x1xf32>
      mirage_block.yield %d : tensor<2x64x32xf32>
    }
    mirage_kernel.yield %o : tensor<4x64x32xf16>
  } : tensor<4x64x32xf16>
  return %r : tensor<4x64x32xf16>
}
