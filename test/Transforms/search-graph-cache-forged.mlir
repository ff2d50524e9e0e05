// A record with a wrong µGraph and a right checksum: the final test finds it, and
// the program is searched as if there were no cache.
// RUN: rm -rf %t && mkdir %t
// RUN: mirage-opt %s --mirage-search-graph -o %t/expected.mlir
// RUN: mirage-opt %s --mirage-search-graph="cache=%t/dir" -o /dev/null
// RUN: %python %S/Inputs/forge-record.py %t/dir/mirage-cache.sqlite exp square
// RUN: mirage-opt %s --mirage-search-graph="cache=readonly:%t/dir report=%t/forged.json" -o %t/forged.mlir
// RUN: cmp %t/expected.mlir %t/forged.mlir
// RUN: FileCheck %s < %t/forged.json
// CHECK: "replaced": true
// CHECK: "cache": "none"

// Back again, to see that it was the operator that made the difference.
// RUN: %python %S/Inputs/forge-record.py %t/dir/mirage-cache.sqlite square exp
// RUN: mirage-opt %s --mirage-search-graph="cache=readonly:%t/dir report=%t/right.json" -o %t/right.mlir
// RUN: cmp %t/expected.mlir %t/right.mlir
// RUN: FileCheck %s --check-prefix=RIGHT < %t/right.json
// RIGHT: "cache": "result"

func.func @exp_matmul(%x: tensor<8x100xf16>, %w: tensor<100x70xf16>, %e: tensor<8x70xf16>) -> tensor<8x70xf16> {
  %r = mirage_kernel.graph ins(%x, %w : tensor<8x100xf16>, tensor<100x70xf16>) outs(%e : tensor<8x70xf16>) {
  ^bb0(%a: tensor<8x100xf16>, %b: tensor<100x70xf16>):
    %m = mirage_kernel.matmul %a, %b : (tensor<8x100xf16>, tensor<100x70xf16>) -> tensor<8x70xf32>
    %d = mirage_kernel.exp %m : (tensor<8x70xf32>) -> tensor<8x70xf16>
    mirage_kernel.yield %d : tensor<8x70xf16>
  } : tensor<8x70xf16>
  return %r : tensor<8x70xf16>
}
