// Where the shares of warps lie in different rows, each round has addresses of its own, and these
// stay in registers with what is held. Threads have no registers for both; what is held goes back
// to a tile of shared memory, if that has place.
// RUN: mirage-opt %s --convert-mirage-block-to-thread --mirage-hold-in-registers -o %t.large.mlir
// RUN: FileCheck %s --check-prefixes=CHECK,LARGE --input-file=%t.large.mlir
// RUN: mirage-opt %s --convert-mirage-block-to-thread --mirage-hold-in-registers=target=sm_86 -o %t.small.mlir
// RUN: FileCheck %s --check-prefixes=CHECK,SMALL --input-file=%t.small.mlir
// RUN: mirage-verify %s %t.large.mlir --seed=1 | FileCheck %s --check-prefix=JUDGED
// RUN: mirage-verify %s %t.small.mlir --seed=1 | FileCheck %s --check-prefix=JUDGED
// RUN: not mirage-opt %s --mirage-hold-in-registers=target=sm_1 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// JUDGED: @apart: equal
// JUDGED: @side_by_side: equal
// JUDGED: @no_place: equal
// UNKNOWN: expects one of the targets

// 9 warps, 7 items of a row: 66 registers of 168 are held, and 28 rounds have other rows.
// CHECK-LABEL: func.func @apart(
// CHECK-NOT: mirage.held
func.func @apart(%x: tensor<42x438xf32>) -> (tensor<42x438xf32>, tensor<42x438xf32>) {
  %r:2 = mirage_block.graph grid() threads(288) ins(%x imap()) outs(omap(), omap()) : (tensor<42x438xf32>) -> (tensor<42x438xf32>, tensor<42x438xf32>) {
  ^bb0(%t: tensor<42x438xf32>):
    %e = mirage_block.exp %t : tensor<42x438xf32>
    %s = mirage_block.silu %e : tensor<42x438xf32>
    mirage_block.yield %s, %e : tensor<42x438xf32>, tensor<42x438xf32>
  }
  return %r#0, %r#1 : tensor<42x438xf32>, tensor<42x438xf32>
}

// 7 warps have a row each time.
// CHECK-LABEL: func.func @side_by_side(
// CHECK: mirage.held
func.func @side_by_side(%x: tensor<42x438xf32>) -> (tensor<42x438xf32>, tensor<42x438xf32>) {
  %r:2 = mirage_block.graph grid() threads(224) ins(%x imap()) outs(omap(), omap()) : (tensor<42x438xf32>) -> (tensor<42x438xf32>, tensor<42x438xf32>) {
  ^bb0(%t: tensor<42x438xf32>):
    %e = mirage_block.exp %t : tensor<42x438xf32>
    %s = mirage_block.silu %e : tensor<42x438xf32>
    mirage_block.yield %s, %e : tensor<42x438xf32>, tensor<42x438xf32>
  }
  return %r#0, %r#1 : tensor<42x438xf32>, tensor<42x438xf32>
}

// A tile of 110 KB, where blocks of the smaller GPU have 99 KiB: better too many registers than no
// code.
// CHECK-LABEL: func.func @no_place(
// LARGE-NOT: mirage.held
// SMALL: mirage.held
func.func @no_place(%x: tensor<63x438xf32>) -> (tensor<63x438xf32>, tensor<63x438xf32>) {
  %r:2 = mirage_block.graph grid() threads(288) ins(%x imap()) outs(omap(), omap()) : (tensor<63x438xf32>) -> (tensor<63x438xf32>, tensor<63x438xf32>) {
  ^bb0(%t: tensor<63x438xf32>):
    %e = mirage_block.exp %t : tensor<63x438xf32>
    %s = mirage_block.silu %e : tensor<63x438xf32>
    mirage_block.yield %s, %e : tensor<63x438xf32>, tensor<63x438xf32>
  }
  return %r#0, %r#1 : tensor<63x438xf32>, tensor<63x438xf32>
}
