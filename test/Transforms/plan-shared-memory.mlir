// RUN: mirage-opt %s --mirage-schedule-block --mirage-plan-shared-memory | FileCheck %s

// The quotient is computed after the loop and takes the place of a tile that
// only the loop needs; the accumulators keep theirs.
// CHECK-LABEL: func.func @rms_linear(
// CHECK:         mirage_block.graph {{.*}} {mirage.input_offsets = array<i64: [[X:[0-9]+]], [[W:[0-9]+]]>, mirage.shared_bytes = 7296 : i64}
// CHECK:         mirage_block.div {{.*}}mirage.offsets = array<i64: [[W]]>
func.func @rms_linear(%x: tensor<8x4096xf16>, %w: tensor<4096x6144xf16>) -> tensor<8x6144xf16> {
  %o = mirage_block.graph grid(x = 192) threads(128) loop(64)
      ins(%x imap() fmap(1), %w imap(x -> 1) fmap(0)) outs(omap(x -> 1))
      : (tensor<8x4096xf16>, tensor<4096x6144xf16>) -> tensor<8x6144xf16> {
  ^bb0(%xt: tensor<8x64xf16>, %wt: tensor<64x32xf16>):
    %rms = mirage_block.accumulate %xt over loop rms dims [1] count 4096 : tensor<8x64xf16>
    %p = mirage_block.matmul %xt, %wt : tensor<8x64xf16>, tensor<64x32xf16>
    %acc = mirage_block.accumulate %p over loop sum : tensor<8x32xf32>
    %r = mirage_block.div %acc, %rms : tensor<8x32xf32>, tensor<8x1xf32>
    mirage_block.yield %r : tensor<8x32xf32>
  }
  return %o : tensor<8x6144xf16>
}

// A reshape is the same tile; an unused input has none.
// CHECK-LABEL: func.func @reshaped(
// CHECK:         {mirage.input_offsets = array<i64: [[A:[0-9]+]], -1>
// CHECK:         mirage_block.reshape {{.*}} {mirage.offsets = array<i64: [[A]]>}
func.func @reshaped(%x: tensor<64x64xf16>, %y: tensor<64x64xf16>) -> tensor<64x64x1xf16> {
  %o = mirage_block.graph grid(x = 8) threads(128) loop(1)
      ins(%x imap(x -> 0), %y imap(x -> 0)) outs(omap(x -> 0))
      : (tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64x1xf16> {
  ^bb0(%xt: tensor<8x64xf16>, %yt: tensor<8x64xf16>):
    %r = mirage_block.reshape %xt : (tensor<8x64xf16>) -> tensor<8x64x1xf16>
    %e = mirage_block.exp %r : tensor<8x64x1xf16>
    mirage_block.yield %e : tensor<8x64x1xf32>
  }
  return %o : tensor<64x64x1xf16>
}

// A variance carries three numbers for each element: thrice 128 bytes of 32 rows,
// beside the input's tile of 512, in places that are multiples of 128.
// CHECK-LABEL: func.func @variance(
// CHECK:         mirage.shared_bytes = 896 : i64}
func.func @variance(%x: tensor<32x80xf16>) -> tensor<32x1xf32> {
  %o = mirage_block.graph grid() threads(128) loop(10) ins(%x imap() fmap(1)) outs(omap())
      : (tensor<32x80xf16>) -> tensor<32x1xf32> {
  ^bb0(%t: tensor<32x8xf16>):
    %v = mirage_block.accumulate %t over loop variance dims [1] : tensor<32x8xf16>
    mirage_block.yield %v : tensor<32x1xf32>
  }
  return %o : tensor<32x1xf32>
}
