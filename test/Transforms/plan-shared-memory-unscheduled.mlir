// RUN: mirage-opt %s --mirage-plan-shared-memory --verify-diagnostics

func.func @unscheduled(%x: tensor<64x64xf16>) -> tensor<64x64xf16> {
  // expected-error @below {{expects a block graph that --mirage-schedule-block scheduled: no barrier keeps step 0 and step 1 apart}}
  %o = mirage_block.graph grid(x = 8) threads(128) loop(1)
      ins(%x imap(x -> 0)) outs(omap(x -> 0))
      : (tensor<64x64xf16>) -> tensor<64x64xf16> {
  ^bb0(%xt: tensor<8x64xf16>):
    %e = mirage_block.exp %xt : tensor<8x64xf16>
    mirage_block.yield %e : tensor<8x64xf32>
  }
  return %o : tensor<64x64xf16>
}
