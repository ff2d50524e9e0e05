// RUN: mirage-opt %s --mirage-schedule-block --verify-roundtrip | FileCheck %s

// Two barriers an iteration: one between the loads and what reads them, one
// before the accumulation, which also keeps the next loads away from the matmul.
// The accumulation of %xt needs the first alone and moves in front of the other.
// CHECK-LABEL: func.func @rms_linear(
// CHECK-NOT:     mirage.barrier_at
// CHECK:       ^bb0(%[[X:.+]]: tensor<8x64xf16>, %[[W:.+]]: tensor<64x32xf16>):
// CHECK-NEXT:    %[[P:.+]] = mirage_block.matmul %[[X]], %[[W]] {mirage.barrier, mirage.step
// CHECK-NEXT:    %[[RMS:.+]] = mirage_block.accumulate %[[X]] over loop rms dims [1] count 4096 {mirage.step
// CHECK-NEXT:    %[[ACC:.+]] = mirage_block.accumulate %[[P]] over loop sum {mirage.barrier, mirage.step
// CHECK-NEXT:    %[[R:.+]] = mirage_block.div %[[ACC]], %[[RMS]] {mirage.barrier, mirage.step
// CHECK-NEXT:    mirage_block.yield %[[R]] {mirage.barrier, mirage.step
func.func @rms_linear(%x: tensor<8x4096xf16>, %w: tensor<4096x6144xf16>) -> tensor<8x6144xf16> {
  %o = mirage_block.graph grid(x = 192) threads(128) loop(64)
      ins(%x imap() fmap(1), %w imap(x -> 1) fmap(0)) outs(omap(x -> 1))
      : (tensor<8x4096xf16>, tensor<4096x6144xf16>) -> tensor<8x6144xf16> {
  ^bb0(%xt: tensor<8x64xf16>, %wt: tensor<64x32xf16>):
    %p = mirage_block.matmul %xt, %wt : tensor<8x64xf16>, tensor<64x32xf16>
    %acc = mirage_block.accumulate %p over loop sum : tensor<8x32xf32>
    %rms = mirage_block.accumulate %xt over loop rms dims [1] count 4096 : tensor<8x64xf16>
    %r = mirage_block.div %acc, %rms : tensor<8x32xf32>, tensor<8x1xf32>
    mirage_block.yield %r : tensor<8x32xf32>
  }
  return %o : tensor<8x6144xf16>
}

// What is loaded is read in the last stretch of an iteration: the next
// iteration's loads wait at its head.
// CHECK-LABEL: func.func @row_sums(
// CHECK:         mirage_block.graph {{.*}} {mirage.barrier_at_head}
func.func @row_sums(%x: tensor<8x4096xf16>) -> tensor<8x1xf32> {
  %o = mirage_block.graph grid() threads(128) loop(64)
      ins(%x imap() fmap(1)) outs(omap())
      : (tensor<8x4096xf16>) -> tensor<8x1xf32> {
  ^bb0(%xt: tensor<8x64xf16>):
    %s = mirage_block.accumulate %xt over loop sum dims [1] : tensor<8x64xf16>
    mirage_block.yield %s : tensor<8x1xf32>
  }
  return %o : tensor<8x1xf32>
}

// Without a loop there is no next iteration.
// CHECK-LABEL: func.func @exp(
// CHECK-NOT:     mirage.barrier_at
// CHECK:         mirage_block.exp {{.*}} {mirage.barrier, mirage.step = 1 : i64}
func.func @exp(%x: tensor<64x64xf16>) -> tensor<64x64xf16> {
  %o = mirage_block.graph grid(x = 8) threads(128) loop(1)
      ins(%x imap(x -> 0)) outs(omap(x -> 0))
      : (tensor<64x64xf16>) -> tensor<64x64xf16> {
  ^bb0(%xt: tensor<8x64xf16>):
    %e = mirage_block.exp %xt : tensor<8x64xf16>
    mirage_block.yield %e : tensor<8x64xf32>
  }
  return %o : tensor<64x64xf16>
}

// What nothing reads is no step: the accumulation's chain alone is left.
// CHECK-LABEL: func.func @dead_steps(
// CHECK-NOT:     mirage_block.exp
// CHECK-NOT:     mirage_block.transpose
// CHECK:         mirage_block.yield
func.func @dead_steps(%x: tensor<8x4096xf16>) -> tensor<8x1xf32> {
  %o = mirage_block.graph grid() threads(128) loop(64)
      ins(%x imap() fmap(1)) outs(omap())
      : (tensor<8x4096xf16>) -> tensor<8x1xf32> {
  ^bb0(%xt: tensor<8x64xf16>):
    %e = mirage_block.exp %xt : tensor<8x64xf16>
    %m = mirage_block.accumulate %e over loop max : tensor<8x64xf32>
    %t = mirage_block.transpose %m dims [1, 0] : tensor<8x64xf32>
    %s = mirage_block.accumulate %xt over loop sum dims [1] : tensor<8x64xf16>
    mirage_block.yield %s : tensor<8x1xf32>
  }
  return %o : tensor<8x1xf32>
}

// What goes from registers to device memory stands before the store of tiles, though that waits
// for fewer barriers: it ends the block.
// CHECK-LABEL: func.func @store_comes_last(
// CHECK:         %[[SUM:.+]] = mirage_block.accumulate
// CHECK-NEXT:    mirage_block.matmul %[[SUM]], {{.*}} {mirage.barrier, mirage.step = [[#M:]]
// CHECK-NEXT:    mirage_block.matmul {{.*}} {mirage.barrier, mirage.step = [[#M+1]]
// CHECK-NEXT:    mirage_thread.graph {{.*}} {mirage.barrier, mirage.bypasses, mirage.step = [[#M+2]]
// CHECK:         mirage_block.yield {{.*}} {mirage.step = [[#M+3]]
#rows = #mirage_thread.layout<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]>
func.func @store_comes_last(%x: tensor<16x16xf16>, %y: tensor<16x32xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  %o:2 = mirage_block.graph grid(x = 1) threads(128) loop(2) ins(%x imap(), %y imap() fmap(1)) outs(omap(), omap())
      : (tensor<16x16xf16>, tensor<16x32xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  ^bb0(%t: tensor<16x16xf16>, %u: tensor<16x16xf32>):
    %sum = mirage_block.accumulate %u over loop sum : tensor<16x16xf32>
    %m = mirage_block.matmul %sum, %t : tensor<16x16xf32>, tensor<16x16xf16>
    %n = mirage_block.matmul %m, %t : tensor<16x16xf32>, tensor<16x16xf16>
    %p = mirage_thread.graph items() ins(%n imap()) outs(omap()) {mirage.bypasses} : (tensor<16x16xf32>) -> tensor<16x16xf32> {
    ^bb0(%f: tensor<16x16xf32>):
      %l = mirage_thread.load %f : (tensor<16x16xf32>) -> tensor<16x16xf32, #rows>
      %e = mirage_thread.exp %l : (tensor<16x16xf32, #rows>) -> tensor<16x16xf32, #rows>
      %s = mirage_thread.store %e : (tensor<16x16xf32, #rows>) -> tensor<16x16xf32>
      mirage_thread.yield %s : tensor<16x16xf32>
    }
    mirage_block.yield %sum, %p : tensor<16x16xf32>, tensor<16x16xf32>
  }
  return %o#0, %o#1 : tensor<16x16xf32>, tensor<16x16xf32>
}
