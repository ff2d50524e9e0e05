// RUN: mirage-opt %s --mirage-record-program --mirage-assign-default-blocks --mirage-record-program | FileCheck %s

// The second pass leaves the program of the first.
// CHECK-LABEL: func.func @exp(
// CHECK-SAME:    mirage.program = "{{.*}}exp{{.*}}"
// CHECK-NOT:     grid
// CHECK:       mirage_kernel.graph
func.func @exp(%x: tensor<4x8xf16>, %e: tensor<4x8xf16>) -> tensor<4x8xf16> {
  %r = mirage_kernel.graph ins(%x : tensor<4x8xf16>) outs(%e : tensor<4x8xf16>) {
  ^bb0(%a: tensor<4x8xf16>):
    %0 = mirage_kernel.exp %a : (tensor<4x8xf16>) -> tensor<4x8xf16>
    mirage_kernel.yield %0 : tensor<4x8xf16>
  } : tensor<4x8xf16>
  return %r : tensor<4x8xf16>
}
