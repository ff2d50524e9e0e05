// From sm_90 on the copy engine loads rings that ldmatrix reads, whose tensors lie so that it can.
// RUN: mirage-opt %s --convert-mirage-block-to-thread --mirage-schedule-block --mirage-plan-shared-memory | FileCheck %s
// RUN: mirage-opt %s --convert-mirage-block-to-thread --mirage-schedule-block --mirage-plan-shared-memory=target=sm_86 | FileCheck %s --check-prefix=PADDED

// Both operands: rows of 64 bytes, and of 96 in the places of 128. Rings begin at multiples of
// eight such spans; two mbarriers of each place are one tile more.
// CHECK-LABEL:  func.func @both(
// CHECK:          mirage.copy_barriers = 16896 : i64, mirage.input_offsets = array<i64: 14848, 0>, mirage.input_row_paddings = array<i64: 0, 32>, mirage.input_swizzles = array<i64: 64, 128>
// PADDED-LABEL: func.func @both(
// PADDED-NOT:     input_swizzles
// PADDED:         mirage.input_row_paddings = array<i64: 16, 16>
func.func @both(%x: tensor<16x256xf16>, %w: tensor<256x48xf16>) -> tensor<16x48xf16> {
  %o = mirage_block.graph grid() threads(64) loop(8) stages(2)
      ins(%x imap() fmap(1), %w imap() fmap(0)) outs(omap())
      : (tensor<16x256xf16>, tensor<256x48xf16>) -> tensor<16x48xf16> {
  ^bb0(%xt: tensor<16x32xf16>, %wt: tensor<32x48xf16>):
    %p = mirage_block.matmul %xt, %wt : tensor<16x32xf16>, tensor<32x48xf16>
    %acc = mirage_block.accumulate %p over loop sum : tensor<16x48xf32>
    mirage_block.yield %acc : tensor<16x48xf32>
  }
  return %o : tensor<16x48xf16>
}

// Also %x, which an elementwise step reads beside; not %v, which is loaded once; not %u, whose rows
// of 56 bytes are no multiple of 16, nor %t, of 8-bit floats.
// CHECK-LABEL: func.func @some(
// CHECK-NOT:     mirage.hands_back_places
// CHECK:         mirage.input_swizzles = array<i64: 64, 64, 0, 0, 0>
func.func @some(%x: tensor<16x256xf16>, %w: tensor<256x32xf16>, %v: tensor<32x32xf16>, %u: tensor<256x28xf16>, %t: tensor<256x32xf8E4M3FN>) -> (tensor<16x32xf16>, tensor<16x28xf16>, tensor<16x32xf16>) {
  %o:3 = mirage_block.graph grid() threads(64) loop(8) stages(2)
      ins(%x imap() fmap(1), %w imap() fmap(0), %v imap(), %u imap() fmap(0), %t imap() fmap(0)) outs(omap(), omap(), omap())
      : (tensor<16x256xf16>, tensor<256x32xf16>, tensor<32x32xf16>, tensor<256x28xf16>, tensor<256x32xf8E4M3FN>) -> (tensor<16x32xf16>, tensor<16x28xf16>, tensor<16x32xf16>) {
  ^bb0(%xt: tensor<16x32xf16>, %wt: tensor<32x32xf16>, %vt: tensor<32x32xf16>, %ut: tensor<32x28xf16>, %tt: tensor<32x32xf8E4M3FN>):
    %e = mirage_block.exp %xt : tensor<16x32xf16>
    %c = mirage_block.cast %e : (tensor<16x32xf32>) -> tensor<16x32xf16>
    %p = mirage_block.matmul %xt, %wt : tensor<16x32xf16>, tensor<32x32xf16>
    %q = mirage_block.matmul %c, %ut : tensor<16x32xf16>, tensor<32x28xf16>
    %r = mirage_block.matmul %c, %tt : tensor<16x32xf16>, tensor<32x32xf8E4M3FN>
    %a = mirage_block.accumulate %p over loop sum : tensor<16x32xf32>
    %b = mirage_block.accumulate %q over loop sum : tensor<16x28xf32>
    %d = mirage_block.accumulate %r over loop sum : tensor<16x32xf32>
    %f = mirage_block.cast %a : (tensor<16x32xf32>) -> tensor<16x32xf16>
    %g = mirage_block.matmul %f, %vt : tensor<16x32xf16>, tensor<32x32xf16>
    mirage_block.yield %g, %b, %d : tensor<16x32xf32>, tensor<16x28xf32>, tensor<16x32xf32>
  }
  return %o#0, %o#1, %o#2 : tensor<16x32xf16>, tensor<16x28xf16>, tensor<16x32xf16>
}

// Places follow each other where a pattern begins anew: four of 512 bytes take 2048.
// CHECK-LABEL: func.func @small(
// CHECK:         mirage.copy_barriers = 6144 : i64, mirage.input_offsets = array<i64: 0, 2048>, mirage.input_swizzles = array<i64: 32, 32>, mirage.shared_bytes = 6272 : i64
func.func @small(%x: tensor<16x128xf16>, %w: tensor<128x16xf16>) -> tensor<16x16xf16> {
  %o = mirage_block.graph grid() threads(32) loop(8) stages(4)
      ins(%x imap() fmap(1), %w imap() fmap(0)) outs(omap())
      : (tensor<16x128xf16>, tensor<128x16xf16>) -> tensor<16x16xf16> {
  ^bb0(%xt: tensor<16x16xf16>, %wt: tensor<16x16xf16>):
    %p = mirage_block.matmul %xt, %wt : tensor<16x16xf16>, tensor<16x16xf16>
    %acc = mirage_block.accumulate %p over loop sum : tensor<16x16xf32>
    mirage_block.yield %acc : tensor<16x16xf32>
  }
  return %o : tensor<16x16xf16>
}

// What elementwise steps alone read threads copy, and an accumulation that reads the tile itself.
// CHECK-LABEL: func.func @elsewhere(
// CHECK:         mirage.input_swizzles = array<i64: 0, 64, 0>
func.func @elsewhere(%x: tensor<16x256xf16>, %w: tensor<256x32xf16>, %y: tensor<16x256xf16>) -> (tensor<16x32xf16>, tensor<16x32xf16>) {
  %o:2 = mirage_block.graph grid() threads(64) loop(8) stages(2)
      ins(%x imap() fmap(1), %w imap() fmap(0), %y imap() fmap(1)) outs(omap(), omap())
      : (tensor<16x256xf16>, tensor<256x32xf16>, tensor<16x256xf16>) -> (tensor<16x32xf16>, tensor<16x32xf16>) {
  ^bb0(%xt: tensor<16x32xf16>, %wt: tensor<32x32xf16>, %yt: tensor<16x32xf16>):
    %e = mirage_block.exp %yt : tensor<16x32xf16>
    %c = mirage_block.cast %e : (tensor<16x32xf32>) -> tensor<16x32xf16>
    %p = mirage_block.matmul %c, %wt : tensor<16x32xf16>, tensor<32x32xf16>
    %q = mirage_block.matmul %xt, %wt : tensor<16x32xf16>, tensor<32x32xf16>
    %r = mirage_block.add %p, %q : tensor<16x32xf32>, tensor<16x32xf32>
    %a = mirage_block.accumulate %r over loop sum : tensor<16x32xf32>
    %b = mirage_block.accumulate %xt over loop sum : tensor<16x32xf16>
    mirage_block.yield %a, %b : tensor<16x32xf32>, tensor<16x32xf32>
  }
  return %o#0, %o#1 : tensor<16x32xf16>, tensor<16x32xf16>
}
