// RUN: mirage-opt %s --convert-mirage-block-to-thread --mirage-hold-in-registers --mirage-bypass-shared-memory --verify-roundtrip | FileCheck %s
// RUN: mirage-opt %s --convert-mirage-block-to-thread --mirage-hold-in-registers --mirage-bypass-shared-memory --mirage-schedule-block -o %t.after.mlir && mirage-verify %s %t.after.mlir --seed=1 | FileCheck %s --check-prefix=JUDGED
// RUN: mirage-opt %t.after.mlir --mirage-hold-in-registers --mirage-bypass-shared-memory --mirage-schedule-block | diff - %t.after.mlir
// JUDGED: @read_on: equal
// JUDGED: @several_outputs: equal
// JUDGED: @other_items: equal
// JUDGED: @sum_of_the_loop: equal
// JUDGED: @rows_behind_both_edges: equal
// JUDGED: @sum_of_nobody: equal
// JUDGED: @columns_in_16_bits: equal
// JUDGED: @columns_for_all_warps: equal

// What is an output and is read on stays in registers; a step of its own stores it from there,
// right behind the one that has computed it.
// CHECK-LABEL: func.func @read_on(
// CHECK: %[[Y:.*]] = mirage_thread.graph items({{.*}}{mirage.held}
// CHECK: mirage_thread.exp
// CHECK: %[[O:.*]] = mirage_thread.graph {{.*}}ins(%[[Y]] {{.*}}{mirage.bypasses}
// CHECK-NEXT: ^bb
// CHECK-NEXT: mirage_thread.load
// CHECK-NEXT: mirage_thread.store
// CHECK: %[[Z:.*]] = mirage_thread.graph {{.*}}ins(%[[Y]] {{.*}}{mirage.bypasses}
// CHECK: mirage_thread.tanh
// CHECK: mirage_block.yield %[[O]], %[[Z]]
func.func @read_on(%x: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %o:2 = mirage_block.graph grid() threads(128) ins(%x imap()) outs(omap(), omap()) : (tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  ^bb0(%t: tensor<64x64xf32>):
    %y = mirage_block.exp %t : tensor<64x64xf32>
    %z = mirage_block.tanh %y : tensor<64x64xf32>
    mirage_block.yield %y, %z : tensor<64x64xf32>, tensor<64x64xf32>
  }
  return %o#0, %o#1 : tensor<64x64xf32>, tensor<64x64xf32>
}

// Of two outputs each has its own step, which rounds to what the output has bits for, and no more.
// CHECK-LABEL: func.func @several_outputs(
// CHECK: %[[Y:.*]] = mirage_thread.graph {{.*}}{mirage.held}
// CHECK-DAG: %[[A:.*]] = mirage_thread.graph {{.*}}ins(%[[Y]] {{.*}}{mirage.bypasses} : (tensor<4x1000xf32>) -> tensor<4x1000xf16>
// CHECK-DAG: %[[B:.*]] = mirage_thread.graph {{.*}}ins(%[[Y]] {{.*}}{mirage.bypasses} : (tensor<4x1000xf32>) -> tensor<4x1000xf32>
// CHECK: mirage_block.yield %[[A]], %[[B]] : tensor<4x1000xf16>, tensor<4x1000xf32>
func.func @several_outputs(%x: tensor<4x1000xf16>) -> (tensor<4x1000xf16>, tensor<4x1000xf32>) {
  %o:2 = mirage_block.graph grid() threads(384) ins(%x imap()) outs(omap(), omap()) : (tensor<4x1000xf16>) -> (tensor<4x1000xf16>, tensor<4x1000xf32>) {
  ^bb0(%t: tensor<4x1000xf16>):
    %y = mirage_block.exp %t : tensor<4x1000xf16>
    mirage_block.yield %y, %y : tensor<4x1000xf32>, tensor<4x1000xf32>
  }
  return %o#0, %o#1 : tensor<4x1000xf16>, tensor<4x1000xf32>
}

// Columns are read by other lanes: exp x is a tile, and so it is stored.
// CHECK-LABEL: func.func @other_items(
// CHECK-NOT: mirage.held
// CHECK: %[[Y:.*]] = mirage_thread.graph
// CHECK: mirage_thread.exp
// CHECK-NOT: mirage.held
// CHECK: mirage_block.yield %[[Y]],
func.func @other_items(%x: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<1x64xf32>) {
  %o:2 = mirage_block.graph grid() threads(128) ins(%x imap()) outs(omap(), omap()) : (tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<1x64xf32>) {
  ^bb0(%t: tensor<64x64xf32>):
    %y = mirage_block.exp %t : tensor<64x64xf32>
    %s = mirage_block.sum %y dims [0] : tensor<64x64xf32>
    mirage_block.yield %y, %s : tensor<64x64xf32>, tensor<1x64xf32>
  }
  return %o#0, %o#1 : tensor<64x64xf32>, tensor<1x64xf32>
}

// The sum that the loop has carried is stored and read on where it has grown.
// CHECK-LABEL: func.func @sum_of_the_loop(
// CHECK: %[[P:.*]] = mirage_thread.graph {{.*}}{mirage.held}
// CHECK: %[[S:.*]] = mirage_block.accumulate %[[P]] over loop sum {mirage.held}
// CHECK: mirage_thread.graph {{.*}}ins(%[[S]] {{.*}}{mirage.bypasses} : (tensor<16x64xf32>) -> tensor<16x64xf16>
// CHECK: mirage_thread.graph {{.*}}ins(%[[S]] {{.*}}{mirage.bypasses} : (tensor<16x64xf32>) -> tensor<16x64xf32>
// CHECK: mirage_thread.tanh
func.func @sum_of_the_loop(%x: tensor<16x256xf16>) -> (tensor<16x64xf16>, tensor<16x64xf16>) {
  %o:2 = mirage_block.graph grid() threads(128) loop(4) ins(%x imap() fmap(1)) outs(omap(), omap()) : (tensor<16x256xf16>) -> (tensor<16x64xf16>, tensor<16x64xf16>) {
  ^bb0(%t: tensor<16x64xf16>):
    %e = mirage_block.exp %t : tensor<16x64xf16>
    %s = mirage_block.accumulate %e over loop sum : tensor<16x64xf32>
    %z = mirage_block.tanh %s : tensor<16x64xf32>
    mirage_block.yield %s, %z : tensor<16x64xf32>, tensor<16x64xf32>
  }
  return %o#0, %o#1 : tensor<16x64xf16>, tensor<16x64xf16>
}

// 11 rows of 30 are 8 items of 2 rows of 32 where they are held. Sums of rows are masked behind
// the one edge, and what lies behind the other one stays there. So nothing is a tile.
// CHECK-LABEL: func.func @rows_behind_both_edges(
// CHECK: mirage.bypassing_inputs = array<i64: 0>
// CHECK: mirage_thread.graph {{.*}}{mirage.held}
// CHECK: mirage_thread.exp
// CHECK: mirage_thread.graph {{.*}}{mirage.held}
// CHECK: mirage_thread.mask
// CHECK: mirage_thread.accumulate
// CHECK: mirage_thread.graph {{.*}}{mirage.bypasses}
// CHECK: mirage_thread.div
func.func @rows_behind_both_edges(%x: tensor<11x48xf16>) -> tensor<11x48xf16> {
  %o = mirage_block.graph grid() threads(128) ins(%x imap()) outs(omap()) : (tensor<11x48xf16>) -> tensor<11x48xf16> {
  ^bb0(%t: tensor<11x48xf16>):
    %e = mirage_block.exp %t : tensor<11x48xf16>
    %s = mirage_block.sum %e dims [1] : tensor<11x48xf32>
    %y = mirage_block.div %e, %s : tensor<11x48xf32>, tensor<11x1xf32>
    mirage_block.yield %y : tensor<11x48xf32>
  }
  return %o : tensor<11x48xf16>
}

// A sum that nobody reads on is stored where it has grown. The output is wider than the input, so lanes
// have 16 bytes of it side by side.
// CHECK-LABEL: func.func @sum_of_nobody(
// CHECK: mirage_thread.load {{.*}} -> tensor<8x16xf16, #[[LAYOUT:.+]]>
// CHECK: %[[S:.*]] = mirage_block.accumulate %{{.*}} over loop sum {mirage.held}
// CHECK: %[[O:.*]] = mirage_thread.graph {{.*}}ins(%[[S]] {{.*}}{mirage.bypasses} :
// CHECK: mirage_block.yield %[[O]]
func.func @sum_of_nobody(%x: tensor<32x64xf16>) -> tensor<32x16xf32> {
  %o = mirage_block.graph grid() threads(128) loop(4) ins(%x imap() fmap(1)) outs(omap()) : (tensor<32x64xf16>) -> tensor<32x16xf32> {
  ^bb0(%t: tensor<32x16xf16>):
    %e = mirage_block.exp %t : tensor<32x16xf16>
    %s = mirage_block.accumulate %e over loop sum : tensor<32x16xf32>
    mirage_block.yield %s : tensor<32x16xf32>
  }
  return %o : tensor<32x16xf32>
}

// Lanes have sums of two columns side by side, which are a word of the output.
// CHECK-LABEL: func.func @columns_in_16_bits(
// CHECK: mirage_thread.accumulate {{.*}} over loop sum dims [0]
// CHECK: %[[S:.*]] = mirage_block.accumulate %{{.*}} over loop sum {mirage.held}
// CHECK: %[[O:.*]] = mirage_thread.graph {{.*}}ins(%[[S]] {{.*}}{mirage.bypasses
// CHECK: mirage_block.yield %[[O]]
func.func @columns_in_16_bits(%x: tensor<64x256xf16>) -> tensor<1x256xf16> {
  %o = mirage_block.graph grid() threads(128) loop(4) ins(%x imap() fmap(0)) outs(omap()) : (tensor<64x256xf16>) -> tensor<1x256xf16> {
  ^bb0(%t: tensor<16x256xf16>):
    %e = mirage_block.sum %t dims [0] : tensor<16x256xf16>
    %s = mirage_block.accumulate %e over loop sum : tensor<1x256xf32>
    mirage_block.yield %s : tensor<1x256xf32>
  }
  return %o : tensor<1x256xf16>
}

// Eight warps have 32 columns each, two bytes of the output for a lane: that goes through a tile.
// CHECK-LABEL: func.func @columns_for_all_warps(
// CHECK: %[[S:.*]] = mirage_block.accumulate %{{.*}} over loop sum : tensor
// CHECK: mirage_block.yield %[[S]]
func.func @columns_for_all_warps(%x: tensor<64x256xf16>) -> tensor<1x256xf16> {
  %o = mirage_block.graph grid() threads(256) loop(4) ins(%x imap() fmap(0)) outs(omap()) : (tensor<64x256xf16>) -> tensor<1x256xf16> {
  ^bb0(%t: tensor<16x256xf16>):
    %e = mirage_block.sum %t dims [0] : tensor<16x256xf16>
    %s = mirage_block.accumulate %e over loop sum : tensor<1x256xf32>
    mirage_block.yield %s : tensor<1x256xf32>
  }
  return %o : tensor<1x256xf16>
}
