//===- LinearLayout.h - Who holds which element -----------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A layout says which element of a fragment each register of each lane holds.
// It is a linear map over F2 from the bits of (register, lane, warp) numbers to
// coordinates: the coordinates of an element are the exclusive or of the
// images of the bits that are set. The accumulator of mma.sync.m16n8k16, a
// fragment of 16 rows and 8 columns:
//
//   register bits  [0, 1] [8, 0]
//   lane bits      [0, 2] [0, 4] [1, 0] [2, 0] [4, 0]
//
//   register 3, lane 6:  [0, 1] ^ [8, 0] ^ [0, 4] ^ [1, 0]  =  row 9, column 5
//
// A bit whose image is zero replicates: lanes that differ in it hold the same.
// "Register" counts the elements of a lane, whatever their size in bits.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LAYOUT_LINEARLAYOUT_H
#define MIRAGE_LAYOUT_LINEARLAYOUT_H

#include "Mirage/Layout/BitMatrix.h"

namespace mlir::mirage {

/// One coordinate for each dimension of a fragment.
using Coordinates = llvm::SmallVector<int64_t, 2>;

enum class LayoutInput : uint8_t { Register, Lane, Warp };

/// There are 32 lanes in a warp.
constexpr unsigned kLaneBits = 5;
/// A thread has 255 registers of 32 bits, which hold fewer than 2^10 elements
/// of the smallest size, 8 bits. What is given from outside is held to that, so
/// that walks over all registers end.
constexpr unsigned kMaxRegisterBits = 10;

class LinearLayout {
public:
  /// \param shape  sizes of the fragment, powers of two.
  /// \param registers, lanes, warps  the images of the bits, lowest first;
  /// there
  ///     are 5 lane bits, and each coordinate lies in the shape.
  LinearLayout(llvm::ArrayRef<int64_t> shape,
               llvm::ArrayRef<Coordinates> registers,
               llvm::ArrayRef<Coordinates> lanes,
               llvm::ArrayRef<Coordinates> warps = {});

  llvm::ArrayRef<int64_t> getShape() const { return shape; }
  unsigned getRank() const { return shape.size(); }
  llvm::ArrayRef<Coordinates> getBases(LayoutInput input) const {
    return bases[static_cast<unsigned>(input)];
  }
  /// Elements that one lane holds.
  unsigned getNumRegisters() const {
    return 1u << getBases(LayoutInput::Register).size();
  }

  /// The coordinates of the element that a register of a lane of a warp holds.
  Coordinates apply(unsigned registerNumber, unsigned lane = 0,
                    unsigned warp = 0) const;
  /// The lowest register of lane 0 of warp 0 that holds an element; none if it
  /// is held elsewhere only.
  std::optional<unsigned> findRegister(llvm::ArrayRef<int64_t> element) const;

  /// The map as a matrix. Columns are the register, lane and warp bits in this
  /// order; rows are the bits of the coordinates, last dimension lowest.
  BitMatrix toMatrix() const;
  /// Whether each element is held by somebody.
  bool isSurjective() const;
  /// The bits of an input, as a mask, whose images those before them (and the
  /// inputs before) span already: where these bits are 0, each element is held
  /// once.
  unsigned getRedundantBits(LayoutInput input) const;

  /// How many of the lowest register bits count along `dim` (images 1, 2, 4,
  /// ..) such that runs of 2^n registers are n-aligned runs of elements in
  /// every lane: all other images are multiples of 2^n along it.
  unsigned getContiguousBits(unsigned dim) const;

  /// The layout of an operand that has dimension `dims[i]` of this fragment as
  /// its dimension `i`, or a dimension of size 1 where `dims[i]` is -1. Lanes
  /// stay where they are; register bits without an image are dropped.
  LinearLayout project(llvm::ArrayRef<int> dims) const;

  /// The layout of the same elements in another shape: their numbers in
  /// row-major order stay. Sizes are powers of two, as many in all.
  LinearLayout reshape(llvm::ArrayRef<int64_t> shape) const;

  bool operator==(const LinearLayout &other) const;

private:
  llvm::SmallVector<int64_t, 2> shape;
  llvm::SmallVector<Coordinates, 0> bases[3];
};

/// How (register, lane, warp) numbers of `from` go to those of `to` so that
/// elements stay the same: `to⁻¹ · from`. None unless both are invertible and
/// of one shape.
std::optional<BitMatrix> computeConversion(const LinearLayout &from,
                                           const LinearLayout &to);

/// A number of consecutive bits of one dimension.
struct LayoutRun {
  LayoutInput input;
  unsigned dim;
  unsigned numBits;
};

/// The layout in which the runs take the bits of their dimensions in turn, from
/// the lowest; lane bits that are not used replicate. A row of 4 registers for
/// each of 8 lanes, and 4 such rows:
/// \code
///   buildBlockedLayout(2, {{Register, 1, 2}, {Lane, 1, 3}, {Lane, 0, 2}})
/// \endcode
/// \returns a layout of shape [4, 32]; at most 5 lane bits may be asked for.
LinearLayout buildBlockedLayout(unsigned rank, llvm::ArrayRef<LayoutRun> runs);

} // namespace mlir::mirage

#endif // MIRAGE_LAYOUT_LINEARLAYOUT_H
