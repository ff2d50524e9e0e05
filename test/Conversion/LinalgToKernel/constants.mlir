// The ways in which programs state numbers. What is read as a number leaves nothing
// behind.
// RUN: mirage-opt %s --convert-linalg-to-mirage-kernel | FileCheck %s --implicit-check-not=arith.constant --implicit-check-not=linalg.
// RUN: mirage-import-check %s
// RUN: mirage-import-check --by-patterns %s

#ij = affine_map<(i, j) -> (i, j)>
#none = affine_map<(i, j) -> ()>

// CHECK-LABEL: func.func @of_rank_0(
// CHECK:         mirage_kernel.scale %{{.+}} by 5.000000e-01
func.func @of_rank_0(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %half = arith.constant dense<0.5> : tensor<f32>
  %e = tensor.empty() : tensor<4x6xf32>
  %0 = linalg.generic {indexing_maps = [#ij, #none, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%x, %half : tensor<4x6xf32>, tensor<f32>) outs(%e : tensor<4x6xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %1 = arith.mulf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// A number that is stretched first, and one that is a scalar operand.
// CHECK-LABEL: func.func @stretched(
// CHECK:         %[[A:.+]] = mirage_kernel.scale %{{.+}} by 2.500000e-01
// CHECK-NEXT:    %[[B:.+]] = mirage_kernel.offset %[[A]] by 3.000000e+00
// CHECK-NEXT:    mirage_kernel.yield %[[B]]
func.func @stretched(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %quarter = arith.constant dense<0.25> : tensor<f32>
  %three = arith.constant 3.0 : f32
  %e = tensor.empty() : tensor<4x6xf32>
  %b = linalg.broadcast ins(%quarter : tensor<f32>) outs(%e : tensor<4x6xf32>) dimensions = [0, 1]
  %0 = linalg.mul ins(%x, %b : tensor<4x6xf32>, tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  %1 = linalg.generic {indexing_maps = [#ij, #none, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%0, %three : tensor<4x6xf32>, f32) outs(%e : tensor<4x6xf32>) {
  ^bb0(%a: f32, %c: f32, %out: f32):
    %2 = arith.addf %a, %c : f32
    linalg.yield %2 : f32
  } -> tensor<4x6xf32>
  return %1 : tensor<4x6xf32>
}

// A reduction that starts from an element of a constant, as stablehlo's do.
// CHECK-LABEL: func.func @extracted(
// CHECK:         mirage_kernel.sum %{{.+}} dims [1]
// CHECK-NEXT:    mirage_kernel.reshape
// CHECK-NEXT:    mirage_kernel.yield
func.func @extracted(%x: tensor<4x6xf32>) -> tensor<4xf32> {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %start = tensor.extract %zero[] : tensor<f32>
  %e = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%start : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %0 = linalg.reduce { arith.addf } ins(%x : tensor<4x6xf32>) outs(%init : tensor<4xf32>) dimensions = [1]
  return %0 : tensor<4xf32>
}

// A mean as a division by the size, which is cast.
// CHECK-LABEL: func.func @cast_size(
// CHECK:         mirage_kernel.mean %{{.+}} dims [1] : (tensor<4x6xf32>) -> tensor<4x1xf32>
func.func @cast_size(%x: tensor<4x6xf32>) -> tensor<4xf32> {
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %size = arith.constant 6 : index
  %wide = arith.index_cast %size : index to i64
  %count = arith.sitofp %wide : i64 to f32
  %0 = linalg.reduce { arith.addf } ins(%x : tensor<4x6xf32>) outs(%zero : tensor<4xf32>) dimensions = [1]
  %e = tensor.empty() : tensor<4xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%0 : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %out: f32):
    %2 = arith.divf %a, %count : f32
    linalg.yield %2 : f32
  } -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// A double that the body rounds keeps the bits of its literal.
// CHECK-LABEL: func.func @rounded(
// CHECK:         mirage_kernel.offset %{{.+}} by 1.000000e-05
func.func @rounded(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %epsilon = arith.constant 1.0e-05 : f64
  %e = tensor.empty() : tensor<4x6xf32>
  %0 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) {
  ^bb0(%a: f32, %out: f32):
    %1 = arith.truncf %epsilon : f64 to f32
    %2 = arith.addf %a, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// Numbers through ops of tensor.
// CHECK-LABEL: func.func @made_by_tensor_ops(
// CHECK:         %[[A:.+]] = mirage_kernel.offset %{{.+}} by 2.000000e+00
// CHECK-NEXT:    %[[B:.+]] = mirage_kernel.scale %[[A]] by 3.000000e+00
// CHECK-NEXT:    mirage_kernel.yield %[[B]]
func.func @made_by_tensor_ops(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %two = arith.constant 2.0 : f32
  %three = arith.constant 3.0 : f32
  %s = tensor.splat %two : tensor<24xf32>
  %k = tensor.expand_shape %s [[0, 1]] output_shape [4, 6] : tensor<24xf32> into tensor<4x6xf32>
  %0 = arith.addf %x, %k : tensor<4x6xf32>
  %one = tensor.from_elements %three : tensor<1x1xf32>
  %e = tensor.empty() : tensor<4x6xf32>
  %1 = linalg.generic {indexing_maps = [#ij, affine_map<(i, j) -> (0, 0)>, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%0, %one : tensor<4x6xf32>, tensor<1x1xf32>) outs(%e : tensor<4x6xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %2 = arith.mulf %a, %b : f32
    linalg.yield %2 : f32
  } -> tensor<4x6xf32>
  return %1 : tensor<4x6xf32>
}

// Arithmetic on numbers alone.
// CHECK-LABEL: func.func @folded(
// CHECK:         mirage_kernel.scale %{{.+}} by 7.000000e+00
// CHECK-NEXT:    mirage_kernel.yield
func.func @folded(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %two = arith.constant dense<2.0> : tensor<4x6xf32>
  %three = arith.constant dense<3.0> : tensor<4x6xf32>
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<4x6xf32>
  %0 = arith.mulf %two, %three : tensor<4x6xf32>
  %1 = linalg.fill ins(%one : f32) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  %2 = linalg.add ins(%0, %1 : tensor<4x6xf32>, tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  %3 = arith.mulf %x, %2 : tensor<4x6xf32>
  return %3 : tensor<4x6xf32>
}
