// Masks of scores that warps hold in registers.

// The last tile has 52 keys.
func.func @keys(%q: tensor<1x128x64xf16>, %k: tensor<1x64x180xf16>, %v: tensor<1x180x64xf16>) -> tensor<1x128x64xf16> {
  %e = tensor.empty() : tensor<1x128x64xf16>
  %r = mirage_kernel.graph ins(%q, %k, %v : tensor<1x128x64xf16>, tensor<1x64x180xf16>, tensor<1x180x64xf16>) outs(%e : tensor<1x128x64xf16>) {
  ^bb0(%a0: tensor<1x128x64xf16>, %b0: tensor<1x64x180xf16>, %c0: tensor<1x180x64xf16>):
    %o = mirage_block.graph grid(x = 1, y = 1) threads(256) loop(3) stages(3)
        ins(%a0 imap(x -> 0, y -> 1), %b0 imap(x -> 0) fmap(2), %c0 imap(x -> 0) fmap(1)) outs(omap(x -> 0, y -> 1))
        : (tensor<1x128x64xf16>, tensor<1x64x180xf16>, tensor<1x180x64xf16>) -> tensor<1x128x64xf16> {
    ^bb0(%qt: tensor<1x128x64xf16>, %kt: tensor<1x64x64xf16>, %vt: tensor<1x64x64xf16>):
      %s = mirage_block.matmul %qt, %kt : tensor<1x128x64xf16>, tensor<1x64x64xf16>
      %m = mirage_block.mask %s dims [2] axes ["loop"] extent 180 value 0xFFF0000000000000 : tensor<1x128x64xf32>
      %mx = mirage_block.max %m dims [2] : tensor<1x128x64xf32>
      %sb = mirage_block.sub %m, %mx : tensor<1x128x64xf32>, tensor<1x128x1xf32>
      %p = mirage_block.exp %sb : tensor<1x128x64xf32>
      %l = mirage_block.accumulate %p over loop sum dims [2] rescale by %mx : tensor<1x128x64xf32>, tensor<1x128x1xf32>
      %h = mirage_block.cast %p : (tensor<1x128x64xf32>) -> tensor<1x128x64xf16>
      %pv = mirage_block.matmul %h, %vt : tensor<1x128x64xf16>, tensor<1x64x64xf16>
      %n = mirage_block.accumulate %pv over loop sum rescale by %mx : tensor<1x128x64xf32>, tensor<1x128x1xf32>
      %d = mirage_block.div %n, %l : tensor<1x128x64xf32>, tensor<1x128x1xf32>
      mirage_block.yield %d : tensor<1x128x64xf32>
    }
    mirage_kernel.yield %o : tensor<1x128x64xf16>
  } : tensor<1x128x64xf16>
  return %r : tensor<1x128x64xf16>
}

// Of the first block's tiles two are hidden whole, and two in part.
func.func @causal(%q: tensor<1x256x64xf16>, %k: tensor<1x64x256xf16>, %v: tensor<1x256x64xf16>) -> tensor<1x256x64xf16> {
  %e = tensor.empty() : tensor<1x256x64xf16>
  %r = mirage_kernel.graph ins(%q, %k, %v : tensor<1x256x64xf16>, tensor<1x64x256xf16>, tensor<1x256x64xf16>) outs(%e : tensor<1x256x64xf16>) {
  ^bb0(%a0: tensor<1x256x64xf16>, %b0: tensor<1x64x256xf16>, %c0: tensor<1x256x64xf16>):
    %o = mirage_block.graph grid(x = 1, y = 2) threads(256) loop(4) stages(3)
        ins(%a0 imap(x -> 0, y -> 1), %b0 imap(x -> 0) fmap(2), %c0 imap(x -> 0) fmap(1)) outs(omap(x -> 0, y -> 1))
        : (tensor<1x256x64xf16>, tensor<1x64x256xf16>, tensor<1x256x64xf16>) -> tensor<1x256x64xf16> {
    ^bb0(%qt: tensor<1x128x64xf16>, %kt: tensor<1x64x64xf16>, %vt: tensor<1x64x64xf16>):
      %s = mirage_block.matmul %qt, %kt : tensor<1x128x64xf16>, tensor<1x64x64xf16>
      %m = mirage_block.causal_mask %s offset 0 rows ["y"] columns ["loop"] : tensor<1x128x64xf32>
      %mx = mirage_block.max %m dims [2] : tensor<1x128x64xf32>
      %sb = mirage_block.sub %m, %mx : tensor<1x128x64xf32>, tensor<1x128x1xf32>
      %p = mirage_block.exp %sb : tensor<1x128x64xf32>
      %l = mirage_block.accumulate %p over loop sum dims [2] rescale by %mx : tensor<1x128x64xf32>, tensor<1x128x1xf32>
      %h = mirage_block.cast %p : (tensor<1x128x64xf32>) -> tensor<1x128x64xf16>
      %pv = mirage_block.matmul %h, %vt : tensor<1x128x64xf16>, tensor<1x64x64xf16>
      %n = mirage_block.accumulate %pv over loop sum rescale by %mx : tensor<1x128x64xf32>, tensor<1x128x1xf32>
      %d = mirage_block.div %n, %l : tensor<1x128x64xf32>, tensor<1x128x1xf32>
      mirage_block.yield %d : tensor<1x128x64xf32>
    }
    mirage_kernel.yield %o : tensor<1x256x64xf16>
  } : tensor<1x256x64xf16>
  return %r : tensor<1x256x64xf16>
}

// Queries come behind 70 keys; of a last tile of 6 keys padding is hidden as well.
func.func @behind(%q: tensor<1x256x64xf16>, %k: tensor<1x64x326xf16>, %v: tensor<1x326x64xf16>) -> tensor<1x256x64xf16> {
  %e = tensor.empty() : tensor<1x256x64xf16>
  %r = mirage_kernel.graph ins(%q, %k, %v : tensor<1x256x64xf16>, tensor<1x64x326xf16>, tensor<1x326x64xf16>) outs(%e : tensor<1x256x64xf16>) {
  ^bb0(%a0: tensor<1x256x64xf16>, %b0: tensor<1x64x326xf16>, %c0: tensor<1x326x64xf16>):
    %o = mirage_block.graph grid(x = 1, y = 2) threads(256) loop(6) stages(3)
        ins(%a0 imap(x -> 0, y -> 1), %b0 imap(x -> 0) fmap(2), %c0 imap(x -> 0) fmap(1)) outs(omap(x -> 0, y -> 1))
        : (tensor<1x256x64xf16>, tensor<1x64x326xf16>, tensor<1x326x64xf16>) -> tensor<1x256x64xf16> {
    ^bb0(%qt: tensor<1x128x64xf16>, %kt: tensor<1x64x64xf16>, %vt: tensor<1x64x64xf16>):
      %s = mirage_block.matmul %qt, %kt : tensor<1x128x64xf16>, tensor<1x64x64xf16>
      %x = mirage_block.mask %s dims [2] axes ["loop"] extent 326 value 0xFFF0000000000000 : tensor<1x128x64xf32>
      %m = mirage_block.causal_mask %x offset 70 rows ["y"] columns ["loop"] : tensor<1x128x64xf32>
      %mx = mirage_block.max %m dims [2] : tensor<1x128x64xf32>
      %sb = mirage_block.sub %m, %mx : tensor<1x128x64xf32>, tensor<1x128x1xf32>
      %p = mirage_block.exp %sb : tensor<1x128x64xf32>
      %l = mirage_block.accumulate %p over loop sum dims [2] rescale by %mx : tensor<1x128x64xf32>, tensor<1x128x1xf32>
      %h = mirage_block.cast %p : (tensor<1x128x64xf32>) -> tensor<1x128x64xf16>
      %pv = mirage_block.matmul %h, %vt : tensor<1x128x64xf16>, tensor<1x64x64xf16>
      %n = mirage_block.accumulate %pv over loop sum rescale by %mx : tensor<1x128x64xf32>, tensor<1x128x1xf32>
      %d = mirage_block.div %n, %l : tensor<1x128x64xf32>, tensor<1x128x1xf32>
      mirage_block.yield %d : tensor<1x128x64xf32>
    }
    mirage_kernel.yield %o : tensor<1x256x64xf16>
  } : tensor<1x256x64xf16>
  return %r : tensor<1x256x64xf16>
}

// A number in place of what the last tile has not.
func.func @finite(%q: tensor<1x128x64xf16>, %k: tensor<1x64x180xf16>, %v: tensor<1x180x64xf16>) -> tensor<1x128x64xf16> {
  %e = tensor.empty() : tensor<1x128x64xf16>
  %r = mirage_kernel.graph ins(%q, %k, %v : tensor<1x128x64xf16>, tensor<1x64x180xf16>, tensor<1x180x64xf16>) outs(%e : tensor<1x128x64xf16>) {
  ^bb0(%a0: tensor<1x128x64xf16>, %b0: tensor<1x64x180xf16>, %c0: tensor<1x180x64xf16>):
    %o = mirage_block.graph grid(x = 1, y = 1) threads(256) loop(3) stages(3)
        ins(%a0 imap(x -> 0, y -> 1), %b0 imap(x -> 0) fmap(2), %c0 imap(x -> 0) fmap(1)) outs(omap(x -> 0, y -> 1))
        : (tensor<1x128x64xf16>, tensor<1x64x180xf16>, tensor<1x180x64xf16>) -> tensor<1x128x64xf16> {
    ^bb0(%qt: tensor<1x128x64xf16>, %kt: tensor<1x64x64xf16>, %vt: tensor<1x64x64xf16>):
      %s = mirage_block.matmul %qt, %kt : tensor<1x128x64xf16>, tensor<1x64x64xf16>
      %m = mirage_block.mask %s dims [2] axes ["loop"] extent 180 value -1.5 : tensor<1x128x64xf32>
      %mx = mirage_block.max %m dims [2] : tensor<1x128x64xf32>
      %sb = mirage_block.sub %m, %mx : tensor<1x128x64xf32>, tensor<1x128x1xf32>
      %p = mirage_block.exp %sb : tensor<1x128x64xf32>
      %l = mirage_block.accumulate %p over loop sum dims [2] rescale by %mx : tensor<1x128x64xf32>, tensor<1x128x1xf32>
      %h = mirage_block.cast %p : (tensor<1x128x64xf32>) -> tensor<1x128x64xf16>
      %pv = mirage_block.matmul %h, %vt : tensor<1x128x64xf16>, tensor<1x64x64xf16>
      %n = mirage_block.accumulate %pv over loop sum rescale by %mx : tensor<1x128x64xf32>, tensor<1x128x1xf32>
      %d = mirage_block.div %n, %l : tensor<1x128x64xf32>, tensor<1x128x1xf32>
      mirage_block.yield %d : tensor<1x128x64xf32>
    }
    mirage_kernel.yield %o : tensor<1x128x64xf16>
  } : tensor<1x128x64xf16>
  return %r : tensor<1x128x64xf16>
}

// Rows that the second block has not.
func.func @rows(%q: tensor<1x150x64xf16>, %k: tensor<1x64x128xf16>, %v: tensor<1x128x64xf16>) -> tensor<1x150x64xf16> {
  %e = tensor.empty() : tensor<1x150x64xf16>
  %r = mirage_kernel.graph ins(%q, %k, %v : tensor<1x150x64xf16>, tensor<1x64x128xf16>, tensor<1x128x64xf16>) outs(%e : tensor<1x150x64xf16>) {
  ^bb0(%a0: tensor<1x150x64xf16>, %b0: tensor<1x64x128xf16>, %c0: tensor<1x128x64xf16>):
    %o = mirage_block.graph grid(x = 1, y = 2) threads(256) loop(2) stages(2)
        ins(%a0 imap(x -> 0, y -> 1), %b0 imap(x -> 0) fmap(2), %c0 imap(x -> 0) fmap(1)) outs(omap(x -> 0, y -> 1))
        : (tensor<1x150x64xf16>, tensor<1x64x128xf16>, tensor<1x128x64xf16>) -> tensor<1x150x64xf16> {
    ^bb0(%qt: tensor<1x128x64xf16>, %kt: tensor<1x64x64xf16>, %vt: tensor<1x64x64xf16>):
      %s = mirage_block.matmul %qt, %kt : tensor<1x128x64xf16>, tensor<1x64x64xf16>
      %m = mirage_block.mask %s dims [1] axes ["y"] extent 150 value 2.0 : tensor<1x128x64xf32>
      %mx = mirage_block.max %m dims [2] : tensor<1x128x64xf32>
      %sb = mirage_block.sub %m, %mx : tensor<1x128x64xf32>, tensor<1x128x1xf32>
      %p = mirage_block.exp %sb : tensor<1x128x64xf32>
      %l = mirage_block.accumulate %p over loop sum dims [2] rescale by %mx : tensor<1x128x64xf32>, tensor<1x128x1xf32>
      %h = mirage_block.cast %p : (tensor<1x128x64xf32>) -> tensor<1x128x64xf16>
      %pv = mirage_block.matmul %h, %vt : tensor<1x128x64xf16>, tensor<1x64x64xf16>
      %n = mirage_block.accumulate %pv over loop sum rescale by %mx : tensor<1x128x64xf32>, tensor<1x128x1xf32>
      %d = mirage_block.div %n, %l : tensor<1x128x64xf32>, tensor<1x128x1xf32>
      mirage_block.yield %d : tensor<1x128x64xf32>
    }
    mirage_kernel.yield %o : tensor<1x150x64xf16>
  } : tensor<1x150x64xf16>
  return %r : tensor<1x150x64xf16>
}
