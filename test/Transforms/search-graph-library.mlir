// RUN: mirage-opt %s --mirage-superoptimize="max-states=20000 library-kernels=always report=%t.json" -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: mirage-verify %s %t.mlir | FileCheck %s --check-prefix=JUDGED
// RUN: %python %mirage_src/utils/print-report.py %t.json | FileCheck %s --check-prefix=REPORT
// RUN: mirage-opt %s --mirage-superoptimize="max-states=20000 library-kernels=never" | FileCheck %s --check-prefix=NEVER
// RUN: mirage-opt %t.mlir --mirage-compile="from=optimize to=optimize library-kernels=always" | FileCheck %s --check-prefix=COMPILED

// A product that a library does in a ninth of the time stays one, between kernels that were
// found.
// CHECK: mirage_block.graph
// CHECK: mirage_kernel.matmul
// CHECK: mirage_block.graph
// CHECK-NOT: mirage_kernel.matmul
// CHECK: mirage_kernel.yield
// JUDGED: equal
// REPORT: result {{ *}}3 kernels
// REPORT: a matmul of the library
// NEVER-NOT: mirage_kernel.matmul
// NEVER: mirage_kernel.yield

// What is predicted is what is compiled.
// COMPILED-COUNT-1: library_matmul = {
// COMPILED-NOT: library_matmul
func.func @normalized_mlp(%x: tensor<1024x1024xf16>, %w: tensor<1024x1024xf16>, %b: tensor<1x1024xf16>, %e: tensor<1024x1024xf16>) -> tensor<1024x1024xf16> {
  %r = mirage_kernel.graph ins(%x, %w, %b : tensor<1024x1024xf16>, tensor<1024x1024xf16>, tensor<1x1024xf16>)
      outs(%e : tensor<1024x1024xf16>) {
  ^bb0(%a: tensor<1024x1024xf16>, %c: tensor<1024x1024xf16>, %d: tensor<1x1024xf16>):
    %0 = mirage_kernel.square %a : (tensor<1024x1024xf16>) -> tensor<1024x1024xf32>
    %1 = mirage_kernel.mean %0 dims [1] : (tensor<1024x1024xf32>) -> tensor<1024x1xf32>
    %2 = mirage_kernel.sqrt %1 : (tensor<1024x1xf32>) -> tensor<1024x1xf32>
    %3 = mirage_kernel.exp %a : (tensor<1024x1024xf16>) -> tensor<1024x1024xf32>
    %4 = mirage_kernel.div %3, %2 : (tensor<1024x1024xf32>, tensor<1024x1xf32>) -> tensor<1024x1024xf16>
    %5 = mirage_kernel.matmul %4, %c : (tensor<1024x1024xf16>, tensor<1024x1024xf16>) -> tensor<1024x1024xf16>
    %6 = mirage_kernel.add %5, %d : (tensor<1024x1024xf16>, tensor<1x1024xf16>) -> tensor<1024x1024xf32>
    %7 = mirage_kernel.silu %6 : (tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
    %8 = mirage_kernel.mul %7, %a : (tensor<1024x1024xf32>, tensor<1024x1024xf16>) -> tensor<1024x1024xf32>
    %9 = mirage_kernel.square %8 : (tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
    %10 = mirage_kernel.add %9, %a : (tensor<1024x1024xf32>, tensor<1024x1024xf16>) -> tensor<1024x1024xf16>
    mirage_kernel.yield %10 : tensor<1024x1024xf16>
  } : tensor<1024x1024xf16>
  return %r : tensor<1024x1024xf16>
}
