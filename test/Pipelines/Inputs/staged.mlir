// Loops whose loads run ahead: in accesses of 16, 8 and 4 bytes, in some that cp.async
// cannot take, and all of these in one loop; f32, f16, bf16 and 8-bit floats; tiles that
// divide their tensors and such that do not, along the loop and along the grid.

// Divides; 16 bytes.
func.func @even(%x: tensor<16x512xf16>, %w: tensor<512x128xf16>) -> tensor<16x128xf16> {
  %e = tensor.empty() : tensor<16x128xf16>
  %r = mirage_kernel.graph ins(%x, %w : tensor<16x512xf16>, tensor<512x128xf16>) outs(%e : tensor<16x128xf16>) {
  ^bb0(%a: tensor<16x512xf16>, %b: tensor<512x128xf16>):
    %o = mirage_block.graph grid(x = 4) threads(128) loop(8)
        ins(%a imap() fmap(1), %b imap(x -> 1) fmap(0)) outs(omap(x -> 1))
        : (tensor<16x512xf16>, tensor<512x128xf16>) -> tensor<16x128xf16> {
    ^bb0(%xt: tensor<16x64xf16>, %wt: tensor<64x32xf16>):
      %rms = mirage_block.accumulate %xt over loop rms dims [1] count 512 : tensor<16x64xf16>
      %p = mirage_block.matmul %xt, %wt : tensor<16x64xf16>, tensor<64x32xf16>
      %acc = mirage_block.accumulate %p over loop sum : tensor<16x32xf32>
      %q = mirage_block.div %acc, %rms : tensor<16x32xf32>, tensor<16x1xf32>
      mirage_block.yield %q : tensor<16x32xf32>
    }
    mirage_kernel.yield %o : tensor<16x128xf16>
  } : tensor<16x128xf16>
  return %r : tensor<16x128xf16>
}

// Partial tiles along both axes; 8 bytes of %x and 4 of %w. The bias stays the same in
// all iterations.
func.func @odd_bf16(%x: tensor<5x300xbf16>, %w: tensor<300x130xbf16>, %v: tensor<1x130xbf16>) -> tensor<5x130xbf16> {
  %e = tensor.empty() : tensor<5x130xbf16>
  %r = mirage_kernel.graph ins(%x, %w, %v : tensor<5x300xbf16>, tensor<300x130xbf16>, tensor<1x130xbf16>) outs(%e : tensor<5x130xbf16>) {
  ^bb0(%a: tensor<5x300xbf16>, %b: tensor<300x130xbf16>, %c: tensor<1x130xbf16>):
    %o = mirage_block.graph grid(x = 5) threads(96) loop(7)
        ins(%a imap() fmap(1), %b imap(x -> 1) fmap(0), %c imap(x -> 1)) outs(omap(x -> 1))
        : (tensor<5x300xbf16>, tensor<300x130xbf16>, tensor<1x130xbf16>) -> tensor<5x130xbf16> {
    ^bb0(%xt: tensor<5x44xbf16>, %wt: tensor<44x32xbf16>, %vt: tensor<1x32xbf16>):
      %p = mirage_block.matmul %xt, %wt : tensor<5x44xbf16>, tensor<44x32xbf16>
      %acc = mirage_block.accumulate %p over loop sum : tensor<5x32xf32>
      %q = mirage_block.add %acc, %vt : tensor<5x32xf32>, tensor<1x32xbf16>
      mirage_block.yield %q : tensor<5x32xf32>
    }
    mirage_kernel.yield %o : tensor<5x130xbf16>
  } : tensor<5x130xbf16>
  return %r : tensor<5x130xbf16>
}

// f32, whose odd rows still are 4 bytes an element; f16 beside it with odd rows, of
// which an access takes 2.
func.func @mixed(%x: tensor<6x91xf32>, %y: tensor<6x91xf16>) -> tensor<6x1xf32> {
  %e = tensor.empty() : tensor<6x1xf32>
  %r = mirage_kernel.graph ins(%x, %y : tensor<6x91xf32>, tensor<6x91xf16>) outs(%e : tensor<6x1xf32>) {
  ^bb0(%a: tensor<6x91xf32>, %b: tensor<6x91xf16>):
    %o = mirage_block.graph grid(x = 2) threads(64) loop(6)
        ins(%a imap(x -> 0) fmap(1), %b imap(x -> 0) fmap(1)) outs(omap(x -> 0))
        : (tensor<6x91xf32>, tensor<6x91xf16>) -> tensor<6x1xf32> {
    ^bb0(%xt: tensor<3x16xf32>, %yt: tensor<3x16xf16>):
      %p = mirage_block.mul %xt, %yt : tensor<3x16xf32>, tensor<3x16xf16>
      %acc = mirage_block.accumulate %p over loop sum dims [1] : tensor<3x16xf32>
      mirage_block.yield %acc : tensor<3x1xf32>
    }
    mirage_kernel.yield %o : tensor<6x1xf32>
  } : tensor<6x1xf32>
  return %r : tensor<6x1xf32>
}

// Nothing that cp.async takes: odd rows of bytes.
func.func @bytes(%x: tensor<4x75xf8E4M3FN>) -> tensor<4x1xf32> {
  %e = tensor.empty() : tensor<4x1xf32>
  %r = mirage_kernel.graph ins(%x : tensor<4x75xf8E4M3FN>) outs(%e : tensor<4x1xf32>) {
  ^bb0(%a: tensor<4x75xf8E4M3FN>):
    %o = mirage_block.graph grid() threads(32) loop(5)
        ins(%a imap() fmap(1)) outs(omap())
        : (tensor<4x75xf8E4M3FN>) -> tensor<4x1xf32> {
    ^bb0(%xt: tensor<4x15xf8E4M3FN>):
      %s = mirage_block.square %xt : tensor<4x15xf8E4M3FN>
      %acc = mirage_block.accumulate %s over loop sum dims [1] : tensor<4x15xf32>
      mirage_block.yield %acc : tensor<4x1xf32>
    }
    mirage_kernel.yield %o : tensor<4x1xf32>
  } : tensor<4x1xf32>
  return %r : tensor<4x1xf32>
}

// 8-bit floats, of which an access takes 16, and a loop as long as the most stages here.
func.func @float8(%x: tensor<16x160xf8E4M3FN>, %w: tensor<160x64xf8E4M3FN>) -> tensor<16x64xf16> {
  %e = tensor.empty() : tensor<16x64xf16>
  %r = mirage_kernel.graph ins(%x, %w : tensor<16x160xf8E4M3FN>, tensor<160x64xf8E4M3FN>) outs(%e : tensor<16x64xf16>) {
  ^bb0(%a: tensor<16x160xf8E4M3FN>, %b: tensor<160x64xf8E4M3FN>):
    %o = mirage_block.graph grid(x = 2) threads(128) loop(5)
        ins(%a imap() fmap(1), %b imap(x -> 1) fmap(0)) outs(omap(x -> 1))
        : (tensor<16x160xf8E4M3FN>, tensor<160x64xf8E4M3FN>) -> tensor<16x64xf16> {
    ^bb0(%xt: tensor<16x32xf8E4M3FN>, %wt: tensor<32x32xf8E4M3FN>):
      %p = mirage_block.matmul %xt, %wt : tensor<16x32xf8E4M3FN>, tensor<32x32xf8E4M3FN>
      %acc = mirage_block.accumulate %p over loop sum : tensor<16x32xf32>
      mirage_block.yield %acc : tensor<16x32xf32>
    }
    mirage_kernel.yield %o : tensor<16x64xf16>
  } : tensor<16x64xf16>
  return %r : tensor<16x64xf16>
}

// Two iterations, of the second of which half is beyond the tensor: a softmax whose masks
// know where the loop stands, and a reshape that sees the ring's places.
func.func @masked(%x: tensor<4x24xf16>, %v: tensor<24x16xf16>) -> tensor<4x16xf16> {
  %e = tensor.empty() : tensor<4x16xf16>
  %r = mirage_kernel.graph ins(%x, %v : tensor<4x24xf16>, tensor<24x16xf16>) outs(%e : tensor<4x16xf16>) {
  ^bb0(%a: tensor<4x24xf16>, %b: tensor<24x16xf16>):
    %o = mirage_block.graph grid() threads(64) loop(2)
        ins(%a imap() fmap(1), %b imap() fmap(0)) outs(omap())
        : (tensor<4x24xf16>, tensor<24x16xf16>) -> tensor<4x16xf16> {
    ^bb0(%xt: tensor<4x16xf16>, %vt: tensor<16x16xf16>):
      %high = mirage_block.reshape %xt : (tensor<4x16xf16>) -> tensor<1x4x16xf16>
      %exp = mirage_block.exp %high : tensor<1x4x16xf16>
      %seen = mirage_block.mask %exp dims [2] axes ["loop"] extent 24 value 0.0 : tensor<1x4x16xf32>
      %low = mirage_block.reshape %seen : (tensor<1x4x16xf32>) -> tensor<4x16xf32>
      %sum = mirage_block.accumulate %low over loop sum dims [1] : tensor<4x16xf32>
      %p = mirage_block.matmul %low, %vt : tensor<4x16xf32>, tensor<16x16xf16>
      %acc = mirage_block.accumulate %p over loop sum : tensor<4x16xf32>
      %q = mirage_block.div %acc, %sum : tensor<4x16xf32>, tensor<4x1xf32>
      mirage_block.yield %q : tensor<4x16xf32>
    }
    mirage_kernel.yield %o : tensor<4x16xf16>
  } : tensor<4x16xf16>
  return %r : tensor<4x16xf16>
}
