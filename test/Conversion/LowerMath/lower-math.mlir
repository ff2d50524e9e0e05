// RUN: mirage-opt %s --mirage-lower-math | FileCheck %s

// CHECK-LABEL: func.func @exp(
// CHECK-SAME:    %[[X:.+]]: f32)
func.func @exp(%x: f32) -> f32 {
  // CHECK: %[[LOG2E:.+]] = arith.constant 1.44269502 : f32
  // CHECK: %[[SCALED:.+]] = arith.mulf %[[X]], %[[LOG2E]] : f32
  // CHECK: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"(%[[SCALED]])
  %y = math.exp %x : f32
  return %y : f32
}

// CHECK-LABEL: func.func @rsqrt_vector(
func.func @rsqrt_vector(%x: vector<2xf32>) -> vector<2xf32> {
  // CHECK: %[[E:.+]]:2 = vector.to_elements
  // CHECK: %[[A:.+]] = llvm.call_intrinsic "llvm.nvvm.rsqrt.approx.f"(%[[E]]#0)
  // CHECK: %[[B:.+]] = llvm.call_intrinsic "llvm.nvvm.rsqrt.approx.f"(%[[E]]#1)
  // CHECK: vector.from_elements %[[A]], %[[B]]
  %y = math.rsqrt %x : vector<2xf32>
  return %y : vector<2xf32>
}

// Narrow types are computed in f32.
// CHECK-LABEL: func.func @sqrt_f16(
func.func @sqrt_f16(%x: f16) -> f16 {
  // CHECK: %[[WIDE:.+]] = arith.extf %{{.+}} : f16 to f32
  // CHECK: %[[ROOT:.+]] = llvm.call_intrinsic "llvm.sqrt.f32"(%[[WIDE]])
  // CHECK: arith.truncf %[[ROOT]] : f32 to f16
  %y = math.sqrt %x : f16
  return %y : f16
}

// CHECK-LABEL: func.func @all(
// CHECK-NOT:     math.
func.func @all(%x: f32, %y: f32) -> f32 {
  %0 = math.exp2 %x : f32
  %1 = math.log %0 : f32
  %2 = math.log2 %1 : f32
  %3 = math.log10 %2 : f32
  %4 = math.erf %3 : f32
  %5 = math.tanh %4 : f32
  %6 = math.powf %5, %y : f32
  %7 = math.absf %6 : f32
  %8 = math.floor %7 : f32
  %9 = math.ceil %8 : f32
  %10 = math.trunc %9 : f32
  %11 = math.roundeven %10 : f32
  %12 = math.copysign %11, %y : f32
  %13 = math.fma %12, %x, %y : f32
  return %13 : f32
}

// By one instruction, and none where the divisor has an inverse.
// CHECK-LABEL: func.func @quotients(
// CHECK: %[[C:.*]] = arith.constant 1.250000e-01 : f32
// CHECK: %[[Q:.*]] = llvm.call_intrinsic "llvm.nvvm.div.full"(%arg0, %arg1)
// CHECK: %[[P:.*]] = arith.mulf %[[Q]], %[[C]]
// CHECK: llvm.call_intrinsic "llvm.nvvm.div.full"(%[[P]]
func.func @quotients(%x: f32, %y: f32) -> f32 {
  %eight = arith.constant 8.0 : f32
  %three = arith.constant 3.0 : f32
  %0 = arith.divf %x, %y : f32
  %1 = arith.divf %0, %eight : f32
  %2 = arith.divf %1, %three : f32
  return %2 : f32
}

// Double precision is not for kernels and is left alone outside of them.
// CHECK-LABEL: func.func @f64(
func.func @f64(%x: f64) -> f64 {
  // CHECK: math.exp
  %y = math.exp %x : f64
  return %y : f64
}
