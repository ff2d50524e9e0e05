// Caches that are none, cannot be, or are misspelled.
// RUN: rm -rf %t && mkdir -p %t/text %t/readonly
// RUN: mirage-opt %s --mirage-search-graph -o %t/expected.mlir
// RUN: echo "no cache" > %t/text/mirage-cache.sqlite
// RUN: cp %t/text/mirage-cache.sqlite %t/readonly

// RUN: mirage-opt %s --mirage-search-graph="cache=readonly:%t/readonly report=%t/readonly.json" -o %t/readonly.mlir 2>&1 | FileCheck %s --check-prefix=READONLY -DDIR=%t
// RUN: cmp %t/expected.mlir %t/readonly.mlir
// RUN: FileCheck %s --check-prefix=NONE < %t/readonly.json
// RUN: ls %t/readonly | FileCheck %s --check-prefix=LEFT
// READONLY: search-graph-cache-broken.mlir:{{.*}}: warning: going on without the cache '[[DIR]]/readonly/mirage-cache.sqlite': file is not a database
// NONE: "cache": "none"
// LEFT: mirage-cache.sqlite
// LEFT-NOT: broken

// RUN: mirage-opt %s --mirage-search-graph="cache=%t/text report=%t/text.json" -o %t/text.mlir 2>&1 | FileCheck %s --check-prefix=ASIDE -DDIR=%t
// RUN: cmp %t/expected.mlir %t/text.mlir
// RUN: FileCheck %s --check-prefix=MISSED < %t/text.json
// RUN: cmp %t/readonly/mirage-cache.sqlite %t/text/mirage-cache.sqlite.broken-1
// RUN: mirage-opt %s --mirage-search-graph="cache=%t/text report=%t/text.json" -o %t/text.mlir
// RUN: FileCheck %s --check-prefix=RESULT < %t/text.json
// ASIDE: search-graph-cache-broken.mlir:{{.*}}: warning: the cache '[[DIR]]/text/mirage-cache.sqlite' is set aside as '[[DIR]]/text/mirage-cache.sqlite.broken-1': file is not a database
// MISSED: "cache": "missed"
// RESULT: "cache": "result"

// RUN: mirage-opt %s --mirage-search-graph="cache=%s/below" -o %t/below.mlir 2>&1 | FileCheck %s --check-prefix=BELOW
// RUN: cmp %t/expected.mlir %t/below.mlir
// BELOW: warning: going on without the cache '{{.*}}search-graph-cache-broken.mlir/below/mirage-cache.sqlite': cannot make the folder

// RUN: not mirage-opt %s --mirage-search-graph="cache=readonly:" 2>&1 | FileCheck %s --check-prefix=WORDS
// WORDS: search-graph-cache-broken.mlir:{{.*}}: error: expects a cache of the form off, DIR, readonly or readonly:DIR, got 'readonly:'

func.func @exp(%x: tensor<8x100xf16>, %w: tensor<100x70xf16>, %e: tensor<8x70xf16>) -> tensor<8x70xf16> {
  %r = mirage_kernel.graph ins(%x, %w : tensor<8x100xf16>, tensor<100x70xf16>) outs(%e : tensor<8x70xf16>) {
  ^bb0(%a: tensor<8x100xf16>, %b: tensor<100x70xf16>):
    %m = mirage_kernel.matmul %a, %b : (tensor<8x100xf16>, tensor<100x70xf16>) -> tensor<8x70xf32>
    %d = mirage_kernel.exp %m : (tensor<8x70xf32>) -> tensor<8x70xf16>
    mirage_kernel.yield %d : tensor<8x70xf16>
  } : tensor<8x70xf16>
  return %r : tensor<8x70xf16>
}
