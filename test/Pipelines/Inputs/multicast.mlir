// Kernels whose blocks load boxes that others load as well: products of warpgroups whose warps load
// for them, the same with more blocks than there are SMs and tiles that go beyond their tensors,
// attention of many rows, rings that thread 0 fills for ldmatrix, clusters of three axes, and blocks
// that are joined.

// Left tiles are the same along y, right ones along x.
func.func @product(%x: tensor<512x512xf16>, %w: tensor<512x512xf16>) -> tensor<512x512xf16> {
  %e = tensor.empty() : tensor<512x512xf16>
  %r = mirage_kernel.graph ins(%x, %w : tensor<512x512xf16>, tensor<512x512xf16>) outs(%e : tensor<512x512xf16>) {
  ^bb0(%a: tensor<512x512xf16>, %b: tensor<512x512xf16>):
    %o = mirage_block.graph grid(x = 4, y = 4) threads(256) loop(8) stages(3)
        ins(%a imap(x -> 0) fmap(1), %b imap(y -> 1) fmap(0)) outs(omap(x -> 0, y -> 1))
        : (tensor<512x512xf16>, tensor<512x512xf16>) -> tensor<512x512xf16> {
    ^bb0(%c: tensor<128x64xf16>, %d: tensor<64x128xf16>):
      %p = mirage_block.matmul %c, %d : tensor<128x64xf16>, tensor<64x128xf16>
      %s = mirage_block.accumulate %p over loop sum : tensor<128x128xf32>
      mirage_block.yield %s : tensor<128x128xf32>
    }
    mirage_kernel.yield %o : tensor<512x512xf16>
  } : tensor<512x512xf16>
  return %r : tensor<512x512xf16>
}

// 144 blocks of the grid, of which each goes on with others; along x nothing is the same.
func.func @persistent(%x: tensor<3x760x264xf16>, %w: tensor<3x264x1000xf16>) -> tensor<3x760x1000xf32> {
  %e = tensor.empty() : tensor<3x760x1000xf32>
  %r = mirage_kernel.graph ins(%x, %w : tensor<3x760x264xf16>, tensor<3x264x1000xf16>) outs(%e : tensor<3x760x1000xf32>) {
  ^bb0(%a: tensor<3x760x264xf16>, %b: tensor<3x264x1000xf16>):
    %o = mirage_block.graph grid(x = 3, y = 6, z = 8) threads(256) loop(5) stages(4)
        ins(%a imap(x -> 0, y -> 1) fmap(2), %b imap(x -> 0, z -> 2) fmap(1)) outs(omap(x -> 0, y -> 1, z -> 2))
        : (tensor<3x760x264xf16>, tensor<3x264x1000xf16>) -> tensor<3x760x1000xf32> {
    ^bb0(%c: tensor<1x128x64xf16>, %d: tensor<1x64x128xf16>):
      %p = mirage_block.matmul %c, %d : tensor<1x128x64xf16>, tensor<1x64x128xf16>
      %s = mirage_block.accumulate %p over loop sum : tensor<1x128x128xf32>
      mirage_block.yield %s : tensor<1x128x128xf32>
    }
    mirage_kernel.yield %o : tensor<3x760x1000xf32>
  } : tensor<3x760x1000xf32>
  return %r : tensor<3x760x1000xf32>
}

// Keys and values are the same for all rows of a head. The products with the next keys start ahead,
// those with values are waited for late; and a launch is before this one, which so begins early.
func.func @attention(%q: tensor<2x512x128xf16>, %k: tensor<2x128x512xf16>, %v: tensor<2x512x128xf16>) -> tensor<2x512x128xf16> {
  %e = tensor.empty() : tensor<2x512x128xf16>
  %r = mirage_kernel.graph ins(%q, %k, %v : tensor<2x512x128xf16>, tensor<2x128x512xf16>, tensor<2x512x128xf16>) outs(%e : tensor<2x512x128xf16>) {
  ^bb0(%a: tensor<2x512x128xf16>, %b: tensor<2x128x512xf16>, %c: tensor<2x512x128xf16>):
    %scaled = mirage_block.graph grid(x = 2, y = 8) threads(128) ins(%b imap(x -> 0, y -> 2)) outs(omap(x -> 0, y -> 2))
        : (tensor<2x128x512xf16>) -> tensor<2x128x512xf16> {
    ^bb0(%t: tensor<1x128x64xf16>):
      %s = mirage_block.scale %t by 0.125 : tensor<1x128x64xf16>
      mirage_block.yield %s : tensor<1x128x64xf32>
    }
    %o = mirage_block.graph grid(x = 2, y = 4) threads(256) loop(8) stages(5)
        ins(%a imap(x -> 0, y -> 1), %scaled imap(x -> 0) fmap(2), %c imap(x -> 0) fmap(1)) outs(omap(x -> 0, y -> 1))
        : (tensor<2x512x128xf16>, tensor<2x128x512xf16>, tensor<2x512x128xf16>) -> tensor<2x512x128xf16> {
    ^bb0(%qt: tensor<1x128x128xf16>, %kt: tensor<1x128x64xf16>, %vt: tensor<1x64x128xf16>):
      %s = mirage_block.matmul %qt, %kt : tensor<1x128x128xf16>, tensor<1x128x64xf16>
      %p = mirage_block.exp %s : tensor<1x128x64xf32>
      %l = mirage_block.accumulate %p over loop sum dims [2] : tensor<1x128x64xf32>
      %h = mirage_block.cast %p : (tensor<1x128x64xf32>) -> tensor<1x128x64xf16>
      %m = mirage_block.matmul %h, %vt : tensor<1x128x64xf16>, tensor<1x64x128xf16>
      %n = mirage_block.accumulate %m over loop sum : tensor<1x128x128xf32>
      %d = mirage_block.div %n, %l : tensor<1x128x128xf32>, tensor<1x128x1xf32>
      mirage_block.yield %d : tensor<1x128x128xf32>
    }
    mirage_kernel.yield %o : tensor<2x512x128xf16>
  } : tensor<2x512x128xf16>
  return %r : tensor<2x512x128xf16>
}

// Rows of 96 bytes, which lie in 128, for four warps and ldmatrix; the last tiles go beyond the
// tensors, along the loop and along the grid.
func.func @ring(%x: tensor<16x504xf16>, %w: tensor<504x360xf16>) -> tensor<16x360xf16> {
  %e = tensor.empty() : tensor<16x360xf16>
  %r = mirage_kernel.graph ins(%x, %w : tensor<16x504xf16>, tensor<504x360xf16>) outs(%e : tensor<16x360xf16>) {
  ^bb0(%a: tensor<16x504xf16>, %b: tensor<504x360xf16>):
    %o = mirage_block.graph grid(x = 8) threads(128) loop(8) stages(3)
        ins(%a imap() fmap(1), %b imap(x -> 1) fmap(0)) outs(omap(x -> 1))
        : (tensor<16x504xf16>, tensor<504x360xf16>) -> tensor<16x360xf16> {
    ^bb0(%xt: tensor<16x64xf16>, %wt: tensor<64x48xf16>):
      %q = mirage_block.matmul %xt, %wt : tensor<16x64xf16>, tensor<64x48xf16>
      %acc = mirage_block.accumulate %q over loop sum : tensor<16x48xf32>
      mirage_block.yield %acc : tensor<16x48xf32>
    }
    mirage_kernel.yield %o : tensor<16x360xf16>
  } : tensor<16x360xf16>
  return %r : tensor<16x360xf16>
}

// Boxes of four dimensions; right ones are the same along two axes.
func.func @weights(%x: tensor<2x2x128x320xf16>, %w: tensor<1x1x320x128xf16>) -> tensor<2x2x128x128xf16> {
  %e = tensor.empty() : tensor<2x2x128x128xf16>
  %r = mirage_kernel.graph ins(%x, %w : tensor<2x2x128x320xf16>, tensor<1x1x320x128xf16>) outs(%e : tensor<2x2x128x128xf16>) {
  ^bb0(%a: tensor<2x2x128x320xf16>, %b: tensor<1x1x320x128xf16>):
    %o = mirage_block.graph grid(x = 2, y = 2, z = 2) threads(128) loop(5) stages(3)
        ins(%a imap(x -> 0, y -> 1) fmap(3), %b imap(z -> 3) fmap(2)) outs(omap(x -> 0, y -> 1, z -> 3))
        : (tensor<2x2x128x320xf16>, tensor<1x1x320x128xf16>) -> tensor<2x2x128x128xf16> {
    ^bb0(%xt: tensor<1x1x128x64xf16>, %wt: tensor<1x1x64x64xf16>):
      %p = mirage_block.matmul %xt, %wt : tensor<1x1x128x64xf16>, tensor<1x1x64x64xf16>
      %acc = mirage_block.accumulate %p over loop sum : tensor<1x1x128x64xf32>
      mirage_block.yield %acc : tensor<1x1x128x64xf32>
    }
    mirage_kernel.yield %o : tensor<2x2x128x128xf16>
  } : tensor<2x2x128x128xf16>
  return %r : tensor<2x2x128x128xf16>
}

// Blocks along y are joined, for which they are clusters already; they load the same rows of %x, and
// go on when nobody hands places back to them any more.
func.func @joined(%x: tensor<512x320xf16>, %w: tensor<320x256xf16>) -> tensor<512x256xf16> {
  %e = tensor.empty() : tensor<512x256xf16>
  %r = mirage_kernel.graph ins(%x, %w : tensor<512x320xf16>, tensor<320x256xf16>) outs(%e : tensor<512x256xf16>) {
  ^bb0(%a: tensor<512x320xf16>, %b: tensor<320x256xf16>):
    %o = mirage_block.graph grid(x = 4, y = 4) threads(256) loop(5) stages(4)
        ins(%a imap(x -> 0) fmap(1), %b imap(y -> 1) fmap(0)) outs(omap(x -> 0, y -> 1))
        : (tensor<512x320xf16>, tensor<320x256xf16>) -> tensor<512x256xf16> {
    ^bb0(%xt: tensor<128x64xf16>, %wt: tensor<64x64xf16>):
      %p = mirage_block.matmul %xt, %wt : tensor<128x64xf16>, tensor<64x64xf16>
      %acc = mirage_block.accumulate %p over loop sum : tensor<128x64xf32>
      %q = mirage_block.square %acc : tensor<128x64xf32>
      %n = mirage_block.sum %q dims [1] : tensor<128x64xf32>
      %all = mirage_block.accumulate %n over y sum : tensor<128x1xf32>
      %d = mirage_block.div %acc, %all : tensor<128x64xf32>, tensor<128x1xf32>
      mirage_block.yield %d : tensor<128x64xf32>
    }
    mirage_kernel.yield %o : tensor<512x256xf16>
  } : tensor<512x256xf16>
  return %r : tensor<512x256xf16>
}

// So many blocks are joined that the last one goes on, without a cluster; those that load together
// are others.
func.func @last_arrival(%x: tensor<64x512xf16>, %w: tensor<512x2048xf16>) -> tensor<64x1xf32> {
  %e = tensor.empty() : tensor<64x1xf32>
  %r = mirage_kernel.graph ins(%x, %w : tensor<64x512xf16>, tensor<512x2048xf16>) outs(%e : tensor<64x1xf32>) {
  ^bb0(%a: tensor<64x512xf16>, %b: tensor<512x2048xf16>):
    %o = mirage_block.graph grid(x = 2, y = 32) threads(64) loop(8) stages(3)
        ins(%a imap(x -> 0) fmap(1), %b imap(y -> 1) fmap(0)) outs(omap(x -> 0))
        : (tensor<64x512xf16>, tensor<512x2048xf16>) -> tensor<64x1xf32> {
    ^bb0(%xt: tensor<32x64xf16>, %wt: tensor<64x64xf16>):
      %p = mirage_block.matmul %xt, %wt : tensor<32x64xf16>, tensor<64x64xf16>
      %acc = mirage_block.accumulate %p over loop sum : tensor<32x64xf32>
      %q = mirage_block.square %acc : tensor<32x64xf32>
      %n = mirage_block.sum %q dims [1] : tensor<32x64xf32>
      %all = mirage_block.accumulate %n over y sum : tensor<32x1xf32>
      mirage_block.yield %all : tensor<32x1xf32>
    }
    mirage_kernel.yield %o : tensor<64x1xf32>
  } : tensor<64x1xf32>
  return %r : tensor<64x1xf32>
}
