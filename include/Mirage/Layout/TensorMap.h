//===- TensorMap.h - Boxes that the copy engine moves -----------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tensor map describes a tensor in global memory of which TMA (the tensor
// memory accelerator, PTX ISA "cp.async.bulk.tensor") moves boxes into shared
// memory and back. One thread names the box by the coordinates of its first
// element; what lies outside of the tensor is filled with zeros, and not
// written. An f16 tensor of 100 x 72, cut into boxes of 8 rows and 64 columns
// with a swizzle of 128 bytes:
//
//   sizes {72, 100}  strides {144}  box {64, 8}   (the innermost dimension
//   first)
//
//   box at (64, 96):  columns 64-71 and rows 96-99 exist, the rest is zero;
//   row r of it lies in shared memory from 128 r on, its pieces of 16 bytes
//   exchanged by exclusive or with r % 8
//
// Rules are those of the CUDA driver's cuTensorMapEncodeTiled; what the engine
// does was measured on an H200.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LAYOUT_TENSORMAP_H
#define MIRAGE_LAYOUT_TENSORMAP_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <optional>

namespace mlir::mirage {

/// How rows of a box lie in shared memory: plain, or with their pieces of 16
/// bytes exchanged inside of spans of 32, 64 or 128 bytes, so that columns go
/// through all banks.
enum class Swizzle : uint8_t { None, Bytes32, Bytes64, Bytes128 };

/// 32, 64 or 128; 0 without a swizzle.
unsigned getSpanBytes(Swizzle swizzle);
/// The swizzle of such a span; none if there is none.
std::optional<Swizzle> findSwizzle(unsigned spanBytes);

/// Where what would lie at a shared address lies: with W the span, bits 4 and
/// up of the address change by `(address >> 7) & (W/16 - 1)`. The address is
/// absolute: the pattern does not start with the tile.
/// \param firstRow  of 128 bytes, at which the pattern starts; one of a wgmma
/// may
///                  start at any.
uint64_t applySwizzle(Swizzle swizzle, uint64_t sharedAddress,
                      unsigned firstRow = 0);

struct TensorMap {
  unsigned elementBytes = 2; ///< 1, 2, 4 or 8
  /// Innermost dimension first, 1 to 5 of them.
  llvm::SmallVector<uint64_t, 5> sizes;
  /// Bytes from one element to the next along each dimension but the innermost,
  /// whose elements are adjacent.
  llvm::SmallVector<uint64_t, 5> strideBytes;
  llvm::SmallVector<uint32_t, 5> box; ///< elements along each dimension
  Swizzle swizzle = Swizzle::None;

  unsigned getRank() const { return sizes.size(); }
  /// Bytes of a whole box, by which a copy of any box is counted, one that is
  /// partly outside too.
  uint64_t getBoxBytes() const;
  /// Bytes from one row of a box to the next in shared memory: of a row that is
  /// narrower than the span of its swizzle, the span.
  uint64_t getRowPitchBytes() const;
  /// Bytes of shared memory that a box spans.
  uint64_t getSharedBytes() const;
  /// Bytes from the tensor's first element to behind its last one; 2^64 - 1
  /// where there are more.
  uint64_t getTensorBytes() const;

  /// Fails unless a map of this kind can be encoded: 1 to 5 dimensions of size
  /// 1 to 2^32; strides that are multiples of 16 below 2^40; box sides of 1 to
  /// 256 elements; box rows of a multiple of 16 bytes, not wider than the span
  /// of a swizzle. Nor if the tensor would have 2^63 bytes or more, which no
  /// memory has.
  llvm::Error check() const;
};

/// A tensor map's start in global memory is a multiple of this, and so is that
/// of a box in shared memory of the second.
constexpr uint64_t kTensorAlignBytes = 16;
constexpr uint64_t kBoxAlignBytes = 128;

/// Adjacent bytes of a box.
struct BoxPiece {
  static constexpr int64_t kOutside = -1;

  uint64_t shared; ///< address, swizzle applied
  int64_t global;  ///< from the tensor's start, in bytes; or kOutside
  uint32_t bytes;
};

/// The pieces of the box whose first element has these coordinates (innermost
/// first; they may lie outside of the tensor, before it too), in the order of
/// rows, when it starts at a shared address. `map.check()` holds.
void listBoxPieces(const TensorMap &map, llvm::ArrayRef<int32_t> coordinates,
                   uint64_t sharedAddress,
                   llvm::SmallVectorImpl<BoxPiece> &pieces);

} // namespace mlir::mirage

#endif // MIRAGE_LAYOUT_TENSORMAP_H
