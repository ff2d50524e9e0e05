// Products whose operands have rows of many lengths in shared memory, so much of them that
// little else is read there; one with a ring of places, one of a batch.

// Rows of 128 bytes, which all begin in the same banks.
func.func @rows_128(%x: tensor<16x512xf16>, %w: tensor<512x64xf16>) -> tensor<16x64xf16> {
  %e = tensor.empty() : tensor<16x64xf16>
  %r = mirage_kernel.graph ins(%x, %w : tensor<16x512xf16>, tensor<512x64xf16>) outs(%e : tensor<16x64xf16>) {
  ^bb0(%a: tensor<16x512xf16>, %b: tensor<512x64xf16>):
    %o = mirage_block.graph grid() threads(128) loop(1) ins(%a imap(), %b imap()) outs(omap())
        : (tensor<16x512xf16>, tensor<512x64xf16>) -> tensor<16x64xf16> {
    ^bb0(%xt: tensor<16x512xf16>, %wt: tensor<512x64xf16>):
      %p = mirage_block.matmul %xt, %wt : tensor<16x512xf16>, tensor<512x64xf16>
      mirage_block.yield %p : tensor<16x64xf32>
    }
    mirage_kernel.yield %o : tensor<16x64xf16>
  } : tensor<16x64xf16>
  return %r : tensor<16x64xf16>
}

// Rows of 256 and 96 bytes, in rings; partial tiles along the loop and along the grid.
func.func @rows_96(%x: tensor<16x1000xbf16>, %w: tensor<1000x136xbf16>) -> tensor<16x136xbf16> {
  %e = tensor.empty() : tensor<16x136xbf16>
  %r = mirage_kernel.graph ins(%x, %w : tensor<16x1000xbf16>, tensor<1000x136xbf16>) outs(%e : tensor<16x136xbf16>) {
  ^bb0(%a: tensor<16x1000xbf16>, %b: tensor<1000x136xbf16>):
    %o = mirage_block.graph grid(x = 3) threads(128) loop(8) stages(3)
        ins(%a imap() fmap(1), %b imap(x -> 1) fmap(0)) outs(omap(x -> 1))
        : (tensor<16x1000xbf16>, tensor<1000x136xbf16>) -> tensor<16x136xbf16> {
    ^bb0(%xt: tensor<16x128xbf16>, %wt: tensor<128x48xbf16>):
      %p = mirage_block.matmul %xt, %wt : tensor<16x128xbf16>, tensor<128x48xbf16>
      %acc = mirage_block.accumulate %p over loop sum : tensor<16x48xf32>
      mirage_block.yield %acc : tensor<16x48xf32>
    }
    mirage_kernel.yield %o : tensor<16x136xbf16>
  } : tensor<16x136xbf16>
  return %r : tensor<16x136xbf16>
}

// Rows of 32 bytes, of a batch; a result that another product reads.
func.func @rows_32(%x: tensor<2x16x64xf16>, %w: tensor<2x64x16xf16>, %v: tensor<2x16x16xf16>) -> tensor<2x16x16xf16> {
  %e = tensor.empty() : tensor<2x16x16xf16>
  %r = mirage_kernel.graph ins(%x, %w, %v : tensor<2x16x64xf16>, tensor<2x64x16xf16>, tensor<2x16x16xf16>) outs(%e : tensor<2x16x16xf16>) {
  ^bb0(%a: tensor<2x16x64xf16>, %b: tensor<2x64x16xf16>, %c: tensor<2x16x16xf16>):
    %o = mirage_block.graph grid() threads(64) loop(1) ins(%a imap(), %b imap(), %c imap()) outs(omap())
        : (tensor<2x16x64xf16>, tensor<2x64x16xf16>, tensor<2x16x16xf16>) -> tensor<2x16x16xf16> {
    ^bb0(%xt: tensor<2x16x64xf16>, %wt: tensor<2x64x16xf16>, %vt: tensor<2x16x16xf16>):
      %p = mirage_block.matmul %xt, %wt : tensor<2x16x64xf16>, tensor<2x64x16xf16>
      %q = mirage_block.cast %p : (tensor<2x16x16xf32>) -> tensor<2x16x16xf16>
      %s = mirage_block.matmul %q, %vt : tensor<2x16x16xf16>, tensor<2x16x16xf16>
      mirage_block.yield %s : tensor<2x16x16xf32>
    }
    mirage_kernel.yield %o : tensor<2x16x16xf16>
  } : tensor<2x16x16xf16>
  return %r : tensor<2x16x16xf16>
}

// 8-bit floats, which ldmatrix does not read: rows of 64 bytes.
func.func @float8(%x: tensor<16x512xf8E4M3FN>, %w: tensor<512x64xf8E4M3FN>) -> tensor<16x64xf16> {
  %e = tensor.empty() : tensor<16x64xf16>
  %r = mirage_kernel.graph ins(%x, %w : tensor<16x512xf8E4M3FN>, tensor<512x64xf8E4M3FN>) outs(%e : tensor<16x64xf16>) {
  ^bb0(%a: tensor<16x512xf8E4M3FN>, %b: tensor<512x64xf8E4M3FN>):
    %o = mirage_block.graph grid() threads(128) loop(1) ins(%a imap(), %b imap()) outs(omap())
        : (tensor<16x512xf8E4M3FN>, tensor<512x64xf8E4M3FN>) -> tensor<16x64xf16> {
    ^bb0(%xt: tensor<16x512xf8E4M3FN>, %wt: tensor<512x64xf8E4M3FN>):
      %p = mirage_block.matmul %xt, %wt : tensor<16x512xf8E4M3FN>, tensor<512x64xf8E4M3FN>
      mirage_block.yield %p : tensor<16x64xf32>
    }
    mirage_kernel.yield %o : tensor<16x64xf16>
  } : tensor<16x64xf16>
  return %r : tensor<16x64xf16>
}

// f32: rows of 128 bytes.
func.func @float32(%x: tensor<16x32xf32>, %w: tensor<32x32xf32>) -> tensor<16x32xf32> {
  %e = tensor.empty() : tensor<16x32xf32>
  %r = mirage_kernel.graph ins(%x, %w : tensor<16x32xf32>, tensor<32x32xf32>) outs(%e : tensor<16x32xf32>) {
  ^bb0(%a: tensor<16x32xf32>, %b: tensor<32x32xf32>):
    %o = mirage_block.graph grid() threads(128) loop(1) ins(%a imap(), %b imap()) outs(omap())
        : (tensor<16x32xf32>, tensor<32x32xf32>) -> tensor<16x32xf32> {
    ^bb0(%xt: tensor<16x32xf32>, %wt: tensor<32x32xf32>):
      %p = mirage_block.matmul %xt, %wt : tensor<16x32xf32>, tensor<32x32xf32>
      mirage_block.yield %p : tensor<16x32xf32>
    }
    mirage_kernel.yield %o : tensor<16x32xf32>
  } : tensor<16x32xf32>
  return %r : tensor<16x32xf32>
}

// The same with weights as [N, K], as the loop walks.
func.func @float32_transposed(%a: tensor<64x256xf32>, %w: tensor<256x64xf32> {mirage_kernel.strides = array<i64: 1, 256>}) -> tensor<64x64xf32> {
  %e = tensor.empty() : tensor<64x64xf32>
  %r = mirage_kernel.graph ins(%a, %w : tensor<64x256xf32>, tensor<256x64xf32>) outs(%e : tensor<64x64xf32>) {
  ^bb0(%ak: tensor<64x256xf32>, %wk: tensor<256x64xf32>):
    %o = mirage_block.graph grid(x = 1, y = 1) threads(128) loop(8) stages(2) ins(%ak imap(x -> 0) fmap(1), %wk imap(y -> 1) fmap(0)) outs(omap(x -> 0, y -> 1)) : (tensor<64x256xf32>, tensor<256x64xf32>) -> tensor<64x64xf32> {
    ^bb0(%at: tensor<64x32xf32>, %wt: tensor<32x64xf32>):
      %p = mirage_block.matmul %at, %wt : tensor<64x32xf32>, tensor<32x64xf32>
      %s = mirage_block.accumulate %p over loop sum : tensor<64x64xf32>
      mirage_block.yield %s : tensor<64x64xf32>
    }
    mirage_kernel.yield %o : tensor<64x64xf32>
  } : tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}

// Odd sizes: rows that are no multiple of 16 bytes, and fragments that overhang tiles.
func.func @odd(%x: tensor<13x51xf16>, %w: tensor<51x33xf16>, %v: tensor<33x80xf16>) -> tensor<13x80xf16> {
  %e = tensor.empty() : tensor<13x80xf16>
  %r = mirage_kernel.graph ins(%x, %w, %v : tensor<13x51xf16>, tensor<51x33xf16>, tensor<33x80xf16>) outs(%e : tensor<13x80xf16>) {
  ^bb0(%a: tensor<13x51xf16>, %b: tensor<51x33xf16>, %c: tensor<33x80xf16>):
    %o = mirage_block.graph grid() threads(96) loop(1) ins(%a imap(), %b imap(), %c imap()) outs(omap())
        : (tensor<13x51xf16>, tensor<51x33xf16>, tensor<33x80xf16>) -> tensor<13x80xf16> {
    ^bb0(%xt: tensor<13x51xf16>, %wt: tensor<51x33xf16>, %vt: tensor<33x80xf16>):
      %p = mirage_block.matmul %xt, %wt : tensor<13x51xf16>, tensor<51x33xf16>
      %q = mirage_block.cast %p : (tensor<13x33xf32>) -> tensor<13x33xf16>
      %s = mirage_block.matmul %q, %vt : tensor<13x33xf16>, tensor<33x80xf16>
      mirage_block.yield %s : tensor<13x80xf32>
    }
    mirage_kernel.yield %o : tensor<13x80xf16>
  } : tensor<13x80xf16>
  return %r : tensor<13x80xf16>
}

// Views of the same rows, and of others.
func.func @reshaped(%x: tensor<2x8x64xf16>, %w: tensor<16x64xf16>) -> tensor<16x16xf16> {
  %e = tensor.empty() : tensor<16x16xf16>
  %r = mirage_kernel.graph ins(%x, %w : tensor<2x8x64xf16>, tensor<16x64xf16>) outs(%e : tensor<16x16xf16>) {
  ^bb0(%a: tensor<2x8x64xf16>, %b: tensor<16x64xf16>):
    %o = mirage_block.graph grid() threads(128) loop(1) ins(%a imap(), %b imap()) outs(omap())
        : (tensor<2x8x64xf16>, tensor<16x64xf16>) -> tensor<16x16xf16> {
    ^bb0(%xt: tensor<2x8x64xf16>, %wt: tensor<16x64xf16>):
      %xr = mirage_block.reshape %xt : (tensor<2x8x64xf16>) -> tensor<16x64xf16>
      %wr = mirage_block.reshape %wt : (tensor<16x64xf16>) -> tensor<64x16xf16>
      %p = mirage_block.matmul %xr, %wr : tensor<16x64xf16>, tensor<64x16xf16>
      mirage_block.yield %p : tensor<16x16xf32>
    }
    mirage_kernel.yield %o : tensor<16x16xf16>
  } : tensor<16x16xf16>
  return %r : tensor<16x16xf16>
}
