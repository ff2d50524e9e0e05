// Tensors of rank 0 are of shape [1] in graphs: what all elements come to, and learnt numbers. One
// graph holds all of it, though a tensor of rank 0 lies between two of the ops.
// RUN: mirage-opt %s --convert-linalg-to-mirage-kernel --verify-diagnostics | FileCheck %s
// RUN: mirage-opt %s --convert-linalg-to-mirage-kernel --mirage-expand-scalars -o %t.mlir
// RUN: mirage-verify %s %t.mlir | FileCheck %s --check-prefix=EQUAL
// EQUAL-COUNT-4: equal
// EQUAL-NOT: differ

// CHECK-LABEL: func.func @root_mean_square(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<8x4xf16>, %[[S:[^:]*]]: tensor<f32>) -> tensor<f32>
// CHECK:         %[[E:.*]] = tensor.expand_shape %[[S]] [] output_shape [1]
// CHECK-NOT:     tensor.expand_shape
// CHECK:         %[[G:.*]] = mirage_kernel.graph ins(%[[X]], %[[E]] : tensor<8x4xf16>, tensor<1xf32>) outs(%{{.*}} : tensor<1xf32>)
// CHECK:           mirage_kernel.mul %{{.*}}, %{{.*}} : (tensor<8x4xf16>, tensor<1xf32>)
// CHECK:           mirage_kernel.mean %{{.*}} dims [0, 1]
// CHECK:           mirage_kernel.sqrt
// CHECK-NOT:     mirage_kernel.graph
// CHECK:         %[[R:.*]] = tensor.collapse_shape %[[G]] [] : tensor<1xf32> into tensor<f32>
// CHECK-NEXT:    return %[[R]]
func.func @root_mean_square(%x: tensor<8x4xf16>, %s: tensor<f32>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<8x4xf32>
  %scaled = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x, %s : tensor<8x4xf16>, tensor<f32>) outs(%e0 : tensor<8x4xf32>) {
  ^bb0(%a: f16, %b: f32, %o: f32):
    %c = arith.extf %a : f16 to f32
    %m = arith.mulf %c, %b : f32
    linalg.yield %m : f32
  } -> tensor<8x4xf32>
  %e1 = tensor.empty() : tensor<f32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<f32>) -> tensor<f32>
  %sum = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]} ins(%scaled : tensor<8x4xf32>) outs(%f1 : tensor<f32>) {
  ^bb0(%a: f32, %o: f32):
    %q = arith.mulf %a, %a : f32
    %m = arith.addf %o, %q : f32
    linalg.yield %m : f32
  } -> tensor<f32>
  %n = arith.constant dense<32.0> : tensor<f32>
  %mean = arith.divf %sum, %n : tensor<f32>
  %e2 = tensor.empty() : tensor<f32>
  %root = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%mean : tensor<f32>) outs(%e2 : tensor<f32>) {
  ^bb0(%a: f32, %o: f32):
    %q = math.sqrt %a : f32
    linalg.yield %q : f32
  } -> tensor<f32>
  return %root : tensor<f32>
}

// CHECK-LABEL: func.func @dot(
// CHECK:         mirage_kernel.mul
// CHECK:         mirage_kernel.sum %{{.*}} dims [0] : (tensor<16xf32>) -> tensor<1xf32>
// CHECK:         tensor.collapse_shape
func.func @dot(%x: tensor<16xf32>, %y: tensor<16xf32>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %r = linalg.dot ins(%x, %y : tensor<16xf32>, tensor<16xf32>) outs(%f : tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}

// Two readers of one number read one tensor.
// CHECK-LABEL: func.func @shared(
// CHECK-COUNT-1: tensor.expand_shape
// CHECK-NOT:     tensor.expand_shape
// CHECK-COUNT-1: mirage_kernel.graph
// CHECK-NOT:     mirage_kernel.graph
// CHECK:         return
func.func @shared(%s: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %0 = math.exp %s : tensor<f32>
  %1 = math.tanh %s : tensor<f32>
  return %0, %1 : tensor<f32>, tensor<f32>
}

// Reshapes and slices from and to rank 0.
// CHECK-LABEL: func.func @reshapes(
// CHECK-COUNT-1: mirage_kernel.graph
// CHECK-NOT:     mirage_kernel.graph
// CHECK:           mirage_kernel.slice
// CHECK:           mirage_kernel.reshape %{{.*}} : (tensor<1xf32>) -> tensor<1x1xf32>
func.func @reshapes(%x: tensor<4xf32>) -> tensor<1x1xf32> {
  %0 = tensor.extract_slice %x[2] [1] [1] : tensor<4xf32> to tensor<f32>
  %1 = math.exp %0 : tensor<f32>
  %2 = tensor.expand_shape %1 [] output_shape [1, 1] : tensor<f32> into tensor<1x1xf32>
  return %2 : tensor<1x1xf32>
}

// CHECK-LABEL: func.func @insert(
// CHECK-COUNT-1: mirage_kernel.graph
// CHECK-NOT:     mirage_kernel.graph
// CHECK:           mirage_kernel.concat %{{.*}} dims [0] : (tensor<2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<4xf32>
func.func @insert(%x: tensor<4xf32>, %s: tensor<f32>) -> tensor<4xf32> {
  %0 = tensor.insert_slice %s into %x[2] [1] [1] : tensor<f32> into tensor<4xf32>
  %1 = math.exp %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}
