// Attention of which some tiles are masked whole, or partial, or of which two are computed at once,
// or whose keys other blocks of the same launch have computed.

// The mask comes with the keys: its first feature of some is minus infinity, as no query's is 0.
func.func @online(%q: tensor<1x128x64xf16>, %k: tensor<1x64x576xf16>, %v: tensor<1x576x64xf16>) -> tensor<1x128x64xf16> {
  %e = tensor.empty() : tensor<1x128x64xf16>
  %r = mirage_kernel.graph ins(%q, %k, %v : tensor<1x128x64xf16>, tensor<1x64x576xf16>, tensor<1x576x64xf16>) outs(%e : tensor<1x128x64xf16>) {
  ^bb0(%a0: tensor<1x128x64xf16>, %b0: tensor<1x64x576xf16>, %c0: tensor<1x576x64xf16>):
    %o = mirage_block.graph grid(x = 1, y = 1) threads(256) loop(9) stages(5)
        ins(%a0 imap(x -> 0, y -> 1), %b0 imap(x -> 0) fmap(2), %c0 imap(x -> 0) fmap(1)) outs(omap(x -> 0, y -> 1))
        : (tensor<1x128x64xf16>, tensor<1x64x576xf16>, tensor<1x576x64xf16>) -> tensor<1x128x64xf16> {
    ^bb0(%qt: tensor<1x128x64xf16>, %kt: tensor<1x64x64xf16>, %vt: tensor<1x64x64xf16>):
      %a = mirage_block.matmul %qt, %kt : tensor<1x128x64xf16>, tensor<1x64x64xf16>
      %mx = mirage_block.max %a dims [2] : tensor<1x128x64xf32>
      %sb = mirage_block.sub %a, %mx : tensor<1x128x64xf32>, tensor<1x128x1xf32>
      %p = mirage_block.exp %sb : tensor<1x128x64xf32>
      %l = mirage_block.accumulate %p over loop sum dims [2] rescale by %mx : tensor<1x128x64xf32>, tensor<1x128x1xf32>
      %h = mirage_block.cast %p : (tensor<1x128x64xf32>) -> tensor<1x128x64xf16>
      %m = mirage_block.matmul %h, %vt : tensor<1x128x64xf16>, tensor<1x64x64xf16>
      %n = mirage_block.accumulate %m over loop sum rescale by %mx : tensor<1x128x64xf32>, tensor<1x128x1xf32>
      %d = mirage_block.div %n, %l : tensor<1x128x64xf32>, tensor<1x128x1xf32>
      mirage_block.yield %d : tensor<1x128x64xf32>
    }
    mirage_kernel.yield %o : tensor<1x128x64xf16>
  } : tensor<1x128x64xf16>
  return %r : tensor<1x128x64xf16>
}

// Of the last tiles no query sees anything, and half of them see nothing of the second one.
func.func @causal(%q: tensor<1x128x64xf16>, %k: tensor<1x64x576xf16>, %v: tensor<1x576x64xf16>) -> tensor<1x128x64xf16> {
  %e = tensor.empty() : tensor<1x128x64xf16>
  %r = mirage_kernel.graph ins(%q, %k, %v : tensor<1x128x64xf16>, tensor<1x64x576xf16>, tensor<1x576x64xf16>) outs(%e : tensor<1x128x64xf16>) {
  ^bb0(%a0: tensor<1x128x64xf16>, %b0: tensor<1x64x576xf16>, %c0: tensor<1x576x64xf16>):
    %o = mirage_block.graph grid(x = 1, y = 1) threads(256) loop(9) stages(5)
        ins(%a0 imap(x -> 0, y -> 1), %b0 imap(x -> 0) fmap(2), %c0 imap(x -> 0) fmap(1)) outs(omap(x -> 0, y -> 1))
        : (tensor<1x128x64xf16>, tensor<1x64x576xf16>, tensor<1x576x64xf16>) -> tensor<1x128x64xf16> {
    ^bb0(%qt: tensor<1x128x64xf16>, %kt: tensor<1x64x64xf16>, %vt: tensor<1x64x64xf16>):
      %a = mirage_block.matmul %qt, %kt : tensor<1x128x64xf16>, tensor<1x64x64xf16>
      %s = mirage_block.causal_mask %a offset 0 rows [] columns ["loop"] : tensor<1x128x64xf32>
      %mx = mirage_block.max %s dims [2] : tensor<1x128x64xf32>
      %sb = mirage_block.sub %s, %mx : tensor<1x128x64xf32>, tensor<1x128x1xf32>
      %p = mirage_block.exp %sb : tensor<1x128x64xf32>
      %l = mirage_block.accumulate %p over loop sum dims [2] rescale by %mx : tensor<1x128x64xf32>, tensor<1x128x1xf32>
      %h = mirage_block.cast %p : (tensor<1x128x64xf32>) -> tensor<1x128x64xf16>
      %m = mirage_block.matmul %h, %vt : tensor<1x128x64xf16>, tensor<1x64x64xf16>
      %n = mirage_block.accumulate %m over loop sum rescale by %mx : tensor<1x128x64xf32>, tensor<1x128x1xf32>
      %d = mirage_block.div %n, %l : tensor<1x128x64xf32>, tensor<1x128x1xf32>
      mirage_block.yield %d : tensor<1x128x64xf32>
    }
    mirage_kernel.yield %o : tensor<1x128x64xf16>
  } : tensor<1x128x64xf16>
  return %r : tensor<1x128x64xf16>
}

// Threads copy the mask, so that no product starts ahead.
func.func @additive(%q: tensor<1x128x64xf16>, %k: tensor<1x64x576xf16>, %v: tensor<1x576x64xf16>, %w: tensor<1x128x576xf32>) -> tensor<1x128x64xf16> {
  %e = tensor.empty() : tensor<1x128x64xf16>
  %r = mirage_kernel.graph ins(%q, %k, %v, %w : tensor<1x128x64xf16>, tensor<1x64x576xf16>, tensor<1x576x64xf16>, tensor<1x128x576xf32>) outs(%e : tensor<1x128x64xf16>) {
  ^bb0(%a0: tensor<1x128x64xf16>, %b0: tensor<1x64x576xf16>, %c0: tensor<1x576x64xf16>, %w0: tensor<1x128x576xf32>):
    %o = mirage_block.graph grid(x = 1, y = 1) threads(256) loop(9) stages(3)
        ins(%a0 imap(x -> 0, y -> 1), %b0 imap(x -> 0) fmap(2), %c0 imap(x -> 0) fmap(1), %w0 imap(x -> 0, y -> 1) fmap(2)) outs(omap(x -> 0, y -> 1))
        : (tensor<1x128x64xf16>, tensor<1x64x576xf16>, tensor<1x576x64xf16>, tensor<1x128x576xf32>) -> tensor<1x128x64xf16> {
    ^bb0(%qt: tensor<1x128x64xf16>, %kt: tensor<1x64x64xf16>, %vt: tensor<1x64x64xf16>, %wt: tensor<1x128x64xf32>):
      %a = mirage_block.matmul %qt, %kt : tensor<1x128x64xf16>, tensor<1x64x64xf16>
      %s = mirage_block.add %a, %wt : tensor<1x128x64xf32>, tensor<1x128x64xf32>
      %mx = mirage_block.max %s dims [2] : tensor<1x128x64xf32>
      %sb = mirage_block.sub %s, %mx : tensor<1x128x64xf32>, tensor<1x128x1xf32>
      %p = mirage_block.exp %sb : tensor<1x128x64xf32>
      %l = mirage_block.accumulate %p over loop sum dims [2] rescale by %mx : tensor<1x128x64xf32>, tensor<1x128x1xf32>
      %h = mirage_block.cast %p : (tensor<1x128x64xf32>) -> tensor<1x128x64xf16>
      %m = mirage_block.matmul %h, %vt : tensor<1x128x64xf16>, tensor<1x64x64xf16>
      %n = mirage_block.accumulate %m over loop sum rescale by %mx : tensor<1x128x64xf32>, tensor<1x128x1xf32>
      %d = mirage_block.div %n, %l : tensor<1x128x64xf32>, tensor<1x128x1xf32>
      mirage_block.yield %d : tensor<1x128x64xf32>
    }
    mirage_kernel.yield %o : tensor<1x128x64xf16>
  } : tensor<1x128x64xf16>
  return %r : tensor<1x128x64xf16>
}

// The last tile has 40 keys of 64. Those beyond the tensor score 0, and have no value.
func.func @partial(%q: tensor<1x128x64xf16>, %k: tensor<1x64x552xf16>, %v: tensor<1x552x64xf16>) -> tensor<1x128x64xf16> {
  %e = tensor.empty() : tensor<1x128x64xf16>
  %r = mirage_kernel.graph ins(%q, %k, %v : tensor<1x128x64xf16>, tensor<1x64x552xf16>, tensor<1x552x64xf16>) outs(%e : tensor<1x128x64xf16>) {
  ^bb0(%a0: tensor<1x128x64xf16>, %b0: tensor<1x64x552xf16>, %c0: tensor<1x552x64xf16>):
    %o = mirage_block.graph grid(x = 1, y = 1) threads(256) loop(9) stages(5)
        ins(%a0 imap(x -> 0, y -> 1), %b0 imap(x -> 0) fmap(2), %c0 imap(x -> 0) fmap(1)) outs(omap(x -> 0, y -> 1))
        : (tensor<1x128x64xf16>, tensor<1x64x552xf16>, tensor<1x552x64xf16>) -> tensor<1x128x64xf16> {
    ^bb0(%qt: tensor<1x128x64xf16>, %kt: tensor<1x64x64xf16>, %vt: tensor<1x64x64xf16>):
      %a = mirage_block.matmul %qt, %kt : tensor<1x128x64xf16>, tensor<1x64x64xf16>
      %mx = mirage_block.max %a dims [2] : tensor<1x128x64xf32>
      %sb = mirage_block.sub %a, %mx : tensor<1x128x64xf32>, tensor<1x128x1xf32>
      %p = mirage_block.exp %sb : tensor<1x128x64xf32>
      %l = mirage_block.accumulate %p over loop sum dims [2] rescale by %mx : tensor<1x128x64xf32>, tensor<1x128x1xf32>
      %h = mirage_block.cast %p : (tensor<1x128x64xf32>) -> tensor<1x128x64xf16>
      %m = mirage_block.matmul %h, %vt : tensor<1x128x64xf16>, tensor<1x64x64xf16>
      %n = mirage_block.accumulate %m over loop sum rescale by %mx : tensor<1x128x64xf32>, tensor<1x128x1xf32>
      %d = mirage_block.div %n, %l : tensor<1x128x64xf32>, tensor<1x128x1xf32>
      mirage_block.yield %d : tensor<1x128x64xf32>
    }
    mirage_kernel.yield %o : tensor<1x128x64xf16>
  } : tensor<1x128x64xf16>
  return %r : tensor<1x128x64xf16>
}

// The last tile has 38 keys. Of a depth of 56, which is no multiple of 16, no wgmma has their products, and none starts ahead.
func.func @late(%q: tensor<1x128x56xf16>, %k: tensor<1x550x56xf16>, %v: tensor<1x550x64xf16>) -> tensor<1x128x64xf16> {
  %e = tensor.empty() : tensor<1x128x64xf16>
  %r = mirage_kernel.graph ins(%q, %k, %v : tensor<1x128x56xf16>, tensor<1x550x56xf16>, tensor<1x550x64xf16>) outs(%e : tensor<1x128x64xf16>) {
  ^bb0(%a0: tensor<1x128x56xf16>, %b0: tensor<1x550x56xf16>, %c0: tensor<1x550x64xf16>):
    %o = mirage_block.graph grid(x = 1, y = 1) threads(256) loop(9) stages(5)
        ins(%a0 imap(x -> 0, y -> 1), %b0 imap(x -> 0) fmap(1), %c0 imap(x -> 0) fmap(1)) outs(omap(x -> 0, y -> 1))
        : (tensor<1x128x56xf16>, tensor<1x550x56xf16>, tensor<1x550x64xf16>) -> tensor<1x128x64xf16> {
    ^bb0(%qt: tensor<1x128x56xf16>, %kt: tensor<1x64x56xf16>, %vt: tensor<1x64x64xf16>):
      %c = mirage_block.transpose %kt dims [0, 2, 1] : tensor<1x64x56xf16>
      %a = mirage_block.matmul %qt, %c : tensor<1x128x56xf16>, tensor<1x56x64xf16>
      %mx = mirage_block.max %a dims [2] : tensor<1x128x64xf32>
      %sb = mirage_block.sub %a, %mx : tensor<1x128x64xf32>, tensor<1x128x1xf32>
      %p = mirage_block.exp %sb : tensor<1x128x64xf32>
      %l = mirage_block.accumulate %p over loop sum dims [2] rescale by %mx : tensor<1x128x64xf32>, tensor<1x128x1xf32>
      %h = mirage_block.cast %p : (tensor<1x128x64xf32>) -> tensor<1x128x64xf16>
      %m = mirage_block.matmul %h, %vt : tensor<1x128x64xf16>, tensor<1x64x64xf16>
      %n = mirage_block.accumulate %m over loop sum rescale by %mx : tensor<1x128x64xf32>, tensor<1x128x1xf32>
      %d = mirage_block.div %n, %l : tensor<1x128x64xf32>, tensor<1x128x1xf32>
      mirage_block.yield %d : tensor<1x128x64xf32>
    }
    mirage_kernel.yield %o : tensor<1x128x64xf16>
  } : tensor<1x128x64xf16>
  return %r : tensor<1x128x64xf16>
}

// Two products start ahead, and two are waited for late.
func.func @two(%q: tensor<128x64xf16>, %k: tensor<64x512xf16>, %j: tensor<64x512xf16>, %v: tensor<512x64xf16>, %u: tensor<512x64xf16>) -> tensor<128x64xf16> {
  %e = tensor.empty() : tensor<128x64xf16>
  %r = mirage_kernel.graph ins(%q, %k, %j, %v, %u : tensor<128x64xf16>, tensor<64x512xf16>, tensor<64x512xf16>, tensor<512x64xf16>, tensor<512x64xf16>) outs(%e : tensor<128x64xf16>) {
  ^bb0(%a0: tensor<128x64xf16>, %b0: tensor<64x512xf16>, %c0: tensor<64x512xf16>, %d0: tensor<512x64xf16>, %e0: tensor<512x64xf16>):
    %o = mirage_block.graph grid(x = 1) threads(256) loop(16) stages(5)
        ins(%a0 imap(x -> 0), %b0 imap() fmap(1), %c0 imap() fmap(1), %d0 imap() fmap(0), %e0 imap() fmap(0)) outs(omap(x -> 0))
        : (tensor<128x64xf16>, tensor<64x512xf16>, tensor<64x512xf16>, tensor<512x64xf16>, tensor<512x64xf16>) -> tensor<128x64xf16> {
    ^bb0(%qt: tensor<128x64xf16>, %kt: tensor<64x32xf16>, %jt: tensor<64x32xf16>, %vt: tensor<32x64xf16>, %ut: tensor<32x64xf16>):
      %s = mirage_block.matmul %qt, %kt : tensor<128x64xf16>, tensor<64x32xf16>
      %t = mirage_block.matmul %qt, %jt : tensor<128x64xf16>, tensor<64x32xf16>
      %p = mirage_block.exp %s : tensor<128x32xf32>
      %i = mirage_block.sigmoid %t : tensor<128x32xf32>
      %ph = mirage_block.cast %p : (tensor<128x32xf32>) -> tensor<128x32xf16>
      %ih = mirage_block.cast %i : (tensor<128x32xf32>) -> tensor<128x32xf16>
      %m = mirage_block.matmul %ph, %vt : tensor<128x32xf16>, tensor<32x64xf16>
      %n = mirage_block.accumulate %m over loop sum : tensor<128x64xf32>
      %w = mirage_block.matmul %ih, %ut : tensor<128x32xf16>, tensor<32x64xf16>
      %x = mirage_block.accumulate %w over loop sum : tensor<128x64xf32>
      %y = mirage_block.add %n, %x : tensor<128x64xf32>, tensor<128x64xf32>
      mirage_block.yield %y : tensor<128x64xf32>
    }
    mirage_kernel.yield %o : tensor<128x64xf16>
  } : tensor<128x64xf16>
  return %r : tensor<128x64xf16>
}

// Eight blocks scale the keys, and the last of them, or one of their cluster, goes on: what the copy
// engine loads there threads of the same launch have stored.
func.func @merged(%q: tensor<128x64xf16>, %k: tensor<64x512xf16>, %v: tensor<512x64xf16>) -> tensor<128x64xf16> {
  %e = tensor.empty() : tensor<128x64xf16>
  %r = mirage_kernel.graph ins(%q, %k, %v : tensor<128x64xf16>, tensor<64x512xf16>, tensor<512x64xf16>) outs(%e : tensor<128x64xf16>) {
  ^bb0(%a0: tensor<128x64xf16>, %b0: tensor<64x512xf16>, %c0: tensor<512x64xf16>):
    %z = mirage_block.graph grid(x = 1, y = 8) threads(256)
        ins(%b0 imap(y -> 1)) outs(omap(y -> 1)) : (tensor<64x512xf16>) -> tensor<64x512xf16> {
    ^bb0(%t: tensor<64x64xf16>):
      %s = mirage_block.scale %t by 0.125 : tensor<64x64xf16>
      mirage_block.yield %s : tensor<64x64xf32>
    }
    %o = mirage_block.graph grid(x = 1, y = 1) threads(256) loop(8) stages(5)
        ins(%a0 imap(x -> 0), %z imap() fmap(1), %c0 imap() fmap(0)) outs(omap(x -> 0))
        : (tensor<128x64xf16>, tensor<64x512xf16>, tensor<512x64xf16>) -> tensor<128x64xf16> {
    ^bb0(%qt: tensor<128x64xf16>, %kt: tensor<64x64xf16>, %vt: tensor<64x64xf16>):
      %a = mirage_block.matmul %qt, %kt : tensor<128x64xf16>, tensor<64x64xf16>
      %p = mirage_block.exp %a : tensor<128x64xf32>
      %l = mirage_block.accumulate %p over loop sum dims [1] : tensor<128x64xf32>
      %h = mirage_block.cast %p : (tensor<128x64xf32>) -> tensor<128x64xf16>
      %m = mirage_block.matmul %h, %vt : tensor<128x64xf16>, tensor<64x64xf16>
      %n = mirage_block.accumulate %m over loop sum : tensor<128x64xf32>
      %d = mirage_block.div %n, %l : tensor<128x64xf32>, tensor<128x1xf32>
      mirage_block.yield %d : tensor<128x64xf32>
    }
    mirage_kernel.yield %o : tensor<128x64xf16>
  } : tensor<128x64xf16>
  return %r : tensor<128x64xf16>
}
