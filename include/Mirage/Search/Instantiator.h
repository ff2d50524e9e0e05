//===- Instantiator.h - Structures with numbers -----------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gives a structure extents: a tile size for each name that an axis splits
// (Tilings.h). Here sets of names become dimensions in an order again: a tensor
// gets its layout from its operands', and a transpose or reshape of a tile
// where an operator needs another order.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_SEARCH_INSTANTIATOR_H
#define MIRAGE_SEARCH_INSTANTIATOR_H

#include "Mirage/Search/Tilings.h"

namespace mlir::mirage::search {

/// The block graph for a tiling, with masks where tiles are partial.
/// \param extents  by name, parts included; the program's own, or others.
TileGraph buildTileGraph(const TargetProgram &program, const KernelPlan &plan,
                         llvm::ArrayRef<int64_t> extents, const Tiling &tiling);

/// The program as these kernels, which is well formed.
Graph buildGraph(const TargetProgram &program, const Structure &structure,
                 llvm::ArrayRef<KernelPlan> plans,
                 llvm::ArrayRef<int64_t> extents,
                 llvm::ArrayRef<Tiling> tilings);

} // namespace mlir::mirage::search

#endif // MIRAGE_SEARCH_INSTANTIATOR_H
