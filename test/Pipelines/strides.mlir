// From linalg to numbers: strides stay at the function through import and search, mean
// nothing to the judge, and are stated in the artifact.
// RUN: rm -rf %t && mirage-opt %s --mirage-compile="artifact=%t ptxas=never" -o /dev/null
// RUN: FileCheck %s --check-prefix=MANIFEST < %t/manifest.json
// RUN: mirage-run %t --check
// RUN: mirage-opt %s --mirage-superoptimize -o %t.mlir && FileCheck %s < %t.mlir && mirage-verify %s %t.mlir
// Numbers that one place cannot hold are refused, files in Fortran's order are not.
// RUN: %python -c "import numpy; rows = numpy.arange(256, dtype='f2').reshape(8, 32); numpy.save('%t/rows.npy', rows); numpy.save('%t/same.npy', numpy.asfortranarray(rows * 0 + rows[:1]))"
// RUN: not mirage-run %t --input b=%t/rows.npy 2>&1 | FileCheck %s --check-prefix=CONFLICT
// RUN: mirage-run %t --input b=%t/same.npy --check

// CHECK: func.func @linear(
// CHECK-SAME: {mirage.name = "x", mirage_kernel.strides = array<i64: 72, 1>}
// CHECK-SAME: {mirage.name = "b", mirage_kernel.strides = array<i64: 0, 1>}
// CHECK-SAME: -> (tensor<8x32xf16> {mirage_kernel.strides = array<i64: 40, 1>})
// MANIFEST: "name": "b"
// MANIFEST: "sizeBytes": 64,
// MANIFEST-NEXT: "strides": [
// MANIFEST-NEXT: 0,
// MANIFEST-NEXT: 1
// CONFLICT: error: input b: expects the same number wherever the strides [0, 1] show the same place, got another at [0, 0]
func.func @linear(%x: tensor<8x64xf16> {mirage.name = "x", mirage_kernel.strides = array<i64: 72, 1>},
                  %w: tensor<64x32xf16> {mirage.name = "w", mirage_kernel.strides = array<i64: 1, 64>},
                  %b: tensor<8x32xf16> {mirage.name = "b", mirage_kernel.strides = array<i64: 0, 1>})
    -> (tensor<8x32xf16> {mirage_kernel.strides = array<i64: 40, 1>}) {
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<8x32xf16>
  %z = linalg.fill ins(%zero : f16) outs(%e : tensor<8x32xf16>) -> tensor<8x32xf16>
  %p = linalg.matmul ins(%x, %w : tensor<8x64xf16>, tensor<64x32xf16>) outs(%z : tensor<8x32xf16>) -> tensor<8x32xf16>
  %r = linalg.add ins(%p, %b : tensor<8x32xf16>, tensor<8x32xf16>) outs(%e : tensor<8x32xf16>) -> tensor<8x32xf16>
  return %r : tensor<8x32xf16>
}
