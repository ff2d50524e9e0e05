// Places of boxed rings that warps hand back one by one.
// RUN: mirage-opt %s --convert-mirage-block-to-thread --mirage-hold-in-registers --mirage-schedule-block --mirage-plan-shared-memory | FileCheck %s

// Where threads are several warpgroups and two iterations stay on their way, an iteration refills
// the place of the one before the last; else of the last.
// CHECK-LABEL: func.func @four_places(
// CHECK:         mirage.hands_back_places = 2 : i64
func.func @four_places(%x: tensor<64x256xf16>, %w: tensor<256x64xf16>) -> tensor<64x64xf16> {
  %o = mirage_block.graph grid() threads(256) loop(8) stages(4)
      ins(%x imap() fmap(1), %w imap() fmap(0)) outs(omap())
      : (tensor<64x256xf16>, tensor<256x64xf16>) -> tensor<64x64xf16> {
  ^bb0(%xt: tensor<64x32xf16>, %wt: tensor<32x64xf16>):
    %p = mirage_block.matmul %xt, %wt : tensor<64x32xf16>, tensor<32x64xf16>
    %acc = mirage_block.accumulate %p over loop sum : tensor<64x64xf32>
    mirage_block.yield %acc : tensor<64x64xf32>
  }
  return %o : tensor<64x64xf16>
}

// CHECK-LABEL: func.func @three_places(
// CHECK:         mirage.hands_back_places = 1 : i64
func.func @three_places(%x: tensor<64x256xf16>, %w: tensor<256x64xf16>) -> tensor<64x64xf16> {
  %o = mirage_block.graph grid() threads(256) loop(8) stages(3)
      ins(%x imap() fmap(1), %w imap() fmap(0)) outs(omap())
      : (tensor<64x256xf16>, tensor<256x64xf16>) -> tensor<64x64xf16> {
  ^bb0(%xt: tensor<64x32xf16>, %wt: tensor<32x64xf16>):
    %p = mirage_block.matmul %xt, %wt : tensor<64x32xf16>, tensor<32x64xf16>
    %acc = mirage_block.accumulate %p over loop sum : tensor<64x64xf32>
    mirage_block.yield %acc : tensor<64x64xf32>
  }
  return %o : tensor<64x64xf16>
}

// CHECK-LABEL: func.func @one_warpgroup(
// CHECK:         mirage.hands_back_places = 1 : i64
func.func @one_warpgroup(%x: tensor<64x256xf16>, %w: tensor<256x64xf16>) -> tensor<64x64xf16> {
  %o = mirage_block.graph grid() threads(128) loop(8) stages(4)
      ins(%x imap() fmap(1), %w imap() fmap(0)) outs(omap())
      : (tensor<64x256xf16>, tensor<256x64xf16>) -> tensor<64x64xf16> {
  ^bb0(%xt: tensor<64x32xf16>, %wt: tensor<32x64xf16>):
    %p = mirage_block.matmul %xt, %wt : tensor<64x32xf16>, tensor<32x64xf16>
    %acc = mirage_block.accumulate %p over loop sum : tensor<64x64xf32>
    mirage_block.yield %acc : tensor<64x64xf32>
  }
  return %o : tensor<64x64xf16>
}
