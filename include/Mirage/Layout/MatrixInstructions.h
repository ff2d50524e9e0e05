//===- MatrixInstructions.h - Fragments of matrix instructions --*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which fragments mma.sync, wgmma and ldmatrix take and give. A fragment of an
// operation may be made of several tiles of its instruction, side by side in
// registers; then the operation is several instructions.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LAYOUT_MATRIXINSTRUCTIONS_H
#define MIRAGE_LAYOUT_MATRIXINSTRUCTIONS_H

#include "Mirage/Layout/LinearLayout.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace mlir::mirage {

/// Who holds which element of an instruction's operands a (m x k), b (k x n)
/// and of its result d (m x n).
struct MatrixInstruction {
  LinearLayout a, b, d;
};

/// mma.sync (PTX ISA 9.7.14.5) of floating-point elements, which there is for
/// m16n8k8 and m16n8k16 of 16 bits, m16n8k32 of 8 bits and m16n8k8 of 32 bits,
/// tf32. None for others.
///
/// Of tf32 it is the instruction with k in another order, the same for both
/// operands, which no sum depends on. PTX has in a lane of a the columns t and
/// t + 4, where 0 <= t < 4 counts lanes; here it has 2t and 2t + 1, as in the
/// accumulators. So lanes load pairs, and a product is the left operand of the
/// next one as it lies in registers. b likewise, by rows:
///
///   k of PTX  0 1 2 3 4 5 6 7
///   k here    0 2 4 6 1 3 5 7
///
/// \param shape  m, n and k.
std::optional<MatrixInstruction>
findMmaInstruction(llvm::ArrayRef<int64_t> shape, unsigned elementBits);

/// Warps that multiply together by wgmma.
constexpr int64_t kWarpsOfGroup = 4;

/// The left operand of wgmma (PTX ISA 9.7.15.5.1) in registers: 64 rows over
/// the four warps of a warpgroup, 32 bytes of k. The right one lies in shared
/// memory; the result: `getWgmmaAccumulatorLayout`.
LinearLayout getWgmmaLhsLayout(unsigned elementBits);

/// Fails unless a fragment is made of whole tiles of an instruction, with the
/// lanes and warps that it prescribes: register bits count elements of a tile,
/// or tiles. The tile is the last two dimensions; others have size 1.
llvm::Error checkTiles(const LinearLayout &fragment, const LinearLayout &tile);

/// The registers of the tile at (`row`, `column`), counted in tiles, in the
/// order of the instruction's. `checkTiles` holds.
llvm::SmallVector<unsigned, 8> findTileRegisters(const LinearLayout &fragment,
                                                 const LinearLayout &tile,
                                                 int64_t row, int64_t column);

/// How ldmatrix (PTX ISA 9.7.14.5.15) fills a fragment: register pairs are rows
/// (or, transposed, columns) of 8x8 matrices of 16-bit elements, each row of
/// which lies in memory in one piece.
struct MatrixLoad {
  unsigned numMatrices; ///< of one instruction: 1, 2 or 4
  bool isTransposed;
  LinearLayout addresses; ///< the start of the row that each lane points to
};
/// None where the fragment is not made of such matrices. Rows of memory lie
/// along the last dimension.
std::optional<MatrixLoad> planMatrixLoad(const LinearLayout &fragment);

} // namespace mlir::mirage

#endif // MIRAGE_LAYOUT_MATRIXINSTRUCTIONS_H
