// RUN: mirage-opt %s --convert-mirage-thread-to-vector --canonicalize --cse --mlir-print-local-scope --split-input-file | FileCheck %s

#a = #mirage_thread.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#b = #mirage_thread.layout<register = [[1, 0], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]]>
#c = #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>

// Accumulators are iteration arguments of the steps. 8 rows of 16 are there: the
// others are read as zero and not written.
// CHECK-LABEL: gpu.func @matmul(
// CHECK-DAG: %[[W:.+]] = arith.constant 4 : index
// CHECK-DAG: %[[ZERO:.+]] = arith.constant 0.000000e+00 : f16
// CHECK: %[[T:.+]] = gpu.thread_id x
// CHECK: %[[WARP:.+]] = arith.shrui %[[T]], %{{.+}} : index
// CHECK: scf.for %{{.+}} = %[[WARP]] to %{{.+}} step %[[W]]
// CHECK: %[[SUM:.+]]:4 = scf.for {{.+}} -> (f32, f32, f32, f32)
// CHECK: %[[A:.+]] = nvgpu.ldmatrix %{{.+}} {numTiles = 4 : i32, transpose = false} : memref<8x64xf16, 3> -> vector<4x2xf16>
// CHECK: %[[E:.+]] = vector.extract %[[A]][1, 0]
// CHECK: arith.select %{{.+}}, %[[E]], %[[ZERO]] : f16
// CHECK: nvgpu.ldmatrix %{{.+}} {numTiles = 2 : i32, transpose = true} : memref<64x32xf16, 3> -> vector<2x2xf16>
// CHECK: nvvm.mma.sync {{.+}} shape = #nvvm.shape<m = 16, n = 8, k = 16>
// CHECK: vector.store %{{.+}} {alignment = 8 : i64} : memref<8x32xf32, 3>, vector<2xf32>
// CHECK: scf.if
// CHECK-NEXT: vector.from_elements
// CHECK-NEXT: vector.store
gpu.module @kernels {
  gpu.func @matmul(%a: memref<8x64xf16, 3>, %b: memref<64x32xf16, 3>, %p: memref<8x32xf32, 3>)
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    mirage_thread.graph items(x = 4) steps(4)
        ins(%a imap() fmap(1), %b imap(x -> 1) fmap(0)) outs(%p omap(x -> 1))
        : (memref<8x64xf16, 3>, memref<64x32xf16, 3>, memref<8x32xf32, 3>) -> () {
    ^bb0(%afw: tensor<16x16xf16>, %bfw: tensor<16x8xf16>):
      %af = mirage_thread.ldmatrix %afw : (tensor<16x16xf16>) -> tensor<16x16xf16, #a>
      %bf = mirage_thread.ldmatrix %bfw : (tensor<16x8xf16>) -> tensor<16x8xf16, #b>
      %0 = mirage_thread.mma %af, %bf shape [16, 8, 16] : (tensor<16x16xf16, #a>, tensor<16x8xf16, #b>) -> tensor<16x8xf32, #c>
      %1 = mirage_thread.accumulate %0 over loop sum : (tensor<16x8xf32, #c>) -> tensor<16x8xf32, #c>
      %s1 = mirage_thread.store %1 : (tensor<16x8xf32, #c>) -> tensor<16x8xf32>
      mirage_thread.yield %s1 : tensor<16x8xf32>
    }
    gpu.return
  }
}

// -----

#a = #mirage_thread.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>

// Rows of 50 elements are not aligned: runs of two.
// CHECK-LABEL: gpu.func @odd_rows(
// CHECK-NOT: nvgpu.ldmatrix
// CHECK: %[[A:.+]] = vector.load %{{.+}} {alignment = 4 : i64} : memref<7x50xf16, 3>, vector<2xf16>
// CHECK: arith.select %{{.+}}, %[[A]], %{{.+}} : vector<2xf16>
gpu.module @kernels {
  gpu.func @odd_rows(%a: memref<7x50xf16, 3>, %y: memref<7x50xf32, 3>) {
    mirage_thread.graph items(x = 4) ins(%a imap(x -> 1)) outs(%y omap(x -> 1))
        : (memref<7x50xf16, 3>, memref<7x50xf32, 3>) -> () {
    ^bb0(%fw: tensor<16x16xf16>):
      %f = mirage_thread.load %fw : (tensor<16x16xf16>) -> tensor<16x16xf16, #a>
      %0 = mirage_thread.exp %f : (tensor<16x16xf16, #a>) -> tensor<16x16xf32, #a>
      %s0 = mirage_thread.store %0 : (tensor<16x16xf32, #a>) -> tensor<16x16xf32>
      mirage_thread.yield %s0 : tensor<16x16xf32>
    }
    gpu.return
  }
}

// -----

#x = #mirage_thread.layout<register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]]>
#y = #mirage_thread.layout<register = [], lane = [[0, 0], [0, 0], [0, 0], [1, 0], [2, 0]]>

// A row lies in 8 lanes, which three shuffles join; the first of them writes.
// The warps are counted at run time.
// CHECK-LABEL: gpu.func @row_sum(
// CHECK-DAG: %[[MASK:.+]] = arith.constant 7 : index
// CHECK: gpu.block_dim x
// CHECK: vector.load %{{.+}} {alignment = 16 : i64} : memref<8x64xf32, 3>, vector<4xf32>
// CHECK-COUNT-3: gpu.shuffle xor
// CHECK-NOT: gpu.shuffle
// CHECK: %[[REPLICA:.+]] = arith.andi %{{.+}}, %[[MASK]]
// CHECK: %[[FIRST:.+]] = arith.cmpi eq, %[[REPLICA]]
// CHECK: scf.if %[[FIRST]] {
// CHECK: memref.store
gpu.module @kernels {
  gpu.func @row_sum(%x: memref<8x64xf32, 3>, %y: memref<8x1xf32, 3>) {
    mirage_thread.graph items(x = 2) steps(2) ins(%x imap(x -> 0) fmap(1)) outs(%y omap(x -> 0))
        : (memref<8x64xf32, 3>, memref<8x1xf32, 3>) -> () {
    ^bb0(%fw: tensor<4x32xf32>):
      %f = mirage_thread.load %fw : (tensor<4x32xf32>) -> tensor<4x32xf32, #x>
      %0 = mirage_thread.accumulate %f over loop sum dims [1] : (tensor<4x32xf32, #x>) -> tensor<4x1xf32, #y>
      %s0 = mirage_thread.store %0 : (tensor<4x1xf32, #y>) -> tensor<4x1xf32>
      mirage_thread.yield %s0 : tensor<4x1xf32>
    }
    gpu.return
  }
}

// -----

#r = #mirage_thread.layout<register = [[1, 0], [2, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]]>

// Runs lie along the dimension with stride 1, whichever it is, and the store
// rounds to the tile's type.
// CHECK-LABEL: gpu.func @column_major(
// CHECK: memref.transpose %{{.+}} (d0, d1) -> (d1, d0)
// CHECK: vector.load %{{.+}} {alignment = 16 : i64} : memref<32x4xf32, strided<[4, 1]>, 3>, vector<4xf32>
// CHECK: math.exp
// CHECK: arith.truncf %{{.+}} : f32 to f16
// CHECK: memref.store %{{.+}} : memref<4x32xf16, 3>
gpu.module @kernels {
  gpu.func @column_major(%x: memref<4x32xf32, strided<[1, 4]>, 3>, %y: memref<4x32xf16, 3>) {
    mirage_thread.graph items() ins(%x imap()) outs(%y omap())
        : (memref<4x32xf32, strided<[1, 4]>, 3>, memref<4x32xf16, 3>) -> () {
    ^bb0(%fw: tensor<4x32xf32>):
      %f = mirage_thread.load %fw : (tensor<4x32xf32>) -> tensor<4x32xf32, #r>
      %0 = mirage_thread.exp %f : (tensor<4x32xf32, #r>) -> tensor<4x32xf32, #r>
      %s0 = mirage_thread.store %0 : (tensor<4x32xf32, #r>) -> tensor<4x32xf32>
      mirage_thread.yield %s0 : tensor<4x32xf32>
    }
    gpu.return
  }
}

// -----

#e = #mirage_thread.layout<register = [[0, 1], [0, 2], [8, 0]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]]>

// Where rows lie is known at run time: they may be aligned to one element.
// CHECK-LABEL: func.func @unknown_pitch(
// CHECK-NOT: vector.load
// CHECK-NOT: vector.store
// CHECK: return
func.func @unknown_pitch(%x: memref<16x16xf16, strided<[?, 1]>>, %y: memref<16x16xf16, strided<[?, 1]>>) {
  mirage_thread.graph items(x = 1) ins(%x imap()) outs(%y omap())
      : (memref<16x16xf16, strided<[?, 1]>>, memref<16x16xf16, strided<[?, 1]>>) -> () {
  ^bb0(%t: tensor<16x16xf16>):
    %f = mirage_thread.load %t : (tensor<16x16xf16>) -> tensor<16x16xf16, #e>
    %s = mirage_thread.store %f : (tensor<16x16xf16, #e>) -> tensor<16x16xf16>
    mirage_thread.yield %s : tensor<16x16xf16>
  }
  return
}

// Or where the elements of a row do.
// CHECK-LABEL: func.func @unknown_distance(
// CHECK-NOT: vector.load
// CHECK-NOT: vector.store
// CHECK: return
func.func @unknown_distance(%x: memref<16x16xf16, strided<[16, ?]>>, %y: memref<16x16xf16, strided<[16, ?]>>) {
  mirage_thread.graph items(x = 1) ins(%x imap()) outs(%y omap())
      : (memref<16x16xf16, strided<[16, ?]>>, memref<16x16xf16, strided<[16, ?]>>) -> () {
  ^bb0(%t: tensor<16x16xf16>):
    %f = mirage_thread.load %t : (tensor<16x16xf16>) -> tensor<16x16xf16, #e>
    %s = mirage_thread.store %f : (tensor<16x16xf16, #e>) -> tensor<16x16xf16>
    mirage_thread.yield %s : tensor<16x16xf16>
  }
  return
}
