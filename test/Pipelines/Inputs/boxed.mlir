// Loops whose tiles the copy engine loads: rows of 64, 96, 128 and 640 bytes, more rows than a
// box has, a batch, products that read rows or columns of a tile, tiles that go beyond their
// tensors, tensors that are views, one of them misaligned, a ring beside
// an odd tile, and kernels that share a launch.

// Rows of 640 bytes, which are five panels. Of the right operand, whose
// rows of 96 bytes lie in 128, an iteration has more than 256.
func.func @panels(%x: tensor<16x1280xf16>, %w: tensor<1280x96xf16>) -> tensor<16x96xf16> {
  %e = tensor.empty() : tensor<16x96xf16>
  %r = mirage_kernel.graph ins(%x, %w : tensor<16x1280xf16>, tensor<1280x96xf16>) outs(%e : tensor<16x96xf16>) {
  ^bb0(%a: tensor<16x1280xf16>, %b: tensor<1280x96xf16>):
    %o = mirage_block.graph grid(x = 2) threads(128) loop(4) stages(2)
        ins(%a imap() fmap(1), %b imap(x -> 1) fmap(0)) outs(omap(x -> 1))
        : (tensor<16x1280xf16>, tensor<1280x96xf16>) -> tensor<16x96xf16> {
    ^bb0(%xt: tensor<16x320xf16>, %wt: tensor<320x48xf16>):
      %p = mirage_block.matmul %xt, %wt : tensor<16x320xf16>, tensor<320x48xf16>
      %acc = mirage_block.accumulate %p over loop sum : tensor<16x48xf32>
      mirage_block.yield %acc : tensor<16x48xf32>
    }
    mirage_kernel.yield %o : tensor<16x96xf16>
  } : tensor<16x96xf16>
  return %r : tensor<16x96xf16>
}

// Two of a batch in one box; tiles end beyond the tensor along the loop and along the grid.
func.func @batch(%x: tensor<2x32x136xbf16>, %w: tensor<2x136x72xbf16>) -> tensor<2x32x72xbf16> {
  %e = tensor.empty() : tensor<2x32x72xbf16>
  %r = mirage_kernel.graph ins(%x, %w : tensor<2x32x136xbf16>, tensor<2x136x72xbf16>) outs(%e : tensor<2x32x72xbf16>) {
  ^bb0(%a: tensor<2x32x136xbf16>, %b: tensor<2x136x72xbf16>):
    %o = mirage_block.graph grid(x = 3) threads(64) loop(5) stages(3)
        ins(%a imap() fmap(2), %b imap(x -> 2) fmap(1)) outs(omap(x -> 2))
        : (tensor<2x32x136xbf16>, tensor<2x136x72xbf16>) -> tensor<2x32x72xbf16> {
    ^bb0(%xt: tensor<2x32x32xbf16>, %wt: tensor<2x32x32xbf16>):
      %p = mirage_block.matmul %xt, %wt : tensor<2x32x32xbf16>, tensor<2x32x32xbf16>
      %acc = mirage_block.accumulate %p over loop sum : tensor<2x32x32xf32>
      mirage_block.yield %acc : tensor<2x32x32xf32>
    }
    mirage_kernel.yield %o : tensor<2x32x72xbf16>
  } : tensor<2x32x72xbf16>
  return %r : tensor<2x32x72xbf16>
}

// A product with columns of the tile, which ldmatrix turns; of a slice that starts in the midst of
// its tensor.
func.func @slices(%x: tensor<16x512xf16>, %w: tensor<96x640xf16>) -> tensor<16x64xf16> {
  %e = tensor.empty() : tensor<16x64xf16>
  %r = mirage_kernel.graph ins(%x, %w : tensor<16x512xf16>, tensor<96x640xf16>) outs(%e : tensor<16x64xf16>) {
  ^bb0(%a: tensor<16x512xf16>, %b: tensor<96x640xf16>):
    %s = mirage_kernel.slice %b offsets [32, 64] strides [1, 1] : (tensor<96x640xf16>) -> tensor<64x512xf16>
    %o = mirage_block.graph grid(x = 2) threads(64) loop(8) stages(4)
        ins(%a imap() fmap(1), %s imap(x -> 0) fmap(1)) outs(omap(x -> 1))
        : (tensor<16x512xf16>, tensor<64x512xf16>) -> tensor<16x64xf16> {
    ^bb0(%xt: tensor<16x64xf16>, %wt: tensor<32x64xf16>):
      %t = mirage_block.transpose %wt dims [1, 0] : tensor<32x64xf16>
      %p = mirage_block.matmul %xt, %t : tensor<16x64xf16>, tensor<64x32xf16>
      %acc = mirage_block.accumulate %p over loop sum : tensor<16x32xf32>
      mirage_block.yield %acc : tensor<16x32xf32>
    }
    mirage_kernel.yield %o : tensor<16x64xf16>
  } : tensor<16x64xf16>
  return %r : tensor<16x64xf16>
}

// A slice that starts 8 bytes beyond a multiple of 16, which no tensor map can: threads copy it.
func.func @shifted(%x: tensor<16x512xf16>, %w: tensor<512x72xf16>) -> tensor<16x64xf16> {
  %e = tensor.empty() : tensor<16x64xf16>
  %r = mirage_kernel.graph ins(%x, %w : tensor<16x512xf16>, tensor<512x72xf16>) outs(%e : tensor<16x64xf16>) {
  ^bb0(%a: tensor<16x512xf16>, %b: tensor<512x72xf16>):
    %s = mirage_kernel.slice %b offsets [0, 4] strides [1, 1] : (tensor<512x72xf16>) -> tensor<512x64xf16>
    %o = mirage_block.graph grid() threads(64) loop(8) stages(2)
        ins(%a imap() fmap(1), %s imap() fmap(0)) outs(omap())
        : (tensor<16x512xf16>, tensor<512x64xf16>) -> tensor<16x64xf16> {
    ^bb0(%xt: tensor<16x64xf16>, %wt: tensor<64x64xf16>):
      %p = mirage_block.matmul %xt, %wt : tensor<16x64xf16>, tensor<64x64xf16>
      %acc = mirage_block.accumulate %p over loop sum : tensor<16x64xf32>
      mirage_block.yield %acc : tensor<16x64xf32>
    }
    mirage_kernel.yield %o : tensor<16x64xf16>
  } : tensor<16x64xf16>
  return %r : tensor<16x64xf16>
}

// The largest tile, 11520 bytes, is no multiple of what the pattern of the ring's swizzle is aligned
// to, and threads load it once.
func.func @behind(%x: tensor<80x64xf16>, %w: tensor<64x128xf16>) -> tensor<80x32xf16> {
  %e = tensor.empty() : tensor<80x32xf16>
  %r = mirage_kernel.graph ins(%x, %w : tensor<80x64xf16>, tensor<64x128xf16>) outs(%e : tensor<80x32xf16>) {
  ^bb0(%a: tensor<80x64xf16>, %b: tensor<64x128xf16>):
    %o = mirage_block.graph grid() threads(64) loop(4) stages(2)
        ins(%a imap(), %b imap() fmap(1)) outs(omap())
        : (tensor<80x64xf16>, tensor<64x128xf16>) -> tensor<80x32xf16> {
    ^bb0(%xt: tensor<80x64xf16>, %wt: tensor<64x32xf16>):
      %p = mirage_block.matmul %xt, %wt : tensor<80x64xf16>, tensor<64x32xf16>
      %acc = mirage_block.accumulate %p over loop sum : tensor<80x32xf32>
      mirage_block.yield %acc : tensor<80x32xf32>
    }
    mirage_kernel.yield %o : tensor<80x32xf16>
  } : tensor<80x32xf16>
  return %r : tensor<80x32xf16>
}

// The second kernel runs in the launch of the first, where that had its tiles and barriers; %x is
// read in other ways too, and is no box.
func.func @joined(%x: tensor<16x1024xf16>, %w: tensor<1024x64xf16>) -> tensor<16x64xf16> {
  %e = tensor.empty() : tensor<16x64xf16>
  %r = mirage_kernel.graph ins(%x, %w : tensor<16x1024xf16>, tensor<1024x64xf16>) outs(%e : tensor<16x64xf16>) {
  ^bb0(%a: tensor<16x1024xf16>, %b: tensor<1024x64xf16>):
    %o = mirage_block.graph grid(x = 2, y = 4) threads(64) loop(4) stages(2)
        ins(%a imap(y -> 1) fmap(1), %b imap(x -> 1, y -> 0) fmap(0)) outs(omap(x -> 1))
        : (tensor<16x1024xf16>, tensor<1024x64xf16>) -> tensor<16x64xf16> {
    ^bb0(%xt: tensor<16x64xf16>, %wt: tensor<64x32xf16>):
      %p = mirage_block.matmul %xt, %wt : tensor<16x64xf16>, tensor<64x32xf16>
      %acc = mirage_block.accumulate %p over loop sum : tensor<16x32xf32>
      %m = mirage_block.reshape %xt : (tensor<16x64xf16>) -> tensor<16x8x8xf16>
      %q = mirage_block.square %m : tensor<16x8x8xf16>
      %c = mirage_block.accumulate %q over loop sum dims [1, 2] : tensor<16x8x8xf32>
      %n = mirage_block.reshape %c : (tensor<16x1x1xf32>) -> tensor<16x1xf32>
      %sum = mirage_block.accumulate %acc over y sum : tensor<16x32xf32>
      %norm = mirage_block.accumulate %n over y sum : tensor<16x1xf32>
      %d = mirage_block.div %sum, %norm : tensor<16x32xf32>, tensor<16x1xf32>
      mirage_block.yield %d : tensor<16x32xf32>
    }
    mirage_kernel.yield %o : tensor<16x64xf16>
  } : tensor<16x64xf16>
  return %r : tensor<16x64xf16>
}
