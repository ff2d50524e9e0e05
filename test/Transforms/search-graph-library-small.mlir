// A program that is searched in one piece is searched in parts too where a library takes less for a
// matmul of it: kernels of ours are around the call.
// RUN: mirage-opt %s --mirage-superoptimize=library-kernels=always -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: mirage-verify %s %t.mlir | FileCheck %s --check-prefix=JUDGED
// RUN: mirage-opt %s --mirage-superoptimize="library-kernels=never" | FileCheck %s --check-prefix=NEVER

// CHECK: mirage_block.graph
// CHECK: mirage_kernel.matmul
// CHECK: mirage_block.graph
// CHECK-NOT: mirage_kernel.matmul
// CHECK: mirage_kernel.yield
// JUDGED: equal
// NEVER-NOT: mirage_kernel.matmul
// NEVER: mirage_kernel.yield
func.func @f(%x: tensor<1024x1024xf16>, %w: tensor<1024x1024xf16>, %e: tensor<1024x1024xf16>) -> tensor<1024x1024xf16> {
  %r = mirage_kernel.graph ins(%x, %w : tensor<1024x1024xf16>, tensor<1024x1024xf16>)
      outs(%e : tensor<1024x1024xf16>) {
  ^bb0(%a: tensor<1024x1024xf16>, %c: tensor<1024x1024xf16>):
    %0 = mirage_kernel.tanh %a : (tensor<1024x1024xf16>) -> tensor<1024x1024xf32>
    %1 = mirage_kernel.square %0 : (tensor<1024x1024xf32>) -> tensor<1024x1024xf16>
    %2 = mirage_kernel.matmul %1, %c : (tensor<1024x1024xf16>, tensor<1024x1024xf16>) -> tensor<1024x1024xf16>
    %3 = mirage_kernel.silu %2 : (tensor<1024x1024xf16>) -> tensor<1024x1024xf32>
    %4 = mirage_kernel.exp %3 : (tensor<1024x1024xf32>) -> tensor<1024x1024xf16>
    mirage_kernel.yield %4 : tensor<1024x1024xf16>
  } : tensor<1024x1024xf16>
  return %r : tensor<1024x1024xf16>
}
