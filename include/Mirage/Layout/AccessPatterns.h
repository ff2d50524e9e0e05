//===- AccessPatterns.h - Which elements one access takes -------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lanes go to memory for several elements at a time where these lie side by
// side. Who makes the code and who reckons what it takes
// (Mirage/Analysis/BankTraffic.h) share these rules.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LAYOUT_ACCESSPATTERNS_H
#define MIRAGE_LAYOUT_ACCESSPATTERNS_H

#include "Mirage/Layout/LinearLayout.h"
#include <limits>

namespace mlir::mirage {

/// Bytes of the widest access of a lane.
constexpr int64_t kMostAccessBytes = 16;

/// Registers of a fragment that one access moves: 2^bits elements along one
/// dimension.
struct FragmentRun {
  unsigned dim = 0, bits = 0;

  unsigned getWidth() const { return 1u << bits; }
};

/// Of a stride or an offset that is not known, as MLIR has it
/// (`ShapedType::kDynamic`): it is a multiple of nothing.
constexpr int64_t kUnknownDistance = std::numeric_limits<int64_t>::min();

/// A tile in memory of which fragments are loaded, or to which they are stored.
/// Numbers are in elements.
struct FragmentedTile {
  llvm::ArrayRef<int64_t> shape, strides;
  /// Of a tile that may end sooner than its shape says: what divides the sizes
  /// that it may have. Empty where it does not.
  llvm::ArrayRef<int64_t> divisors;
  int64_t offsetDivisor = 0;      ///< of the first element's offset; 0 for any
  llvm::ArrayRef<bool> overhangs; ///< whether fragments may reach beyond it
  unsigned elementBytes = 2;
  int64_t intoSector = 0; ///< where it begins, from the start of a sector
};

/// The widest access for which runs of registers are runs of bytes and aligned:
/// every other stride, the offset and a size that is overhung must be multiples
/// of the run.
FragmentRun chooseFragmentRun(const LinearLayout &fragment,
                              const FragmentedTile &tile);

/// What warps ask of device memory that load or store a tile, each window of it
/// once. Sectors have 32 bytes.
struct WindowTraffic {
  int64_t numAccesses = 0;
  int64_t drawnSectors = 0; ///< one by one for each access
  int64_t sectors = 0;      ///< in which the tile lies

  /// Whether accesses find sectors whole: one that begins and ends anywhere
  /// shares a sector with its neighbour, and no more. So does one that is a
  /// part of a sector itself, as where each warp leaves the sum of a row: a
  /// barrier takes longer than these.
  bool drawsWholeSectors() const {
    return drawnSectors - numAccesses <= sectors;
  }
};

WindowTraffic countWindowTraffic(const LinearLayout &fragment,
                                 const FragmentedTile &tile);

/// A tile of shared memory that threads copy from a tensor of device memory, or
/// to it. Numbers are in elements.
struct CopiedTile {
  llvm::SmallVector<int64_t, 4> shape; ///< of the tile
  /// From one row to the next.
  int64_t pitch = 0;
  llvm::SmallVector<int64_t, 4> tensorShape, tensorStrides;
  int64_t tensorOffset = 0;
  unsigned elementBytes = 2, tensorElementBytes = 2;
  int64_t intoSector = 0; ///< where it begins, from the start of a sector
};

/// Whether a tile is one run of elements that is copied as such. It has whole
/// rows, which lie side by side in shared memory as in the tensor, and no
/// access of the widest ends with each of them (nor are they single elements,
/// which are copied as one row anyway):
/// \code
///   100 x 9 of f16     row by row: 900 accesses of 2 bytes
///                      as a run:   225 accesses of 8
/// \endcode
bool isOneRun(const CopiedTile &tile);

/// Such a tile, and its tensor, with that run as their only dimension.
CopiedTile joinRows(const CopiedTile &tile);

/// How threads share such a tile out: neighbours in the tensor go to
/// neighbouring threads.
struct CopyPattern {
  /// Dimensions as elements lie in the tensor, neighbours along the last one.
  llvm::SmallVector<unsigned, 4> order;
  int64_t width = 1; ///< neighbours that one access takes
  /// Whether neighbours in the tensor are neighbours in the tile.
  bool keepsOrder = true;

  /// `size` steps along a dimension.
  struct Walk {
    unsigned dim;
    int64_t size, step;
  };
  /// In the order in which threads are shared out, the last one first.
  llvm::SmallVector<Walk, 5> walks;

  unsigned getInnermost() const { return order.back(); }
};

/// \param tile  of one dimension or more.
CopyPattern chooseCopyPattern(const CopiedTile &tile);

/// Sectors that warps draw which copy a tile so, one by one for each access; or
/// that lie in one run, of which warps find each sector whole.
int64_t countCopiedSectors(const CopiedTile &tile);

} // namespace mlir::mirage

#endif // MIRAGE_LAYOUT_ACCESSPATTERNS_H
