// Ops that import does not know itself, by what external models say of them.
// RUN: mirage-foreign-opt %s --convert-linalg-to-mirage-kernel --verify-diagnostics | FileCheck %s

// One program with what stands around the op.
// CHECK-LABEL: func.func @taken(
// CHECK:       ^bb0(%[[X:.+]]: tensor<4x6xf32>):
// CHECK-NEXT:    %[[E:.+]] = mirage_kernel.exp %[[X]]
// CHECK-NEXT:    %[[O:.+]] = mirage_kernel.offset %[[E]] by 1.000000e+00
// CHECK-NEXT:    %[[L:.+]] = mirage_kernel.log %[[O]]
// CHECK-NEXT:    %[[T:.+]] = mirage_kernel.tanh %[[L]]
// CHECK-NEXT:    mirage_kernel.yield %[[T]]
func.func @taken(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = math.exp %x : tensor<4x6xf32>
  %1 = math.log1p %0 : tensor<4x6xf32>
  %2 = math.tanh %1 : tensor<4x6xf32>
  return %2 : tensor<4x6xf32>
}

// An operand that no operator takes is null to the model.
// CHECK-LABEL: func.func @refused(
// CHECK:         math.log1p
func.func @refused(%x: tensor<4x6xf64>) -> tensor<4x6xf64> {
  // expected-remark @below {{'math.log1p' op stays outside of a mirage_kernel.graph: expects a tensor that a kernel takes}}
  %0 = math.log1p %x : tensor<4x6xf64>
  return %0 : tensor<4x6xf64>
}

// CHECK-LABEL: func.func @other_dialect(
// CHECK:         math.cos
func.func @other_dialect(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  // expected-remark @below {{'math.cos' op stays outside of a mirage_kernel.graph: expects to be written in ops of mirage_kernel, got arith.negf}}
  %0 = math.cos %x : tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// CHECK-LABEL: func.func @other_type(
// CHECK:         math.sin
func.func @other_type(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  // expected-remark @below {{'math.sin' op stays outside of a mirage_kernel.graph: expects to be written as values of its results' types, (tensor<4x6xf32>), got (tensor<4x6xf16>)}}
  %0 = math.sin %x : tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// CHECK-LABEL: func.func @nothing(
// CHECK:         math.tan
func.func @nothing(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  // expected-remark @below {{expects to be written as values of its results' types, (tensor<4x6xf32>), got a null value}}
  %0 = math.tan %x : tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}
