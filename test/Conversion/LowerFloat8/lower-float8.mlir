// Two numbers at a time, by instructions where the chip has them.
// RUN: mirage-opt %s --mirage-lower-float8 --split-input-file | FileCheck %s
// RUN: mirage-opt %s --mirage-lower-float8=target=sm_89 --split-input-file | FileCheck %s
// RUN: mirage-opt %s --mirage-lower-float8=target=sm_80 --split-input-file | FileCheck %s --check-prefix=BITS

// CHECK-LABEL: func.func @widen(
// CHECK:         %[[E:.+]]:2 = vector.to_elements
// CHECK:         %[[P:.+]] = vector.from_elements %[[E]]#0, %[[E]]#1 : vector<2xf8E4M3FN>
// CHECK:         %[[B:.+]] = vector.bitcast %[[P]] : vector<2xf8E4M3FN> to vector<2xi8>
// CHECK:         %[[H:.+]] = nvvm.convert.f8x2.to.f16x2 %[[B]] : vector<2xi8>(f8E4M3FN) -> vector<2xf16>
// CHECK-NOT:     arith.extf
// BITS-LABEL: func.func @widen(
// BITS-NOT:     nvvm.convert
// BITS:         arith.mulf %{{.+}} : vector<2xf16>
// BITS-NOT:     arith.extf
// BITS:         return
func.func @widen(%x: vector<2xf8E4M3FN>) -> vector<2xf16> {
  %y = arith.extf %x : vector<2xf8E4M3FN> to vector<2xf16>
  return %y : vector<2xf16>
}

// -----

// By way of f16, which has all their numbers; three are two and one.
// CHECK-LABEL: func.func @widen_three(
// CHECK-COUNT-2: nvvm.convert.f8x2.to.f16x2 %{{.+}} : vector<2xi8>(f8E5M2) -> vector<2xf16>
// CHECK-NOT:     nvvm.convert
// CHECK-COUNT-3: arith.extf %{{.+}} : f16 to f32
// CHECK-NOT:     arith.extf
// f8E5M2 is the upper half of f16.
// BITS-LABEL: func.func @widen_three(
// BITS:         %[[BYTES:.+]] = arith.ori
// BITS:         %[[SHIFTED:.+]] = arith.shli %[[BYTES]], %{{.+}} : i32
// BITS:         llvm.bitcast %[[SHIFTED]] : i32 to vector<2xf16>
// BITS-NOT:     arith.mulf
// BITS:         return
func.func @widen_three(%x: vector<3xf8E5M2>) -> vector<3xf32> {
  %y = arith.extf %x : vector<3xf8E5M2> to vector<3xf32>
  return %y : vector<3xf32>
}

// -----

// CHECK-LABEL: func.func @widen_scalar(
// CHECK:         nvvm.convert.f8x2.to.f16x2
// CHECK:         %[[F:.+]] = arith.extf %{{.+}} : f16 to f32
// CHECK:         arith.truncf %[[F]] : f32 to bf16
func.func @widen_scalar(%x: f8E4M3FN) -> bf16 {
  %y = arith.extf %x : f8E4M3FN to bf16
  return %y : bf16
}

// -----

// The instruction's first operand is the upper half.
// CHECK-LABEL: func.func @narrow(
// CHECK:         %[[E:.+]]:2 = vector.to_elements
// CHECK:         nvvm.convert.f32x2.to.f8x2 %[[E]]#1, %[[E]]#0 {rnd = #nvvm.fp_rnd_mode<rn>, sat = #nvvm.sat_mode<satfinite>} : vector<2xi8>(f8E4M3FN)
// BITS-LABEL: func.func @narrow(
// BITS-NOT:     nvvm.convert
// 448 as f32
// BITS:         arith.constant 1138753536 : i32
// BITS:         arith.minui
// BITS-NOT:     arith.truncf
// BITS:         return
func.func @narrow(%x: vector<2xf32>) -> vector<2xf8E4M3FN> {
  %y = arith.truncf %x : vector<2xf32> to vector<2xf8E4M3FN>
  return %y : vector<2xf8E4M3FN>
}

// -----

// Through f32, which rounds nothing.
// CHECK-LABEL: func.func @narrow_f16(
// CHECK:         %[[W:.+]] = arith.extf %{{.+}} : f16 to f32
// CHECK:         nvvm.convert.f32x2.to.f8x2 %[[W]], %[[W]] {{.+}}(f8E5M2)
func.func @narrow_f16(%x: f16) -> f8E5M2 {
  %y = arith.truncf %x : f16 to f8E5M2
  return %y : f8E5M2
}

// -----

// Casts between other types are upstream's.
// CHECK-LABEL: func.func @others(
// CHECK:         arith.truncf %{{.+}} : f32 to f16
// CHECK:         arith.extf %{{.+}} : bf16 to f32
func.func @others(%x: f32, %y: bf16) -> (f16, f32) {
  %0 = arith.truncf %x : f32 to f16
  %1 = arith.extf %y : bf16 to f32
  return %0, %1 : f16, f32
}
