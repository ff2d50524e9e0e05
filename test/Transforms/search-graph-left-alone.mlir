// A graph that is left alone: why, how near the search came, and which limits kept something out.
// RUN: mirage-opt %s --mirage-search-graph="library-kernels=always report=%t.json" --remarks-filter=.* --remark-format=emitRemark 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
// RUN: FileCheck %s --check-prefix=REPORT < %t.json
// RUN: %python %mirage_src/utils/print-report.py %t.json | FileCheck %s --check-prefix=PRINTED

// A library's product is better than what is found.
// CHECK-LABEL: func.func @matmul
// CHECK-NOT: mirage_block.graph
// CHECK: mirage_kernel.matmul
// CHECK-NOT: mirage_block.graph
// REMARK: remark: [Missed] Search {{.*}}left as it was: the best µGraph is predicted to take [[BEST:[0-9.]+]] us, its operators one by one [[BASE:[0-9.]+]] us"
// REMARK-SAME: baselineUs=[[BASE]], limitUs={{[0-9.]+}}, limitsHit=max-kernels, nearMisses=8, nearest="is no cheaper than the operators one by one", nearestUs=[[BEST]], pruned="expression {{[1-9][0-9]*}}, size {{[1-9][0-9]*}}, open {{[1-9][0-9]*}}", rejected=0, states={{[1-9][0-9]*}}, stopReason=exhausted
// REPORT:      "limitsHit": [
// REPORT-NEXT:   "max-kernels"
// REPORT-NEXT: ]
// REPORT: "nearMisses": [
// REPORT: "predictedUs": [[#MISS:]].
// REPORT: "structure": "{{.*}}matmul
// REPORT: "why": "is no cheaper than the operators one by one"
// REPORT: "expression": {{[1-9]}}
// REPORT: "whyNot": "the best µGraph is predicted to take [[#MISS]].
// PRINTED: limits reached: max-kernels
// PRINTED: left as it was: the best µGraph is predicted
// PRINTED-NEXT-COUNT-8: near miss {{[0-9.]+}} us: is no cheaper than the operators one by one

// Limits on operators and axes count where something more would have been looked at.
// RUN: for limits in "max-kernels=1 max-grid-axes=0" max-kernels=1 max-ops=2; do \
// RUN:   mirage-opt %S/Inputs/exp-matmul.mlir --mirage-search-graph="$limits report=%t.json" -o /dev/null && \
// RUN:   %python %mirage_src/utils/print-report.py %t.json || exit 1; \
// RUN: done | FileCheck %s --check-prefix=LIMITS
// LIMITS: limits reached: max-kernels, max-grid-axes
// LIMITS: limits reached: max-kernels{{$}}
// LIMITS: limits reached: max-ops{{$}}

// A program that they leave nothing of stays as it is, beside one that they leave something.
// RUN: cat %S/Inputs/exp-matmul.mlir %S/Inputs/exp.mlir > %t.both.mlir
// RUN: mirage-opt %t.both.mlir --mirage-search-graph="max-kernels=1 max-block-ops=1 report=%t.json" -o /dev/null \
// RUN:   --remarks-filter=.* --remark-format=emitRemark 2>%t.remarks
// RUN: (%python %mirage_src/utils/print-report.py %t.json && cat %t.remarks) | FileCheck %s --check-prefix=BESIDE
// BESIDE: limits reached: max-block-ops, max-kernels
// BESIDE: stopped: nothing to search
// BESIDE: left as it was: no equal µGraph was found (nothing to search with max-block-ops=1 max-kernels=1)
// BESIDE: remark: [Missed] {{.*}}Function=exp_matmul {{.*}}limitsHit="max-block-ops, max-kernels", nearMisses=0, pruned="open {{[1-9][0-9]*}}", rejected=0, states=0, stopReason="nothing to search"

// Alone it is an error, and nothing is written: each program is named, with the limits that are lower than by default.
// RUN: sed 's/@exp_matmul/@again/' %S/Inputs/exp-matmul.mlir | cat %S/Inputs/exp-matmul.mlir - > %t.twice.mlir
// RUN: rm -f %t.never %t.never.json
// RUN: for pass in mirage-search-graph mirage-superoptimize mirage-compile; do \
// RUN:   not mirage-opt %t.twice.mlir --$pass="preset=mlp max-block-ops=1 report=%t.never.json" -o %t.never 2>&1 || exit 1; \
// RUN: done | FileCheck %s --check-prefix=EMPTY --implicit-check-not=error:
// RUN: not ls %t.never %t.never.json
// EMPTY-COUNT-6: twice.mlir:{{[0-9]+}}:8: error: expects limits that leave something to search, got max-block-ops=1 max-kernels=1; by default max-block-ops=16 max-kernels=2{{$}}
func.func @matmul(%x: tensor<1024x1024xf16>, %w: tensor<1024x1024xf16>, %e: tensor<1024x1024xf16>) -> tensor<1024x1024xf16> {
  %r = mirage_kernel.graph ins(%x, %w : tensor<1024x1024xf16>, tensor<1024x1024xf16>) outs(%e : tensor<1024x1024xf16>) {
  ^bb0(%a: tensor<1024x1024xf16>, %b: tensor<1024x1024xf16>):
    %m = mirage_kernel.matmul %a, %b : (tensor<1024x1024xf16>, tensor<1024x1024xf16>) -> tensor<1024x1024xf16>
    mirage_kernel.yield %m : tensor<1024x1024xf16>
  } : tensor<1024x1024xf16>
  return %r : tensor<1024x1024xf16>
}

// So is one whose kernels have block graphs: it is a result of a search.
// CHECK-LABEL: func.func @has_block_graph
// CHECK: mirage_block.graph grid(x = 16)
// REMARK: remark: [Missed] Search {{.*}}Function=has_block_graph | Remark="left as it was: expects operations alone, got a kernel that has a block graph"
func.func @has_block_graph(%x: tensor<1024xf16>, %e: tensor<1024xf16>) -> tensor<1024xf16> {
  %r = mirage_kernel.graph ins(%x : tensor<1024xf16>) outs(%e : tensor<1024xf16>) {
  ^bb0(%a: tensor<1024xf16>):
    %k = mirage_block.graph grid(x = 16) threads(64) ins(%a imap(x -> 0)) outs(omap(x -> 0)) : (tensor<1024xf16>) -> tensor<1024xf16> {
    ^bb0(%t: tensor<64xf16>):
      %y = mirage_block.exp %t : tensor<64xf16>
      mirage_block.yield %y : tensor<64xf32>
    }
    mirage_kernel.yield %k : tensor<1024xf16>
  } : tensor<1024xf16>
  return %r : tensor<1024xf16>
}

// Also where there are operations beside it.
// CHECK-LABEL: func.func @has_operation_too
// CHECK: mirage_block.graph grid(x = 16)
// CHECK: mirage_kernel.neg
// REMARK: remark: [Missed] Search {{.*}}Function=has_operation_too | Remark="left as it was: expects operations alone, got a kernel that has a block graph"
func.func @has_operation_too(%x: tensor<1024xf16>, %e: tensor<1024xf16>) -> tensor<1024xf16> {
  %r = mirage_kernel.graph ins(%x : tensor<1024xf16>) outs(%e : tensor<1024xf16>) {
  ^bb0(%a: tensor<1024xf16>):
    %k = mirage_block.graph grid(x = 16) threads(64) ins(%a imap(x -> 0)) outs(omap(x -> 0)) : (tensor<1024xf16>) -> tensor<1024xf16> {
    ^bb0(%t: tensor<64xf16>):
      %y = mirage_block.exp %t : tensor<64xf16>
      mirage_block.yield %y : tensor<64xf32>
    }
    %n = mirage_kernel.neg %k : (tensor<1024xf16>) -> tensor<1024xf16>
    mirage_kernel.yield %n : tensor<1024xf16>
  } : tensor<1024xf16>
  return %r : tensor<1024xf16>
}
