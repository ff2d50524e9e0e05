// Graphs on memrefs, one of them in a loop, are explained together, with launches that are
// counted on. Code that only a whole function has, and so registers, is not asked for.
// RUN: mirage-opt %s --mirage-compile-in-place="from=optimize to=optimize" --mirage-explain -o /dev/null 2>&1 | FileCheck %s
// RUN: mirage-opt %s --mirage-explain -o /dev/null 2>&1 | FileCheck %s --check-prefix=UNPLANNED
// CHECK: kernel 0 of @host
// CHECK-NEXT: launch          0
// CHECK: kernel 1 of @host
// CHECK-NEXT: launch          1
// CHECK: kernel 2 of @host
// CHECK-NEXT: launch          2
// CHECK: input 0 {{.*}}f16 of 8x32xf16
// CHECK-NOT: kernel 3
// UNPLANNED: @host: 0 kernels for sm_90a {{.*}}, and matmul, exp, exp without a kernel yet
func.func @host(%x: memref<8x16xf32>, %w: memref<16x32xf32>, %e: memref<8x32xf32>, %f: memref<8x32xf16>, %g: memref<8x32xf16>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  mirage_kernel.graph ins(%x, %w : memref<8x16xf32>, memref<16x32xf32>) outs(%e : memref<8x32xf32>) {
  ^bb0(%a: tensor<8x16xf32>, %b: tensor<16x32xf32>):
    %0 = mirage_kernel.matmul %a, %b : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
    %1 = mirage_kernel.exp %0 : (tensor<8x32xf32>) -> tensor<8x32xf32>
    mirage_kernel.yield %1 : tensor<8x32xf32>
  }
  scf.for %i = %c0 to %n step %c1 {
    mirage_kernel.graph ins(%f : memref<8x32xf16>) outs(%g : memref<8x32xf16>) {
    ^bb0(%a: tensor<8x32xf16>):
      %0 = mirage_kernel.exp %a : (tensor<8x32xf16>) -> tensor<8x32xf16>
      mirage_kernel.yield %0 : tensor<8x32xf16>
    }
  }
  return
}
