// Multiplied out, the program has too many terms: the report says so, and does not
// claim that everything was seen. Its parts are searched.
// RUN: mirage-opt %s --mirage-superoptimize=report=%t.json -o %t.mlir
// RUN: FileCheck %s < %t.json
// RUN: FileCheck %s --check-prefix=IR < %t.mlir
// RUN: %python %mirage_src/utils/print-report.py %t.json | FileCheck %s --check-prefix=REPORT
// REPORT: verdict equal: proved outright
// CHECK-DAG: "stopReason": "program's form is too large"
// CHECK-DAG: "replaced": true
// IR: mirage_block.graph
// IR-NOT: mirage_kernel.mul

func.func @f(%x0: tensor<8x16xf32>, %y: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %s0 = arith.addf %x0, %y : tensor<8x16xf32>
  %x1 = arith.mulf %s0, %x0 : tensor<8x16xf32>
  %s1 = arith.addf %x1, %y : tensor<8x16xf32>
  %x2 = arith.mulf %s1, %x1 : tensor<8x16xf32>
  %s2 = arith.addf %x2, %y : tensor<8x16xf32>
  %x3 = arith.mulf %s2, %x2 : tensor<8x16xf32>
  %s3 = arith.addf %x3, %y : tensor<8x16xf32>
  %x4 = arith.mulf %s3, %x3 : tensor<8x16xf32>
  %s4 = arith.addf %x4, %y : tensor<8x16xf32>
  %x5 = arith.mulf %s4, %x4 : tensor<8x16xf32>
  %s5 = arith.addf %x5, %y : tensor<8x16xf32>
  %x6 = arith.mulf %s5, %x5 : tensor<8x16xf32>
  %s6 = arith.addf %x6, %y : tensor<8x16xf32>
  %x7 = arith.mulf %s6, %x6 : tensor<8x16xf32>
  %s7 = arith.addf %x7, %y : tensor<8x16xf32>
  %x8 = arith.mulf %s7, %x7 : tensor<8x16xf32>
  %s8 = arith.addf %x8, %y : tensor<8x16xf32>
  %x9 = arith.mulf %s8, %x8 : tensor<8x16xf32>
  %s9 = arith.addf %x9, %y : tensor<8x16xf32>
  %x10 = arith.mulf %s9, %x9 : tensor<8x16xf32>
  return %x10 : tensor<8x16xf32>
}
