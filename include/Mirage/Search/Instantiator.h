//===- Instantiator.h - Structures with numbers -----------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gives a structure extents: a tile size for each name that an axis splits.
// Here sets of names become dimensions in an order again: a tensor gets its
// layout from its operands', and a transpose or reshape of a tile where an
// operator needs another order.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_SEARCH_INSTANTIATOR_H
#define MIRAGE_SEARCH_INSTANTIATOR_H

#include "Mirage/Search/Structure.h"
#include "Mirage/Search/TargetProgram.h"

namespace mlir::mirage::search {

struct Tiling {
  /// By name: what one block holds of it at a time. Names that nothing splits
  /// are held whole.
  llvm::SmallVector<int64_t> tile;
  /// Iterations of the loop where a grid axis splits the loop's name too; else
  /// it follows from the tile.
  int64_t loop = 1;
  unsigned threads = 128;
};

/// Whether block graphs can be made of a structure. Not all exponentials can be
/// kept small, where the program's are (TargetProgram::isStripped).
bool canBuild(const TargetProgram &program, const Structure &structure);

/// The block graph for a tiling, with masks where tiles are partial.
/// `canBuild` must hold.
/// \param extents  of the names; the program's own, or others.
TileGraph buildTileGraph(const TargetProgram &program,
                         const Structure &structure,
                         llvm::ArrayRef<int64_t> extents, const Tiling &tiling);

/// Extents and inputs alone of that graph, for a bound on its cost.
TileGraph buildTileHeader(const TargetProgram &program,
                          const Structure &structure,
                          llvm::ArrayRef<int64_t> extents,
                          const Tiling &tiling);

/// The program as that one kernel, verified to be well formed.
Graph buildKernelGraph(const TargetProgram &program, const Structure &structure,
                       llvm::ArrayRef<int64_t> extents, TileGraph tileGraph);

/// All tilings with sizes worth trying, whose inputs' tiles fit into
/// `sharedBytes`. Each axis has at least two blocks or iterations, so that no
/// tiling belongs to two structures.
std::vector<Tiling> enumerateTilings(const TargetProgram &program,
                                     const Structure &structure,
                                     llvm::ArrayRef<int64_t> extents,
                                     int64_t sharedBytes);

/// Small different extents, and a tiling with at least two tiles of at least
/// two elements along every axis, the last one partial: what structures are
/// tested at. `variant` gives others.
llvm::SmallVector<int64_t> getTestExtents(const TargetProgram &program,
                                          const Structure &structure,
                                          unsigned variant);
Tiling getTestTiling(const TargetProgram &program, const Structure &structure,
                     llvm::ArrayRef<int64_t> extents);

} // namespace mlir::mirage::search

#endif // MIRAGE_SEARCH_INSTANTIATOR_H
