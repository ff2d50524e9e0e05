// What a mask hides vanishes: by a causal one, by one that is added, by what stands beside.
// RUN: mirage-opt %s --verify-roundtrip -o %t
// RUN: mirage-verify %s %S/Inputs/infinities-written-out.mlir

// The first two columns, by an additive mask of the others.
func.func @additive(%s: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %zero = mirage_kernel.constant 0.0 : tensor<1x2xf32>
  %hidden = mirage_kernel.constant 0xFFF0000000000000 : tensor<1x2xf32>
  %mask = mirage_kernel.concat %zero, %hidden dims [1] : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x4xf32>
  %m = mirage_kernel.add %s, %mask : (tensor<3x4xf32>, tensor<1x4xf32>) -> tensor<3x4xf32>
  %p = mirage_kernel.softmax %m dims [1] : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return %p : tensor<3x4xf32>
}

// Rows see 2, 3 and 4 columns.
func.func @causal(%s: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %m = mirage_kernel.causal_mask %s offset 1 : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %p = mirage_kernel.softmax %m dims [1] : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return %p : tensor<3x4xf32>
}
