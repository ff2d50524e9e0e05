// One block graph in place of the program, the same whatever the threads, and the
// report and remarks of the search.
// RUN: mirage-opt %S/Inputs/odd_sizes.mlir --mirage-superoptimize=report=%t.json -o %t.1.mlir
// RUN: mirage-opt %S/Inputs/odd_sizes.mlir --mirage-superoptimize --mirage-threads=1 -o %t.2.mlir
// RUN: mirage-opt %S/Inputs/odd_sizes.mlir --mirage-superoptimize --mlir-disable-threading -o %t.3.mlir
// RUN: diff %t.1.mlir %t.2.mlir && diff %t.1.mlir %t.3.mlir
// RUN: FileCheck %s < %t.1.mlir
// RUN: %python %mirage_src/utils/print-report.py %t.json | FileCheck %s --check-prefix=REPORT
// RUN: mirage-opt %S/Inputs/odd_sizes.mlir --mirage-superoptimize --remarks-filter=.* \
// RUN:   --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// CHECK: mirage.certificate = {{{.*}}proved_log2 = 0xFFF0000000000000
// CHECK-COUNT-1: mirage_block.graph
// CHECK-NOT: mirage_block.graph
// CHECK-NOT: linalg

// REPORT: explored {{ *}}{{[1-9][0-9]*}} states, {{[1-9][0-9]*}} pruned
// REPORT: one kernel, atoms functions: complete up to 16 operators, {{[1-9][0-9]*}} states
// REPORT: verdict {{ *}}equal: proved outright

// REMARK: remark: [Passed] Search {{.*}}states={{[1-9]}}
