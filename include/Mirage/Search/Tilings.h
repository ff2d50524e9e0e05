//===- Tilings.h - Numbers for the axes of kernels --------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_SEARCH_TILINGS_H
#define MIRAGE_SEARCH_TILINGS_H

#include "Mirage/Search/KernelPlan.h"
#include "Mirage/Search/TileSizes.h"

namespace mlir::mirage::search {

/// The sizes of one kernel.
struct Tiling {
  /// By name: what one block holds of it at a time. Names that nothing splits
  /// are held whole.
  llvm::SmallVector<int64_t, 24> tile;
  /// Iterations of the loop where a grid axis splits the loop's name too; else
  /// it follows from the tile.
  int64_t loop = 1;
  unsigned threads = 128;
  unsigned stages = 1; ///< no more than iterations
};

/// Whether an axis of the grid splits the loop's name too.
bool splitsLoopedName(const KernelStructure &kernel);

/// How many blocks there are along each axis.
llvm::SmallVector<int64_t, 3> getGrid(const KernelStructure &kernel,
                                      llvm::ArrayRef<int64_t> extents,
                                      const Tiling &tiling);
int64_t getLoop(const KernelStructure &kernel, llvm::ArrayRef<int64_t> extents,
                const Tiling &tiling);

/// Sets the extents of the parts that the kernel's blocks leave.
/// \param position  how many kernels are before it.
void setPartExtents(const TargetProgram &program, unsigned position,
                    const KernelStructure &kernel, const Tiling &tiling,
                    llvm::SmallVectorImpl<int64_t> &extents);
inline void setPartExtents(const TargetProgram &program, const KernelPlan &plan,
                           const Tiling &tiling,
                           llvm::SmallVectorImpl<int64_t> &extents) {
  setPartExtents(program, plan.position, plan.kernel, tiling, extents);
}

/// Whether every axis can have two blocks and the loop two iterations: if not,
/// there are no tilings.
bool canBeSplit(llvm::ArrayRef<NameId> gridNames, NameId loopName,
                llvm::ArrayRef<int64_t> extents);

/// Small extents, different ones but in programs of very many names, and
/// tilings with at least two tiles of at least two elements along every axis,
/// the last one partial: what structures are tested at. `variant` gives others.
struct TestSizes {
  llvm::SmallVector<int64_t> extents; ///< by name, parts included
  std::vector<Tiling> tilings;        ///< by kernel
};
TestSizes getTestSizes(const TargetProgram &program,
                       llvm::ArrayRef<KernelStructure> kernels,
                       unsigned variant);

} // namespace mlir::mirage::search

#endif // MIRAGE_SEARCH_TILINGS_H
