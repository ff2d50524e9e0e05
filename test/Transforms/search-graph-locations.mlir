// Ops of the µGraph that is found are where the program's ops of the same operator stand; the kernel as a whole,
// and what has none, is where all of these are.
// RUN: mirage-opt %s --mirage-search-graph="max-states=2000" --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s
func.func @exp_matmul(%x: tensor<16x256xf16>, %w: tensor<256x128xf16>) -> tensor<16x128xf16> {
  %e = tensor.empty() : tensor<16x128xf16>
  %r = mirage_kernel.graph ins(%x, %w : tensor<16x256xf16>, tensor<256x128xf16>) outs(%e : tensor<16x128xf16>) {
  ^bb0(%a: tensor<16x256xf16>, %b: tensor<256x128xf16>):
    // CHECK: mirage_block.matmul {{.*}} loc("{{.*}}search-graph-locations.mlir":[[@LINE+1]]:10)
    %0 = mirage_kernel.matmul %a, %b : (tensor<16x256xf16>, tensor<256x128xf16>) -> tensor<16x128xf16>
    // CHECK: mirage_block.exp {{.*}} loc("{{.*}}search-graph-locations.mlir":[[@LINE+1]]:10)
    %1 = mirage_kernel.exp %0 : (tensor<16x128xf16>) -> tensor<16x128xf16>
    // CHECK: } loc(fused["{{.*}}search-graph-locations.mlir":[[@LINE-3]]:10, "{{.*}}search-graph-locations.mlir":[[@LINE-1]]:10])
    mirage_kernel.yield %1 : tensor<16x128xf16>
  } : tensor<16x128xf16>
  return %r : tensor<16x128xf16>
}
