// RUN: mirage-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: func.func @slice(
func.func @slice(%x: tensor<8x64xf16>) {
  // CHECK: mirage_kernel.slice %{{.+}} offsets [0, 3] strides [1, 2] : (tensor<8x64xf16>) -> tensor<8x31xf32>
  %0 = mirage_kernel.slice %x offsets [0, 3] strides [1, 2] : (tensor<8x64xf16>) -> tensor<8x31xf32>
  // CHECK: mirage_block.slice %{{.+}} offsets [2, 0] strides [5, 1] : (tensor<8x64xf16>) -> tensor<2x64xf16>
  %1 = mirage_block.slice %x offsets [2, 0] strides [5, 1] : (tensor<8x64xf16>) -> tensor<2x64xf16>
  return
}

// CHECK-LABEL: func.func @concat(
func.func @concat(%x: tensor<8x64xf16>, %y: tensor<8x3xf16>) {
  // CHECK: mirage_kernel.concat %{{.+}}, %{{.+}}, %{{.+}} dims [1] : (tensor<8x64xf16>, tensor<8x3xf16>, tensor<8x64xf16>) -> tensor<8x131xf32>
  %0 = mirage_kernel.concat %x, %y, %x dims [1] : (tensor<8x64xf16>, tensor<8x3xf16>, tensor<8x64xf16>) -> tensor<8x131xf32>
  // CHECK: %[[C:.+]] = mirage_block.concat %{{.+}}, %{{.+}} dims [1] : tensor<8x64xf16>, tensor<8x3xf16>
  // CHECK: mirage_block.exp %[[C]] : tensor<8x67xf16>
  %1 = mirage_block.concat %x, %y dims [1] : tensor<8x64xf16>, tensor<8x3xf16>
  %2 = mirage_block.exp %1 : tensor<8x67xf16>
  return
}

// CHECK-LABEL: func.func @causal_mask(
func.func @causal_mask(%s: tensor<3x8x12xf16>) {
  // CHECK: mirage_kernel.causal_mask %{{.+}} offset 4 : (tensor<3x8x12xf16>) -> tensor<3x8x12xf32>
  %0 = mirage_kernel.causal_mask %s offset 4 : (tensor<3x8x12xf16>) -> tensor<3x8x12xf32>
  // CHECK: mirage_block.causal_mask %{{.+}} offset -1 : tensor<3x8x12xf16>
  %1 = mirage_block.causal_mask %s offset -1 : tensor<3x8x12xf16>
  // CHECK: mirage_block.causal_mask %{{.+}} offset 0 rows ["x", "y"] columns ["loop"] : tensor<3x2x4xf16>
  %2 = mirage_block.graph grid(x = 2, y = 2) threads(128) loop(3) ins(%s imap(x -> 1, y -> 1) fmap(2)) outs(omap(x -> 1, y -> 1))
      : (tensor<3x8x12xf16>) -> tensor<3x8x4xf32> {
  ^bb0(%t: tensor<3x2x4xf16>):
    %m = mirage_block.causal_mask %t offset 0 rows ["x", "y"] columns ["loop"] : tensor<3x2x4xf16>
    %a = mirage_block.accumulate %m over loop max : tensor<3x2x4xf16>
    mirage_block.yield %a : tensor<3x2x4xf32>
  }
  return
}

// CHECK-LABEL: func.func @constant(
func.func @constant() {
  // CHECK: mirage_kernel.constant 5.000000e-01 : tensor<8x64xbf16>
  %0 = mirage_kernel.constant 0.5 : tensor<8x64xbf16>
  // CHECK: mirage_block.constant 0xFFF0000000000000 : tensor<1x64xf32>
  %1 = mirage_block.constant 0xFFF0000000000000 : tensor<1x64xf32>
  return
}
