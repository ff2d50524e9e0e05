// RUN: mirage-opt %s --mirage-schedule-block --mirage-plan-shared-memory | FileCheck %s
// RUN: mirage-opt %s --convert-mirage-block-to-thread --mirage-schedule-block --mirage-plan-shared-memory | FileCheck %s --check-prefix=WARPS

// The quotient is computed after the loop and takes the place of a tile that
// only the loop needs; the accumulators keep theirs.
// CHECK-LABEL: func.func @rms_linear(
// CHECK:         mirage_block.graph {{.*}} {mirage.input_offsets = array<i64: [[X:[0-9]+]], [[W:[0-9]+]]>, mirage.input_row_paddings = array<i64: 16, 0>, mirage.shared_bytes = 7424 : i64}
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

// Behind rows of 32, 64, .. bytes that ldmatrix reads 16 stay free, so that eight of them begin in
// different banks; behind rows of 64 bytes of f32, of which lanes store pairs, 32. Four rows of 64
// bytes are written in fewer wavefronts where nothing is between them and they are swizzled. Rows of 24 and 40
// bytes, which warps read element by element, are in different banks already, and one row has no
// other beside it.
// WARPS-LABEL: func.func @rows(
// WARPS:         mirage_block.graph {{.*}} {mirage.input_offsets = {{.*}}, mirage.input_row_paddings = array<i64: 0, 16, 0, 0, 0, 0>, mirage.shared_bytes = {{[0-9]+}} : i64, mirage.thread_swizzles = array<i64: 64, 0, 0, 0, 0, 0>
// WARPS:         mirage_thread.graph {{.*}}mirage.row_paddings = array<i64: 32>{{.*}} (tensor<4x32xf16>, tensor<32x16xf16>) -> tensor<4x16xf32>
// WARPS-NOT:     row_paddings
// WARPS:         mirage_thread.graph {{.*}}mirage.row_paddings = array<i64: 16>{{.*}} (tensor<4x24xf32>, tensor<24x20xf16>) -> tensor<4x20xf32>
// WARPS-NOT:     row_paddings
// WARPS:         return
func.func @rows(%a: tensor<4x32xf16>, %b: tensor<32x16xf16>, %c: tensor<16x24xf8E4M3FN>, %d: tensor<24x20xf16>,
                %e: tensor<1x64xf32>, %f: tensor<64x24xf16>) -> (tensor<4x20xf32>, tensor<1x24xf32>, tensor<4x32xf32>) {
  %o:3 = mirage_block.graph grid() threads(128) loop(1)
      ins(%a imap(), %b imap(), %c imap(), %d imap(), %e imap(), %f imap()) outs(omap(), omap(), omap())
      : (tensor<4x32xf16>, tensor<32x16xf16>, tensor<16x24xf8E4M3FN>, tensor<24x20xf16>, tensor<1x64xf32>, tensor<64x24xf16>)
      -> (tensor<4x20xf32>, tensor<1x24xf32>, tensor<4x32xf32>) {
  ^bb0(%at: tensor<4x32xf16>, %bt: tensor<32x16xf16>, %ct: tensor<16x24xf8E4M3FN>, %dt: tensor<24x20xf16>, %et: tensor<1x64xf32>, %ft: tensor<64x24xf16>):
    %p = mirage_block.matmul %at, %bt : tensor<4x32xf16>, tensor<32x16xf16>
    %q = mirage_block.matmul %p, %ct : tensor<4x16xf32>, tensor<16x24xf8E4M3FN>
    %r = mirage_block.matmul %q, %dt : tensor<4x24xf32>, tensor<24x20xf16>
    %s = mirage_block.matmul %et, %ft : tensor<1x64xf32>, tensor<64x24xf16>
    %t = mirage_block.add %at, %at : tensor<4x32xf16>, tensor<4x32xf16>
    mirage_block.yield %r, %s, %t : tensor<4x20xf32>, tensor<1x24xf32>, tensor<4x32xf32>
  }
  return %o#0, %o#1, %o#2 : tensor<4x20xf32>, tensor<1x24xf32>, tensor<4x32xf32>
}

// What a reshape makes of a tile is the same bytes: where its rows are others, nothing
// lies between them.
// WARPS-LABEL: func.func @reshaped_rows(
// WARPS:         mirage.input_row_paddings = array<i64: 16, 0>
// WARPS:         mirage_block.reshape {{.*}} (tensor<16x64xf16>)
// WARPS:         mirage_block.reshape {{.*}}mirage.row_paddings = array<i64: 16>{{.*}} (tensor<2x8x32xf16>)
// WARPS:         return
func.func @reshaped_rows(%a: tensor<2x8x32xf16>, %b: tensor<16x64xf16>) -> tensor<16x32xf32> {
  %o = mirage_block.graph grid() threads(128) loop(1) ins(%a imap(), %b imap()) outs(omap())
      : (tensor<2x8x32xf16>, tensor<16x64xf16>) -> tensor<16x32xf32> {
  ^bb0(%at: tensor<2x8x32xf16>, %bt: tensor<16x64xf16>):
    %ar = mirage_block.reshape %at : (tensor<2x8x32xf16>) -> tensor<16x32xf16>
    %br = mirage_block.reshape %bt : (tensor<16x64xf16>) -> tensor<32x32xf16>
    %p = mirage_block.matmul %ar, %br : tensor<16x32xf16>, tensor<32x32xf16>
    mirage_block.yield %p : tensor<16x32xf32>
  }
  return %o : tensor<16x32xf32>
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

// What the loop loads ahead is there until the last iteration has read it, before a barrier here. What
// follows the loop, and waits for nothing behind that barrier, takes its place.
// CHECK-LABEL: func.func @behind_a_ring(
// CHECK:         {{.*}}mirage.input_offsets = array<i64: [[X:[0-9]+]]>, mirage.shared_bytes = 8192 : i64}
// CHECK:         mirage_block.accumulate {{.*}} {mirage.barrier,
// CHECK-NEXT:    mirage_block.sqrt {{.*}} {mirage.offsets = array<i64: [[X]]>
func.func @behind_a_ring(%x: tensor<8x256xf16>) -> (tensor<8x64xf32>, tensor<8x64xf32>) {
  %o:2 = mirage_block.graph grid() threads(128) loop(4) stages(2)
      ins(%x imap() fmap(1)) outs(omap(), omap()) : (tensor<8x256xf16>) -> (tensor<8x64xf32>, tensor<8x64xf32>) {
  ^bb0(%xt: tensor<8x64xf16>):
    %sum = mirage_block.accumulate %xt over loop sum : tensor<8x64xf16>
    %e = mirage_block.exp %xt : tensor<8x64xf16>
    %n = mirage_block.accumulate %e over loop sum : tensor<8x64xf32>
    %r = mirage_block.sqrt %sum : tensor<8x64xf32>
    mirage_block.yield %r, %n : tensor<8x64xf32>, tensor<8x64xf32>
  }
  return %o#0, %o#1 : tensor<8x64xf32>, tensor<8x64xf32>
}

// 960 rows with bytes behind them have no place beside the other tiles; 16 have.
// WARPS-LABEL: func.func @some_have_place(
// WARPS:         mirage.input_row_paddings = array<i64: 16, 0>
func.func @some_have_place(%x: tensor<16x960xf16>, %w: tensor<960x96xf16>) -> tensor<16x96xf32> {
  %o = mirage_block.graph grid() threads(128) loop(1) ins(%x imap(), %w imap()) outs(omap())
      : (tensor<16x960xf16>, tensor<960x96xf16>) -> tensor<16x96xf32> {
  ^bb0(%xt: tensor<16x960xf16>, %wt: tensor<960x96xf16>):
    %p = mirage_block.matmul %xt, %wt : tensor<16x960xf16>, tensor<960x96xf16>
    mirage_block.yield %p : tensor<16x96xf32>
  }
  return %o : tensor<16x96xf32>
}

// 132 SMs hold two of 264 blocks each, if these take up to 115712 bytes: 32 bytes behind the rows of
// the product, which lanes store in pairs, would be too many, and are there for 132 blocks. 16 are
// not, as the right operand is swizzled and has none behind its rows.
// WARPS-LABEL: func.func @for_two_blocks(
// WARPS:         mirage.shared_bytes = 114304 : i64, mirage.thread_swizzles = array<i64: 0, 64>
// WARPS:         mirage.row_paddings = array<i64: 16>
// WARPS-LABEL: func.func @for_one_block(
// WARPS:         mirage.input_row_paddings = array<i64: 0, 16>
// WARPS:         mirage.row_paddings = array<i64: 32>
func.func @for_two_blocks(%x: tensor<34584x136xf16>, %w: tensor<136x96xf16>) -> tensor<34584x96xf32> {
  %o = mirage_block.graph grid(x = 264) threads(128) loop(1) ins(%x imap(x -> 0), %w imap()) outs(omap(x -> 0))
      : (tensor<34584x136xf16>, tensor<136x96xf16>) -> tensor<34584x96xf32> {
  ^bb0(%xt: tensor<131x136xf16>, %wt: tensor<136x96xf16>):
    %p = mirage_block.matmul %xt, %wt : tensor<131x136xf16>, tensor<136x96xf16>
    mirage_block.yield %p : tensor<131x96xf32>
  }
  return %o : tensor<34584x96xf32>
}

func.func @for_one_block(%x: tensor<17292x136xf16>, %w: tensor<136x96xf16>) -> tensor<17292x96xf32> {
  %o = mirage_block.graph grid(x = 132) threads(128) loop(1) ins(%x imap(x -> 0), %w imap()) outs(omap(x -> 0))
      : (tensor<17292x136xf16>, tensor<136x96xf16>) -> tensor<17292x96xf32> {
  ^bb0(%xt: tensor<131x136xf16>, %wt: tensor<136x96xf16>):
    %p = mirage_block.matmul %xt, %wt : tensor<131x136xf16>, tensor<136x96xf16>
    mirage_block.yield %p : tensor<131x96xf32>
  }
  return %o : tensor<17292x96xf32>
}
