// A product of 2^24 factors is refused before it is built, in no time; what several squares make of
// a value is searched by itself.
// RUN: timeout 60 mirage-opt %s --mirage-search-graph=report=%t.json | FileCheck %s
// RUN: FileCheck %s --check-prefix=REPORT < %t.json
// CHECK-NOT: mirage_kernel.square
// CHECK-COUNT-24: mirage_block.square
// REPORT: "stopReason": "program's form is too large"
func.func @powers(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %e = tensor.empty() : tensor<4x4xf32>
  %r = mirage_kernel.graph ins(%x : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%v0: tensor<4x4xf32>):
    %v1 = mirage_kernel.square %v0 : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %v2 = mirage_kernel.square %v1 : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %v3 = mirage_kernel.square %v2 : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %v4 = mirage_kernel.square %v3 : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %v5 = mirage_kernel.square %v4 : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %v6 = mirage_kernel.square %v5 : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %v7 = mirage_kernel.square %v6 : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %v8 = mirage_kernel.square %v7 : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %v9 = mirage_kernel.square %v8 : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %v10 = mirage_kernel.square %v9 : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %v11 = mirage_kernel.square %v10 : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %v12 = mirage_kernel.square %v11 : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %v13 = mirage_kernel.square %v12 : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %v14 = mirage_kernel.square %v13 : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %v15 = mirage_kernel.square %v14 : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %v16 = mirage_kernel.square %v15 : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %v17 = mirage_kernel.square %v16 : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %v18 = mirage_kernel.square %v17 : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %v19 = mirage_kernel.square %v18 : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %v20 = mirage_kernel.square %v19 : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %v21 = mirage_kernel.square %v20 : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %v22 = mirage_kernel.square %v21 : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %v23 = mirage_kernel.square %v22 : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %v24 = mirage_kernel.square %v23 : (tensor<4x4xf32>) -> tensor<4x4xf32>
    mirage_kernel.yield %v24 : tensor<4x4xf32>
  } : tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}
