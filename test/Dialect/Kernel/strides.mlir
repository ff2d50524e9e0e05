// RUN: mirage-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: func.func private @linear(
// CHECK-SAME:    tensor<8x64xf16> {mirage_kernel.strides = array<i64: 72, 1>}
// CHECK-SAME:    tensor<64x32xf16> {mirage.name = "w", mirage_kernel.strides = array<i64: 1, 64>}
// CHECK-SAME:    tensor<8x32xf16> {mirage_kernel.strides = array<i64: 0, 1>}
// CHECK-SAME:    -> (tensor<8x32xf16> {mirage_kernel.strides = array<i64: 40, 1>})
func.func private @linear(
    tensor<8x64xf16> {mirage_kernel.strides = array<i64: 72, 1>},
    tensor<64x32xf16> {mirage.name = "w", mirage_kernel.strides = array<i64: 1, 64>},
    tensor<8x32xf16> {mirage_kernel.strides = array<i64: 0, 1>})
    -> (tensor<8x32xf16> {mirage_kernel.strides = array<i64: 40, 1>})

// A dimension of one element has any stride; results may be of any order.
// CHECK-LABEL: func.func private @orders(
func.func private @orders(tensor<1x4xf32> {mirage_kernel.strides = array<i64: 0, 1>})
    -> (tensor<2x3x1xf32> {mirage_kernel.strides = array<i64: 1, 2, 0>},
        tensor<2x3x4xf32> {mirage_kernel.strides = array<i64: 5, 10, 1>})
