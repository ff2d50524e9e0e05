// Tiles whose rings leave no bytes behind rows: 96 KiB of the 99 that a block of sm_86 can have.

// Rows of 128 bytes, and of the right operand of two panels.
func.func @panels(%a: tensor<128x320xf16>, %w: tensor<320x256xf16>) -> tensor<128x256xf16> {
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

// Rows that are no multiple of a swizzle's pattern, of two panels.
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
