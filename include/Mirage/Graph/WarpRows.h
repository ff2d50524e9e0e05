//===- WarpRows.h - Rows of tiles that warps keep ---------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attention goes from row to row: a row of scores has a maximum, exponentials,
// a sum, and is multiplied by the values. Nothing of it needs another row. If a
// warp computes whole rows of the first product, it can do all of the rest on
// what it holds, and nothing between the two products passes through shared
// memory or waits for a barrier (FlashAttention-2, Dao 2023, section 3.3, has
// this split of the rows). 64 rows, 4 warps, 16 rows of a warp:
//
//   s = q · k          64x64, f32    member: a product on tensor cores
//   m = max s          64x1          member: reduces the rows that are held
//   p = exp(s - m)     64x64         member
//   h = cast p         64x64, f16    member
//   o = h · v          64x64         member: its left operand is held
//
// An accumulator of tensor cores (16x8) is spread over lanes as the left
// operand of the next product is (16x16), so h needs no exchange.
//
// Behind the loop the chain goes on, on sums that are held where they grew:
//
//   a = accumulate o          member
//   l = accumulate (sum p)    member
//   y = a / l                 member: a tile of shared memory, on its way out
//
// What is stored transposed, as products with exchanged operands are (Aᵀ =
// W·Xᵀ), warps have whole columns of:
//
//   t = transpose y           64x64, member: each warp has 16 columns
//   u = t + residual          member
//
// A product whose parts a loop sums up is such a chain by itself: of the rows
// that a warp has it needs each element of the left operand once, and four
// warps with whole rows can multiply together (wgmma). So is a reduction of the
// rows of such a product's left operand, as a norm beside it has: warps that
// keep the sums of their rows wait for nobody.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_GRAPH_WARPROWS_H
#define MIRAGE_GRAPH_WARPROWS_H

#include "Mirage/Graph/Graph.h"
#include "llvm/ADT/BitVector.h"
#include <limits>

namespace mlir::mirage {

/// Rows that an item of a step on whole rows has, as a product on tensor cores.
constexpr int64_t kWarpRows = 16;
/// The least elements of a row that is more than one: a tile of mma.
constexpr int64_t kRowElements = 8;
/// The most, of which lanes have registers.
constexpr int64_t kMostRowElements = 256;

struct WarpRows {
  /// By operation of the block graph: whether warps compute whole rows of its
  /// result out of rows that they hold, or are the first of such operations.
  /// Accumulations over the loop whose sums grow in those rows are members too.
  llvm::BitVector members;
  /// Of the members those whose rows are the columns of their result: a
  /// transpose of rows, and what is elementwise behind it.
  llvm::BitVector columns;
  /// Registers of a thread, of 32 bits, that rows take where they take most:
  /// what is handed on, and sums over the loop.
  int64_t numRegisters = 0;
};

/// Finds the chains of operations of a block graph that go from row to row: a
/// product on tensor cores, and what is elementwise, reduces rows, or
/// multiplies them from the left behind it; and the same from the left operand
/// of such a product on. There is one only if something reduces or multiplies
/// what is held, or a loop sums up a product. The
/// dimensions that count rows are the same in all of a chain, powers of two,
/// with one item or more for each warp; rows are of a power of two elements, so
/// that fragments end where tiles do. Where warps are no power of two, these
/// dimensions need not be, either: 12 warps may have 192 rows.
/// \param graph          a block graph.
/// \param mostRegisters  of a thread; there are no members if rows take more.
WarpRows
findWarpRows(const TileGraph &graph,
             int64_t mostRegisters = std::numeric_limits<int64_t>::max());

/// By operation of the block graph.
struct PossibleWarpRows {
  llvm::BitVector ofRows;    ///< members whose rows are those of their result
  llvm::BitVector ofColumns; ///< members whose rows are its columns
};
/// The operations that are members for some number of threads and some sizes:
/// those of a graph of which sizes say no more than which dimensions are the
/// same. What joins rows and columns may be both, since a transpose whose tile
/// is too small to be shared out leaves no columns. Registers are not counted.
PossibleWarpRows findPossibleWarpRows(const TileGraph &graph);

/// Whether the warps of a member hold its result, of a sum over the loop also
/// behind it: all that reads it is a member, and it is not stored.
bool areRowsHeld(const TileGraph &graph, const WarpRows &rows, ValueId value);

} // namespace mlir::mirage

#endif // MIRAGE_GRAPH_WARPROWS_H
