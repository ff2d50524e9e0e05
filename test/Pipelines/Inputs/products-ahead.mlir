// Attention whose products run beside other steps: plain, online, in bf16
// and of one warpgroup; and products by themselves, of one and of two warpgroups, with sizes
// that do not divide.

func.func @plain(%q: tensor<1x128x64xf16>, %k: tensor<1x64x576xf16>, %v: tensor<1x576x64xf16>) -> tensor<1x128x64xf16> {
  %e = tensor.empty() : tensor<1x128x64xf16>
  %r = mirage_kernel.graph ins(%q, %k, %v : tensor<1x128x64xf16>, tensor<1x64x576xf16>, tensor<1x576x64xf16>) outs(%e : tensor<1x128x64xf16>) {
  ^bb0(%a0: tensor<1x128x64xf16>, %b0: tensor<1x64x576xf16>, %c0: tensor<1x576x64xf16>):
    %o = mirage_block.graph grid(x = 1, y = 1) threads(256) loop(9) stages(5)
        ins(%a0 imap(x -> 0, y -> 1), %b0 imap(x -> 0) fmap(2), %c0 imap(x -> 0) fmap(1)) outs(omap(x -> 0, y -> 1))
        : (tensor<1x128x64xf16>, tensor<1x64x576xf16>, tensor<1x576x64xf16>) -> tensor<1x128x64xf16> {
    ^bb0(%qt: tensor<1x128x64xf16>, %kt: tensor<1x64x64xf16>, %vt: tensor<1x64x64xf16>):
      %a = mirage_block.matmul %qt, %kt : tensor<1x128x64xf16>, tensor<1x64x64xf16>
      %p = mirage_block.exp %a : tensor<1x128x64xf32>
      %l = mirage_block.accumulate %p over loop sum dims [2] : tensor<1x128x64xf32>
      %h = mirage_block.cast %p : (tensor<1x128x64xf32>) -> tensor<1x128x64xf16>
      %m = mirage_block.matmul %h, %vt : tensor<1x128x64xf16>, tensor<1x64x64xf16>
      %n = mirage_block.accumulate %m over loop sum : tensor<1x128x64xf32>
      %d = mirage_block.div %n, %l : tensor<1x128x64xf32>, tensor<1x128x1xf32>
      mirage_block.yield %d : tensor<1x128x64xf32>
    }
    mirage_kernel.yield %o : tensor<1x128x64xf16>
  } : tensor<1x128x64xf16>
  return %r : tensor<1x128x64xf16>
}

func.func @online(%q: tensor<1x128x128xf16>, %k: tensor<1x128x576xf16>, %v: tensor<1x576x128xf16>) -> tensor<1x128x128xf16> {
  %e = tensor.empty() : tensor<1x128x128xf16>
  %r = mirage_kernel.graph ins(%q, %k, %v : tensor<1x128x128xf16>, tensor<1x128x576xf16>, tensor<1x576x128xf16>) outs(%e : tensor<1x128x128xf16>) {
  ^bb0(%a0: tensor<1x128x128xf16>, %b0: tensor<1x128x576xf16>, %c0: tensor<1x576x128xf16>):
    %o = mirage_block.graph grid(x = 1, y = 1) threads(256) loop(9) stages(5)
        ins(%a0 imap(x -> 0, y -> 1), %b0 imap(x -> 0) fmap(2), %c0 imap(x -> 0) fmap(1)) outs(omap(x -> 0, y -> 1))
        : (tensor<1x128x128xf16>, tensor<1x128x576xf16>, tensor<1x576x128xf16>) -> tensor<1x128x128xf16> {
    ^bb0(%qt: tensor<1x128x128xf16>, %kt: tensor<1x128x64xf16>, %vt: tensor<1x64x128xf16>):
      %a = mirage_block.matmul %qt, %kt : tensor<1x128x128xf16>, tensor<1x128x64xf16>
      %mx = mirage_block.max %a dims [2] : tensor<1x128x64xf32>
      %sb = mirage_block.sub %a, %mx : tensor<1x128x64xf32>, tensor<1x128x1xf32>
      %p = mirage_block.exp %sb : tensor<1x128x64xf32>
      %l = mirage_block.accumulate %p over loop sum dims [2] rescale by %mx : tensor<1x128x64xf32>, tensor<1x128x1xf32>
      %h = mirage_block.cast %p : (tensor<1x128x64xf32>) -> tensor<1x128x64xf16>
      %m = mirage_block.matmul %h, %vt : tensor<1x128x64xf16>, tensor<1x64x128xf16>
      %n = mirage_block.accumulate %m over loop sum rescale by %mx : tensor<1x128x128xf32>, tensor<1x128x1xf32>
      %d = mirage_block.div %n, %l : tensor<1x128x128xf32>, tensor<1x128x1xf32>
      mirage_block.yield %d : tensor<1x128x128xf32>
    }
    mirage_kernel.yield %o : tensor<1x128x128xf16>
  } : tensor<1x128x128xf16>
  return %r : tensor<1x128x128xf16>
}

func.func @one_warpgroup(%q: tensor<2x64x64xbf16>, %k: tensor<2x64x512xbf16>, %v: tensor<2x512x64xbf16>) -> tensor<2x64x64xbf16> {
  %e = tensor.empty() : tensor<2x64x64xbf16>
  %r = mirage_kernel.graph ins(%q, %k, %v : tensor<2x64x64xbf16>, tensor<2x64x512xbf16>, tensor<2x512x64xbf16>) outs(%e : tensor<2x64x64xbf16>) {
  ^bb0(%a0: tensor<2x64x64xbf16>, %b0: tensor<2x64x512xbf16>, %c0: tensor<2x512x64xbf16>):
    %o = mirage_block.graph grid(x = 2, y = 1) threads(128) loop(8) stages(4)
        ins(%a0 imap(x -> 0, y -> 1), %b0 imap(x -> 0) fmap(2), %c0 imap(x -> 0) fmap(1)) outs(omap(x -> 0, y -> 1))
        : (tensor<2x64x64xbf16>, tensor<2x64x512xbf16>, tensor<2x512x64xbf16>) -> tensor<2x64x64xbf16> {
    ^bb0(%qt: tensor<1x64x64xbf16>, %kt: tensor<1x64x64xbf16>, %vt: tensor<1x64x64xbf16>):
      %a = mirage_block.matmul %qt, %kt : tensor<1x64x64xbf16>, tensor<1x64x64xbf16>
      %mx = mirage_block.max %a dims [2] : tensor<1x64x64xf32>
      %sb = mirage_block.sub %a, %mx : tensor<1x64x64xf32>, tensor<1x64x1xf32>
      %p = mirage_block.exp %sb : tensor<1x64x64xf32>
      %l = mirage_block.accumulate %p over loop sum dims [2] rescale by %mx : tensor<1x64x64xf32>, tensor<1x64x1xf32>
      %h = mirage_block.cast %p : (tensor<1x64x64xf32>) -> tensor<1x64x64xbf16>
      %m = mirage_block.matmul %h, %vt : tensor<1x64x64xbf16>, tensor<1x64x64xbf16>
      %n = mirage_block.accumulate %m over loop sum rescale by %mx : tensor<1x64x64xf32>, tensor<1x64x1xf32>
      %d = mirage_block.div %n, %l : tensor<1x64x64xf32>, tensor<1x64x1xf32>
      mirage_block.yield %d : tensor<1x64x64xf32>
    }
    mirage_kernel.yield %o : tensor<2x64x64xbf16>
  } : tensor<2x64x64xbf16>
  return %r : tensor<2x64x64xbf16>
}

func.func @product(%x: tensor<200x512xf16>, %w: tensor<512x120xf16>) -> tensor<200x120xf16> {
  %e = tensor.empty() : tensor<200x120xf16>
  %r = mirage_kernel.graph ins(%x, %w : tensor<200x512xf16>, tensor<512x120xf16>) outs(%e : tensor<200x120xf16>) {
  ^bb0(%a: tensor<200x512xf16>, %b: tensor<512x120xf16>):
    %o = mirage_block.graph grid(x = 2, y = 2) threads(256) loop(8) stages(3)
        ins(%a imap(x -> 0) fmap(1), %b imap(y -> 1) fmap(0)) outs(omap(x -> 0, y -> 1))
        : (tensor<200x512xf16>, tensor<512x120xf16>) -> tensor<200x120xf16> {
    ^bb0(%xt: tensor<128x64xf16>, %wt: tensor<64x64xf16>):
      %m = mirage_block.matmul %xt, %wt : tensor<128x64xf16>, tensor<64x64xf16>
      %n = mirage_block.accumulate %m over loop sum : tensor<128x64xf32>
      mirage_block.yield %n : tensor<128x64xf32>
    }
    mirage_kernel.yield %o : tensor<200x120xf16>
  } : tensor<200x120xf16>
  return %r : tensor<200x120xf16>
}

func.func @product_of_one(%x: tensor<64x200xf16>, %w: tensor<200x256xf16>) -> tensor<64x256xf16> {
  %e = tensor.empty() : tensor<64x256xf16>
  %r = mirage_kernel.graph ins(%x, %w : tensor<64x200xf16>, tensor<200x256xf16>) outs(%e : tensor<64x256xf16>) {
  ^bb0(%a: tensor<64x200xf16>, %b: tensor<200x256xf16>):
    %o = mirage_block.graph grid(x = 1, y = 2) threads(128) loop(4) stages(2)
        ins(%a imap(x -> 0) fmap(1), %b imap(y -> 1) fmap(0)) outs(omap(x -> 0, y -> 1))
        : (tensor<64x200xf16>, tensor<200x256xf16>) -> tensor<64x256xf16> {
    ^bb0(%xt: tensor<64x64xf16>, %wt: tensor<64x128xf16>):
      %m = mirage_block.matmul %xt, %wt : tensor<64x64xf16>, tensor<64x128xf16>
      %n = mirage_block.accumulate %m over loop sum : tensor<64x128xf32>
      mirage_block.yield %n : tensor<64x128xf32>
    }
    mirage_kernel.yield %o : tensor<64x256xf16>
  } : tensor<64x256xf16>
  return %r : tensor<64x256xf16>
}
