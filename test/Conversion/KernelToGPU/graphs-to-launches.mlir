// RUN: mirage-opt %s --mirage-compile-in-place="from=optimize to=optimize" -o %t.planned.mlir
// RUN: mirage-opt %t.planned.mlir --convert-mirage-graphs-to-launches | FileCheck %s
// RUN: mirage-opt %t.planned.mlir --verify-roundtrip | FileCheck %s --check-prefix=PLANNED

// A kernel is what it is where a function is one program: the same PTX, but for
// what it is named after.
// RUN: mirage-opt %s --mirage-compile-in-place="from=optimize ptxas=never" -o %t.in-place.mlir
// RUN: mirage-opt %S/Inputs/graphs-to-launches-alone.mlir --mirage-compile="target=sm_90a from=optimize overlap-launches=false artifact=%t.alone ptxas=never" -o /dev/null
// RUN: %python %S/Inputs/compare-kernels.py %t.in-place.mlir two_kernels_0 %t.alone/kernels.ptx two_kernels_0
// RUN: %python %S/Inputs/compare-kernels.py %t.in-place.mlir two_kernels_1 %t.alone/kernels.ptx two_kernels_1

// CHECK: module attributes {gpu.container_module}
// CHECK-NOT: mirage

// The kernels of a function are one module's; what lies between two is allocated
// before the first and freed behind the last.
// PLANNED-LABEL: func.func @two_kernels(
// PLANNED: mirage_kernel.graph {{.*}} attributes {mirage.workspace_bytes = 1024 : i64}
// CHECK: gpu.module @two_kernels_kernels
// CHECK:   gpu.func @two_kernels_0(%{{.+}}: memref<8x16xf32>, %{{.+}}: memref<8x32xf32>) kernel
// CHECK:   gpu.func @two_kernels_1(
// CHECK-LABEL: func.func @two_kernels(
// CHECK-SAME:    %[[X:.+]]: memref<8x16xf32>, %[[W:.+]]: memref<16x32xf32>, %[[E:.+]]: memref<8x32xf32>)
// CHECK:         %[[SPACE:.+]] = memref.alloc() {alignment = 256 : i64} : memref<1024xi8>
// CHECK:         %[[H:.+]] = memref.view %[[SPACE]]
// CHECK:         gpu.launch_func @two_kernels_kernels::@two_kernels_0 {{.*}} args(%[[X]] : memref<8x16xf32>, %[[W]] : memref<16x32xf32>, %[[H]] : memref<8x32xf32>)
// CHECK-NOT:     mirage.launch
// CHECK:         %[[I:.+]] = memref.view %[[SPACE]]
// CHECK:         gpu.launch_func @two_kernels_kernels::@two_kernels_1 {{.*}} args(%[[I]] : memref<8x32xf32>, %[[E]] : memref<8x32xf32>)
// CHECK:         memref.dealloc %[[SPACE]]
// CHECK-NEXT:    return
func.func @two_kernels(%x: memref<8x16xf32>, %w: memref<16x32xf32>, %e: memref<8x32xf32>) {
  mirage_kernel.graph ins(%x, %w : memref<8x16xf32>, memref<16x32xf32>) outs(%e : memref<8x32xf32>) {
  ^bb0(%a: tensor<8x16xf32>, %b: tensor<16x32xf32>):
    %0 = mirage_kernel.matmul %a, %b : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
    %1 = mirage_kernel.exp %0 : (tensor<8x32xf32>) -> tensor<8x32xf32>
    mirage_kernel.yield %1 : tensor<8x32xf32>
  }
  return
}

// Two graphs, one in a loop, with ops between them. Memrefs lie by strides from an
// offset on; the kernel knows these and gets the address that they are counted from.
// CHECK: gpu.module @strided_kernels
// CHECK:   gpu.func @strided_0(%{{.+}}: memref<32x8xf16, strided<[1, 40], offset: 16>>, %{{.+}}: memref<32x8xf16, strided<[1, 64], offset: 8>>) kernel
// CHECK:   gpu.func @strided_1(
// CHECK-LABEL: func.func @strided(
// CHECK-SAME:    %[[X:[^:]+]]: memref<8x32xf16, strided<[40, 1], offset: 16>>, %[[E:[^:]+]]: memref<32x8xf16, strided<[1, 64], offset: 8>>
// CHECK-NOT:     alloc
// CHECK:         %[[T:.+]] = memref.reinterpret_cast %[[X]] to offset: [16], sizes: [32, 8], strides: [1, 40]
// CHECK:         gpu.launch_func @strided_kernels::@strided_0 {{.*}} args(%[[T]] : memref<32x8xf16, strided<[1, 40], offset: 16>>, %[[E]] : memref<32x8xf16, strided<[1, 64], offset: 8>>)
// CHECK:         memref.store
// CHECK:         scf.for
// CHECK:           gpu.launch_func @strided_kernels::@strided_1
// CHECK-NOT:     dealloc
func.func @strided(%x: memref<8x32xf16, strided<[40, 1], offset: 16>>, %e: memref<32x8xf16, strided<[1, 64], offset: 8>>, %f: memref<8x32xf16>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f16
  mirage_kernel.graph ins(%x : memref<8x32xf16, strided<[40, 1], offset: 16>>) outs(%e : memref<32x8xf16, strided<[1, 64], offset: 8>>) {
  ^bb0(%a: tensor<8x32xf16>):
    %t = mirage_kernel.transpose %a dims [1, 0] : (tensor<8x32xf16>) -> tensor<32x8xf16>
    %0 = mirage_kernel.exp %t : (tensor<32x8xf16>) -> tensor<32x8xf16>
    mirage_kernel.yield %0 : tensor<32x8xf16>
  }
  memref.store %one, %e[%c0, %c1] : memref<32x8xf16, strided<[1, 64], offset: 8>>
  scf.for %i = %c0 to %n step %c1 {
    mirage_kernel.graph ins(%e : memref<32x8xf16, strided<[1, 64], offset: 8>>) outs(%f : memref<8x32xf16>) {
    ^bb0(%a: tensor<32x8xf16>):
      %t = mirage_kernel.transpose %a dims [1, 0] : (tensor<32x8xf16>) -> tensor<8x32xf16>
      %0 = mirage_kernel.exp %t : (tensor<8x32xf16>) -> tensor<8x32xf16>
      mirage_kernel.yield %0 : tensor<8x32xf16>
    }
  }
  return
}

// What is handed on as it is needs a kernel that copies it: nobody else would write
// the init.
// CHECK-LABEL: func.func @copies(
// CHECK-SAME:    %[[X:[^:]+]]: memref<8x32xf16>, %[[E:[^:]+]]: memref<8x32xf16>, %[[F:[^:]+]]: memref<32x8xf16>)
// CHECK-DAG:     gpu.launch_func {{.*}} args(%[[X]] : memref<8x32xf16>, %[[E]] : memref<8x32xf16>)
// CHECK-DAG:     gpu.launch_func {{.*}}, %[[F]] : memref<32x8xf16>)
func.func @copies(%x: memref<8x32xf16>, %e: memref<8x32xf16>, %f: memref<32x8xf16>) {
  mirage_kernel.graph ins(%x : memref<8x32xf16>) outs(%e, %f : memref<8x32xf16>, memref<32x8xf16>) {
  ^bb0(%a: tensor<8x32xf16>):
    %t = mirage_kernel.transpose %a dims [1, 0] : (tensor<8x32xf16>) -> tensor<32x8xf16>
    mirage_kernel.yield %a, %t : tensor<8x32xf16>, tensor<32x8xf16>
  }
  return
}

// Somebody else has the name that the module would have; PTX has no such names as
// symbols may have.
// CHECK: gpu.module @taken_kernels_0
// CHECK:   gpu.func @taken_0(
// CHECK-LABEL: func.func @taken(
// CHECK:         gpu.launch_func @taken_kernels_0::@taken_0
func.func @taken(%x: memref<8x32xf16>, %e: memref<8x32xf16>) {
  mirage_kernel.graph ins(%x : memref<8x32xf16>) outs(%e : memref<8x32xf16>) {
  ^bb0(%a: tensor<8x32xf16>):
    %0 = mirage_kernel.exp %a : (tensor<8x32xf16>) -> tensor<8x32xf16>
    mirage_kernel.yield %0 : tensor<8x32xf16>
  }
  return
}
// CHECK: func.func private @taken_kernels()
func.func private @taken_kernels()
