// RUN: mirage-opt %s --convert-mirage-block-to-thread --mirage-schedule-block --mirage-plan-shared-memory --split-input-file --verify-diagnostics | FileCheck %s

// Places that are loaded so take more: rows of 48 bytes 64 of them, for which there is no place.
// CHECK-LABEL: func.func @large(
// CHECK-NOT:     mirage.input_row_paddings
// CHECK:         mirage.input_swizzles = array<i64: 128, 0>
func.func @large(%x: tensor<8x7168xf16>, %w: tensor<7168x24xf16>) -> tensor<8x24xf16> {
  %o = mirage_block.graph grid() threads(32) loop(4) stages(2)
      ins(%x imap() fmap(1), %w imap() fmap(0)) outs(omap())
      : (tensor<8x7168xf16>, tensor<7168x24xf16>) -> tensor<8x24xf16> {
  ^bb0(%xt: tensor<8x1792xf16>, %wt: tensor<1792x24xf16>):
    %p = mirage_block.matmul %xt, %wt : tensor<8x1792xf16>, tensor<1792x24xf16>
    %a = mirage_block.accumulate %p over loop sum : tensor<8x24xf32>
    mirage_block.yield %a : tensor<8x24xf32>
  }
  return %o : tensor<8x24xf16>
}

// -----

// All that there is, without mbarriers and places at multiples of more bytes.
// CHECK-LABEL: func.func @exactly(
// CHECK-NOT:     mirage.input_swizzles
// CHECK:         mirage.shared_bytes = 232448
func.func @exactly(%x: tensor<8x5760xf16>, %w: tensor<5760x32xf16>) -> tensor<8x32xf16> {
  %o = mirage_block.graph grid() threads(32) loop(4) stages(2) ins(%x imap() fmap(1), %w imap() fmap(0)) outs(omap())
      : (tensor<8x5760xf16>, tensor<5760x32xf16>) -> tensor<8x32xf16> {
  ^bb0(%xt: tensor<8x1440xf16>, %wt: tensor<1440x32xf16>):
    %p = mirage_block.matmul %xt, %wt : tensor<8x1440xf16>, tensor<1440x32xf16>
    %a = mirage_block.accumulate %p over loop sum : tensor<8x32xf32>
    mirage_block.yield %a : tensor<8x32xf32>
  }
  return %o : tensor<8x32xf16>
}

// -----

// Nothing fits, boxed or not.
func.func @too_large(%x: tensor<8x4096xf16>, %w: tensor<4096x64xf16>) -> tensor<8x64xf32> {
  // expected-error @below {{expects tiles that fit 232448 bytes of shared memory, got }}
  %o = mirage_block.graph grid() threads(128) loop(2) stages(2) ins(%x imap() fmap(1), %w imap() fmap(0)) outs(omap())
      : (tensor<8x4096xf16>, tensor<4096x64xf16>) -> tensor<8x64xf32> {
  // expected-note @below {{a ring of 2 stages, 65536 bytes, of 'tensor<8x2048xf16>', is live where most is needed}}
  // expected-note @below {{a ring of 2 stages, 524288 bytes, of 'tensor<2048x64xf16>', is live where most is needed}}
  ^bb0(%xt: tensor<8x2048xf16>, %wt: tensor<2048x64xf16>):
    // expected-note @below {{a tile of 4096 bytes, 'tensor<2x8x64xf32>', is live where most is needed}}
    %p = mirage_block.matmul %xt, %wt : tensor<8x2048xf16>, tensor<2048x64xf16>
    // expected-note @below {{a tile of 4096 bytes, 'tensor<2x8x64xf32>', is live where most is needed}}
    %a = mirage_block.accumulate %p over loop sum : tensor<8x64xf32>
    mirage_block.yield %a : tensor<8x64xf32>
  }
  return %o : tensor<8x64xf32>
}
