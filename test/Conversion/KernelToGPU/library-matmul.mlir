// RUN: mirage-opt %s --mirage-compile='from=optimize to=optimize library-kernels=always' --convert-mirage-kernel-to-gpu | FileCheck %s
// RUN: mirage-opt %s --mirage-compile='from=optimize to=optimize library-kernels=never' --convert-mirage-kernel-to-gpu | FileCheck %s --check-prefix=NEVER
// NEVER-NOT: library_matmul

// The kernel is there, and the launch says which call gives the same. The weights are
// seen transposed; the second kernel is no matmul.
// CHECK: gpu.func @exp_linear_0(
// CHECK: gpu.func @exp_linear_1(
// CHECK: gpu.launch_func @exp_linear_kernels::@exp_linear_0
// CHECK-SAME: library_matmul = {accumulate = f32, batch = 1 : i64, k = 64 : i64, lhs = {argument = 0 : i64, batch_stride = 0 : i64, leading_dimension = 72 : i64, offset = 0 : i64, transposed = false}, m = 64 : i64, n = 32 : i64, operands = f16, result = {argument = 2 : i64, batch_stride = 0 : i64, leading_dimension = 32 : i64, offset = 0 : i64, transposed = false}, result_type = f32, rhs = {argument = 1 : i64, batch_stride = 0 : i64, leading_dimension = 64 : i64, offset = 0 : i64, transposed = true}}
// CHECK: gpu.launch_func @exp_linear_kernels::@exp_linear_1
// CHECK-NOT: library_matmul
func.func @exp_linear(%x: tensor<64x64xf16> {mirage_kernel.strides = array<i64: 72, 1>}, %w: tensor<32x64xf16>) -> tensor<64x32xf16> {
  %e = tensor.empty() : tensor<64x32xf16>
  %r = mirage_kernel.graph ins(%x, %w : tensor<64x64xf16>, tensor<32x64xf16>) outs(%e : tensor<64x32xf16>) {
  ^bb0(%a: tensor<64x64xf16>, %b: tensor<32x64xf16>):
    %0 = mirage_kernel.transpose %b dims [1, 0] : (tensor<32x64xf16>) -> tensor<64x32xf16>
    %1 = mirage_kernel.matmul %a, %0 : (tensor<64x64xf16>, tensor<64x32xf16>) -> tensor<64x32xf32>
    %2 = mirage_kernel.exp %1 : (tensor<64x32xf32>) -> tensor<64x32xf16>
    mirage_kernel.yield %2 : tensor<64x32xf16>
  } : tensor<64x32xf16>
  return %r : tensor<64x32xf16>
}
