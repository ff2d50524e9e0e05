// Buffers lie as the function says; a transpose that a product reads is loaded as it lies, and
// transposed in the block.
// RUN: mirage-opt %s --mirage-compile='from=optimize to=optimize' --convert-mirage-kernel-to-gpu | FileCheck %s

// CHECK: gpu.func @linear_0(%{{.+}}: memref<64x64xf16, strided<[72, 1]>>, %{{.+}}: memref<32x64xf16>, %{{.+}}: memref<64x32xf16, strided<[40, 1]>>)
// CHECK: vector.load %arg1[%{{.+}}] {alignment = 16 : i64} : memref<32x64xf16>, vector<8xf16>
// CHECK: func.func @linear(
// CHECK-SAME: memref<64x64xf16, strided<[72, 1]>> {mirage.role = "input"}
// CHECK-SAME: memref<32x64xf16> {mirage.role = "input"}
// CHECK-SAME: memref<64x32xf16, strided<[40, 1]>> {mirage.role = "output"}
// CHECK-COUNT-1: gpu.launch_func
// CHECK-NOT: gpu.launch_func
func.func @linear(%x: tensor<64x64xf16> {mirage_kernel.strides = array<i64: 72, 1>}, %w: tensor<32x64xf16>)
    -> (tensor<64x32xf16> {mirage_kernel.strides = array<i64: 40, 1>}) {
  %e = tensor.empty() : tensor<64x32xf16>
  %r = mirage_kernel.graph ins(%x, %w : tensor<64x64xf16>, tensor<32x64xf16>) outs(%e : tensor<64x32xf16>) {
  ^bb0(%a: tensor<64x64xf16>, %b: tensor<32x64xf16>):
    %0 = mirage_kernel.transpose %b dims [1, 0] : (tensor<32x64xf16>) -> tensor<64x32xf16>
    %1 = mirage_kernel.matmul %a, %0 : (tensor<64x64xf16>, tensor<64x32xf16>) -> tensor<64x32xf16>
    mirage_kernel.yield %1 : tensor<64x32xf16>
  } : tensor<64x32xf16>
  return %r : tensor<64x32xf16>
}
