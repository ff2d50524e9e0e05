// 8-bit floats as operands of a matmul, of two kinds or beside others: they parse, verify and
// are judged by their values. Their code: test/Pipelines/operators-vs-numpy.test.
// RUN: mirage-opt %s --verify-roundtrip | FileCheck %s
// RUN: mirage-verify %s %S/Inputs/float8-cast.mlir

// CHECK-LABEL: func.func @product(
func.func @product(%a: tensor<6x9xf8E4M3FN>, %b: tensor<9x4xf8E5M2>) -> tensor<6x4xbf16> {
  %e = tensor.empty() : tensor<6x4xbf16>
  %r = mirage_kernel.graph ins(%a, %b : tensor<6x9xf8E4M3FN>, tensor<9x4xf8E5M2>) outs(%e : tensor<6x4xbf16>) {
  ^bb0(%x: tensor<6x9xf8E4M3FN>, %y: tensor<9x4xf8E5M2>):
    // CHECK: mirage_kernel.matmul %{{.+}}, %{{.+}} : (tensor<6x9xf8E4M3FN>, tensor<9x4xf8E5M2>) -> tensor<6x4xbf16>
    %p = mirage_kernel.matmul %x, %y : (tensor<6x9xf8E4M3FN>, tensor<9x4xf8E5M2>) -> tensor<6x4xbf16>
    mirage_kernel.yield %p : tensor<6x4xbf16>
  } : tensor<6x4xbf16>
  return %r : tensor<6x4xbf16>
}
