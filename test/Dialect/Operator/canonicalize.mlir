// Which identities, and why no others: docs/rationale/Canonicalization.md.
// RUN: mirage-opt %s --canonicalize -o %t
// RUN: FileCheck %s < %t
// RUN: mirage-verify %s %t

// CHECK-LABEL: func.func @same(
// CHECK-SAME:    %[[X:.+]]: tensor<8x64xf16>)
func.func @same(%x: tensor<8x64xf16>) -> tensor<8x64xf16> {
  // CHECK-NEXT: return %[[X]]
  %0 = mirage_kernel.cast %x : (tensor<8x64xf16>) -> tensor<8x64xf16>
  %1 = mirage_kernel.reshape %0 : (tensor<8x64xf16>) -> tensor<8x64xf16>
  %2 = mirage_kernel.broadcast %1 : (tensor<8x64xf16>) -> tensor<8x64xf16>
  %3 = mirage_kernel.slice %2 offsets [0, 0] strides [1, 1] : (tensor<8x64xf16>) -> tensor<8x64xf16>
  %4 = mirage_kernel.transpose %3 dims [0, 1] : (tensor<8x64xf16>) -> tensor<8x64xf16>
  %5 = mirage_kernel.concat %4 dims [1] : (tensor<8x64xf16>) -> tensor<8x64xf16>
  %6 = mirage_kernel.repeat %5 : (tensor<8x64xf16>) -> tensor<8x64xf16>
  %7 = mirage_kernel.scale %6 by 1.0 : (tensor<8x64xf16>) -> tensor<8x64xf16>
  %8 = mirage_kernel.offset %7 by -0.0 : (tensor<8x64xf16>) -> tensor<8x64xf16>
  %9 = mirage_kernel.maximum %8, %8 : (tensor<8x64xf16>, tensor<8x64xf16>) -> tensor<8x64xf16>
  %10 = mirage_kernel.minimum %9, %9 : (tensor<8x64xf16>, tensor<8x64xf16>) -> tensor<8x64xf16>
  return %10 : tensor<8x64xf16>
}

// There and back through a type that holds every number.
// CHECK-LABEL: func.func @there_and_back(
// CHECK-SAME:    %[[X:.+]]: tensor<8x64xf16>)
func.func @there_and_back(%x: tensor<8x64xf16>) -> tensor<8x64xf16> {
  // CHECK-NEXT: return %[[X]]
  %0 = mirage_kernel.cast %x : (tensor<8x64xf16>) -> tensor<8x64xf32>
  %1 = mirage_kernel.cast %0 : (tensor<8x64xf32>) -> tensor<8x64xf16>
  %2 = mirage_kernel.neg %1 : (tensor<8x64xf16>) -> tensor<8x64xf32>
  %3 = mirage_kernel.neg %2 : (tensor<8x64xf32>) -> tensor<8x64xf16>
  %4 = mirage_kernel.transpose %3 dims [1, 0] : (tensor<8x64xf16>) -> tensor<64x8xf16>
  %5 = mirage_kernel.transpose %4 dims [1, 0] : (tensor<64x8xf16>) -> tensor<8x64xf16>
  %6 = mirage_kernel.reshape %5 : (tensor<8x64xf16>) -> tensor<512xf16>
  %7 = mirage_kernel.reshape %6 : (tensor<512xf16>) -> tensor<8x64xf16>
  return %7 : tensor<8x64xf16>
}

// What rounds on the way stays; 0 + x is no -0; bf16 does not hold f16.
// CHECK-LABEL: func.func @not_exact(
func.func @not_exact(%x: tensor<8x64xf32>, %y: tensor<8x64xf16>)
    -> (tensor<8x64xf32>, tensor<8x64xf32>, tensor<8x64xf16>, tensor<8x64xf32>) {
  // CHECK: mirage_kernel.cast
  // CHECK: mirage_kernel.cast
  %0 = mirage_kernel.cast %x : (tensor<8x64xf32>) -> tensor<8x64xf16>
  %1 = mirage_kernel.cast %0 : (tensor<8x64xf16>) -> tensor<8x64xf32>
  // CHECK: mirage_kernel.neg
  // CHECK: mirage_kernel.neg
  %2 = mirage_kernel.neg %x : (tensor<8x64xf32>) -> tensor<8x64xf16>
  %3 = mirage_kernel.neg %2 : (tensor<8x64xf16>) -> tensor<8x64xf32>
  // CHECK: mirage_kernel.cast
  // CHECK: mirage_kernel.cast
  %4 = mirage_kernel.cast %y : (tensor<8x64xf16>) -> tensor<8x64xbf16>
  %5 = mirage_kernel.cast %4 : (tensor<8x64xbf16>) -> tensor<8x64xf16>
  // CHECK: mirage_kernel.offset
  %6 = mirage_kernel.offset %x by 0.0 : (tensor<8x64xf32>) -> tensor<8x64xf32>
  return %1, %3, %5, %6 : tensor<8x64xf32>, tensor<8x64xf32>, tensor<8x64xf16>, tensor<8x64xf32>
}

// CHECK-LABEL: func.func @two_in_a_row(
// CHECK-SAME:    %[[X:.+]]: tensor<8x6x4xf16>)
func.func @two_in_a_row(%x: tensor<8x6x4xf16>)
    -> (tensor<4x8x6xf16>, tensor<3x1x4xf16>, tensor<16x8x6x4xf16>, tensor<8x6x4xf32>) {
  // CHECK: mirage_kernel.transpose %[[X]] dims [2, 0, 1]
  %0 = mirage_kernel.transpose %x dims [1, 2, 0] : (tensor<8x6x4xf16>) -> tensor<6x4x8xf16>
  %1 = mirage_kernel.transpose %0 dims [1, 2, 0] : (tensor<6x4x8xf16>) -> tensor<4x8x6xf16>
  // CHECK: mirage_kernel.slice %[[X]] offsets [3, 5, 0] strides [2, 6, 1]
  %2 = mirage_kernel.slice %x offsets [1, 1, 0] strides [1, 2, 1] : (tensor<8x6x4xf16>) -> tensor<7x3x4xf16>
  %3 = mirage_kernel.slice %2 offsets [2, 2, 0] strides [2, 3, 1] : (tensor<7x3x4xf16>) -> tensor<3x1x4xf16>
  // CHECK: mirage_kernel.broadcast %[[X]] : (tensor<8x6x4xf16>) -> tensor<16x8x6x4xf16>
  %4 = mirage_kernel.broadcast %x : (tensor<8x6x4xf16>) -> tensor<1x8x6x4xf16>
  %5 = mirage_kernel.broadcast %4 : (tensor<1x8x6x4xf16>) -> tensor<16x8x6x4xf16>
  // CHECK: mirage_kernel.abs %[[X]] : (tensor<8x6x4xf16>) -> tensor<8x6x4xf32>
  %6 = mirage_kernel.neg %x : (tensor<8x6x4xf16>) -> tensor<8x6x4xf16>
  %7 = mirage_kernel.abs %6 : (tensor<8x6x4xf16>) -> tensor<8x6x4xf32>
  %8 = mirage_kernel.abs %7 : (tensor<8x6x4xf32>) -> tensor<8x6x4xf32>
  return %1, %3, %5, %8 : tensor<4x8x6xf16>, tensor<3x1x4xf16>, tensor<16x8x6x4xf16>, tensor<8x6x4xf32>
}

// CHECK-LABEL: func.func @concats(
// CHECK-SAME:    %[[X:.+]]: tensor<8x3xf16>, %[[Y:.+]]: tensor<8x4xf16>)
func.func @concats(%x: tensor<8x3xf16>, %y: tensor<8x4xf16>) -> tensor<16x10xf16> {
  // CHECK: %[[C:.+]] = mirage_kernel.concat %[[X]], %[[Y]], %[[X]] dims [1]
  %0 = mirage_kernel.concat %x, %y dims [1] : (tensor<8x3xf16>, tensor<8x4xf16>) -> tensor<8x7xf16>
  %1 = mirage_kernel.concat %0, %x dims [1] : (tensor<8x7xf16>, tensor<8x3xf16>) -> tensor<8x10xf16>
  // CHECK: mirage_kernel.concat %[[C]], %[[C]] dims [0]
  %2 = mirage_kernel.concat %1, %1 dims [0] : (tensor<8x10xf16>, tensor<8x10xf16>) -> tensor<16x10xf16>
  return %2 : tensor<16x10xf16>
}

// CHECK-LABEL: func.func @signs(
// CHECK-SAME:    %[[X:.+]]: tensor<8x64xf16>, %[[Y:.+]]: tensor<8x64xf16>)
func.func @signs(%x: tensor<8x64xf16>, %y: tensor<8x64xf16>)
    -> (tensor<8x64xf16>, tensor<8x64xf16>, tensor<8x64xf16>, tensor<8x64xf16>) {
  // CHECK-NEXT: mirage_kernel.square %[[X]]
  // CHECK-NEXT: mirage_kernel.sub %[[Y]], %[[X]]
  // CHECK-NEXT: mirage_kernel.sub %[[Y]], %[[X]]
  // CHECK-NEXT: mirage_kernel.add %[[Y]], %[[X]]
  %n = mirage_kernel.neg %x : (tensor<8x64xf16>) -> tensor<8x64xf16>
  %0 = mirage_kernel.mul %n, %n : (tensor<8x64xf16>, tensor<8x64xf16>) -> tensor<8x64xf16>
  %1 = mirage_kernel.add %n, %y : (tensor<8x64xf16>, tensor<8x64xf16>) -> tensor<8x64xf16>
  %2 = mirage_kernel.add %y, %n : (tensor<8x64xf16>, tensor<8x64xf16>) -> tensor<8x64xf16>
  %3 = mirage_kernel.sub %y, %n : (tensor<8x64xf16>, tensor<8x64xf16>) -> tensor<8x64xf16>
  return %0, %1, %2, %3 : tensor<8x64xf16>, tensor<8x64xf16>, tensor<8x64xf16>, tensor<8x64xf16>
}

// CHECK-LABEL: func.func @constants(
// CHECK-SAME:    %[[X:.+]]: tensor<8x64xf32>)
func.func @constants(%x: tensor<8x64xf32>)
    -> (tensor<8x64xf32>, tensor<8x64xf32>, tensor<8x64xf32>, tensor<8x64xf32>,
        tensor<8x64xf32>, tensor<8x64xf32>, tensor<8x64xf32>, tensor<8x64xf32>) {
  %c = mirage_kernel.constant 4.0 : tensor<64x1xf16>
  %t = mirage_kernel.transpose %c dims [1, 0] : (tensor<64x1xf16>) -> tensor<1x64xf16>
  %z = mirage_kernel.constant 0.0 : tensor<8x64xf16>
  // CHECK: mirage_kernel.scale %[[X]] by 4.000000e+00
  // CHECK: mirage_kernel.offset %[[X]] by 4.000000e+00
  // CHECK: mirage_kernel.offset %[[X]] by -4.000000e+00
  // CHECK: mirage_kernel.scale %[[X]] by 2.500000e-01
  // CHECK: mirage_kernel.clamp %[[X]] to 4.000000e+00, 0x7FF0000000000000
  // CHECK: mirage_kernel.clamp %[[X]] to 0xFFF0000000000000, 4.000000e+00
  // CHECK: mirage_kernel.relu %[[X]]
  // CHECK: return
  // CHECK-SAME: %[[X]] : tensor
  %0 = mirage_kernel.mul %t, %x : (tensor<1x64xf16>, tensor<8x64xf32>) -> tensor<8x64xf32>
  %1 = mirage_kernel.add %x, %t : (tensor<8x64xf32>, tensor<1x64xf16>) -> tensor<8x64xf32>
  %2 = mirage_kernel.sub %x, %t : (tensor<8x64xf32>, tensor<1x64xf16>) -> tensor<8x64xf32>
  %3 = mirage_kernel.div %x, %t : (tensor<8x64xf32>, tensor<1x64xf16>) -> tensor<8x64xf32>
  %4 = mirage_kernel.maximum %x, %t : (tensor<8x64xf32>, tensor<1x64xf16>) -> tensor<8x64xf32>
  %5 = mirage_kernel.minimum %x, %t : (tensor<8x64xf32>, tensor<1x64xf16>) -> tensor<8x64xf32>
  %6 = mirage_kernel.maximum %x, %z : (tensor<8x64xf32>, tensor<8x64xf16>) -> tensor<8x64xf32>
  // x - 0 is x, of either zero.
  %7 = mirage_kernel.sub %x, %z : (tensor<8x64xf32>, tensor<8x64xf16>) -> tensor<8x64xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<8x64xf32>, tensor<8x64xf32>, tensor<8x64xf32>, tensor<8x64xf32>,
      tensor<8x64xf32>, tensor<8x64xf32>, tensor<8x64xf32>, tensor<8x64xf32>
}

// 1/3 is no f32, and 0.1 no f16; what is taken from a number, and a constant of more
// elements, stay.
// CHECK-LABEL: func.func @constants_that_stay(
func.func @constants_that_stay(%x: tensor<8x64xf32>)
    -> (tensor<8x64xf32>, tensor<8x64xf32>, tensor<8x64xf32>, tensor<3x8x64xf32>) {
  %tenth = mirage_kernel.constant 0.1 : tensor<1x64xf16>
  %three = mirage_kernel.constant 3.0 : tensor<1x64xf32>
  %many = mirage_kernel.constant 3.0 : tensor<3x8x64xf32>
  // CHECK: mirage_kernel.mul
  // CHECK: mirage_kernel.unscale %{{.+}} by 3.000000e+00
  // CHECK: mirage_kernel.sub
  // CHECK: mirage_kernel.mul
  %0 = mirage_kernel.mul %tenth, %x : (tensor<1x64xf16>, tensor<8x64xf32>) -> tensor<8x64xf32>
  %1 = mirage_kernel.div %x, %three : (tensor<8x64xf32>, tensor<1x64xf32>) -> tensor<8x64xf32>
  %2 = mirage_kernel.sub %three, %x : (tensor<1x64xf32>, tensor<8x64xf32>) -> tensor<8x64xf32>
  %3 = mirage_kernel.mul %many, %x : (tensor<3x8x64xf32>, tensor<8x64xf32>) -> tensor<3x8x64xf32>
  return %0, %1, %2, %3 : tensor<8x64xf32>, tensor<8x64xf32>, tensor<8x64xf32>, tensor<3x8x64xf32>
}

// CHECK-LABEL: func.func @in_a_block(
func.func @in_a_block(%x: tensor<8x64xf16>) -> tensor<8x64xf16> {
  %o = mirage_block.graph grid(x = 2) threads(128) ins(%x imap(x -> 1)) outs(omap(x -> 1)) : (tensor<8x64xf16>) -> tensor<8x64xf16> {
  ^bb0(%t: tensor<8x32xf16>):
    // CHECK: ^bb0(%[[T:.+]]: tensor<8x32xf16>):
    // CHECK-NEXT: %[[S:.+]] = mirage_block.square %[[T]] : tensor<8x32xf16>
    // CHECK-NEXT: mirage_block.yield %[[S]]
    %0 = mirage_block.transpose %t dims [1, 0] : tensor<8x32xf16>
    %1 = mirage_block.transpose %0 dims [1, 0] : tensor<32x8xf16>
    %2 = mirage_block.neg %1 : tensor<8x32xf16>
    %3 = mirage_block.mul %2, %2 : tensor<8x32xf32>, tensor<8x32xf32>
    mirage_block.yield %3 : tensor<8x32xf32>
  }
  return %o : tensor<8x64xf16>
}

// What 8 bits do not store is not written as one of their numbers.
// CHECK-LABEL: func.func @infinity_that_stays(
func.func @infinity_that_stays() -> (tensor<8xf8E4M3FN>, tensor<8xf8E5M2>) {
  // CHECK-DAG: %[[NONE:.+]] = mirage_kernel.constant 0xFFF0000000000000 : tensor<8xf32>
  // CHECK-DAG: mirage_kernel.cast %[[NONE]] : (tensor<8xf32>) -> tensor<8xf8E4M3FN>
  // CHECK-DAG: mirage_kernel.cast %[[NONE]] : (tensor<8xf32>) -> tensor<8xf8E5M2>
  %c = mirage_kernel.constant 0xFFF0000000000000 : tensor<8xf32>
  %0 = mirage_kernel.cast %c : (tensor<8xf32>) -> tensor<8xf8E4M3FN>
  %1 = mirage_kernel.cast %c : (tensor<8xf32>) -> tensor<8xf8E5M2>
  return %0, %1 : tensor<8xf8E4M3FN>, tensor<8xf8E5M2>
}
