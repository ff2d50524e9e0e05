// A graph for which a µGraph is found, also for another GPU, one that cannot be
// searched, and a target that is none.
// RUN: mirage-opt %s --mirage-search-graph="target=sm_90a report=%t.json" --remarks-filter=.* --remark-format=emitRemark -o %t.mlir 2>%t.remarks
// RUN: FileCheck %s < %t.mlir
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
// RUN: FileCheck %s --check-prefix=REPORT < %t.json
// RUN: mirage-opt %s --mirage-search-graph=target=sm_100a | FileCheck %s
// RUN: not mirage-opt %s --mirage-search-graph=target=frobnicate 2>&1 | FileCheck %s --check-prefix=TARGET

// CHECK-LABEL: func.func @exp_matmul(
// CHECK:         mirage_kernel.graph
// CHECK-SAME:    mirage.certificate
// CHECK:         mirage_block.graph
// CHECK-NOT:     mirage_kernel.exp
// TARGET: search-graph.mlir:[[@LINE+1]]:1: error: expects one of the targets sm_80, {{.*}}, got 'frobnicate'
func.func @exp_matmul(%x: tensor<8x100xf16>, %w: tensor<100x70xf16>, %e: tensor<8x70xf16>) -> tensor<8x70xf16> {
  // REMARK: search-graph.mlir:[[@LINE+1]]:{{.*}}remark: [Passed] Search {{.*}}replaced by one kernel
  %r = mirage_kernel.graph ins(%x, %w : tensor<8x100xf16>, tensor<100x70xf16>) outs(%e : tensor<8x70xf16>) {
  ^bb0(%a: tensor<8x100xf16>, %b: tensor<100x70xf16>):
    %m = mirage_kernel.matmul %a, %b : (tensor<8x100xf16>, tensor<100x70xf16>) -> tensor<8x70xf32>
    %d = mirage_kernel.exp %m : (tensor<8x70xf32>) -> tensor<8x70xf16>
    mirage_kernel.yield %d : tensor<8x70xf16>
  } : tensor<8x70xf16>
  return %r : tensor<8x70xf16>
}

// CHECK-LABEL: func.func @every_other_row(
// CHECK-NOT:     mirage.certificate
// CHECK:         mirage_kernel.exp
func.func @every_other_row(%x: tensor<8x6xf16>, %e: tensor<4x6xf16>) -> tensor<4x6xf16> {
  // REMARK: search-graph.mlir:[[@LINE+1]]:{{.*}}remark: [Missed] Search {{.*}}left as it was: operation 0 (slice): expects neighbouring elements, got stride 2
  %r = mirage_kernel.graph ins(%x : tensor<8x6xf16>) outs(%e : tensor<4x6xf16>) {
  ^bb0(%a: tensor<8x6xf16>):
    %s = mirage_kernel.slice %a offsets [0, 0] strides [2, 1] : (tensor<8x6xf16>) -> tensor<4x6xf16>
    %t = mirage_kernel.exp %s : (tensor<4x6xf16>) -> tensor<4x6xf16>
    mirage_kernel.yield %t : tensor<4x6xf16>
  } : tensor<4x6xf16>
  return %r : tensor<4x6xf16>
}

// REPORT: "function": "exp_matmul"
// REPORT: "replaced": true
// REPORT: "stopReason": "exhausted"
// REPORT: "function": "every_other_row"
// REPORT: "replaced": false
// REPORT: "whyNot": "operation 0 (slice)
