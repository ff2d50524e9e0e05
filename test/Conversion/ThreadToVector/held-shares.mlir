// RUN: mirage-opt %s --convert-mirage-thread-to-vector --split-input-file --cse | FileCheck %s

#c = #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#dealt = #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[0, 8], [0, 16], [16, 0], [32, 0]], dealt = 3 x 3 to 4>

// 3 x 3 items are that many shares for four warps, though their extents are rounded up to 4 x 4:
// a third round is the first warp's alone, and no number stands for a fourth row or column.
// CHECK-LABEL: func.func @dealt_by_extents(
// CHECK: %[[WARP:.+]] = arith.shrui
// CHECK: %[[THREE:.+]] = arith.constant 3 : index
// CHECK: arith.remui %[[WARP]], %[[THREE]]
// CHECK: arith.divui %[[WARP]], %[[THREE]]
// CHECK: %[[SECOND:.+]] = arith.addi %[[WARP]], %c4 : index
// CHECK: arith.remui %[[SECOND]], %[[THREE]]
// CHECK: arith.divui %[[SECOND]], %[[THREE]]
// CHECK: %[[THIRD:.+]] = arith.addi %[[WARP]], %c8 : index
// CHECK: %[[HAS:.+]] = arith.cmpi ult, %[[THIRD]], %c9 : index
// CHECK: scf.if %[[HAS]]
// CHECK: arith.remui %[[THIRD]], %[[THREE]]
// CHECK: scf.if %[[HAS]]
// CHECK: vector.store
// CHECK: return
func.func @dealt_by_extents(%x: memref<48x24xf32, 3>, %y: memref<48x24xf32, 3>) attributes {known_block_size = array<i32: 128, 1, 1>} {
  %h = mirage_thread.graph items(x = 4, y = 4) ins(%x imap(x -> 0, y -> 1)) outs(omap(x -> 0, y -> 1)) : (memref<48x24xf32, 3>) -> tensor<64x32xf32, #dealt> {
  ^bb0(%w: tensor<16x8xf32>):
    %f = mirage_thread.load %w : (tensor<16x8xf32>) -> tensor<16x8xf32, #c>
    %v = mirage_thread.store %f : (tensor<16x8xf32, #c>) -> tensor<16x8xf32>
    mirage_thread.yield %v : tensor<16x8xf32>
  }
  mirage_thread.graph items(x = 4, y = 4) ins(%h imap(x -> 0, y -> 1)) outs(%y omap(x -> 0, y -> 1)) : (tensor<64x32xf32, #dealt>, memref<48x24xf32, 3>) -> () {
  ^bb0(%w: tensor<16x8xf32>):
    %f = mirage_thread.load %w : (tensor<16x8xf32>) -> tensor<16x8xf32, #c>
    %v = mirage_thread.store %f : (tensor<16x8xf32, #c>) -> tensor<16x8xf32>
    mirage_thread.yield %v : tensor<16x8xf32>
  }
  return
}

// -----

#c = #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#dealt = #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[0, 8], [0, 16], [16, 0], [32, 0]], dealt = 4 x 3 to 3>

// Three warps have a column each, and a row in each round, which is no more than a constant: nothing
// is divided in later rounds.
// CHECK-LABEL: func.func @rounds_are_rows(
// CHECK: %[[THREE:.+]] = arith.constant 3 : index
// CHECK: arith.remui %[[WARP:.+]], %[[THREE]]
// CHECK: %[[ROW:.+]] = arith.divui %[[WARP]], %[[THREE]]
// CHECK-NOT: arith.{{rem|div}}ui
// CHECK: arith.addi %[[ROW]], %c1 : index
// CHECK-NOT: arith.{{rem|div}}ui
// CHECK: arith.addi %[[ROW]], %c2 : index
// CHECK-NOT: arith.{{rem|div}}ui
// CHECK: arith.addi %[[ROW]], %[[THREE]] : index
// CHECK-NOT: arith.{{rem|div}}ui
// CHECK: return
func.func @rounds_are_rows(%x: memref<64x24xf32, 3>) -> tensor<64x32xf32, #dealt> attributes {known_block_size = array<i32: 96, 1, 1>} {
  %h = mirage_thread.graph items(x = 4, y = 4) ins(%x imap(x -> 0, y -> 1)) outs(omap(x -> 0, y -> 1)) : (memref<64x24xf32, 3>) -> tensor<64x32xf32, #dealt> {
  ^bb0(%w: tensor<16x8xf32>):
    %f = mirage_thread.load %w : (tensor<16x8xf32>) -> tensor<16x8xf32, #c>
    %v = mirage_thread.store %f : (tensor<16x8xf32, #c>) -> tensor<16x8xf32>
    mirage_thread.yield %v : tensor<16x8xf32>
  }
  return %h : tensor<64x32xf32, #dealt>
}
