// Products of four warps both of whose operands tensor cores read where the copy engine has put
// them: weights as [K, N] and as [N, K], rows of k that are several panels, left operands as
// [K, M], sizes that do not divide, one warpgroup and two, a norm of the left operand's rows
// beside; and attention with keys as [keys, depth].

func.func @linear(%x: tensor<128x512xf16>, %w: tensor<512x128xf16>) -> tensor<128x128xf16> {
  %e = tensor.empty() : tensor<128x128xf16>
  %r = mirage_kernel.graph ins(%x, %w : tensor<128x512xf16>, tensor<512x128xf16>) outs(%e : tensor<128x128xf16>) {
  ^bb0(%a: tensor<128x512xf16>, %b: tensor<512x128xf16>):
    %o = mirage_block.graph grid(x = 1, y = 1) threads(256) loop(8) stages(4)
        ins(%a imap(x -> 0) fmap(1), %b imap(y -> 1) fmap(0)) outs(omap(x -> 0, y -> 1))
        : (tensor<128x512xf16>, tensor<512x128xf16>) -> tensor<128x128xf16> {
    ^bb0(%xt: tensor<128x64xf16>, %wt: tensor<64x128xf16>):
      %m = mirage_block.matmul %xt, %wt : tensor<128x64xf16>, tensor<64x128xf16>
      %s = mirage_block.accumulate %m over loop sum : tensor<128x128xf32>
      mirage_block.yield %s : tensor<128x128xf32>
    }
    mirage_kernel.yield %o : tensor<128x128xf16>
  } : tensor<128x128xf16>
  return %r : tensor<128x128xf16>
}

func.func @linear_nk(%x: tensor<200x520xf16>, %w: tensor<120x520xf16>) -> tensor<200x120xf16> {
  %e = tensor.empty() : tensor<200x120xf16>
  %r = mirage_kernel.graph ins(%x, %w : tensor<200x520xf16>, tensor<120x520xf16>) outs(%e : tensor<200x120xf16>) {
  ^bb0(%a: tensor<200x520xf16>, %b: tensor<120x520xf16>):
    %o = mirage_block.graph grid(x = 2, y = 2) threads(256) loop(9) stages(4)
        ins(%a imap(x -> 0) fmap(1), %b imap(y -> 0) fmap(1)) outs(omap(x -> 0, y -> 1))
        : (tensor<200x520xf16>, tensor<120x520xf16>) -> tensor<200x120xf16> {
    ^bb0(%xt: tensor<128x64xf16>, %wt: tensor<64x64xf16>):
      %t = mirage_block.transpose %wt dims [1, 0] : tensor<64x64xf16>
      %m = mirage_block.matmul %xt, %t : tensor<128x64xf16>, tensor<64x64xf16>
      %s = mirage_block.accumulate %m over loop sum : tensor<128x64xf32>
      mirage_block.yield %s : tensor<128x64xf32>
    }
    mirage_kernel.yield %o : tensor<200x120xf16>
  } : tensor<200x120xf16>
  return %r : tensor<200x120xf16>
}

func.func @long_rows(%x: tensor<2x64x1024xbf16>, %w: tensor<2x64x1024xbf16>) -> tensor<2x64x64xbf16> {
  %e = tensor.empty() : tensor<2x64x64xbf16>
  %r = mirage_kernel.graph ins(%x, %w : tensor<2x64x1024xbf16>, tensor<2x64x1024xbf16>) outs(%e : tensor<2x64x64xbf16>) {
  ^bb0(%a: tensor<2x64x1024xbf16>, %b: tensor<2x64x1024xbf16>):
    %o = mirage_block.graph grid(x = 2) threads(128) loop(8) stages(4)
        ins(%a imap(x -> 0) fmap(2), %b imap(x -> 0) fmap(2)) outs(omap(x -> 0))
        : (tensor<2x64x1024xbf16>, tensor<2x64x1024xbf16>) -> tensor<2x64x64xbf16> {
    ^bb0(%xt: tensor<1x64x128xbf16>, %wt: tensor<1x64x128xbf16>):
      %t = mirage_block.transpose %wt dims [0, 2, 1] : tensor<1x64x128xbf16>
      %m = mirage_block.matmul %xt, %t : tensor<1x64x128xbf16>, tensor<1x128x64xbf16>
      %s = mirage_block.accumulate %m over loop sum : tensor<1x64x64xf32>
      mirage_block.yield %s : tensor<1x64x64xf32>
    }
    mirage_kernel.yield %o : tensor<2x64x64xbf16>
  } : tensor<2x64x64xbf16>
  return %r : tensor<2x64x64xbf16>
}

func.func @short_rows(%x: tensor<64x320xf16>, %w: tensor<96x320xf16>) -> tensor<64x96xf16> {
  %e = tensor.empty() : tensor<64x96xf16>
  %r = mirage_kernel.graph ins(%x, %w : tensor<64x320xf16>, tensor<96x320xf16>) outs(%e : tensor<64x96xf16>) {
  ^bb0(%a: tensor<64x320xf16>, %b: tensor<96x320xf16>):
    %o = mirage_block.graph grid(x = 1, y = 3) threads(128) loop(10) stages(5)
        ins(%a imap(x -> 0) fmap(1), %b imap(y -> 0) fmap(1)) outs(omap(x -> 0, y -> 1))
        : (tensor<64x320xf16>, tensor<96x320xf16>) -> tensor<64x96xf16> {
    ^bb0(%xt: tensor<64x32xf16>, %wt: tensor<32x32xf16>):
      %t = mirage_block.transpose %wt dims [1, 0] : tensor<32x32xf16>
      %m = mirage_block.matmul %xt, %t : tensor<64x32xf16>, tensor<32x32xf16>
      %s = mirage_block.accumulate %m over loop sum : tensor<64x32xf32>
      mirage_block.yield %s : tensor<64x32xf32>
    }
    mirage_kernel.yield %o : tensor<64x96xf16>
  } : tensor<64x96xf16>
  return %r : tensor<64x96xf16>
}

func.func @left_km(%x: tensor<512x128xf16>, %w: tensor<512x64xf16>) -> tensor<128x64xf16> {
  %e = tensor.empty() : tensor<128x64xf16>
  %r = mirage_kernel.graph ins(%x, %w : tensor<512x128xf16>, tensor<512x64xf16>) outs(%e : tensor<128x64xf16>) {
  ^bb0(%a: tensor<512x128xf16>, %b: tensor<512x64xf16>):
    %o = mirage_block.graph grid(x = 1) threads(256) loop(8) stages(4)
        ins(%a imap(x -> 1) fmap(0), %b imap() fmap(0)) outs(omap(x -> 0))
        : (tensor<512x128xf16>, tensor<512x64xf16>) -> tensor<128x64xf16> {
    ^bb0(%xt: tensor<64x128xf16>, %wt: tensor<64x64xf16>):
      %t = mirage_block.transpose %xt dims [1, 0] : tensor<64x128xf16>
      %m = mirage_block.matmul %t, %wt : tensor<128x64xf16>, tensor<64x64xf16>
      %s = mirage_block.accumulate %m over loop sum : tensor<128x64xf32>
      mirage_block.yield %s : tensor<128x64xf32>
    }
    mirage_kernel.yield %o : tensor<128x64xf16>
  } : tensor<128x64xf16>
  return %r : tensor<128x64xf16>
}

func.func @norm(%x: tensor<100x520xf16>, %w: tensor<64x520xf16>) -> tensor<100x64xf16> {
  %e = tensor.empty() : tensor<100x64xf16>
  %r = mirage_kernel.graph ins(%x, %w : tensor<100x520xf16>, tensor<64x520xf16>) outs(%e : tensor<100x64xf16>) {
  ^bb0(%a: tensor<100x520xf16>, %b: tensor<64x520xf16>):
    %o = mirage_block.graph grid(x = 2, y = 1) threads(128) loop(9) stages(4)
        ins(%a imap(x -> 0) fmap(1), %b imap(y -> 0) fmap(1)) outs(omap(x -> 0, y -> 1))
        : (tensor<100x520xf16>, tensor<64x520xf16>) -> tensor<100x64xf16> {
    ^bb0(%xt: tensor<64x64xf16>, %wt: tensor<64x64xf16>):
      %t = mirage_block.transpose %wt dims [1, 0] : tensor<64x64xf16>
      %m = mirage_block.matmul %xt, %t : tensor<64x64xf16>, tensor<64x64xf16>
      %s = mirage_block.accumulate %m over loop sum : tensor<64x64xf32>
      %n = mirage_block.accumulate %xt over loop rms dims [1] count 520 : tensor<64x64xf16>
      %d = mirage_block.div %s, %n : tensor<64x64xf32>, tensor<64x1xf32>
      mirage_block.yield %d : tensor<64x64xf32>
    }
    mirage_kernel.yield %o : tensor<100x64xf16>
  } : tensor<100x64xf16>
  return %r : tensor<100x64xf16>
}

func.func @keys(%q: tensor<2x128x64xf16>, %k: tensor<2x576x64xf16>, %v: tensor<2x576x64xf16>) -> tensor<2x128x64xf16> {
  %e = tensor.empty() : tensor<2x128x64xf16>
  %r = mirage_kernel.graph ins(%q, %k, %v : tensor<2x128x64xf16>, tensor<2x576x64xf16>, tensor<2x576x64xf16>) outs(%e : tensor<2x128x64xf16>) {
  ^bb0(%a0: tensor<2x128x64xf16>, %b0: tensor<2x576x64xf16>, %c0: tensor<2x576x64xf16>):
    %o = mirage_block.graph grid(x = 2, y = 1) threads(256) loop(9) stages(5)
        ins(%a0 imap(x -> 0, y -> 1), %b0 imap(x -> 0) fmap(1), %c0 imap(x -> 0) fmap(1)) outs(omap(x -> 0, y -> 1))
        : (tensor<2x128x64xf16>, tensor<2x576x64xf16>, tensor<2x576x64xf16>) -> tensor<2x128x64xf16> {
    ^bb0(%qt: tensor<1x128x64xf16>, %kt: tensor<1x64x64xf16>, %vt: tensor<1x64x64xf16>):
      %t = mirage_block.transpose %kt dims [0, 2, 1] : tensor<1x64x64xf16>
      %a = mirage_block.matmul %qt, %t : tensor<1x128x64xf16>, tensor<1x64x64xf16>
      %p = mirage_block.exp %a : tensor<1x128x64xf32>
      %l = mirage_block.accumulate %p over loop sum dims [2] : tensor<1x128x64xf32>
      %h = mirage_block.cast %p : (tensor<1x128x64xf32>) -> tensor<1x128x64xf16>
      %m = mirage_block.matmul %h, %vt : tensor<1x128x64xf16>, tensor<1x64x64xf16>
      %n = mirage_block.accumulate %m over loop sum : tensor<1x128x64xf32>
      %d = mirage_block.div %n, %l : tensor<1x128x64xf32>, tensor<1x128x1xf32>
      mirage_block.yield %d : tensor<1x128x64xf32>
    }
    mirage_kernel.yield %o : tensor<2x128x64xf16>
  } : tensor<2x128x64xf16>
  return %r : tensor<2x128x64xf16>
}

// Three times 64 rows: items that hold sums are as many as four times, and the last have none.
func.func @three_groups(%x: tensor<192x320xf16>, %w: tensor<96x320xf16>) -> tensor<192x96xf16> {
  %e = tensor.empty() : tensor<192x96xf16>
  %r = mirage_kernel.graph ins(%x, %w : tensor<192x320xf16>, tensor<96x320xf16>) outs(%e : tensor<192x96xf16>) {
  ^bb0(%a: tensor<192x320xf16>, %b: tensor<96x320xf16>):
    %o = mirage_block.graph grid(x = 1, y = 3) threads(128) loop(10) stages(5)
        ins(%a imap(x -> 0) fmap(1), %b imap(y -> 0) fmap(1)) outs(omap(x -> 0, y -> 1))
        : (tensor<192x320xf16>, tensor<96x320xf16>) -> tensor<192x96xf16> {
    ^bb0(%xt: tensor<192x32xf16>, %wt: tensor<32x32xf16>):
      %t = mirage_block.transpose %wt dims [1, 0] : tensor<32x32xf16>
      %m = mirage_block.matmul %xt, %t : tensor<192x32xf16>, tensor<32x32xf16>
      %s = mirage_block.accumulate %m over loop sum : tensor<192x32xf32>
      mirage_block.yield %s : tensor<192x32xf32>
    }
    mirage_kernel.yield %o : tensor<192x96xf16>
  } : tensor<192x96xf16>
  return %r : tensor<192x96xf16>
}
