// RUN: mirage-opt %s --mirage-schedule-block --mirage-plan-shared-memory --split-input-file --verify-diagnostics

func.func @too_large(%x: tensor<512x512xf16>) -> tensor<512x512xf16> {
  // expected-error @below {{expects tiles that fit 232448 bytes of shared memory, got 1572864 bytes}}
  %o = mirage_block.graph grid() threads(128) loop(1)
      ins(%x imap()) outs(omap())
      : (tensor<512x512xf16>) -> tensor<512x512xf16> {
  // expected-note @below {{a tile of 524288 bytes, 'tensor<512x512xf16>', is live where most is needed}}
  ^bb0(%xt: tensor<512x512xf16>):
    // expected-note @below {{a tile of 1048576 bytes, 'tensor<512x512xf32>', is live where most is needed}}
    %e = mirage_block.exp %xt : tensor<512x512xf16>
    mirage_block.yield %e : tensor<512x512xf32>
  }
  return %o : tensor<512x512xf16>
}

// -----

// One stage would take 33024 bytes.
func.func @too_many_stages(%x: tensor<64x4096xf16>) -> tensor<64x1xf32> {
  // expected-error @below {{expects tiles that fit 232448 bytes of shared memory, got 262400 bytes}}
  %o = mirage_block.graph grid() threads(128) loop(16) stages(8)
      ins(%x imap() fmap(1)) outs(omap())
      : (tensor<64x4096xf16>) -> tensor<64x1xf32> {
  // expected-note @below {{a ring of 8 stages, 262144 bytes, of 'tensor<64x256xf16>', is live where most is needed}}
  ^bb0(%xt: tensor<64x256xf16>):
    // expected-note @below {{a tile of 256 bytes, 'tensor<64x1xf32>', is live where most is needed}}
    %s = mirage_block.accumulate %xt over loop sum dims [1] : tensor<64x256xf16>
    mirage_block.yield %s : tensor<64x1xf32>
  }
  return %o : tensor<64x1xf32>
}
