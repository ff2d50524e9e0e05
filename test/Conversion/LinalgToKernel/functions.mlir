// Functions that no row of the table is, in terms of those it has.
// RUN: mirage-opt %s --convert-linalg-to-mirage-kernel | FileCheck %s --implicit-check-not=math.
// RUN: mirage-import-check %s
// RUN: mirage-import-check --by-patterns %s

// CHECK-LABEL: func.func @softplus(
// CHECK:         %[[E:.+]] = mirage_kernel.exp
// CHECK-NEXT:    %[[O:.+]] = mirage_kernel.offset %[[E]] by 1.0
// CHECK-NEXT:    mirage_kernel.log %[[O]]
func.func @softplus(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = math.exp %x : tensor<4x6xf32>
  %1 = math.log1p %0 : tensor<4x6xf32>
  return %1 : tensor<4x6xf32>
}

// CHECK-LABEL: func.func @expm1(
// CHECK:         %[[E:.+]] = mirage_kernel.exp
// CHECK-NEXT:    mirage_kernel.offset %[[E]] by -1.0
func.func @expm1(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = math.expm1 %x : tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// The exact gelu of jax.
// CHECK-LABEL: func.func @erfc(
// CHECK:         %[[E:.+]] = mirage_kernel.erf
// CHECK-NEXT:    %[[N:.+]] = mirage_kernel.neg %[[E]]
// CHECK-NEXT:    mirage_kernel.offset %[[N]] by 1.0
func.func @erfc(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %half = arith.constant dense<0.5> : tensor<4x6xf32>
  %root = arith.constant dense<0.707106769> : tensor<4x6xf32>
  %0 = arith.negf %x : tensor<4x6xf32>
  %1 = arith.mulf %0, %root : tensor<4x6xf32>
  %2 = math.erfc %1 : tensor<4x6xf32>
  %3 = arith.mulf %x, %half : tensor<4x6xf32>
  %4 = arith.mulf %3, %2 : tensor<4x6xf32>
  return %4 : tensor<4x6xf32>
}

// CHECK-LABEL: func.func @logarithms(
// CHECK:         mirage_kernel.log
// CHECK-NEXT:    mirage_kernel.scale %{{.+}} by 1.4426950408
// CHECK:         mirage_kernel.log
// CHECK-NEXT:    mirage_kernel.scale %{{.+}} by 0.434294481
func.func @logarithms(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = math.exp %x : tensor<4x6xf32>
  %1 = math.log2 %0 : tensor<4x6xf32>
  %2 = math.exp %1 : tensor<4x6xf32>
  %3 = math.log10 %2 : tensor<4x6xf32>
  return %3 : tensor<4x6xf32>
}

// CHECK-LABEL: func.func @hyperbolic(
// CHECK:         mirage_kernel.sub
// CHECK-NEXT:    mirage_kernel.scale %{{.+}} by 5.0
// CHECK:         mirage_kernel.add
// CHECK-NEXT:    mirage_kernel.scale %{{.+}} by 5.0
func.func @hyperbolic(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = math.sinh %x : tensor<4x6xf32>
  %1 = math.cosh %0 : tensor<4x6xf32>
  return %1 : tensor<4x6xf32>
}

// An exponent that no product of roots has, and a base that is a number.
// CHECK-LABEL: func.func @powers(
// CHECK:         %[[C:.+]] = mirage_kernel.constant 2.70{{.+}} : tensor<1xf32>
// CHECK:         mirage_kernel.pow %{{.+}}, %[[C]] : (tensor<4x6xf32>, tensor<1xf32>) -> tensor<4x6xf32>
// CHECK:         %[[S:.+]] = mirage_kernel.scale %{{.+}} by 2.302585
// CHECK:         mirage_kernel.exp %[[S]]
func.func @powers(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %c = arith.constant dense<2.7> : tensor<4x6xf32>
  %b = arith.constant dense<10.0> : tensor<4x6xf32>
  %0 = math.absf %x : tensor<4x6xf32>
  %1 = math.powf %0, %c : tensor<4x6xf32>
  %2 = math.tanh %1 : tensor<4x6xf32>
  %3 = math.powf %b, %2 : tensor<4x6xf32>
  return %3 : tensor<4x6xf32>
}

// A number is computed where it stands.
// CHECK-LABEL: func.func @of_number(
// CHECK:         mirage_kernel.scale %{{.+}} by 0.69314718
func.func @of_number(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %one = arith.constant dense<1.0> : tensor<4x6xf32>
  %0 = math.log1p %one : tensor<4x6xf32>
  %1 = arith.mulf %x, %0 : tensor<4x6xf32>
  return %1 : tensor<4x6xf32>
}
