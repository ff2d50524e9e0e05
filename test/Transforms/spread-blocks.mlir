// RUN: mirage-opt %s --mirage-spread-blocks --verify-roundtrip | FileCheck %s
// RUN: mirage-opt %s --mirage-spread-blocks=target=sm_80 | FileCheck %s --check-prefix=SM80
// RUN: mirage-opt %s --mirage-spread-blocks -o %t.mlir && mirage-verify %s %t.mlir --seed=1 | FileCheck %s --check-prefix=JUDGED
// JUDGED: @rows: equal; proved outright
// JUDGED: @columns: equal; proved outright
// JUDGED: @odd_rows: equal; proved outright
// JUDGED: @other_dimensions: equal; proved outright
// JUDGED: @last_axis: equal; proved outright
// JUDGED: @cut_in_other_columns: equal; proved outright
// JUDGED: @few_bytes: equal; both are the same graph
// JUDGED: @enough_blocks: equal; both are the same graph
// JUDGED: @no_free_axis: equal; both are the same graph
// JUDGED: @no_parts: equal; both are the same graph
// JUDGED: @product: equal; both are the same graph
// JUDGED: @reduced_behind_the_loop: equal; both are the same graph
// JUDGED: @reduced_in_the_loop: equal; both are the same graph
// JUDGED: @mask: equal; both are the same graph
// JUDGED: @moved: equal; both are the same graph
// JUDGED: @mapped: equal; both are the same graph
// JUDGED: @joined_once_more: equal; both are the same graph
// JUDGED: @steps: equal; both are the same graph
// JUDGED: @cut_behind: equal; both are the same graph
// JUDGED: @other_sizes: equal; both are the same graph

// Two blocks of 64 rows, 16 parts: 16 pieces of 4 rows are clusters on sm_90a. What has been
// cut by x is cut by y within that. A part is 2 KiB then and was 32, of which 15 are on
// their way at a time. Without clusters there are launches, behind which 32 pieces of 2 rows
// take less; 64 would be two waves of blocks on 108 SMs.
// CHECK-LABEL: func.func @rows(
// CHECK: mirage_block.graph grid(x = 2, y = 16) threads(128) loop(16) stages(15)
// CHECK-SAME: ins(%{{.+}} imap(x -> 1, y -> 1) fmap(0), %{{.+}} imap(x -> 1, y -> 1) fmap(0), %{{.+}} imap()) outs(omap(x -> 0, y -> 0))
// CHECK: ^bb0(%{{.+}}: tensor<1x4x128xf32>, %{{.+}}: tensor<1x4x1xf32>, %{{.+}}: tensor<128xf32>):
// CHECK: mirage_block.reshape %{{.+}} : (tensor<1x4x128xf32>) -> tensor<4x128xf32>
// CHECK: mirage_block.reshape %{{.+}} : (tensor<1x4x1xf32>) -> tensor<4x1xf32>
// CHECK: mirage_block.yield %{{.+}} : tensor<4x128xf32>
// SM80-LABEL: func.func @rows(
// SM80: mirage_block.graph grid(x = 2, y = 32) threads(128) loop(16) stages(16)
// SM80: ^bb0(%{{.+}}: tensor<1x2x128xf32>,
func.func @rows(%sums: tensor<16x128x128xf32>, %totals: tensor<16x128x1xf32>, %bias: tensor<128xf32>) -> tensor<128x128xf32> {
  %o = mirage_block.graph grid(x = 2, y = 1) threads(128) loop(16)
      ins(%sums imap(x -> 1) fmap(0), %totals imap(x -> 1) fmap(0), %bias imap()) outs(omap(x -> 0)) {mirage.joins_parts}
      : (tensor<16x128x128xf32>, tensor<16x128x1xf32>, tensor<128xf32>) -> tensor<128x128xf32> {
  ^bb0(%s: tensor<1x64x128xf32>, %t: tensor<1x64x1xf32>, %b: tensor<128xf32>):
    %0 = mirage_block.accumulate %s over loop sum : tensor<1x64x128xf32>
    %1 = mirage_block.reshape %0 : (tensor<1x64x128xf32>) -> tensor<64x128xf32>
    %2 = mirage_block.accumulate %t over loop sum : tensor<1x64x1xf32>
    %3 = mirage_block.reshape %2 : (tensor<1x64x1xf32>) -> tensor<64x1xf32>
    %4 = mirage_block.div %1, %3 : tensor<64x128xf32>, tensor<64x1xf32>
    %5 = mirage_block.add %4, %b : tensor<64x128xf32>, tensor<128xf32>
    mirage_block.yield %5 : tensor<64x128xf32>
  }
  return %o : tensor<128x128xf32>
}

// A row alone is not cut, but its columns are: those of biases too, and no total.
// CHECK-LABEL: func.func @columns(
// CHECK: mirage_block.graph grid(x = 16) threads(128) loop(16) stages(15)
// CHECK-SAME: ins(%{{.+}} imap(x -> 2) fmap(0), %{{.+}} imap() fmap(0), %{{.+}} imap(x -> 0)) outs(omap(x -> 1))
// CHECK: ^bb0(%{{.+}}: tensor<1x1x512xf32>, %{{.+}}: tensor<1x1x1xf32>, %{{.+}}: tensor<512xf32>):
// CHECK: mirage_block.yield %{{.+}} : tensor<1x512xf32>
func.func @columns(%sums: tensor<16x1x8192xf32>, %totals: tensor<16x1x1xf32>, %bias: tensor<8192xf32>) -> tensor<1x8192xf32> {
  %o = mirage_block.graph grid(x = 1) threads(128) loop(16) ins(%sums imap() fmap(0), %totals imap() fmap(0), %bias imap()) outs(omap()) {mirage.joins_parts}
      : (tensor<16x1x8192xf32>, tensor<16x1x1xf32>, tensor<8192xf32>) -> tensor<1x8192xf32> {
  ^bb0(%s: tensor<1x1x8192xf32>, %t: tensor<1x1x1xf32>, %b: tensor<8192xf32>):
    %0 = mirage_block.accumulate %s over loop sum : tensor<1x1x8192xf32>
    %1 = mirage_block.accumulate %t over loop sum : tensor<1x1x1xf32>
    %2 = mirage_block.div %0, %1 : tensor<1x1x8192xf32>, tensor<1x1x1xf32>
    %3 = mirage_block.reshape %2 : (tensor<1x1x8192xf32>) -> tensor<1x8192xf32>
    %4 = mirage_block.add %3, %b : tensor<1x8192xf32>, tensor<8192xf32>
    mirage_block.yield %4 : tensor<1x8192xf32>
  }
  return %o : tensor<1x8192xf32>
}

// Three rows are not two pieces; columns are.
// CHECK-LABEL: func.func @odd_rows(
// CHECK: mirage_block.graph grid(x = 16) {{.*}} outs(omap(x -> 1))
// CHECK: ^bb0(%{{.+}}: tensor<1x3x8xf32>):
func.func @odd_rows(%sums: tensor<16x3x128xf32>) -> tensor<3x128xf32> {
  %o = mirage_block.graph grid(x = 1) threads(128) loop(16) ins(%sums imap() fmap(0)) outs(omap()) {mirage.joins_parts}
      : (tensor<16x3x128xf32>) -> tensor<3x128xf32> {
  ^bb0(%s: tensor<1x3x128xf32>):
    %0 = mirage_block.accumulate %s over loop max : tensor<1x3x128xf32>
    %1 = mirage_block.reshape %0 : (tensor<1x3x128xf32>) -> tensor<3x128xf32>
    mirage_block.yield %1 : tensor<3x128xf32>
  }
  return %o : tensor<3x128xf32>
}

// 96 rows are up to 32 pieces of three. What is reduced along other dimensions, or relative
// to a maximum, keeps its rows.
// CHECK-LABEL: func.func @other_dimensions(
// CHECK: mirage_block.graph grid(x = 16) {{.*}} outs(omap(x -> 0), omap(x -> 0))
// CHECK: ^bb0(%{{.+}}: tensor<1x6x128xf32>, %{{.+}}: tensor<1x6x1xf32>):
// CHECK: mirage_block.sum %{{.+}} dims [2] : tensor<1x6x128xf32>
// CHECK: mirage_block.yield %{{.+}}, %{{.+}} : tensor<6x128xf32>, tensor<6x1xf32>
func.func @other_dimensions(%sums: tensor<16x96x128xf32>, %maxima: tensor<16x96x1xf32>) -> (tensor<96x128xf32>, tensor<96x1xf32>) {
  %o:2 = mirage_block.graph grid(x = 1) threads(128) loop(16) ins(%sums imap() fmap(0), %maxima imap() fmap(0)) outs(omap(), omap()) {mirage.joins_parts}
      : (tensor<16x96x128xf32>, tensor<16x96x1xf32>) -> (tensor<96x128xf32>, tensor<96x1xf32>) {
  ^bb0(%s: tensor<1x96x128xf32>, %m: tensor<1x96x1xf32>):
    %0 = mirage_block.accumulate %s over loop sum rescale by %m : tensor<1x96x128xf32>, tensor<1x96x1xf32>
    %1 = mirage_block.sum %0 dims [2] : tensor<1x96x128xf32>
    %2 = mirage_block.div %0, %1 : tensor<1x96x128xf32>, tensor<1x96x1xf32>
    %3 = mirage_block.reshape %2 : (tensor<1x96x128xf32>) -> tensor<96x128xf32>
    %4 = mirage_block.reshape %1 : (tensor<1x96x1xf32>) -> tensor<96x1xf32>
    mirage_block.yield %3, %4 : tensor<96x128xf32>, tensor<96x1xf32>
  }
  return %o#0, %o#1 : tensor<96x128xf32>, tensor<96x1xf32>
}

// Of two free axes the last: the others may cut before it does, and do not.
// CHECK-LABEL: func.func @last_axis(
// CHECK: mirage_block.graph grid(x = 1, y = 16) {{.*}} outs(omap(y -> 1))
func.func @last_axis(%sums: tensor<16x1x8192xf32>) -> tensor<1x8192xf32> {
  %o = mirage_block.graph grid(x = 1, y = 1) threads(128) loop(16) ins(%sums imap() fmap(0)) outs(omap()) {mirage.joins_parts}
      : (tensor<16x1x8192xf32>) -> tensor<1x8192xf32> {
  ^bb0(%s: tensor<1x1x8192xf32>):
    %0 = mirage_block.accumulate %s over loop sum : tensor<1x1x8192xf32>
    %1 = mirage_block.reshape %0 : (tensor<1x1x8192xf32>) -> tensor<1x8192xf32>
    mirage_block.yield %1 : tensor<1x8192xf32>
  }
  return %o : tensor<1x8192xf32>
}

// Another axis behind the free one cuts columns, but not rows.
// CHECK-LABEL: func.func @cut_in_other_columns(
// CHECK: mirage_block.graph grid(x = 16, y = 2) {{.*}} ins(%{{.+}} imap(x -> 1, y -> 2) fmap(0)) outs(omap(x -> 0, y -> 1))
// CHECK: ^bb0(%{{.+}}: tensor<1x4x128xf32>):
func.func @cut_in_other_columns(%sums: tensor<16x64x256xf32>) -> tensor<64x256xf32> {
  %o = mirage_block.graph grid(x = 1, y = 2) threads(128) loop(16) ins(%sums imap(y -> 2) fmap(0)) outs(omap(y -> 1)) {mirage.joins_parts}
      : (tensor<16x64x256xf32>) -> tensor<64x256xf32> {
  ^bb0(%s: tensor<1x64x128xf32>):
    %0 = mirage_block.accumulate %s over loop sum : tensor<1x64x128xf32>
    %1 = mirage_block.reshape %0 : (tensor<1x64x128xf32>) -> tensor<64x128xf32>
    mirage_block.yield %1 : tensor<64x128xf32>
  }
  return %o : tensor<64x256xf32>
}

//===----------------------------------------------------------------------===//
// What stays as it is
//===----------------------------------------------------------------------===//

// A block reads 1.5 KiB in less time than it takes to launch more. Three pieces, which would be
// clusters as the parts are, there cannot be.
func.func @few_bytes(%sums: tensor<3x8x16xf32>) -> tensor<8x16xf32> {
  %o = mirage_block.graph grid(x = 1) threads(128) loop(3) ins(%sums imap() fmap(0)) outs(omap()) {mirage.joins_parts}
      : (tensor<3x8x16xf32>) -> tensor<8x16xf32> {
  ^bb0(%s: tensor<1x8x16xf32>):
    %0 = mirage_block.accumulate %s over loop sum : tensor<1x8x16xf32>
    %1 = mirage_block.reshape %0 : (tensor<1x8x16xf32>) -> tensor<8x16xf32>
    mirage_block.yield %1 : tensor<8x16xf32>
  }
  return %o : tensor<8x16xf32>
}

// All SMs have a block.
func.func @enough_blocks(%sums: tensor<4x132x1024xf32>) -> tensor<132x1024xf32> {
  %o = mirage_block.graph grid(x = 132, y = 1) threads(128) loop(4) ins(%sums imap(x -> 1) fmap(0)) outs(omap(x -> 0)) {mirage.joins_parts}
      : (tensor<4x132x1024xf32>) -> tensor<132x1024xf32> {
  ^bb0(%s: tensor<1x1x1024xf32>):
    %0 = mirage_block.accumulate %s over loop sum : tensor<1x1x1024xf32>
    %1 = mirage_block.reshape %0 : (tensor<1x1x1024xf32>) -> tensor<1x1024xf32>
    mirage_block.yield %1 : tensor<1x1024xf32>
  }
  return %o : tensor<132x1024xf32>
}

// No axis has one block, or there is none.
func.func @no_free_axis(%sums: tensor<16x2x8192xf32>) -> (tensor<2x8192xf32>, tensor<2x8192xf32>) {
  %o = mirage_block.graph grid(x = 2) threads(128) loop(16) ins(%sums imap(x -> 1) fmap(0)) outs(omap(x -> 0)) {mirage.joins_parts}
      : (tensor<16x2x8192xf32>) -> tensor<2x8192xf32> {
  ^bb0(%s: tensor<1x1x8192xf32>):
    %0 = mirage_block.accumulate %s over loop sum : tensor<1x1x8192xf32>
    %1 = mirage_block.reshape %0 : (tensor<1x1x8192xf32>) -> tensor<1x8192xf32>
    mirage_block.yield %1 : tensor<1x8192xf32>
  }
  %p = mirage_block.graph grid() threads(128) loop(16) ins(%sums imap() fmap(0)) outs(omap()) {mirage.joins_parts}
      : (tensor<16x2x8192xf32>) -> tensor<2x8192xf32> {
  ^bb0(%s: tensor<1x2x8192xf32>):
    %0 = mirage_block.accumulate %s over loop sum : tensor<1x2x8192xf32>
    %1 = mirage_block.reshape %0 : (tensor<1x2x8192xf32>) -> tensor<2x8192xf32>
    mirage_block.yield %1 : tensor<2x8192xf32>
  }
  return %o, %p : tensor<2x8192xf32>, tensor<2x8192xf32>
}

// Without a loop there are no parts.
func.func @no_parts(%x: tensor<64x1024xf32>) -> tensor<64x1024xf32> {
  %o = mirage_block.graph grid(x = 1) threads(128) ins(%x imap() fmap(0)) outs(omap()) {mirage.joins_parts}
      : (tensor<64x1024xf32>) -> tensor<64x1024xf32> {
  ^bb0(%s: tensor<64x1024xf32>):
    %0 = mirage_block.accumulate %s over loop sum : tensor<64x1024xf32>
    mirage_block.yield %0 : tensor<64x1024xf32>
  }
  return %o : tensor<64x1024xf32>
}

// A product needs whole rows and columns, of whichever operand; its rows are a matter of
// their own.
func.func @product(%sums: tensor<16x64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %o = mirage_block.graph grid(x = 1) threads(128) loop(16) ins(%sums imap() fmap(0), %w imap()) outs(omap()) {mirage.joins_parts}
      : (tensor<16x64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32> {
  ^bb0(%s: tensor<1x64x64xf32>, %u: tensor<64x64xf32>):
    %0 = mirage_block.accumulate %s over loop sum : tensor<1x64x64xf32>
    %1 = mirage_block.reshape %0 : (tensor<1x64x64xf32>) -> tensor<64x64xf32>
    %2 = mirage_block.matmul %1, %u : tensor<64x64xf32>, tensor<64x64xf32>
    mirage_block.yield %2 : tensor<64x64xf32>
  }
  return %o : tensor<64x64xf32>
}

// A row needs all of its columns, behind the loop or in it.
func.func @reduced_behind_the_loop(%sums: tensor<16x1x8192xf32>) -> tensor<1x1x8192xf32> {
  %o = mirage_block.graph grid(x = 1) threads(128) loop(16) ins(%sums imap() fmap(0)) outs(omap()) {mirage.joins_parts}
      : (tensor<16x1x8192xf32>) -> tensor<1x1x8192xf32> {
  ^bb0(%s: tensor<1x1x8192xf32>):
    %0 = mirage_block.accumulate %s over loop sum : tensor<1x1x8192xf32>
    %1 = mirage_block.sum %0 dims [2] : tensor<1x1x8192xf32>
    %2 = mirage_block.div %0, %1 : tensor<1x1x8192xf32>, tensor<1x1x1xf32>
    mirage_block.yield %2 : tensor<1x1x8192xf32>
  }
  return %o : tensor<1x1x8192xf32>
}

func.func @reduced_in_the_loop(%sums: tensor<16x1x8192xf32>) -> tensor<1x1x8192xf32> {
  %o = mirage_block.graph grid(x = 1) threads(128) loop(16) ins(%sums imap() fmap(0)) outs(omap()) {mirage.joins_parts}
      : (tensor<16x1x8192xf32>) -> tensor<1x1x8192xf32> {
  ^bb0(%s: tensor<1x1x8192xf32>):
    %0 = mirage_block.accumulate %s over loop sum : tensor<1x1x8192xf32>
    %1 = mirage_block.accumulate %s over loop sum dims [2] : tensor<1x1x8192xf32>
    %2 = mirage_block.div %0, %1 : tensor<1x1x8192xf32>, tensor<1x1x1xf32>
    mirage_block.yield %2 : tensor<1x1x8192xf32>
  }
  return %o : tensor<1x1x8192xf32>
}

// Masks count the rows and columns of the whole tensor.
func.func @mask(%sums: tensor<16x64x128xf32>) -> (tensor<1x64x128xf32>, tensor<1x64x128xf32>) {
  %o = mirage_block.graph grid(x = 1) threads(128) loop(16) ins(%sums imap() fmap(0)) outs(omap()) {mirage.joins_parts}
      : (tensor<16x64x128xf32>) -> tensor<1x64x128xf32> {
  ^bb0(%s: tensor<1x64x128xf32>):
    %0 = mirage_block.accumulate %s over loop sum : tensor<1x64x128xf32>
    %1 = mirage_block.causal_mask %0 offset 0 rows [] : tensor<1x64x128xf32>
    %2 = mirage_block.exp %1 : tensor<1x64x128xf32>
    mirage_block.yield %2 : tensor<1x64x128xf32>
  }
  %p = mirage_block.graph grid(x = 1) threads(128) loop(16) ins(%sums imap() fmap(0)) outs(omap()) {mirage.joins_parts}
      : (tensor<16x64x128xf32>) -> tensor<1x64x128xf32> {
  ^bb0(%s: tensor<1x64x128xf32>):
    %0 = mirage_block.accumulate %s over loop sum : tensor<1x64x128xf32>
    %1 = mirage_block.mask %0 dims [1] axes [] extent 50 value 1.0 : tensor<1x64x128xf32>
    mirage_block.yield %1 : tensor<1x64x128xf32>
  }
  return %o, %p : tensor<1x64x128xf32>, tensor<1x64x128xf32>
}

// Elements that change their places have no row of their own, nor those to which a row of
// ones comes.
func.func @moved(%sums: tensor<16x64x64xf32>) -> (tensor<1x64x64xf32>, tensor<64x1x64xf32>) {
  %o = mirage_block.graph grid(x = 1) threads(128) loop(16) ins(%sums imap() fmap(0)) outs(omap()) {mirage.joins_parts}
      : (tensor<16x64x64xf32>) -> tensor<1x64x64xf32> {
  ^bb0(%s: tensor<1x64x64xf32>):
    %0 = mirage_block.accumulate %s over loop sum : tensor<1x64x64xf32>
    %1 = mirage_block.transpose %0 dims [0, 2, 1] : tensor<1x64x64xf32>
    mirage_block.yield %1 : tensor<1x64x64xf32>
  }
  %p = mirage_block.graph grid(x = 1) threads(128) loop(16) ins(%sums imap() fmap(0)) outs(omap()) {mirage.joins_parts}
      : (tensor<16x64x64xf32>) -> tensor<64x1x64xf32> {
  ^bb0(%s: tensor<1x64x64xf32>):
    %0 = mirage_block.accumulate %s over loop sum : tensor<1x64x64xf32>
    %1 = mirage_block.reshape %0 : (tensor<1x64x64xf32>) -> tensor<64x1x64xf32>
    mirage_block.yield %1 : tensor<64x1x64xf32>
  }
  return %o, %p : tensor<1x64x64xf32>, tensor<64x1x64xf32>
}

// Maps name the free axis already, of whatever dimension.
func.func @mapped(%sums: tensor<16x1x8192xf32>, %totals: tensor<16x1x1xf32>) -> (tensor<1x1x8192xf32>, tensor<1x1x8192xf32>, tensor<1x1x8192xf32>) {
  %o = mirage_block.graph grid(x = 1) threads(128) loop(16) ins(%sums imap() fmap(0)) outs(omap(x -> 1)) {mirage.joins_parts}
      : (tensor<16x1x8192xf32>) -> tensor<1x1x8192xf32> {
  ^bb0(%s: tensor<1x1x8192xf32>):
    %0 = mirage_block.accumulate %s over loop sum : tensor<1x1x8192xf32>
    mirage_block.yield %0 : tensor<1x1x8192xf32>
  }
  %p = mirage_block.graph grid(x = 1) threads(128) loop(16) ins(%sums imap() fmap(0), %totals imap(x -> 1) fmap(0)) outs(omap()) {mirage.joins_parts}
      : (tensor<16x1x8192xf32>, tensor<16x1x1xf32>) -> tensor<1x1x8192xf32> {
  ^bb0(%s: tensor<1x1x8192xf32>, %t: tensor<1x1x1xf32>):
    %0 = mirage_block.accumulate %s over loop sum : tensor<1x1x8192xf32>
    %1 = mirage_block.accumulate %t over loop sum : tensor<1x1x1xf32>
    %2 = mirage_block.div %0, %1 : tensor<1x1x8192xf32>, tensor<1x1x1xf32>
    mirage_block.yield %2 : tensor<1x1x8192xf32>
  }
  %q = mirage_block.graph grid(x = 1) threads(128) loop(16) ins(%sums imap() fmap(0)) outs(omap(x -> sum)) {mirage.joins_parts}
      : (tensor<16x1x8192xf32>) -> tensor<1x1x8192xf32> {
  ^bb0(%s: tensor<1x1x8192xf32>):
    %0 = mirage_block.accumulate %s over loop sum : tensor<1x1x8192xf32>
    mirage_block.yield %0 : tensor<1x1x8192xf32>
  }
  return %o, %p, %q : tensor<1x1x8192xf32>, tensor<1x1x8192xf32>, tensor<1x1x8192xf32>
}

// Blocks that are joined along the free axis would join pieces.
func.func @joined_once_more(%sums: tensor<16x1x8192xf32>) -> tensor<1x1x8192xf32> {
  %o = mirage_block.graph grid(x = 1) threads(128) loop(16) ins(%sums imap() fmap(0)) outs(omap()) {mirage.joins_parts}
      : (tensor<16x1x8192xf32>) -> tensor<1x1x8192xf32> {
  ^bb0(%s: tensor<1x1x8192xf32>):
    %0 = mirage_block.accumulate %s over loop sum : tensor<1x1x8192xf32>
    %1 = mirage_block.accumulate %0 over x sum : tensor<1x1x8192xf32>
    mirage_block.yield %1 : tensor<1x1x8192xf32>
  }
  return %o : tensor<1x1x8192xf32>
}

// Steps that are shared out already are of tiles of that size.
func.func @steps(%sums: tensor<16x1x8192xf32>) -> tensor<1x1x8192xf32> {
  %o = mirage_block.graph grid(x = 1) threads(128) loop(16) ins(%sums imap() fmap(0)) outs(omap()) {mirage.joins_parts}
      : (tensor<16x1x8192xf32>) -> tensor<1x1x8192xf32> {
  ^bb0(%s: tensor<1x1x8192xf32>):
    %0 = mirage_block.accumulate %s over loop sum : tensor<1x1x8192xf32>
    %1 = mirage_thread.graph items(x = 256) ins(%0 imap(x -> 2)) outs(omap(x -> 2)) : (tensor<1x1x8192xf32>) -> tensor<1x1x8192xf32> {
    ^bb0(%w: tensor<1x1x32xf32>):
      %f = mirage_thread.load %w : (tensor<1x1x32xf32>) -> tensor<1x1x32xf32, #mirage_thread.layout<register = [], lane = [[0, 0, 1], [0, 0, 2], [0, 0, 4], [0, 0, 8], [0, 0, 16]]>>
      %v = mirage_thread.store %f : (tensor<1x1x32xf32, #mirage_thread.layout<register = [], lane = [[0, 0, 1], [0, 0, 2], [0, 0, 4], [0, 0, 8], [0, 0, 16]]>>) -> tensor<1x1x32xf32>
      mirage_thread.yield %v : tensor<1x1x32xf32>
    }
    mirage_block.yield %1 : tensor<1x1x8192xf32>
  }
  return %o : tensor<1x1x8192xf32>
}

// An axis behind the free one would count the pieces of one block before those of the next;
// so would the loop.
func.func @cut_behind(%long: tensor<16x1x16384xf32>, %sums: tensor<16x1x8192xf32>, %x: tensor<1x65536xf32>)
    -> (tensor<1x1x16384xf32>, tensor<1x1x8192xf32>, tensor<1x1x16384xf32>, tensor<1x4096xf32>) {
  %o = mirage_block.graph grid(x = 1, y = 2) threads(128) loop(16) ins(%long imap(y -> 2) fmap(0)) outs(omap(y -> 2)) {mirage.joins_parts}
      : (tensor<16x1x16384xf32>) -> tensor<1x1x16384xf32> {
  ^bb0(%s: tensor<1x1x8192xf32>):
    %0 = mirage_block.accumulate %s over loop sum : tensor<1x1x8192xf32>
    mirage_block.yield %0 : tensor<1x1x8192xf32>
  }
  %p = mirage_block.graph grid(x = 1, y = 2) threads(128) loop(16) ins(%long imap(y -> 2) fmap(0)) outs(omap(y -> sum)) {mirage.joins_parts}
      : (tensor<16x1x16384xf32>) -> tensor<1x1x8192xf32> {
  ^bb0(%s: tensor<1x1x8192xf32>):
    %0 = mirage_block.accumulate %s over loop sum : tensor<1x1x8192xf32>
    mirage_block.yield %0 : tensor<1x1x8192xf32>
  }
  %q = mirage_block.graph grid(x = 1, y = 2) threads(128) loop(16) ins(%sums imap() fmap(0)) outs(omap(y -> 2)) {mirage.joins_parts}
      : (tensor<16x1x8192xf32>) -> tensor<1x1x16384xf32> {
  ^bb0(%s: tensor<1x1x8192xf32>):
    %0 = mirage_block.accumulate %s over loop sum : tensor<1x1x8192xf32>
    mirage_block.yield %0 : tensor<1x1x8192xf32>
  }
  %r = mirage_block.graph grid(x = 1) threads(128) loop(16) ins(%x imap() fmap(1)) outs(omap()) {mirage.joins_parts}
      : (tensor<1x65536xf32>) -> tensor<1x4096xf32> {
  ^bb0(%s: tensor<1x4096xf32>):
    %0 = mirage_block.accumulate %s over loop sum : tensor<1x4096xf32>
    mirage_block.yield %0 : tensor<1x4096xf32>
  }
  return %o, %p, %q, %r : tensor<1x1x16384xf32>, tensor<1x1x8192xf32>, tensor<1x1x16384xf32>, tensor<1x4096xf32>
}

// All results have as many pieces.
func.func @other_sizes(%sums: tensor<16x1x8192xf32>, %totals: tensor<16x1x1xf32>) -> (tensor<1x1x8192xf32>, tensor<1x1x1xf32>) {
  %o:2 = mirage_block.graph grid(x = 1) threads(128) loop(16) ins(%sums imap() fmap(0), %totals imap() fmap(0)) outs(omap(), omap()) {mirage.joins_parts}
      : (tensor<16x1x8192xf32>, tensor<16x1x1xf32>) -> (tensor<1x1x8192xf32>, tensor<1x1x1xf32>) {
  ^bb0(%s: tensor<1x1x8192xf32>, %t: tensor<1x1x1xf32>):
    %0 = mirage_block.accumulate %s over loop sum : tensor<1x1x8192xf32>
    %1 = mirage_block.accumulate %t over loop sum : tensor<1x1x1xf32>
    mirage_block.yield %0, %1 : tensor<1x1x8192xf32>, tensor<1x1x1xf32>
  }
  return %o#0, %o#1 : tensor<1x1x8192xf32>, tensor<1x1x1xf32>
}

// Nor is a kernel cut that joins nothing: its tiles and stages are somebody's choice.
// CHECK-LABEL: func.func @joins_nothing(
// CHECK: mirage_block.graph grid(x = 1) threads(128) loop(16) ins
func.func @joins_nothing(%a: tensor<16x128x128xf32>) -> tensor<1x128x128xf32> {
  %o = mirage_block.graph grid(x = 1) threads(128) loop(16) ins(%a imap() fmap(0)) outs(omap())
      : (tensor<16x128x128xf32>) -> tensor<1x128x128xf32> {
  ^bb0(%x: tensor<1x128x128xf32>):
    %0 = mirage_block.accumulate %x over loop sum : tensor<1x128x128xf32>
    mirage_block.yield %0 : tensor<1x128x128xf32>
  }
  return %o : tensor<1x128x128xf32>
}
