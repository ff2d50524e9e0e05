// Tiles whose rings leave no bytes behind rows: of the 99 KiB that a block of sm_86 can have 90 or more.

// Rows of 128 bytes, and of the right operand of two spans.
func.func @spans(%a: tensor<128x320xf16>, %w: tensor<320x256xf16>) -> tensor<128x256xf16> {
  %e = tensor.empty() : tensor<128x256xf16>
  %r = mirage_kernel.graph ins(%a, %w : tensor<128x320xf16>, tensor<320x256xf16>) outs(%e : tensor<128x256xf16>) {
  ^bb0(%ak: tensor<128x320xf16>, %wk: tensor<320x256xf16>):
    %o = mirage_block.graph grid(x = 1, y = 2) threads(256) loop(5) stages(3) ins(%ak imap(x -> 0) fmap(1), %wk imap(y -> 1) fmap(0)) outs(omap(x -> 0, y -> 1)) : (tensor<128x320xf16>, tensor<320x256xf16>) -> tensor<128x256xf16> {
    ^bb0(%at: tensor<128x64xf16>, %wt: tensor<64x128xf16>):
      %p = mirage_block.matmul %at, %wt : tensor<128x64xf16>, tensor<64x128xf16>
      %s = mirage_block.accumulate %p over loop sum : tensor<128x128xf32>
      mirage_block.yield %s : tensor<128x128xf32>
    }
    mirage_kernel.yield %o : tensor<128x256xf16>
  } : tensor<128x256xf16>
  return %r : tensor<128x256xf16>
}

// Sizes that tiles do not divide, and rows that begin at multiples of 4 bytes.
func.func @odd(%a: tensor<250x250xf16>, %w: tensor<250x250xf16>) -> tensor<250x250xf16> {
  %e = tensor.empty() : tensor<250x250xf16>
  %r = mirage_kernel.graph ins(%a, %w : tensor<250x250xf16>, tensor<250x250xf16>) outs(%e : tensor<250x250xf16>) {
  ^bb0(%ak: tensor<250x250xf16>, %wk: tensor<250x250xf16>):
    %o = mirage_block.graph grid(x = 2, y = 2) threads(256) loop(4) stages(3) ins(%ak imap(x -> 0) fmap(1), %wk imap(y -> 1) fmap(0)) outs(omap(x -> 0, y -> 1)) : (tensor<250x250xf16>, tensor<250x250xf16>) -> tensor<250x250xf16> {
    ^bb0(%at: tensor<128x64xf16>, %wt: tensor<64x128xf16>):
      %p = mirage_block.matmul %at, %wt : tensor<128x64xf16>, tensor<64x128xf16>
      %s = mirage_block.accumulate %p over loop sum : tensor<128x128xf32>
      mirage_block.yield %s : tensor<128x128xf32>
    }
    mirage_kernel.yield %o : tensor<250x250xf16>
  } : tensor<250x250xf16>
  return %r : tensor<250x250xf16>
}

// Weights as [N, K].
func.func @transposed(%a: tensor<128x320xf16>, %w: tensor<320x256xf16> {mirage_kernel.strides = array<i64: 1, 320>}) -> tensor<128x256xf16> {
  %e = tensor.empty() : tensor<128x256xf16>
  %r = mirage_kernel.graph ins(%a, %w : tensor<128x320xf16>, tensor<320x256xf16>) outs(%e : tensor<128x256xf16>) {
  ^bb0(%ak: tensor<128x320xf16>, %wk: tensor<320x256xf16>):
    %o = mirage_block.graph grid(x = 1, y = 2) threads(256) loop(5) stages(3) ins(%ak imap(x -> 0) fmap(1), %wk imap(y -> 1) fmap(0)) outs(omap(x -> 0, y -> 1)) : (tensor<128x320xf16>, tensor<320x256xf16>) -> tensor<128x256xf16> {
    ^bb0(%at: tensor<128x64xf16>, %wt: tensor<64x128xf16>):
      %p = mirage_block.matmul %at, %wt : tensor<128x64xf16>, tensor<64x128xf16>
      %s = mirage_block.accumulate %p over loop sum : tensor<128x128xf32>
      mirage_block.yield %s : tensor<128x128xf32>
    }
    mirage_kernel.yield %o : tensor<128x256xf16>
  } : tensor<128x256xf16>
  return %r : tensor<128x256xf16>
}

// Rows of 64 bytes, of which two are in the same banks.
func.func @short(%a: tensor<128x256xf16>, %w: tensor<256x128xf16>) -> tensor<128x128xf16> {
  %e = tensor.empty() : tensor<128x128xf16>
  %r = mirage_kernel.graph ins(%a, %w : tensor<128x256xf16>, tensor<256x128xf16>) outs(%e : tensor<128x128xf16>) {
  ^bb0(%ak: tensor<128x256xf16>, %wk: tensor<256x128xf16>):
    %o = mirage_block.graph grid(x = 1, y = 1) threads(256) loop(8) stages(6) ins(%ak imap(x -> 0) fmap(1), %wk imap(y -> 1) fmap(0)) outs(omap(x -> 0, y -> 1)) : (tensor<128x256xf16>, tensor<256x128xf16>) -> tensor<128x128xf16> {
    ^bb0(%at: tensor<128x32xf16>, %wt: tensor<32x128xf16>):
      %p = mirage_block.matmul %at, %wt : tensor<128x32xf16>, tensor<32x128xf16>
      %s = mirage_block.accumulate %p over loop sum : tensor<128x128xf32>
      mirage_block.yield %s : tensor<128x128xf32>
    }
    mirage_kernel.yield %o : tensor<128x128xf16>
  } : tensor<128x128xf16>
  return %r : tensor<128x128xf16>
}

// Elements of 8 bits.
func.func @bytes(%a: tensor<128x384xf8E4M3FN>, %w: tensor<384x128xf8E4M3FN>) -> tensor<128x128xf16> {
  %e = tensor.empty() : tensor<128x128xf16>
  %r = mirage_kernel.graph ins(%a, %w : tensor<128x384xf8E4M3FN>, tensor<384x128xf8E4M3FN>) outs(%e : tensor<128x128xf16>) {
  ^bb0(%ak: tensor<128x384xf8E4M3FN>, %wk: tensor<384x128xf8E4M3FN>):
    %o = mirage_block.graph grid(x = 1, y = 1) threads(256) loop(3) stages(3) ins(%ak imap(x -> 0) fmap(1), %wk imap(y -> 1) fmap(0)) outs(omap(x -> 0, y -> 1)) : (tensor<128x384xf8E4M3FN>, tensor<384x128xf8E4M3FN>) -> tensor<128x128xf16> {
    ^bb0(%at: tensor<128x128xf8E4M3FN>, %wt: tensor<128x128xf8E4M3FN>):
      %p = mirage_block.matmul %at, %wt : tensor<128x128xf8E4M3FN>, tensor<128x128xf8E4M3FN>
      %s = mirage_block.accumulate %p over loop sum : tensor<128x128xf32>
      mirage_block.yield %s : tensor<128x128xf32>
    }
    mirage_kernel.yield %o : tensor<128x128xf16>
  } : tensor<128x128xf16>
  return %r : tensor<128x128xf16>
}

// Rows that are no multiple of a swizzle's pattern, of two spans.
func.func @uneven(%a: tensor<127x256xf16>, %w: tensor<256x64xf16> {mirage_kernel.strides = array<i64: 1, 256>}) -> tensor<127x64xf16> {
  %e = tensor.empty() : tensor<127x64xf16>
  %r = mirage_kernel.graph ins(%a, %w : tensor<127x256xf16>, tensor<256x64xf16>) outs(%e : tensor<127x64xf16>) {
  ^bb0(%ak: tensor<127x256xf16>, %wk: tensor<256x64xf16>):
    %o = mirage_block.graph grid(x = 1, y = 1) threads(256) loop(2) stages(2) ins(%ak imap(x -> 0) fmap(1), %wk imap(y -> 1) fmap(0)) outs(omap(x -> 0, y -> 1)) : (tensor<127x256xf16>, tensor<256x64xf16>) -> tensor<127x64xf16> {
    ^bb0(%at: tensor<127x128xf16>, %wt: tensor<128x64xf16>):
      %p = mirage_block.matmul %at, %wt : tensor<127x128xf16>, tensor<128x64xf16>
      %s = mirage_block.accumulate %p over loop sum : tensor<127x64xf32>
      mirage_block.yield %s : tensor<127x64xf32>
    }
    mirage_kernel.yield %o : tensor<127x64xf16>
  } : tensor<127x64xf16>
  return %r : tensor<127x64xf16>
}

// Rows of 96 bytes, three spans of 32, and weights as [N, K].
func.func @thirds(%a: tensor<64x192xf16>, %w: tensor<192x384xf16> {mirage_kernel.strides = array<i64: 1, 192>}) -> tensor<64x384xf16> {
  %e = tensor.empty() : tensor<64x384xf16>
  %r = mirage_kernel.graph ins(%a, %w : tensor<64x192xf16>, tensor<192x384xf16>) outs(%e : tensor<64x384xf16>) {
  ^bb0(%ak: tensor<64x192xf16>, %wk: tensor<192x384xf16>):
    %o = mirage_block.graph grid(x = 2) threads(256) loop(4) stages(4) ins(%ak imap() fmap(1), %wk imap(x -> 1) fmap(0)) outs(omap(x -> 1)) : (tensor<64x192xf16>, tensor<192x384xf16>) -> tensor<64x384xf16> {
    ^bb0(%at: tensor<64x48xf16>, %wt: tensor<48x192xf16>):
      %p = mirage_block.matmul %at, %wt : tensor<64x48xf16>, tensor<48x192xf16>
      %s = mirage_block.accumulate %p over loop sum : tensor<64x192xf32>
      mirage_block.yield %s : tensor<64x192xf32>
    }
    mirage_kernel.yield %o : tensor<64x384xf16>
  } : tensor<64x384xf16>
  return %r : tensor<64x384xf16>
}

// Rows of 160 bytes, five spans of 32; sizes that tiles do not divide.
func.func @fifths(%a: tensor<80x235xbf16>, %w: tensor<235x250xbf16> {mirage_kernel.strides = array<i64: 1, 235>}) -> tensor<80x250xf16> {
  %e = tensor.empty() : tensor<80x250xf16>
  %r = mirage_kernel.graph ins(%a, %w : tensor<80x235xbf16>, tensor<235x250xbf16>) outs(%e : tensor<80x250xf16>) {
  ^bb0(%ak: tensor<80x235xbf16>, %wk: tensor<235x250xbf16>):
    %o = mirage_block.graph grid(x = 2) threads(256) loop(3) stages(3) ins(%ak imap() fmap(1), %wk imap(x -> 1) fmap(0)) outs(omap(x -> 1)) : (tensor<80x235xbf16>, tensor<235x250xbf16>) -> tensor<80x250xf16> {
    ^bb0(%at: tensor<80x80xbf16>, %wt: tensor<80x128xbf16>):
      %p = mirage_block.matmul %at, %wt : tensor<80x80xbf16>, tensor<80x128xbf16>
      %s = mirage_block.accumulate %p over loop sum : tensor<80x128xf32>
      mirage_block.yield %s : tensor<80x128xf32>
    }
    mirage_kernel.yield %o : tensor<80x250xf16>
  } : tensor<80x250xf16>
  return %r : tensor<80x250xf16>
}

// Rows of 192 bytes, three spans of 64, and of 224 bytes, seven of 32.
func.func @sevenths(%a: tensor<64x288xf16>, %w: tensor<288x224xf16>) -> tensor<64x224xf16> {
  %e = tensor.empty() : tensor<64x224xf16>
  %r = mirage_kernel.graph ins(%a, %w : tensor<64x288xf16>, tensor<288x224xf16>) outs(%e : tensor<64x224xf16>) {
  ^bb0(%ak: tensor<64x288xf16>, %wk: tensor<288x224xf16>):
    %o = mirage_block.graph grid(x = 2) threads(128) loop(3) stages(3) ins(%ak imap() fmap(1), %wk imap(x -> 1) fmap(0)) outs(omap(x -> 1)) : (tensor<64x288xf16>, tensor<288x224xf16>) -> tensor<64x224xf16> {
    ^bb0(%at: tensor<64x96xf16>, %wt: tensor<96x112xf16>):
      %p = mirage_block.matmul %at, %wt : tensor<64x96xf16>, tensor<96x112xf16>
      %s = mirage_block.accumulate %p over loop sum : tensor<64x112xf32>
      mirage_block.yield %s : tensor<64x112xf32>
    }
    mirage_kernel.yield %o : tensor<64x224xf16>
  } : tensor<64x224xf16>
  return %r : tensor<64x224xf16>
}

// Rows of 96 elements of 8 bits.
func.func @thirds_of_bytes(%a: tensor<96x480xf8E4M3FN>, %w: tensor<480x192xf8E4M3FN> {mirage_kernel.strides = array<i64: 1, 480>}) -> tensor<96x192xf16> {
  %e = tensor.empty() : tensor<96x192xf16>
  %r = mirage_kernel.graph ins(%a, %w : tensor<96x480xf8E4M3FN>, tensor<480x192xf8E4M3FN>) outs(%e : tensor<96x192xf16>) {
  ^bb0(%ak: tensor<96x480xf8E4M3FN>, %wk: tensor<480x192xf8E4M3FN>):
    %o = mirage_block.graph grid(x = 2) threads(256) loop(5) stages(5) ins(%ak imap() fmap(1), %wk imap(x -> 1) fmap(0)) outs(omap(x -> 1)) : (tensor<96x480xf8E4M3FN>, tensor<480x192xf8E4M3FN>) -> tensor<96x192xf16> {
    ^bb0(%at: tensor<96x96xf8E4M3FN>, %wt: tensor<96x96xf8E4M3FN>):
      %p = mirage_block.matmul %at, %wt : tensor<96x96xf8E4M3FN>, tensor<96x96xf8E4M3FN>
      %s = mirage_block.accumulate %p over loop sum : tensor<96x96xf32>
      mirage_block.yield %s : tensor<96x96xf32>
    }
    mirage_kernel.yield %o : tensor<96x192xf16>
  } : tensor<96x192xf16>
  return %r : tensor<96x192xf16>
}

// Products in f32, of which each lane reads elements of rows of 192 bytes.
func.func @lanes(%a: tensor<64x192xf32>, %w: tensor<192x128xf32> {mirage_kernel.strides = array<i64: 1, 192>}) -> tensor<64x128xf16> {
  %e = tensor.empty() : tensor<64x128xf16>
  %r = mirage_kernel.graph ins(%a, %w : tensor<64x192xf32>, tensor<192x128xf32>) outs(%e : tensor<64x128xf16>) {
  ^bb0(%ak: tensor<64x192xf32>, %wk: tensor<192x128xf32>):
    %o = mirage_block.graph grid(x = 2) threads(128) loop(4) stages(4) ins(%ak imap() fmap(1), %wk imap(x -> 1) fmap(0)) outs(omap(x -> 1)) : (tensor<64x192xf32>, tensor<192x128xf32>) -> tensor<64x128xf16> {
    ^bb0(%at: tensor<64x48xf32>, %wt: tensor<48x64xf32>):
      %p = mirage_block.matmul %at, %wt : tensor<64x48xf32>, tensor<48x64xf32>
      %s = mirage_block.accumulate %p over loop sum : tensor<64x64xf32>
      mirage_block.yield %s : tensor<64x64xf32>
    }
    mirage_kernel.yield %o : tensor<64x128xf16>
  } : tensor<64x128xf16>
  return %r : tensor<64x128xf16>
}
