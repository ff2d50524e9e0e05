// RUN: mirage-opt %s --convert-mirage-thread-to-vector --split-input-file | FileCheck %s

#a = #mirage_thread.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#b = #mirage_thread.layout<register = [[1, 0], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]]>
#c = #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#sum = #mirage_thread.layout<register = [[0, 1], [8, 0], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[0, 8]]>

// A sum that the two warps of a block hold, eight registers of each lane: it starts
// from one constant, the loop carries registers, and products are added to them.
// Behind the loop each warp brings its two items to shared memory.
// CHECK-LABEL: func.func @carried(
// CHECK-NOT: tensor
// CHECK: %[[Z:.+]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[S:.+]]:8 = scf.for {{.*}} iter_args(%[[R0:[^ ]+]] = %[[Z]], %[[R1:[^ ]+]] = %[[Z]], %[[R2:[^ ]+]] = %[[Z]], %[[R3:[^ ]+]] = %[[Z]], %[[R4:[^ ]+]] = %[[Z]], {{.*}})
// CHECK: nvvm.mma.sync {{.*}} C[%[[R0]], %[[R1]], %[[R2]], %[[R3]]]
// CHECK: nvvm.mma.sync {{.*}} C[%[[R4]],
// CHECK-NOT: arith.addf
// CHECK: scf.yield {{.*}} : f32, f32, f32, f32, f32, f32, f32, f32
// CHECK: vector.from_elements %[[S]]#0, %[[S]]#1
// CHECK: vector.from_elements %[[S]]#6, %[[S]]#7
// CHECK-NOT: unrealized_conversion_cast
// CHECK: return
func.func @carried(%x: memref<16x16xf16, 3>, %w: memref<16x32xf16, 3>, %y: memref<16x32xf32, 3>) attributes {known_block_size = array<i32: 64, 1, 1>} {
  %zero = arith.constant dense<0.0> : tensor<16x32xf32, #sum>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %s = scf.for %i = %c0 to %c4 step %c1 iter_args(%so_far = %zero) -> tensor<16x32xf32, #sum> {
    %next = mirage_thread.graph items(x = 4) ins(%x imap(), %w imap(x -> 1), %so_far imap(x -> 1)) outs(omap(x -> 1))
        : (memref<16x16xf16, 3>, memref<16x32xf16, 3>, tensor<16x32xf32, #sum>) -> tensor<16x32xf32, #sum> {
    ^bb0(%xw: tensor<16x16xf16>, %ww: tensor<16x8xf16>, %sw: tensor<16x8xf32>):
      %xf = mirage_thread.ldmatrix %xw : (tensor<16x16xf16>) -> tensor<16x16xf16, #a>
      %wf = mirage_thread.ldmatrix %ww : (tensor<16x8xf16>) -> tensor<16x8xf16, #b>
      %p = mirage_thread.mma %xf, %wf shape [16, 8, 16] : (tensor<16x16xf16, #a>, tensor<16x8xf16, #b>) -> tensor<16x8xf32, #c>
      %part = mirage_thread.accumulate %p over loop sum : (tensor<16x8xf32, #c>) -> tensor<16x8xf32, #c>
      %before = mirage_thread.load %sw : (tensor<16x8xf32>) -> tensor<16x8xf32, #c>
      %joined = mirage_thread.add %part, %before : (tensor<16x8xf32, #c>, tensor<16x8xf32, #c>) -> tensor<16x8xf32, #c>
      %v = mirage_thread.store %joined : (tensor<16x8xf32, #c>) -> tensor<16x8xf32>
      mirage_thread.yield %v : tensor<16x8xf32>
    }
    scf.yield %next : tensor<16x32xf32, #sum>
  }
  mirage_thread.graph items(x = 4) ins(%s imap(x -> 1)) outs(%y omap(x -> 1)) : (tensor<16x32xf32, #sum>, memref<16x32xf32, 3>) -> () {
  ^bb0(%sw: tensor<16x8xf32>):
    %f = mirage_thread.load %sw : (tensor<16x8xf32>) -> tensor<16x8xf32, #c>
    %v = mirage_thread.store %f : (tensor<16x8xf32, #c>) -> tensor<16x8xf32>
    mirage_thread.yield %v : tensor<16x8xf32>
  }
  return
}

// -----

#row = #mirage_thread.layout<register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]]>
#part = #mirage_thread.layout<register = [[0, 1]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]]>
#total = #mirage_thread.layout<register = [], lane = [[0, 0], [0, 0], [1, 0], [2, 0], [4, 0]]>

// Four warps and two items: the others repeat them in registers, and write nothing.
// CHECK-LABEL: func.func @repeated(
// CHECK: %[[WARP:.+]] = arith.shrui
// CHECK: %[[ITEM:.+]] = arith.andi %[[WARP]], %{{.+}} : index
// CHECK: %[[OWN:.+]] = arith.cmpi ult, %[[WARP]], %{{.+}} : index
// CHECK: scf.if
// CHECK: memref.store
// CHECK: return
func.func @repeated(%x: memref<16x16xf32, 3>, %y: memref<16x1xf32, 3>) attributes {known_block_size = array<i32: 128, 1, 1>} {
  %h = mirage_thread.graph items(x = 2) ins(%x imap(x -> 0)) outs(omap(x -> 0)) : (memref<16x16xf32, 3>)
      -> tensor<16x16xf32, #mirage_thread.layout<register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [0, 0]]>> {
  ^bb0(%w: tensor<8x16xf32>):
    %f = mirage_thread.load %w : (tensor<8x16xf32>) -> tensor<8x16xf32, #row>
    %v = mirage_thread.store %f : (tensor<8x16xf32, #row>) -> tensor<8x16xf32>
    mirage_thread.yield %v : tensor<8x16xf32>
  }
  mirage_thread.graph items(x = 2) ins(%h imap(x -> 0)) outs(%y omap(x -> 0))
      : (tensor<16x16xf32, #mirage_thread.layout<register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [0, 0]]>>, memref<16x1xf32, 3>) -> () {
  ^bb0(%w: tensor<8x16xf32>):
    %f = mirage_thread.load %w : (tensor<8x16xf32>) -> tensor<8x16xf32, #row>
    %s = mirage_thread.accumulate %f over loop sum dims [1] : (tensor<8x16xf32, #row>) -> tensor<8x1xf32, #total>
    %v = mirage_thread.store %s : (tensor<8x1xf32, #total>) -> tensor<8x1xf32>
    mirage_thread.yield %v : tensor<8x1xf32>
  }
  return
}

// -----

#c = #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#dealt = #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[0, 8], [0, 16]], dealt = 4 to 3>

// Three warps and four shares: each has one, and the first one more, which others pass over.
// They hold zeros for it, eight registers in all.
// CHECK-LABEL: func.func @dealt(
// CHECK: %[[WARP:.+]] = arith.shrui
// CHECK-NOT: scf.if
// CHECK: math.exp
// CHECK: %[[SECOND:.+]] = arith.addi %[[WARP]], %{{.+}} : index
// CHECK: %[[HAS:.+]] = arith.cmpi ult, %[[SECOND]], %{{.+}} : index
// CHECK: %[[HELD:.+]]:4 = scf.if %[[HAS]] -> (f32, f32, f32, f32)
// CHECK: math.exp
// CHECK: else
// CHECK: scf.yield
// CHECK: arith.addf
// CHECK: scf.if
// CHECK: arith.addf %[[HELD]]#0, %[[HELD]]#0
// CHECK-NOT: unrealized_conversion_cast
// CHECK: return
func.func @dealt(%x: memref<16x32xf32, 3>, %y: memref<16x32xf32, 3>) attributes {known_block_size = array<i32: 96, 1, 1>} {
  %h = mirage_thread.graph items(x = 4) ins(%x imap(x -> 1)) outs(omap(x -> 1)) : (memref<16x32xf32, 3>) -> tensor<16x32xf32, #dealt> {
  ^bb0(%w: tensor<16x8xf32>):
    %f = mirage_thread.load %w : (tensor<16x8xf32>) -> tensor<16x8xf32, #c>
    %e = mirage_thread.exp %f : (tensor<16x8xf32, #c>) -> tensor<16x8xf32, #c>
    %v = mirage_thread.store %e : (tensor<16x8xf32, #c>) -> tensor<16x8xf32>
    mirage_thread.yield %v : tensor<16x8xf32>
  }
  mirage_thread.graph items(x = 4) ins(%h imap(x -> 1)) outs(%y omap(x -> 1)) : (tensor<16x32xf32, #dealt>, memref<16x32xf32, 3>) -> () {
  ^bb0(%w: tensor<16x8xf32>):
    %f = mirage_thread.load %w : (tensor<16x8xf32>) -> tensor<16x8xf32, #c>
    %s = mirage_thread.add %f, %f : (tensor<16x8xf32, #c>, tensor<16x8xf32, #c>) -> tensor<16x8xf32, #c>
    %v = mirage_thread.store %s : (tensor<16x8xf32, #c>) -> tensor<16x8xf32>
    mirage_thread.yield %v : tensor<16x8xf32>
  }
  return
}
