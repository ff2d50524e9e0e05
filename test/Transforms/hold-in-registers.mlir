// RUN: mirage-opt %s --convert-mirage-block-to-thread --mirage-hold-in-registers --verify-roundtrip | FileCheck %s
// RUN: mirage-opt %s --convert-mirage-block-to-thread --mirage-hold-in-registers --mirage-schedule-block --mirage-plan-shared-memory | FileCheck %s --check-prefix=PLANNED
// RUN: mirage-opt %s --convert-mirage-block-to-thread -o %t.before.mlir && mirage-opt %t.before.mlir --mirage-hold-in-registers --mirage-schedule-block -o %t.after.mlir && mirage-verify %t.before.mlir %t.after.mlir --seed=1 | FileCheck %s --check-prefix=JUDGED
// JUDGED: @sums: equal
// JUDGED: @others: equal
// JUDGED: @too_many: equal
// JUDGED: @three_warps: equal

// A sum of products and a running maximum of rows grow in registers. No barrier
// stands between a part and the sum, and parts have no places in shared memory.
// Where the sum lies behind the loop tiles of the loop lay, as a barrier is
// between. The maxima are stored from registers.
// CHECK-LABEL: func.func @sums(
// CHECK: mirage_thread.graph {{.*}} {mirage.held}
// CHECK: mirage_thread.mma
// CHECK: mirage_block.accumulate {{.*}} over loop sum :
// CHECK: mirage_thread.graph {{.*}} {mirage.held}
// CHECK: mirage_thread.accumulate {{.*}} over loop max
// CHECK: %[[M:.+]] = mirage_block.accumulate {{.*}} over loop max {mirage.held}
// CHECK: %[[O:.+]] = mirage_thread.graph items(x = 4) ins(%[[M]] imap(x -> 0)) outs(omap(x -> 0)) :
// CHECK: mirage_block.yield %{{.+}}, %[[O]]
// PLANNED-LABEL: func.func @sums(
// PLANNED: mirage_block.graph {{.*}} {mirage.barrier_at_exit, mirage.barrier_at_head, mirage.input_offsets = array<i64: 5120, 0>, mirage.input_row_paddings = array<i64: 16, 16>, mirage.shared_bytes = 7424 : i64}
// PLANNED: mirage_thread.graph {{.*}} {mirage.barrier, mirage.held, mirage.offsets = array<i64: -1>
// PLANNED: mirage_block.accumulate {{.*}} over loop sum {mirage.offsets = array<i64: 0>, mirage.row_paddings = array<i64: 32>, mirage.step = {{[0-9]+}} : i64}
// PLANNED: mirage_thread.graph {{.*}} {mirage.held, mirage.offsets = array<i64: -1>
// PLANNED: mirage_block.accumulate {{.*}} over loop max {mirage.held, mirage.offsets = array<i64: -1>, mirage.step = {{[0-9]+}} : i64}
// PLANNED: return
func.func @sums(%x: tensor<16x512xf16>, %w: tensor<512x32xf16>) -> (tensor<16x32xf32>, tensor<16x1xf32>) {
  %o:2 = mirage_block.graph grid() threads(128) loop(8)
      ins(%x imap() fmap(1), %w imap() fmap(0)) outs(omap(), omap())
      : (tensor<16x512xf16>, tensor<512x32xf16>) -> (tensor<16x32xf32>, tensor<16x1xf32>) {
  ^bb0(%xt: tensor<16x64xf16>, %wt: tensor<64x32xf16>):
    %p = mirage_block.matmul %xt, %wt : tensor<16x64xf16>, tensor<64x32xf16>
    %s = mirage_block.accumulate %p over loop sum : tensor<16x32xf32>
    %m = mirage_block.max %xt dims [1] : tensor<16x64xf16>
    %r = mirage_block.accumulate %m over loop max : tensor<16x1xf32>
    mirage_block.yield %s, %r : tensor<16x32xf32>, tensor<16x1xf32>
  }
  return %o#0, %o#1 : tensor<16x32xf32>, tensor<16x1xf32>
}

// What is rescaled grows in registers, by maxima that are tiles; and what one warp of four
// does alone, as a share, which is stored as one. Not the maximum it is relative to; what somebody
// else reads in the loop; and what no thread graph computes.
// CHECK-LABEL: func.func @others(
// CHECK-NOT: mirage.held
// CHECK: %[[P:.+]] = mirage_thread.graph {{.*}}{mirage.held, mirage.held_shares}
// CHECK-NOT: mirage.held
// CHECK: %[[S:.+]] = mirage_block.accumulate %[[P]] over loop sum rescale by %{{.+}} {mirage.held}
// CHECK: mirage_thread.graph items(x = 2) ins(%[[S]] {{.*}}{mirage.held_shares}
// CHECK-NOT: mirage.held
// CHECK: %[[U:.+]] = mirage_thread.graph items(){{.*}}{mirage.held, mirage.held_shares}
// CHECK: %[[V:.+]] = mirage_block.accumulate %[[U]] over loop sum {mirage.held}
// CHECK: mirage_thread.graph items() ins(%[[V]] {{.*}}{mirage.held_shares}
// CHECK-NOT: mirage.held
// CHECK: return
func.func @others(%x: tensor<8x64xf16>) -> (tensor<8x16xf32>, tensor<8x1xf32>, tensor<8x16xf32>, tensor<1x16xf32>) {
  %o:4 = mirage_block.graph grid(x = 1) threads(128) loop(4) ins(%x imap() fmap(1)) outs(omap(), omap(), omap(), omap())
      : (tensor<8x64xf16>) -> (tensor<8x16xf32>, tensor<8x1xf32>, tensor<8x16xf32>, tensor<1x16xf32>) {
  ^bb0(%t: tensor<8x16xf16>):
    %m = mirage_block.max %t dims [1] : tensor<8x16xf16>
    %c = mirage_block.sub %t, %m : tensor<8x16xf16>, tensor<8x1xf32>
    %p = mirage_block.exp %c : tensor<8x16xf32>
    %acc = mirage_block.accumulate %p over loop sum rescale by %m : tensor<8x16xf32>, tensor<8x1xf32>
    %top = mirage_block.accumulate %m over loop max : tensor<8x1xf32>
    %s = mirage_block.accumulate %t over loop sum : tensor<8x16xf16>
    %q = mirage_block.sum %t dims [0] : tensor<8x16xf16>
    %u = mirage_block.accumulate %q over loop sum : tensor<1x16xf32>
    mirage_block.yield %acc, %top, %s, %u : tensor<8x16xf32>, tensor<8x1xf32>, tensor<8x16xf32>, tensor<1x16xf32>
  }
  return %o#0, %o#1, %o#2, %o#3 : tensor<8x16xf32>, tensor<8x1xf32>, tensor<8x16xf32>, tensor<1x16xf32>
}

// Of 255 registers that a thread can have, sums of products take up to 96: 8 and not 128 more.
// CHECK-LABEL: func.func @too_many(
// CHECK-COUNT-1: {mirage.held}
// CHECK-NOT: mirage.held
// CHECK: return
func.func @too_many(%x: tensor<16x64xf16>, %w: tensor<64x16xf16>, %y: tensor<64x64xf16>, %v: tensor<64x64xf16>) -> (tensor<16x16xf32>, tensor<64x64xf32>) {
  %o:2 = mirage_block.graph grid() threads(32) loop(4)
      ins(%x imap() fmap(1), %w imap() fmap(0), %y imap() fmap(1), %v imap() fmap(0)) outs(omap(), omap())
      : (tensor<16x64xf16>, tensor<64x16xf16>, tensor<64x64xf16>, tensor<64x64xf16>) -> (tensor<16x16xf32>, tensor<64x64xf32>) {
  ^bb0(%xt: tensor<16x16xf16>, %wt: tensor<16x16xf16>, %yt: tensor<64x16xf16>, %vt: tensor<16x64xf16>):
    %p = mirage_block.matmul %xt, %wt : tensor<16x16xf16>, tensor<16x16xf16>
    %s = mirage_block.accumulate %p over loop sum : tensor<16x16xf32>
    %q = mirage_block.matmul %yt, %vt : tensor<64x16xf16>, tensor<16x64xf16>
    %u = mirage_block.accumulate %q over loop sum : tensor<64x64xf32>
    mirage_block.yield %s, %u : tensor<16x16xf32>, tensor<64x64xf32>
  }
  return %o#0, %o#1 : tensor<16x16xf32>, tensor<64x64xf32>
}

// Three warps have one of three items each.
// CHECK-LABEL: func.func @three_warps(
// CHECK: mirage_thread.graph items(x = 3) {{.*}} {mirage.held}
// CHECK-NOT: mirage.held
// CHECK: return
func.func @three_warps(%x: tensor<16x64xf16>, %w: tensor<64x48xf16>) -> tensor<16x48xf32> {
  %o = mirage_block.graph grid() threads(96) loop(4)
      ins(%x imap() fmap(1), %w imap() fmap(0)) outs(omap())
      : (tensor<16x64xf16>, tensor<64x48xf16>) -> tensor<16x48xf32> {
  ^bb0(%xt: tensor<16x16xf16>, %wt: tensor<16x48xf16>):
    %p = mirage_block.matmul %xt, %wt : tensor<16x16xf16>, tensor<16x48xf16>
    %s = mirage_block.accumulate %p over loop sum : tensor<16x48xf32>
    mirage_block.yield %s : tensor<16x48xf32>
  }
  return %o : tensor<16x48xf32>
}

// 96 registers of a thread are three eighths, which sums of products on tensor cores may take, and more
// than a third, which others may.
// CHECK-LABEL: func.func @more_than_a_third(
// CHECK-NOT: mirage.held
// CHECK: return
func.func @more_than_a_third(%x: tensor<96x512xf32>) -> tensor<96x128xf32> {
  %o = mirage_block.graph grid() threads(128) loop(4) ins(%x imap() fmap(1)) outs(omap())
      : (tensor<96x512xf32>) -> tensor<96x128xf32> {
  ^bb0(%t: tensor<96x128xf32>):
    %e = mirage_block.exp %t : tensor<96x128xf32>
    %s = mirage_block.accumulate %e over loop sum : tensor<96x128xf32>
    mirage_block.yield %s : tensor<96x128xf32>
  }
  return %o : tensor<96x128xf32>
}
