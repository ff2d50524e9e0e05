// RUN: mirage-opt %s --mirage-expand-composed -o %t
// RUN: FileCheck %s < %t
// RUN: mirage-verify %s %t

// CHECK-LABEL: func.func @rms_norm(
// CHECK-SAME:    %[[X:.+]]: tensor<4x6xf16>, %[[W:.+]]: tensor<6xf16>
func.func @rms_norm(%x: tensor<4x6xf16>, %w: tensor<6xf16>) -> tensor<4x6xf16> {
  // CHECK: %[[S:.+]] = mirage_kernel.square %[[X]] : (tensor<4x6xf16>) -> tensor<4x6xf32>
  // CHECK: %[[M:.+]] = mirage_kernel.mean %[[S]] dims [1] : (tensor<4x6xf32>) -> tensor<4x1xf32>
  // CHECK: %[[E:.+]] = mirage_kernel.offset %[[M]] by 1.000000e-05
  // CHECK: %[[R:.+]] = mirage_kernel.sqrt %[[E]]
  // CHECK: %[[D:.+]] = mirage_kernel.div %[[X]], %[[R]] : (tensor<4x6xf16>, tensor<4x1xf32>) -> tensor<4x6xf32>
  // CHECK: mirage_kernel.mul %[[D]], %[[W]] : (tensor<4x6xf32>, tensor<6xf16>) -> tensor<4x6xf16>
  %0 = mirage_kernel.rms_norm %x, %w dims [1] epsilon 1.0e-5 : (tensor<4x6xf16>, tensor<6xf16>) -> tensor<4x6xf16>
  return %0 : tensor<4x6xf16>
}

// CHECK-LABEL: func.func @layer_norm(
// CHECK-SAME:    %[[X:.+]]: tensor<4x6xf16>, %[[W:.+]]: tensor<6xf16>, %[[B:.+]]: tensor<6xf16>
func.func @layer_norm(%x: tensor<4x6xf16>, %w: tensor<6xf16>, %b: tensor<6xf16>) -> tensor<4x6xf16> {
  // CHECK: %[[C:.+]] = mirage_kernel.sub %[[X]], %{{.+}} : (tensor<4x6xf16>, tensor<4x1xf32>) -> tensor<4x6xf32>
  // CHECK: %[[D:.+]] = mirage_kernel.div %[[C]]
  // CHECK: %[[M:.+]] = mirage_kernel.mul %[[D]], %[[W]]
  // CHECK: mirage_kernel.add %[[M]], %[[B]] : (tensor<4x6xf32>, tensor<6xf16>) -> tensor<4x6xf16>
  %0 = mirage_kernel.layer_norm %x, %w, %b dims [1] epsilon 1.0e-5 : (tensor<4x6xf16>, tensor<6xf16>, tensor<6xf16>) -> tensor<4x6xf16>
  return %0 : tensor<4x6xf16>
}

// Without an epsilon there is nothing to add.
// CHECK-LABEL: func.func @l2_norm(
func.func @l2_norm(%x: tensor<4x6xf16>) -> tensor<4x6xf16> {
  // CHECK: mirage_kernel.sum
  // CHECK-NEXT: mirage_kernel.sqrt
  // CHECK-NEXT: mirage_kernel.div
  %0 = mirage_kernel.l2_norm %x dims [0] epsilon 0.0 : (tensor<4x6xf16>) -> tensor<4x6xf16>
  return %0 : tensor<4x6xf16>
}

// CHECK-LABEL: func.func @softmax(
// CHECK-SAME:    %[[X:.+]]: tensor<4x6xf16>
func.func @softmax(%x: tensor<4x6xf16>) -> tensor<4x6xf16> {
  // CHECK: %[[M:.+]] = mirage_kernel.max %[[X]] dims [0, 1] : (tensor<4x6xf16>) -> tensor<1x1xf32>
  // CHECK: %[[S:.+]] = mirage_kernel.sub %[[X]], %[[M]]
  // CHECK: %[[E:.+]] = mirage_kernel.exp %[[S]]
  // CHECK: %[[T:.+]] = mirage_kernel.sum %[[E]] dims [0, 1]
  // CHECK: mirage_kernel.div %[[E]], %[[T]] : (tensor<4x6xf32>, tensor<1x1xf32>) -> tensor<4x6xf16>
  %0 = mirage_kernel.softmax %x dims [0, 1] : (tensor<4x6xf16>) -> tensor<4x6xf16>
  return %0 : tensor<4x6xf16>
}

// CHECK-LABEL: func.func @repeat(
func.func @repeat(%x: tensor<4x6xf16>) -> tensor<8x18xf16> {
  // CHECK: mirage_kernel.reshape %{{.+}} : (tensor<4x6xf16>) -> tensor<1x4x1x6xf16>
  // CHECK: mirage_kernel.broadcast %{{.+}} : (tensor<1x4x1x6xf16>) -> tensor<2x4x3x6xf16>
  // CHECK: mirage_kernel.reshape %{{.+}} : (tensor<2x4x3x6xf16>) -> tensor<8x18xf16>
  %0 = mirage_kernel.repeat %x : (tensor<4x6xf16>) -> tensor<8x18xf16>
  return %0 : tensor<8x18xf16>
}
