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
