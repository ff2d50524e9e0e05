// RUN: mirage-opt %s --convert-mirage-block-to-thread --mirage-schedule-block --mirage-plan-shared-memory | FileCheck %s

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
