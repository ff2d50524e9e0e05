// RUN: mirage-opt %s --mirage-expand-scalars | FileCheck %s

// CHECK-LABEL: func.func @program(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<1xf32> {mirage.name = "x"}) -> tensor<1xf32>
// CHECK-NOT:     tensor.expand_shape
// CHECK:         %[[G:.*]] = mirage_kernel.graph ins(%[[X]] : tensor<1xf32>)
// CHECK-NOT:     tensor.collapse_shape
// CHECK:         return %[[G]] : tensor<1xf32>
func.func @program(%x: tensor<f32> {mirage.name = "x"}) -> tensor<f32> {
  %0 = tensor.expand_shape %x [] output_shape [1] : tensor<f32> into tensor<1xf32>
  %e = tensor.empty() : tensor<1xf32>
  %1 = mirage_kernel.graph ins(%0 : tensor<1xf32>) outs(%e : tensor<1xf32>) {
  ^bb0(%a: tensor<1xf32>):
    %3 = mirage_kernel.exp %a : (tensor<1xf32>) -> tensor<1xf32>
    mirage_kernel.yield %3 : tensor<1xf32>
  } : tensor<1xf32>
  %2 = tensor.collapse_shape %1 [] : tensor<1xf32> into tensor<f32>
  return %2 : tensor<f32>
}

// What other ops read and make stays what it is, as does the function that has them.
// CHECK-LABEL: func.func @others(%{{.*}}: tensor<f32>) -> tensor<f32>
// CHECK-NEXT:    math.exp %{{.*}} : tensor<f32>
// CHECK-NEXT:    return
func.func @others(%x: tensor<f32>) -> tensor<f32> {
  %0 = math.exp %x : tensor<f32>
  return %0 : tensor<f32>
}

// Nor is there a tensor of such elements in any graph.
// CHECK-LABEL: func.func @elements(%{{.*}}: tensor<f64>, %{{.*}}: tensor<f32>) -> tensor<f32>
func.func @elements(%x: tensor<f64>, %y: tensor<f32>) -> tensor<f32> {
  return %y : tensor<f32>
}

// Who calls a function knows its type; a declaration is somebody else's.
// CHECK-LABEL: func.func @called(%{{.*}}: tensor<f32>) -> tensor<f32>
func.func @called(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
// CHECK-LABEL: func.func @caller(
// CHECK:         call @called(%{{.*}}) : (tensor<f32>) -> tensor<f32>
func.func @caller(%x: tensor<2xf32>, %y: tensor<f32>) -> tensor<2xf32> {
  %0 = call @called(%y) : (tensor<f32>) -> tensor<f32>
  return %x : tensor<2xf32>
}
// CHECK: func.func private @declared(tensor<f32>) -> tensor<f32>
func.func private @declared(tensor<f32>) -> tensor<f32>
