//===- HostKernels.h - Inner loops for newer hosts --------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_EMULATOR_HOSTKERNELS_H
#define MIRAGE_LIB_EMULATOR_HOSTKERNELS_H

#include <cstdint>

/// Loops that gain much from AVX2 or AVX-512. Each is compiled for all of them,
/// and the one the machine can run is chosen when the program is loaded.
/// Results do not depend on the choice: no operation is fused that is not fused
/// everywhere.
namespace mlir::mirage::emulator::host {

/// d[16][8] += a[16][k] * b[k][8]; products are rounded, then sums, in the
/// order of k. The formats of mma.sync make all products exact.
void multiplyTile(float *d, const float *a, const float *b, unsigned k);

/// d[rows][columns] += a[rows][depth] * b[depth][columns], each step of an
/// element's sum fused: products are exact, sums are rounded in the order of
/// `depth`. `rows` is a multiple of 4, `columns` of 8.
void multiplyRows(float *d, const float *a, const float *b, unsigned rows,
                  unsigned columns, unsigned depth);

/// to[columns][rows] = from[rows][columns].
void transpose(float *to, const float *from, unsigned rows, unsigned columns);

/// Rounds each value to f16.
void roundToHalves(float *values, unsigned count);

/// fma.rn.f32, `count` times.
void fusedMultiplyAdd(float *result, const float *a, const float *b,
                      const float *c, unsigned count);

/// f16 to f32, exact; NaNs stay NaNs.
void widenHalves(float *result, const uint16_t *source, unsigned count);
void widenBfloats(float *result, const uint16_t *source, unsigned count);

/// 32 lanes of ex2.approx.f32: computed in f64 and rounded once.
void exp2Lanes(float *result, const float *source);

} // namespace mlir::mirage::emulator::host

#endif // MIRAGE_LIB_EMULATOR_HOSTKERNELS_H
