// A maximum with a constant other than zero is fused with the matmul before it.
// RUN: mirage-opt %s --mirage-superoptimize | FileCheck %s
// CHECK-LABEL: func.func @f
// CHECK: mirage_block.graph
// CHECK: mirage_block.clamp
// CHECK-NOT: mirage_block.graph
func.func @f(%x: tensor<8x256xf16>, %w: tensor<256x256xf16>) -> tensor<8x256xf16> {
  %z = arith.constant 0.0 : f32
  %lo = arith.constant dense<-1.0> : tensor<8x256xf32>
  %e = tensor.empty() : tensor<8x256xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<8x256xf32>) -> tensor<8x256xf32>
  %m = linalg.matmul ins(%x, %w : tensor<8x256xf16>, tensor<256x256xf16>) outs(%i : tensor<8x256xf32>) -> tensor<8x256xf32>
  %1 = arith.maximumf %m, %lo : tensor<8x256xf32>
  %2 = arith.truncf %1 : tensor<8x256xf32> to tensor<8x256xf16>
  return %2 : tensor<8x256xf16>
}
