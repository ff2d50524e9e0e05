// RUN: mirage-opt %s --convert-linalg-to-mirage-kernel | FileCheck %s
// RUN: mirage-import-check %s
// RUN: mirage-import-check --by-patterns %s

#ij = affine_map<(i, j) -> (i, j)>
#i = affine_map<(i, j) -> (i)>
#j = affine_map<(i, j) -> (j)>

// A row joins as it is, a column after a reshape.
// CHECK-LABEL: func.func @row_and_column(
// CHECK:       ^bb0(%[[X:.+]]: tensor<4x6xf32>, %[[ROW:.+]]: tensor<6xf32>, %[[COLUMN:.+]]: tensor<4xf32>):
// CHECK-NEXT:    %[[A:.+]] = mirage_kernel.mul %[[X]], %[[ROW]] : (tensor<4x6xf32>, tensor<6xf32>) -> tensor<4x6xf32>
// CHECK-NEXT:    %[[C:.+]] = mirage_kernel.reshape %[[COLUMN]] : (tensor<4xf32>) -> tensor<4x1xf32>
// CHECK-NEXT:    %[[B:.+]] = mirage_kernel.add %[[A]], %[[C]]
// CHECK-NEXT:    mirage_kernel.yield %[[B]]
func.func @row_and_column(%x: tensor<4x6xf32>, %row: tensor<6xf32>, %column: tensor<4xf32>) -> tensor<4x6xf32> {
  %e = tensor.empty() : tensor<4x6xf32>
  %r = linalg.generic {indexing_maps = [#ij, #j, #i, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%x, %row, %column : tensor<4x6xf32>, tensor<6xf32>, tensor<4xf32>) outs(%e : tensor<4x6xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %out: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %0, %c : f32
    linalg.yield %1 : f32
  } -> tensor<4x6xf32>
  return %r : tensor<4x6xf32>
}

// The same vector along both dimensions of a square.
// CHECK-LABEL: func.func @outer_sum(
// CHECK:       ^bb0(%[[X:.+]]: tensor<5xf32>):
// CHECK:         mirage_kernel.add {{.+}} -> tensor<5x5xf32>
func.func @outer_sum(%x: tensor<5xf32>) -> tensor<5x5xf32> {
  %e = tensor.empty() : tensor<5x5xf32>
  %r = linalg.generic {indexing_maps = [#i, #j, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%x, %x : tensor<5xf32>, tensor<5xf32>) outs(%e : tensor<5x5xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %two = arith.constant 2.0 : f32
    %0 = arith.mulf %b, %two : f32
    %1 = arith.addf %a, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<5x5xf32>
  return %r : tensor<5x5xf32>
}

// What is stored in full is stretched in full.
// CHECK-LABEL: func.func @named(
// CHECK:         %[[R:.+]] = mirage_kernel.reshape %{{.+}} : (tensor<4xf32>) -> tensor<4x1xf32>
// CHECK-NEXT:    %[[B:.+]] = mirage_kernel.broadcast %[[R]] : (tensor<4x1xf32>) -> tensor<4x6xf32>
// CHECK-NEXT:    mirage_kernel.yield %[[B]]
func.func @named(%x: tensor<4xf32>) -> tensor<4x6xf32> {
  %e = tensor.empty() : tensor<4x6xf32>
  %r = linalg.broadcast ins(%x : tensor<4xf32>) outs(%e : tensor<4x6xf32>) dimensions = [1]
  return %r : tensor<4x6xf32>
}

// What an operator reads need not be stretched.
// CHECK-LABEL: func.func @stretched_in_operator(
// CHECK-NOT:     broadcast
// CHECK:         mirage_kernel.div %{{.+}}, %{{.+}} : (tensor<4x6xf32>, tensor<4x1xf32>) -> tensor<4x6xf32>
func.func @stretched_in_operator(%x: tensor<4x6xf32>, %y: tensor<4xf32>) -> tensor<4x6xf32> {
  %e = tensor.empty() : tensor<4x6xf32>
  %b = linalg.broadcast ins(%y : tensor<4xf32>) outs(%e : tensor<4x6xf32>) dimensions = [1]
  %r = linalg.div ins(%x, %b : tensor<4x6xf32>, tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  return %r : tensor<4x6xf32>
}

// Only one of two stretched operands can stay small.
// CHECK-LABEL: func.func @both_stretched(
// CHECK:         mirage_kernel.broadcast
// CHECK:         mirage_kernel.add {{.+}} -> tensor<4x6xf32>
func.func @both_stretched(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4x6xf32> {
  %e = tensor.empty() : tensor<4x6xf32>
  %a = linalg.broadcast ins(%x : tensor<4xf32>) outs(%e : tensor<4x6xf32>) dimensions = [1]
  %b = linalg.broadcast ins(%y : tensor<4xf32>) outs(%e : tensor<4x6xf32>) dimensions = [1]
  %r = linalg.add ins(%a, %b : tensor<4x6xf32>, tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  return %r : tensor<4x6xf32>
}

// Ranks as rank-reducing front ends spell them: sum, expand, divide.
// CHECK-LABEL: func.func @expanded(
// CHECK:         %[[S:.+]] = mirage_kernel.sum %[[X:.+]] dims [1] : (tensor<4x6xf32>) -> tensor<4x1xf32>
// CHECK-NEXT:    mirage_kernel.div %[[X]], %[[S]]
// CHECK-NEXT:    mirage_kernel.yield
func.func @expanded(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %init = arith.constant dense<0.0> : tensor<4xf32>
  %e = tensor.empty() : tensor<4x6xf32>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<4x6xf32>) outs(%init : tensor<4xf32>) dimensions = [1]
  %k = tensor.expand_shape %s [[0, 1]] output_shape [4, 1] : tensor<4xf32> into tensor<4x1xf32>
  %r = linalg.generic {indexing_maps = [#ij, affine_map<(i, j) -> (i, 0)>, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%x, %k : tensor<4x6xf32>, tensor<4x1xf32>) outs(%e : tensor<4x6xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.divf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<4x6xf32>
  return %r : tensor<4x6xf32>
}

// CHECK-LABEL: func.func @transposed_3d(
// CHECK:         mirage_kernel.transpose %{{.+}} dims [1, 2, 0] : (tensor<2x3x4xf32>) -> tensor<3x4x2xf32>
// CHECK-NEXT:    mirage_kernel.yield
func.func @transposed_3d(%x: tensor<2x3x4xf32>) -> tensor<3x4x2xf32> {
  %e = tensor.empty() : tensor<3x4x2xf32>
  %r = linalg.transpose ins(%x : tensor<2x3x4xf32>) outs(%e : tensor<3x4x2xf32>) permutation = [1, 2, 0]
  return %r : tensor<3x4x2xf32>
}

// Moving a dimension of size 1 is a reshape.
// CHECK-LABEL: func.func @transposed_unit(
// CHECK-NOT:     transpose %
// CHECK:         mirage_kernel.reshape %{{.+}} : (tensor<1x6xf32>) -> tensor<6x1xf32>
func.func @transposed_unit(%x: tensor<1x6xf32>) -> tensor<6x1xf32> {
  %e = tensor.empty() : tensor<6x1xf32>
  %r = linalg.transpose ins(%x : tensor<1x6xf32>) outs(%e : tensor<6x1xf32>) permutation = [1, 0]
  return %r : tensor<6x1xf32>
}

// CHECK-LABEL: func.func @collapsed(
// CHECK:         mirage_kernel.reshape %{{.+}} : (tensor<2x3x4xf32>) -> tensor<6x4xf32>
func.func @collapsed(%x: tensor<2x3x4xf32>) -> tensor<6x4xf32> {
  %r = tensor.collapse_shape %x [[0, 1], [2]] : tensor<2x3x4xf32> into tensor<6x4xf32>
  return %r : tensor<6x4xf32>
}
