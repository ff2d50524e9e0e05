//===- HostKernels.h - Inner loops for newer hosts --------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_EMULATOR_HOSTKERNELS_H
#define MIRAGE_LIB_EMULATOR_HOSTKERNELS_H

#include <cstddef>
#include <cstdint>

/// Loops that gain much from AVX2 or AVX-512. Each is compiled for all of them,
/// and the one the machine can run is chosen when the program is loaded.
/// Results do not depend on the choice: no operation is fused that is not fused
/// everywhere.
namespace mlir::mirage::emulator::host {

/// Where the addresses of some lanes lie.
struct AddressSpan {
  uint64_t low = 0, high = 0; ///< the least and the greatest
  uint64_t bits = 0;          ///< that are set in any of them
  /// Of all 32 lanes: each address lies `stride` behind the one before.
  bool isConsecutive = false;
};
AddressSpan findSpan(const uint64_t *addresses, uint32_t lanes,
                     uint64_t stride);

/// Sets 32 addresses to base + displacement, in as many bits as a base has.
/// `addresses` may be `base`.
void addDisplacement(uint64_t *addresses, const uint32_t *base,
                     uint64_t displacement);
void addDisplacement(uint64_t *addresses, const uint64_t *base,
                     uint64_t displacement);

/// Does so, and says where those of some lanes lie.
AddressSpan locate(uint64_t *addresses, const uint32_t *base,
                   uint64_t displacement, uint32_t lanes, uint64_t stride);
AddressSpan locate(uint64_t *addresses, const uint64_t *base,
                   uint64_t displacement, uint32_t lanes, uint64_t stride);

/// Whether the distances of the addresses of some lanes from the first of them
/// are what `offsets` holds, 0 for lanes that are not among them; afterwards it
/// holds these.
bool updateOffsets(uint32_t *offsets, const uint64_t *addresses,
                   uint32_t lanes);

/// Vectors of 2 or 4 words that lie one behind the other, one for each of 32
/// lanes, and registers that hold a word of each.
void splitVectors(uint32_t *const *registers, const uint8_t *memory,
                  unsigned count);
void joinVectors(uint8_t *memory, const uint32_t *const *registers,
                 unsigned count);

/// d[rows][columns] += a[rows][depth] * b[depth][columns], each step of an
/// element's sum fused: products are exact, sums are rounded in the order of
/// `depth`. `rows` is a multiple of 4, `columns` of 8.
void multiplyRows(float *d, const float *a, const float *b, unsigned rows,
                  unsigned columns, unsigned depth);

/// mma.sync with m16n8k16 or k8 and sums of f32, on fragments as PTX ISA
/// 9.7.14.5.8 has them: a register of A or B is 8x8 elements of the 2 · halves
/// and `halves` that there are, row by row and column by column; registers of
/// 32 lanes hold those of C and D. Sums are fused, in the order of k. `d` may
/// be `c`.
void multiplyFragments(float *const (&d)[4], const float *a, const float *b,
                       const float *const (&c)[4], unsigned halves);

/// to[columns][rows] = from[rows][columns].
void transpose(float *to, const float *from, unsigned rows, unsigned columns);

/// 8x8 sums, rows `stride` apart, and the two registers of 32 lanes that hold
/// their columns in turn (PTX ISA 9.7.15.5.1.1).
void loadSums(float *rows, size_t stride, const float *even, const float *odd);
void storeSums(float *even, float *odd, const float *rows, size_t stride);

/// Makes every NaN the one that instructions result in.
void makeCanonical(float *values, unsigned count);

/// Swaps rows and columns of an 8x8 matrix of 16-bit elements. `to` may be
/// `from`.
void transposeMatrix(uint16_t *to, const uint16_t *from);

/// Rounds each value to f16.
void roundToHalves(float *values, unsigned count);

/// fma.rn.f32, `count` times. The result may be one of the sources.
void fusedMultiplyAdd(float *result, const float *a, const float *b,
                      const float *c, unsigned count);

/// f16 to f32, exact; NaNs stay NaNs.
void widenHalves(float *result, const uint16_t *source, unsigned count);
void widenBfloats(float *result, const uint16_t *source, unsigned count);
/// f32 to f16, to nearest.
void narrowHalves(uint16_t *result, const float *source, unsigned count);

/// 32 lanes of two f32 to f16 or bf16, to nearest, side by side in a register.
/// `result` may be one of the sources, here and below.
void packHalves(uint32_t *result, const float *upper, const float *lower);
void packBfloats(uint32_t *result, const float *upper, const float *lower);

/// 32 lanes of ex2.approx.f32: computed in f64 and rounded once.
void exp2Lanes(float *result, const float *source);

} // namespace mlir::mirage::emulator::host

#endif // MIRAGE_LIB_EMULATOR_HOSTKERNELS_H
