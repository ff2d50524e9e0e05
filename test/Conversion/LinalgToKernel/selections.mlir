// Maxima, minima and bounds as a comparison and a selection.
// RUN: mirage-opt %s --convert-linalg-to-mirage-kernel | FileCheck %s --implicit-check-not=arith.
// RUN: mirage-import-check %s
// RUN: mirage-import-check --by-patterns %s

#id = affine_map<(i, j) -> (i, j)>
#i = affine_map<(i, j) -> (i)>

// CHECK-LABEL: func.func @relu(
// CHECK:         %[[R:.+]] = mirage_kernel.relu %{{.+}}
// CHECK-NEXT:    mirage_kernel.yield %[[R]]
func.func @relu(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %e = tensor.empty() : tensor<4x6xf32>
  %zero = arith.constant 0.0 : f32
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) {
  ^bb0(%a: f32, %out: f32):
    %1 = arith.cmpf ugt, %a, %zero : f32
    %2 = arith.select %1, %a, %zero : f32
    linalg.yield %2 : f32
  } -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// CHECK-LABEL: func.func @clamp(
// CHECK:         %[[A:.+]] = mirage_kernel.clamp %{{.+}} to -5.000000e-01, 0x7FF0000000000000
// CHECK-NEXT:    mirage_kernel.clamp %[[A]] to 0xFFF0000000000000, 7.500000e-01
func.func @clamp(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %e = tensor.empty() : tensor<4x6xf32>
  %lo = arith.constant -0.5 : f32
  %hi = arith.constant 0.75 : f32
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) {
  ^bb0(%a: f32, %out: f32):
    %1 = arith.cmpf ult, %a, %lo : f32
    %2 = arith.select %1, %lo, %a : f32
    %3 = arith.cmpf ugt, %2, %hi : f32
    %4 = arith.select %3, %hi, %2 : f32
    linalg.yield %4 : f32
  } -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// Each way round: which is compared with which, and which is taken.
// CHECK-LABEL: func.func @both_ways(
// CHECK:       ^bb0(%[[X:.+]]: tensor<4x6xf32>, %[[Y:.+]]: tensor<4x6xf32>):
// CHECK-NEXT:    %[[A:.+]] = mirage_kernel.maximum %[[X]], %[[Y]]
// CHECK-NEXT:    %[[B:.+]] = mirage_kernel.minimum %[[X]], %[[Y]]
// CHECK-NEXT:    %[[C:.+]] = mirage_kernel.sub %[[A]], %[[B]]
// CHECK-NEXT:    mirage_kernel.yield %[[C]]
func.func @both_ways(%x: tensor<4x6xf32>, %y: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %e = tensor.empty() : tensor<4x6xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<4x6xf32>, tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %1 = arith.cmpf olt, %a, %b : f32
    %2 = arith.select %1, %b, %a : f32
    %3 = arith.cmpf oge, %a, %b : f32
    %4 = arith.select %3, %b, %a : f32
    %5 = arith.subf %2, %4 : f32
    linalg.yield %5 : f32
  } -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// On whole tensors, where the comparison is an op of its own.
// CHECK-LABEL: func.func @on_tensors(
// CHECK:         %[[E:.+]] = mirage_kernel.exp
// CHECK-NEXT:    %[[M:.+]] = mirage_kernel.minimum %[[E]], %{{.+}}
// CHECK-NEXT:    mirage_kernel.yield %[[M]] : tensor<4x6xf32>
func.func @on_tensors(%x: tensor<4x6xf32>, %y: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = math.exp %x : tensor<4x6xf32>
  %1 = arith.cmpf ole, %0, %y : tensor<4x6xf32>
  %2 = arith.select %1, %0, %y : tensor<4x6xi1>, tensor<4x6xf32>
  return %2 : tensor<4x6xf32>
}

// A reduction, with the place of the maximum beside it, which nobody uses.
// CHECK-LABEL: func.func @max_with_index(
// CHECK:         mirage_kernel.max %{{.+}} dims [1] : (tensor<4x6xf32>) -> tensor<4x1xf32>
func.func @max_with_index(%x: tensor<4x6xf32>) -> tensor<4xf32> {
  %lowest = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0 : i64
  %e = tensor.empty() : tensor<4xf32>
  %places = tensor.empty() : tensor<4xi64>
  %start = linalg.fill ins(%lowest : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %first = linalg.fill ins(%zero : i64) outs(%places : tensor<4xi64>) -> tensor<4xi64>
  %0:2 = linalg.generic {indexing_maps = [#id, #i, #i], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x6xf32>) outs(%start, %first : tensor<4xf32>, tensor<4xi64>) {
  ^bb0(%in: f32, %out: f32, %place: i64):
    %1 = linalg.index 1 : index
    %2 = arith.index_cast %1 : index to i64
    %3 = arith.cmpf ogt, %in, %out : f32
    %4 = arith.select %3, %in, %out : f32
    %5 = arith.select %3, %2, %place : i64
    linalg.yield %4, %5 : f32, i64
  } -> (tensor<4xf32>, tensor<4xi64>)
  return %0#0 : tensor<4xf32>
}

// A power by an integer.
// CHECK-LABEL: func.func @integer_power(
// CHECK:         %[[C:.+]] = mirage_kernel.square %[[B:.+]] :
// CHECK-NEXT:    %[[D:.+]] = mirage_kernel.square %[[C]]
// CHECK-NEXT:    %[[P:.+]] = mirage_kernel.mul %[[D]], %[[B]]
// CHECK-NEXT:    mirage_kernel.yield %[[P]]
func.func @integer_power(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %e = tensor.empty() : tensor<4x6xf32>
  %five = arith.constant 5 : i32
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) {
  ^bb0(%a: f32, %out: f32):
    %1 = math.fpowi %a, %five : f32, i32
    linalg.yield %1 : f32
  } -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// Negative, halved, and 2 to the power of a tensor.
// CHECK-LABEL: func.func @powers(
// CHECK:         mirage_kernel.exp2
// CHECK:         %[[S:.+]] = mirage_kernel.sqrt %[[P:.+]] :
// CHECK:         %[[M:.+]] = mirage_kernel.mul %{{.+}}, %[[S]]
// CHECK:         mirage_kernel.reciprocal %[[M]]
func.func @powers(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %two = arith.constant dense<2.0> : tensor<4x6xf32>
  %exponent = arith.constant dense<-2.5> : tensor<4x6xf32>
  %0 = math.powf %two, %x : tensor<4x6xf32>
  %1 = math.powf %0, %exponent : tensor<4x6xf32>
  return %1 : tensor<4x6xf32>
}
