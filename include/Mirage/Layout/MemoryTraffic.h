//===- MemoryTraffic.h - What one access of a warp costs --------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LAYOUT_MEMORYTRAFFIC_H
#define MIRAGE_LAYOUT_MEMORYTRAFFIC_H

#include "Mirage/Layout/BitMatrix.h"

/// The rules by which addresses of a warp become passes through the banks of
/// shared memory and sectors of global memory. Each comes twice: for any
/// addresses (what the emulator sees), and for addresses that depend linearly
/// on the bits of the lane (what a layout with its swizzle gives), where a rank
/// is all it takes. Example: lanes that walk down a column of 32 x 32 f32 have
/// the addresses lane · 128, so lane bits go to word bits 5 to 9. The words
/// have rank 5, their banks (the low five bits of a word) rank 0: 2^(5 - 0) =
/// 32 wavefronts, where a row would take one.
///
/// Measured on an H200 with its hardware counters: 40 patterns for each width
/// of loads and stores from 4 to 16 bytes and for ldmatrix.x4 and stmatrix.x4,
/// 27 for loads of 2 bytes; 24 for sectors. Not measured: stores of 1 and 2
/// bytes.
namespace mlir::mirage {

/// How a warp goes through shared memory. ldmatrix and stmatrix name rows of 16
/// bytes.
enum class SharedAccess : uint8_t { Load, Store, MatrixRows };

/// Passes through the 32 banks of shared memory, each of 4 bytes.
struct Wavefronts {
  uint32_t needed = 0; ///< by this pattern
  uint32_t least = 0;  ///< by the best pattern of as many distinct words

  bool operator==(const Wavefronts &other) const {
    return needed == other.needed && least == other.least;
  }
};

/// Lanes whose words compete for banks, in groups of neighbours. A load is
/// served as a whole; a store of 8 bytes is cut into half-warps and one of 16
/// into quarters; matrices go one by one.
unsigned countLanesTogether(SharedAccess access, unsigned bytes);

/// Wavefronts of one access: for each group, as many as distinct words fall
/// into its fullest bank. Lanes that name the same word share it.
/// \param bytes      each lane accesses: 1, 2, 4, 8 or 16.
/// \param addresses  one per lane, in bytes; only those in `mask` count.
Wavefronts countWavefronts(SharedAccess access, unsigned bytes,
                           llvm::ArrayRef<uint64_t> addresses,
                           uint32_t mask = ~0u);

/// The same where addresses are linear: for a group,
/// 2^(rank(words) - rank(banks)).
/// \param addresses  the image of each lane bit, lowest first, in bytes; all
///                   are multiples of `bytes`.
Wavefronts countWavefronts(SharedAccess access, unsigned bytes,
                           const BitMatrix &addresses);

/// Distinct 32-byte sectors of global memory that one access touches. The least
/// possible is bytes touched / 32.
uint32_t countSectors(unsigned bytes, llvm::ArrayRef<uint64_t> addresses,
                      uint32_t mask = ~0u);

/// Which they are, as multiples of 32 bytes.
llvm::SmallVector<uint64_t, 32> listSectors(unsigned bytes,
                                            llvm::ArrayRef<uint64_t> addresses,
                                            uint32_t mask = ~0u);

/// The same where addresses are linear and their base is a multiple of 32:
/// 2^rank(sectors).
uint32_t countSectors(unsigned bytes, const BitMatrix &addresses);

} // namespace mlir::mirage

#endif // MIRAGE_LAYOUT_MEMORYTRAFFIC_H
