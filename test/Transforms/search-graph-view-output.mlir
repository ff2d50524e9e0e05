// One result is a view of an input that nothing else reads. The kernel that copies it beside
// an exponential has no share in exponents.
// RUN: mirage-opt %s --mirage-superoptimize -o %t.mlir
// RUN: mirage-verify %s %t.mlir --certificates | FileCheck %s
// CHECK: @f: equal; proved outright
// CHECK-NEXT: @f: the certificate holds

func.func @f(%x: tensor<8x12xf16>, %w: tensor<12x9xf16>, %y: tensor<6x10xf16>)
    -> (tensor<60x1xf16>, tensor<8x9xf32>) {
  %e0 = tensor.empty() : tensor<60x1xf16>
  %e1 = tensor.empty() : tensor<8x9xf32>
  %r:2 = mirage_kernel.graph ins(%x, %w, %y : tensor<8x12xf16>, tensor<12x9xf16>, tensor<6x10xf16>)
                             outs(%e0, %e1 : tensor<60x1xf16>, tensor<8x9xf32>) {
  ^bb0(%a: tensor<8x12xf16>, %b: tensor<12x9xf16>, %c: tensor<6x10xf16>):
    %v0 = mirage_kernel.reshape %c : (tensor<6x10xf16>) -> tensor<60x1xf16>
    %v1 = mirage_kernel.matmul %a, %b : (tensor<8x12xf16>, tensor<12x9xf16>) -> tensor<8x9xf32>
    %v2 = mirage_kernel.exp %v1 : (tensor<8x9xf32>) -> tensor<8x9xf32>
    mirage_kernel.yield %v0, %v2 : tensor<60x1xf16>, tensor<8x9xf32>
  } : tensor<60x1xf16>, tensor<8x9xf32>
  return %r#0, %r#1 : tensor<60x1xf16>, tensor<8x9xf32>
}
