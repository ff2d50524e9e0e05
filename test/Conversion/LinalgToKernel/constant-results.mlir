// Where a result is one number it becomes a constant of arith, which whatever reads
// it may take; a splat of any rank and type of floating point.
// RUN: mirage-opt %s --convert-linalg-to-mirage-kernel | FileCheck %s --implicit-check-not=linalg.

#id = affine_map<(i, j) -> (i, j)>

// CHECK-LABEL: func.func @returned(
// CHECK-NEXT:    %[[C:.+]] = arith.constant dense<3.000000e+00> : tensor<4x6xf32>
// CHECK-NEXT:    return %[[C]]
func.func @returned(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %e = tensor.empty() : tensor<4x6xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) {
  ^bb0(%a: f32, %out: f32):
    %c = arith.constant 3.0 : f32
    linalg.yield %c : f32
  } -> tensor<4x6xf32>
  return %r : tensor<4x6xf32>
}

// Rounded to what it is stored as: 0.1 in f16. The other result is a tensor.
// CHECK-LABEL: func.func @one_of_two(
// CHECK:         %[[G:.+]] = mirage_kernel.graph
// CHECK:         mirage_kernel.exp
// CHECK:         %[[C:.+]] = arith.constant dense<9.997550e-02> : tensor<4x6xf16>
// CHECK:         return %[[G]], %[[C]]
func.func @one_of_two(%x: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf16>) {
  %e = tensor.empty() : tensor<4x6xf32>
  %h = tensor.empty() : tensor<4x6xf16>
  %r:2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x6xf32>) outs(%e, %h : tensor<4x6xf32>, tensor<4x6xf16>) {
  ^bb0(%a: f32, %out: f32, %out16: f16):
    %c = arith.constant 0.1 : f32
    %n = arith.truncf %c : f32 to f16
    %0 = math.exp %a : f32
    linalg.yield %0, %n : f32, f16
  } -> (tensor<4x6xf32>, tensor<4x6xf16>)
  return %r#0, %r#1 : tensor<4x6xf32>, tensor<4x6xf16>
}

// CHECK-LABEL: func.func @zeroth_power(
// CHECK-NEXT:    %[[C:.+]] = arith.constant dense<1.000000e+00> : tensor<4x6xbf16>
// CHECK-NEXT:    return %[[C]]
func.func @zeroth_power(%x: tensor<4x6xbf16>) -> tensor<4x6xbf16> {
  %zero = arith.constant dense<0.0> : tensor<4x6xbf16>
  %0 = math.powf %x, %zero : tensor<4x6xbf16>
  return %0 : tensor<4x6xbf16>
}

// What nobody reads is no part of the program, and gets no remark.
// CHECK-LABEL: func.func @dead(
// CHECK-NEXT:    return
func.func @dead(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = math.sin %x : tensor<4x6xf32>
  %1 = math.cos %0 : tensor<4x6xf32>
  return %x : tensor<4x6xf32>
}
