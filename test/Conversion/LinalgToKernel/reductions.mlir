// RUN: mirage-opt %s --convert-linalg-to-mirage-kernel | FileCheck %s
// RUN: mirage-import-check %s
// RUN: mirage-import-check --by-patterns %s

#ij = affine_map<(i, j) -> (i, j)>
#i = affine_map<(i, j) -> (i)>
#j = affine_map<(i, j) -> (j)>
#i0 = affine_map<(i, j) -> (i, 0)>

// CHECK-LABEL: func.func @sum_of_squares(
// CHECK:         %[[S:.+]] = mirage_kernel.square %{{.+}} : (tensor<4x10xf16>) -> tensor<4x10xf32>
// CHECK-NEXT:    %[[R:.+]] = mirage_kernel.sum %[[S]] dims [1] : (tensor<4x10xf32>) -> tensor<4x1xf32>
// CHECK-NEXT:    mirage_kernel.yield %[[R]]
func.func @sum_of_squares(%x: tensor<4x10xf16>) -> tensor<4x1xf32> {
  %init = arith.constant dense<0.0> : tensor<4x1xf32>
  %r = linalg.generic {indexing_maps = [#ij, #i0], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x10xf16>) outs(%init : tensor<4x1xf32>) {
  ^bb0(%a: f16, %acc: f32):
    %0 = arith.extf %a : f16 to f32
    %1 = arith.mulf %0, %0 : f32
    %2 = arith.addf %acc, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<4x1xf32>
  return %r : tensor<4x1xf32>
}

// Maxima start from minus infinity.
// CHECK-LABEL: func.func @max_rank_reduced(
// CHECK:         %[[M:.+]] = mirage_kernel.max %{{.+}} dims [1] : (tensor<4x10xf32>) -> tensor<4x1xf32>
// CHECK-NEXT:    mirage_kernel.reshape %[[M]] : (tensor<4x1xf32>) -> tensor<4xf32>
func.func @max_rank_reduced(%x: tensor<4x10xf32>) -> tensor<4xf32> {
  %inf = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%inf : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %r = linalg.generic {indexing_maps = [#ij, #i], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x10xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %0 = arith.maximumf %acc, %a : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// A finite start is an operand of the maximum.
// CHECK-LABEL: func.func @max_from_number(
// CHECK:         %[[M:.+]] = mirage_kernel.max %{{.+}} dims [0]
// CHECK-NEXT:    %[[C:.+]] = mirage_kernel.clamp %[[M]] to 1.500000e+00, 0x7FF0000000000000
func.func @max_from_number(%x: tensor<4x10xf32>) -> tensor<10xf32> {
  %init = arith.constant dense<1.5> : tensor<10xf32>
  %r = linalg.reduce { arith.maximumf } ins(%x : tensor<4x10xf32>) outs(%init : tensor<10xf32>) dimensions = [0]
  return %r : tensor<10xf32>
}

// CHECK-LABEL: func.func @min(
// CHECK:         %[[N:.+]] = mirage_kernel.neg
// CHECK-NEXT:    %[[M:.+]] = mirage_kernel.max %[[N]] dims [1]
// CHECK-NEXT:    mirage_kernel.neg %[[M]]
func.func @min(%x: tensor<4x10xf32>) -> tensor<4xf32> {
  %init = arith.constant dense<0x7F800000> : tensor<4xf32>
  %r = linalg.reduce { arith.minimumf } ins(%x : tensor<4x10xf32>) outs(%init : tensor<4xf32>) dimensions = [1]
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @onto_tensor(
// CHECK:         %[[S:.+]] = mirage_kernel.sum %{{.+}} dims [0] : (tensor<4x10xf32>) -> tensor<1x10xf32>
// CHECK:         mirage_kernel.add
func.func @onto_tensor(%x: tensor<4x10xf32>, %c: tensor<10xf32>) -> tensor<10xf32> {
  %r = linalg.reduce { arith.addf } ins(%x : tensor<4x10xf32>) outs(%c : tensor<10xf32>) dimensions = [0]
  return %r : tensor<10xf32>
}

// CHECK-LABEL: func.func @two_dimensions(
// CHECK:         %[[S:.+]] = mirage_kernel.sum %{{.+}} dims [0, 2] : (tensor<3x4x5xf32>) -> tensor<1x4x1xf32>
// CHECK-NEXT:    mirage_kernel.reshape %[[S]] : (tensor<1x4x1xf32>) -> tensor<4xf32>
func.func @two_dimensions(%x: tensor<3x4x5xf32>) -> tensor<4xf32> {
  %init = arith.constant dense<0.0> : tensor<4xf32>
  %r = linalg.reduce { arith.addf } ins(%x : tensor<3x4x5xf32>) outs(%init : tensor<4xf32>) dimensions = [0, 2]
  return %r : tensor<4xf32>
}

// A loop that the term does not vary with counts as often as it iterates.
// CHECK-LABEL: func.func @counts(
// CHECK:         %[[B:.+]] = mirage_kernel.broadcast %{{.+}} : (tensor<4x1xf32>) -> tensor<4x10xf32>
// CHECK-NEXT:    mirage_kernel.sum %[[B]] dims [1]
func.func @counts(%x: tensor<4xf32>, %y: tensor<10xf32>) -> tensor<4xf32> {
  %init = arith.constant dense<0.0> : tensor<4xf32>
  %r = linalg.generic {indexing_maps = [#i, #j, #i], iterator_types = ["parallel", "reduction"]}
      ins(%x, %y : tensor<4xf32>, tensor<10xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%a: f32, %unused: f32, %acc: f32):
    %0 = arith.addf %acc, %a : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// Two results of one nest, each with its own combiner.
// CHECK-LABEL: func.func @two_results(
// CHECK-DAG:     mirage_kernel.sum %{{.+}} dims [1]
// CHECK-DAG:     mirage_kernel.max %{{.+}} dims [1]
func.func @two_results(%x: tensor<4x10xf32>) -> (tensor<4x1xf32>, tensor<4x1xf32>) {
  %zero = arith.constant dense<0.0> : tensor<4x1xf32>
  %inf = arith.constant dense<0xFF800000> : tensor<4x1xf32>
  %r:2 = linalg.generic {indexing_maps = [#ij, #i0, #i0], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x10xf32>) outs(%zero, %inf : tensor<4x1xf32>, tensor<4x1xf32>) {
  ^bb0(%a: f32, %s: f32, %m: f32):
    %0 = arith.addf %s, %a : f32
    %1 = arith.maximumf %m, %a : f32
    linalg.yield %0, %1 : f32, f32
  } -> (tensor<4x1xf32>, tensor<4x1xf32>)
  return %r#0, %r#1 : tensor<4x1xf32>, tensor<4x1xf32>
}

// A sum divided by the number of its elements is a mean, through reshapes too.
// CHECK-LABEL: func.func @mean_by_division(
// CHECK:         %[[M:.+]] = mirage_kernel.mean %{{.+}} dims [1] : (tensor<4x10xf32>) -> tensor<4x1xf32>
// CHECK-NEXT:    mirage_kernel.reshape %[[M]]
// CHECK-NEXT:    mirage_kernel.yield
func.func @mean_by_division(%x: tensor<4x10xf32>) -> tensor<4xf32> {
  %init = arith.constant dense<0.0> : tensor<4xf32>
  %n = arith.constant dense<10.0> : tensor<4xf32>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<4x10xf32>) outs(%init : tensor<4xf32>) dimensions = [1]
  %r = arith.divf %s, %n : tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @mean_by_multiplication(
// CHECK:         mirage_kernel.mean %{{.+}} dims [0, 1] : (tensor<4x10xf32>) -> tensor<1x1xf32>
func.func @mean_by_multiplication(%x: tensor<4x10xf32>) -> tensor<1xf32> {
  %init = arith.constant dense<0.0> : tensor<1xf32>
  %n = arith.constant dense<0.025> : tensor<1xf32>
  %s = linalg.generic {indexing_maps = [#ij, affine_map<(i, j) -> (0)>], iterator_types = ["reduction", "reduction"]}
      ins(%x : tensor<4x10xf32>) outs(%init : tensor<1xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %0 = arith.addf %acc, %a : f32
    linalg.yield %0 : f32
  } -> tensor<1xf32>
  %r = arith.mulf %s, %n : tensor<1xf32>
  return %r : tensor<1xf32>
}

// Divided by any other number it is none.
// CHECK-LABEL: func.func @almost_mean(
// CHECK:         %[[S:.+]] = mirage_kernel.sum
// CHECK:         mirage_kernel.unscale %{{.+}} by 9.0
func.func @almost_mean(%x: tensor<4x10xf32>) -> tensor<4xf32> {
  %init = arith.constant dense<0.0> : tensor<4xf32>
  %n = arith.constant dense<9.0> : tensor<4xf32>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<4x10xf32>) outs(%init : tensor<4xf32>) dimensions = [1]
  %r = arith.divf %s, %n : tensor<4xf32>
  return %r : tensor<4xf32>
}

// An accumulator of f16 that the body rounds at each step.
// CHECK-LABEL: func.func @narrow_accumulator(
// CHECK:         mirage_kernel.sum %{{.+}} dims [1] : (tensor<4x10xf16>) -> tensor<4x1xf16>
func.func @narrow_accumulator(%x: tensor<4x10xf16>) -> tensor<4x1xf16> {
  %init = arith.constant dense<0.0> : tensor<4x1xf16>
  %r = linalg.generic {indexing_maps = [#ij, #i0], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x10xf16>) outs(%init : tensor<4x1xf16>) {
  ^bb0(%a: f16, %acc: f16):
    %0 = arith.extf %a : f16 to f32
    %1 = arith.extf %acc : f16 to f32
    %2 = arith.addf %0, %1 : f32
    %3 = arith.truncf %2 : f32 to f16
    linalg.yield %3 : f16
  } -> tensor<4x1xf16>
  return %r : tensor<4x1xf16>
}

// What is a maximum elementwise is one in a reduction.
// CHECK-LABEL: func.func @max_without_nan
// CHECK: mirage_kernel.max
func.func @max_without_nan(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %lowest = arith.constant 0xFF800000 : f32
  %empty = tensor.empty() : tensor<4xf32>
  %start = linalg.fill ins(%lowest : f32) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  %max = linalg.reduce ins(%x : tensor<4x8xf32>) outs(%start : tensor<4xf32>) dimensions = [1]
    (%a: f32, %b: f32) {
      %m = arith.maxnumf %a, %b fastmath<nnan> : f32
      linalg.yield %m : f32
    }
  return %max : tensor<4xf32>
}

// The lowest finite number of the accumulator's type stands for minus infinity.
// CHECK-LABEL: func.func @max_from_lowest(
// CHECK:         %[[M:.+]] = mirage_kernel.max %{{.+}} dims [1]
// CHECK-NEXT:    %[[R:.+]] = mirage_kernel.reshape %[[M]]
// CHECK-NEXT:    mirage_kernel.yield %[[R]]
func.func @max_from_lowest(%x: tensor<4x10xf32>) -> tensor<4xf32> {
  %init = arith.constant dense<-3.40282347E+38> : tensor<4xf32>
  %r = linalg.reduce { arith.maximumf } ins(%x : tensor<4x10xf32>) outs(%init : tensor<4xf32>) dimensions = [1]
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @min_from_highest(
// CHECK-NOT:     clamp
// CHECK:         mirage_kernel.yield
func.func @min_from_highest(%x: tensor<4x10xf16>) -> tensor<4xf16> {
  %init = arith.constant dense<65504.0> : tensor<4xf16>
  %r = linalg.reduce { arith.minimumf } ins(%x : tensor<4x10xf16>) outs(%init : tensor<4xf16>) dimensions = [1]
  return %r : tensor<4xf16>
}

// That of another type is a number like any other.
// CHECK-LABEL: func.func @max_from_lowest_f16(
// CHECK:         mirage_kernel.clamp %{{.+}} to -6.550400e+04, 0x7FF0000000000000
func.func @max_from_lowest_f16(%x: tensor<4x10xf32>) -> tensor<4xf32> {
  %init = arith.constant dense<-65504.0> : tensor<4xf32>
  %r = linalg.reduce { arith.maximumf } ins(%x : tensor<4x10xf32>) outs(%init : tensor<4xf32>) dimensions = [1]
  return %r : tensor<4xf32>
}
