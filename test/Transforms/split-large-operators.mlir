// Operators that leave a block more than it can hold, however small the tiles are along
// the dimensions that it cuts.
// RUN: mirage-opt %s --mirage-assign-default-blocks=target=sm_86 --verify-each -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: mirage-opt %t.mlir --mirage-schedule-block --mirage-plan-shared-memory --mirage-plan-device-memory --convert-mirage-kernel-to-gpu -o /dev/null

// A mean of the dimensions one by one, that counts all elements in the end.
// CHECK-LABEL: func.func @mean(
// CHECK: mirage_block.accumulate %{{.+}} over loop mean dims [2] count 1 :
// CHECK: mirage_block.accumulate %{{.+}} over loop mean dims [1] count 1 :
// CHECK: mirage_block.accumulate %{{.+}} over loop mean dims [0] count 4096000 :
func.func @mean(%x: tensor<160x160x160xf32>, %e: tensor<1x1x1xf16>) -> tensor<1x1x1xf16> {
  %r = mirage_kernel.graph ins(%x : tensor<160x160x160xf32>) outs(%e : tensor<1x1x1xf16>) {
  ^bb0(%a: tensor<160x160x160xf32>):
    %0 = mirage_kernel.mean %a dims [0, 1, 2] : (tensor<160x160x160xf32>) -> tensor<1x1x1xf16>
    mirage_kernel.yield %0 : tensor<1x1x1xf16>
  } : tensor<1x1x1xf16>
  return %r : tensor<1x1x1xf16>
}

// Neighbouring dimensions are one; a weight keeps to its own.
// CHECK-LABEL: func.func @merged(
// CHECK: mirage_kernel.reshape %{{.+}} : (tensor<7x7x7x7x7x7x7x7xf32>) -> tensor<2401x2401xf32>
// CHECK: mirage_kernel.reshape %{{.+}} : (tensor<7x7x7x7xf32>) -> tensor<1x2401xf32>
// CHECK: mirage_block.mul
// CHECK: mirage_kernel.reshape %{{.+}} : (tensor<2401x2401xf32>) -> tensor<7x7x7x7x7x7x7x7xf32>
func.func @merged(%x: tensor<7x7x7x7x7x7x7x7xf32>, %w: tensor<7x7x7x7xf32>, %e: tensor<7x7x7x7x7x7x7x7xf32>) -> tensor<7x7x7x7x7x7x7x7xf32> {
  %r = mirage_kernel.graph ins(%x, %w : tensor<7x7x7x7x7x7x7x7xf32>, tensor<7x7x7x7xf32>) outs(%e : tensor<7x7x7x7x7x7x7x7xf32>) {
  ^bb0(%a: tensor<7x7x7x7x7x7x7x7xf32>, %b: tensor<7x7x7x7xf32>):
    %0 = mirage_kernel.mul %a, %b : (tensor<7x7x7x7x7x7x7x7xf32>, tensor<7x7x7x7xf32>) -> tensor<7x7x7x7x7x7x7x7xf32>
    mirage_kernel.yield %0 : tensor<7x7x7x7x7x7x7x7xf32>
  } : tensor<7x7x7x7x7x7x7x7xf32>
  return %r : tensor<7x7x7x7x7x7x7x7xf32>
}

// CHECK-LABEL: func.func @batches(
// CHECK: mirage_kernel.reshape %{{.+}} : (tensor<7x7x7x7x7x7x7x2xf32>) -> tensor<117649x7x2xf32>
// CHECK: mirage_kernel.reshape %{{.+}} : (tensor<2x7xf32>) -> tensor<1x2x7xf32>
// CHECK: mirage_block.matmul
func.func @batches(%x: tensor<7x7x7x7x7x7x7x2xf32>, %w: tensor<2x7xf32>, %e: tensor<7x7x7x7x7x7x7x7xf32>) -> tensor<7x7x7x7x7x7x7x7xf32> {
  %r = mirage_kernel.graph ins(%x, %w : tensor<7x7x7x7x7x7x7x2xf32>, tensor<2x7xf32>) outs(%e : tensor<7x7x7x7x7x7x7x7xf32>) {
  ^bb0(%a: tensor<7x7x7x7x7x7x7x2xf32>, %b: tensor<2x7xf32>):
    %0 = mirage_kernel.matmul %a, %b : (tensor<7x7x7x7x7x7x7x2xf32>, tensor<2x7xf32>) -> tensor<7x7x7x7x7x7x7x7xf32>
    mirage_kernel.yield %0 : tensor<7x7x7x7x7x7x7x7xf32>
  } : tensor<7x7x7x7x7x7x7x7xf32>
  return %r : tensor<7x7x7x7x7x7x7x7xf32>
}

// Nothing to merge, since neighbours are of different operands: halves, and halves of these,
// each written into its place.
// CHECK-LABEL: func.func @outer(
// CHECK: mirage_kernel.slice %{{.+}} offsets [0, 0, 0, 0, 0, 0, 0, 0]
// CHECK: mirage_block.mul
// CHECK: mirage_kernel.concat
// CHECK: mirage_kernel.concat
func.func @outer(%x: tensor<16x1x16x1x16x1x16x1xf32>, %y: tensor<1x16x1x16x1x16x1x16xf32>, %e: tensor<16x16x16x16x16x16x16x16xf32>) -> tensor<16x16x16x16x16x16x16x16xf32> {
  %r = mirage_kernel.graph ins(%x, %y : tensor<16x1x16x1x16x1x16x1xf32>, tensor<1x16x1x16x1x16x1x16xf32>) outs(%e : tensor<16x16x16x16x16x16x16x16xf32>) {
  ^bb0(%a: tensor<16x1x16x1x16x1x16x1xf32>, %b: tensor<1x16x1x16x1x16x1x16xf32>):
    %0 = mirage_kernel.mul %a, %b : (tensor<16x1x16x1x16x1x16x1xf32>, tensor<1x16x1x16x1x16x1x16xf32>) -> tensor<16x16x16x16x16x16x16x16xf32>
    mirage_kernel.yield %0 : tensor<16x16x16x16x16x16x16x16xf32>
  } : tensor<16x16x16x16x16x16x16x16xf32>
  return %r : tensor<16x16x16x16x16x16x16x16xf32>
}

// Elements of a slice lie apart and have no other shape, nor have those of a part.
// CHECK-LABEL: func.func @views(
// CHECK-NOT: mirage_kernel.reshape
// CHECK: return
func.func @views(%x: tensor<7x7x7x7x7x7x7x8xf32>, %e: tensor<7x7x7x7x7x7x14x7xf32>) -> tensor<7x7x7x7x7x7x14x7xf32> {
  %r = mirage_kernel.graph ins(%x : tensor<7x7x7x7x7x7x7x8xf32>) outs(%e : tensor<7x7x7x7x7x7x14x7xf32>) {
  ^bb0(%a: tensor<7x7x7x7x7x7x7x8xf32>):
    %0 = mirage_kernel.slice %a offsets [0, 0, 0, 0, 0, 0, 0, 1] strides [1, 1, 1, 1, 1, 1, 1, 1] : (tensor<7x7x7x7x7x7x7x8xf32>) -> tensor<7x7x7x7x7x7x7x7xf32>
    %1 = mirage_kernel.exp %0 : (tensor<7x7x7x7x7x7x7x7xf32>) -> tensor<7x7x7x7x7x7x7x7xf32>
    %2 = mirage_kernel.neg %0 : (tensor<7x7x7x7x7x7x7x7xf32>) -> tensor<7x7x7x7x7x7x7x7xf32>
    %3 = mirage_kernel.concat %1, %2 dims [6] : (tensor<7x7x7x7x7x7x7x7xf32>, tensor<7x7x7x7x7x7x7x7xf32>) -> tensor<7x7x7x7x7x7x14x7xf32>
    mirage_kernel.yield %3 : tensor<7x7x7x7x7x7x14x7xf32>
  } : tensor<7x7x7x7x7x7x14x7xf32>
  return %r : tensor<7x7x7x7x7x7x14x7xf32>
}
