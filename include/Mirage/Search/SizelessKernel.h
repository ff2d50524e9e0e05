//===- SizelessKernel.h - A block graph of any sizes ------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of all tilings of a kernel the block graphs have the same operations, but for
// masks: which tiles need one depends on what names have a last tile that is
// partial. So one graph is built for each set of such names, and what it does
// with one tiling after another follows from sizes alone.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_SEARCH_SIZELESSKERNEL_H
#define MIRAGE_SEARCH_SIZELESSKERNEL_H

#include "Mirage/Search/KernelPlan.h"
#include "Mirage/Search/Tilings.h"

namespace mlir::mirage::search {

/// A block graph each of whose dimensions has a name, or size 1. The plan must
/// outlive it.
class SizelessKernel {
public:
  /// \param partial  names whose last tile reaches beyond their extents.
  SizelessKernel(const TargetProgram &program, const KernelPlan &plan,
                 NameSet partial);

  /// Without sizes that mean anything.
  const TileGraph &getGraph() const { return graph; }
  llvm::ArrayRef<NameId> getLayout(ValueId value) const {
    return layouts[value];
  }
  /// The graph with all sizes that `buildTileGraph` gives it, but for those
  /// that attributes have. Until the next call.
  const TileGraph &resize(llvm::ArrayRef<int64_t> extents,
                          const Tiling &tiling);

private:
  const KernelPlan &plan;
  TileGraph graph;
  std::vector<DimensionList> layouts; ///< by value
};

/// Names of which a tiling's last tile is partial.
NameSet getPartialNames(const KernelStructure &kernel,
                        llvm::ArrayRef<int64_t> extents, const Tiling &tiling);

} // namespace mlir::mirage::search

#endif // MIRAGE_SEARCH_SIZELESSKERNEL_H
