// The program and the candidates stand behind the function that has the best of them.
// RUN: mirage-opt %s --mirage-search-graph="candidates=3 keep-candidates" -o %t.mlir
// RUN: FileCheck %s < %t.mlir

// CHECK-LABEL: func.func @exp_matmul(
// CHECK-NOT:     mirage.candidate
// CHECK:         mirage_block.graph
// CHECK-LABEL: func.func @exp_matmul__baseline(
// CHECK-SAME:    mirage.candidate = {graph = "", number = -1 : i64, of = "exp_matmul", predicted_us = {{[0-9.e+]+}} : f64}
// CHECK-NOT:     mirage_block.graph
// CHECK:         mirage_kernel.exp
// CHECK-LABEL: func.func @exp_matmul__candidate_0(
// CHECK-SAME:    mirage.candidate = {graph = "{{[0-9a-f]+}}", number = 0 : i64, of = "exp_matmul"
// CHECK:         mirage.certificate
// CHECK:         mirage_block.graph
// CHECK-LABEL: func.func @exp_matmul__candidate_1(
// CHECK-SAME:    number = 1 : i64
func.func @exp_matmul(%x: tensor<8x100xf16>, %w: tensor<100x70xf16>, %e: tensor<8x70xf16>) -> tensor<8x70xf16> {
  %r = mirage_kernel.graph ins(%x, %w : tensor<8x100xf16>, tensor<100x70xf16>) outs(%e : tensor<8x70xf16>) {
  ^bb0(%a: tensor<8x100xf16>, %b: tensor<100x70xf16>):
    %m = mirage_kernel.matmul %a, %b : (tensor<8x100xf16>, tensor<100x70xf16>) -> tensor<8x70xf32>
    %d = mirage_kernel.exp %m : (tensor<8x70xf32>) -> tensor<8x70xf16>
    mirage_kernel.yield %d : tensor<8x70xf16>
  } : tensor<8x70xf16>
  return %r : tensor<8x70xf16>
}
