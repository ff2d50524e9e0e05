// RUN: mirage-opt %s --verify-roundtrip | FileCheck %s
// RUN: mirage-opt %s --canonicalize --cse | FileCheck %s
// RUN: mirage-opt %s --one-shot-bufferize="bufferize-function-boundaries" | FileCheck %s

// CHECK-LABEL: func.func @rounded(
// CHECK: mirage_kernel.graph {{.*}} attributes {mirage_kernel.f32_products = "tf32"} {
func.func @rounded(%x: tensor<8x64xf32>, %w: tensor<64x32xf32>) -> tensor<8x32xf32> {
  %e = tensor.empty() : tensor<8x32xf32>
  %r = mirage_kernel.graph ins(%x, %w : tensor<8x64xf32>, tensor<64x32xf32>) outs(%e : tensor<8x32xf32>)
      attributes {mirage_kernel.f32_products = "tf32"} {
  ^bb0(%a: tensor<8x64xf32>, %b: tensor<64x32xf32>):
    %0 = mirage_kernel.matmul %a, %b : (tensor<8x64xf32>, tensor<64x32xf32>) -> tensor<8x32xf32>
    mirage_kernel.yield %0 : tensor<8x32xf32>
  } : tensor<8x32xf32>
  return %r : tensor<8x32xf32>
}

// CHECK-LABEL: func.func @exact(
// CHECK: mirage_kernel.graph {{.*}} attributes {mirage_kernel.f32_products = "exact"} {
func.func @exact(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %e = tensor.empty() : tensor<8x64xf32>
  %r = mirage_kernel.graph ins(%x : tensor<8x64xf32>) outs(%e : tensor<8x64xf32>)
      attributes {mirage_kernel.f32_products = "exact"} {
  ^bb0(%a: tensor<8x64xf32>):
    %0 = mirage_kernel.exp %a : (tensor<8x64xf32>) -> tensor<8x64xf32>
    mirage_kernel.yield %0 : tensor<8x64xf32>
  } : tensor<8x64xf32>
  return %r : tensor<8x64xf32>
}
