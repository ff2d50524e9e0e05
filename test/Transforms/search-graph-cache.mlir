// A search with a cache: what is kept is found by the next one, the structures
// also at another batch size, and what comes of it is the same.
// RUN: rm -rf %t && mkdir -p %t
// RUN: sed 's/8x/24x/g' %s > %t/larger.mlir
// RUN: mirage-opt %s --mirage-search-graph="report=%t/none.json" -o %t/none.mlir
// RUN: FileCheck %s --check-prefix=NONE < %t/none.json
// RUN: mirage-opt %s --mirage-search-graph="cache=%t/dir report=%t/first.json" -o %t/first.mlir
// RUN: FileCheck %s --check-prefix=MISSED < %t/first.json
// RUN: mirage-opt %s --mirage-search-graph="cache=%t/dir report=%t/second.json" -o %t/second.mlir
// RUN: FileCheck %s --check-prefix=RESULT < %t/second.json
// RUN: cmp %t/none.mlir %t/first.mlir
// RUN: cmp %t/none.mlir %t/second.mlir
// RUN: mirage-opt %t/larger.mlir --mirage-search-graph="cache=%t/dir report=%t/larger.json" -o %t/larger.first.mlir
// RUN: FileCheck %s --check-prefix=STRUCTURES < %t/larger.json
// RUN: mirage-opt %t/larger.mlir --mirage-search-graph="cache=off" -o %t/larger.none.mlir
// RUN: cmp %t/larger.none.mlir %t/larger.first.mlir

// The whole way has the option too, and MIRAGE_CACHE_DIR stands in for it.
// RUN: mirage-opt %s --mirage-superoptimize="cache=%t/dir report=%t/super.json" -o %t/super.mlir
// RUN: FileCheck %s --check-prefix=RESULT < %t/super.json
// RUN: env MIRAGE_CACHE_DIR=readonly:%t/dir mirage-opt %s --mirage-search-graph="report=%t/env.json" -o /dev/null
// RUN: FileCheck %s --check-prefix=RESULT < %t/env.json
// RUN: env MIRAGE_CACHE_DIR=%t/dir mirage-opt %s --mirage-search-graph="cache=off report=%t/off.json" -o /dev/null
// RUN: FileCheck %s --check-prefix=NONE < %t/off.json

// RUN: mirage-opt %s --mirage-search-graph="cache=%t/dir report=%t/remark.json" --remarks-filter=.* --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK: remark: [Passed] Search {{.*}}cache=result

// Two caches become one.
// RUN: mirage-opt %t/larger.mlir --mirage-search-graph="cache=%t/other max-block-ops=6" -o /dev/null
// RUN: mirage-cache merge %t/merged %t/dir %t/other | FileCheck %s --check-prefix=MERGED
// RUN: mirage-cache merge %t/merged %t/dir | FileCheck %s --check-prefix=AGAIN
// RUN: mirage-opt %t/larger.mlir --mirage-search-graph="cache=%t/merged max-block-ops=6 report=%t/merged.json" -o /dev/null
// RUN: FileCheck %s --check-prefix=RESULT < %t/merged.json
// RUN: mirage-cache export %t/merged | %python -c "import json, sys; d = json.load(sys.stdin); print(d['format'], len(d['structures']), len(d['results']), len(d['times']))" | FileCheck %s --check-prefix=EXPORT
// MERGED: 5 added, 0 there already, 0 there with another value, 0 damaged
// AGAIN: 0 added, 3 there already, 0 there with another value, 0 damaged
// EXPORT: 2 2 3 0

// NONE: "cache": "none"
// MISSED: "cache": "missed"
// RESULT: "cache": "result"
// STRUCTURES: "cache": "structures"

func.func @exp_matmul(%x: tensor<8x100xf16>, %w: tensor<100x70xf16>, %e: tensor<8x70xf16>) -> tensor<8x70xf16> {
  %r = mirage_kernel.graph ins(%x, %w : tensor<8x100xf16>, tensor<100x70xf16>) outs(%e : tensor<8x70xf16>) {
  ^bb0(%a: tensor<8x100xf16>, %b: tensor<100x70xf16>):
    %m = mirage_kernel.matmul %a, %b : (tensor<8x100xf16>, tensor<100x70xf16>) -> tensor<8x70xf32>
    %d = mirage_kernel.exp %m : (tensor<8x70xf32>) -> tensor<8x70xf16>
    mirage_kernel.yield %d : tensor<8x70xf16>
  } : tensor<8x70xf16>
  return %r : tensor<8x70xf16>
}
