//===- Tilings.cpp - Numbers for the axes of kernels ----------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Search/Tilings.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <set>

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using llvm::ArrayRef;
using llvm::SmallVector;

bool mlir::mirage::search::splitsLoopedName(const KernelStructure &kernel) {
  return llvm::is_contained(kernel.gridNames, kernel.loopName);
}

int64_t mlir::mirage::search::getLoop(const KernelStructure &kernel,
                                      ArrayRef<int64_t> extents,
                                      const Tiling &tiling) {
  NameId name = kernel.loopName;
  if (name == kNoName)
    return 1;
  if (splitsLoopedName(kernel))
    return tiling.loop;
  return llvm::divideCeil(extents[name], tiling.tile[name]);
}

SmallVector<int64_t, 3>
mlir::mirage::search::getGrid(const KernelStructure &kernel,
                              ArrayRef<int64_t> extents, const Tiling &tiling) {
  SmallVector<int64_t, 3> grid;
  for (NameId name : kernel.gridNames) {
    int64_t perBlock =
        tiling.tile[name] *
        (name == kernel.loopName ? getLoop(kernel, extents, tiling) : 1);
    grid.push_back(llvm::divideCeil(extents[name], perBlock));
  }
  return grid;
}

void mlir::mirage::search::setPartExtents(
    const TargetProgram &program, unsigned position,
    const KernelStructure &kernel, const Tiling &tiling,
    llvm::SmallVectorImpl<int64_t> &extents) {
  for (auto [name, extent] :
       llvm::zip(kernel.gridNames, getGrid(kernel, extents, tiling)))
    if (contains(program.reducedNames, name) &&
        position + 1 < program.getMaxKernels())
      extents[program.getPartName(position, name)] = extent;
}

bool mlir::mirage::search::canBeSplit(ArrayRef<NameId> gridNames,
                                      NameId loopName,
                                      ArrayRef<int64_t> extents) {
  if (loopName != kNoName && llvm::is_contained(gridNames, loopName) &&
      extents[loopName] <= 2 * kLeastTileSplitTwice)
    return false;
  return llvm::all_of(gridNames,
                      [&](NameId name) { return extents[name] > 1; }) &&
         (loopName == kNoName || extents[loopName] > 1);
}

//===----------------------------------------------------------------------===//
// Sizes for tests
//===----------------------------------------------------------------------===//

/// The least extent that tests a name that kernels split twice, once or not at
/// all.
static int64_t getTestBase(ArrayRef<KernelStructure> kernels, NameId name,
                           int64_t ofUnsplit) {
  int64_t base = ofUnsplit;
  for (const KernelStructure &kernel : kernels) {
    bool isLooped = name == kernel.loopName;
    bool isOnGrid = llvm::is_contained(kernel.gridNames, name);
    base = std::max<int64_t>(base, isLooped && isOnGrid   ? 7
                                   : isLooped || isOnGrid ? 5
                                                          : ofUnsplit);
  }
  return base;
}

/// Elements of the largest value at these extents.
static uint64_t countMostElements(const TargetProgram &program,
                                  ArrayRef<int64_t> extents) {
  uint64_t most = 0;
  for (NameSet names : program.valueNames) {
    uint64_t count = 1;
    for (NameId name : toList(names))
      count = llvm::SaturatingMultiply<uint64_t>(count, extents[name]);
    most = std::max(most, count);
  }
  return most;
}

/// Three tiles of two, the last one partial in one variant; or whole, at least
/// three. No two alike, so that no equality holds by a coincidence.
static SmallVector<int64_t>
getDifferentExtents(const TargetProgram &program,
                    ArrayRef<KernelStructure> kernels, unsigned variant) {
  SmallVector<int64_t> extents(program.names.getNumNames(), 0);
  for (int64_t base : {7, 5, 3})
    for (unsigned name = 0; name < extents.size(); ++name) {
      if (getTestBase(kernels, name, /*ofUnsplit=*/3) != base)
        continue;
      int64_t extent = base + (variant + name) % 2;
      while (llvm::is_contained(extents, extent))
        extent += 2;
      extents[name] = extent;
    }
  return extents;
}

/// Of many names, different extents make large tensors. No value depends on how
/// many elements there are along a name that nothing is reduced over, so that
/// such names may be alike.
static void shrinkUnreduced(const TargetProgram &program,
                            ArrayRef<KernelStructure> kernels, unsigned variant,
                            SmallVector<int64_t> &extents) {
  std::set<int64_t> ofReduced;
  for (NameId name : toList(program.reducedNames))
    ofReduced.insert(extents[name]);
  for (auto [name, extent] : llvm::enumerate(extents)) {
    if (contains(program.reducedNames, name))
      continue;
    extent = getTestBase(kernels, name, /*ofUnsplit=*/2) + (variant + name) % 2;
    while (ofReduced.count(extent))
      extent += 2;
  }
}

static SmallVector<int64_t> getTestExtents(const TargetProgram &program,
                                           ArrayRef<KernelStructure> kernels,
                                           unsigned variant) {
  constexpr uint64_t kManyElements = 1 << 14;
  SmallVector<int64_t> extents = getDifferentExtents(program, kernels, variant);
  if (countMostElements(program, extents) > kManyElements)
    shrinkUnreduced(program, kernels, variant, extents);
  extents.resize(program.getNumAllNames(), 0);
  return extents;
}

TestSizes mlir::mirage::search::getTestSizes(const TargetProgram &program,
                                             ArrayRef<KernelStructure> kernels,
                                             unsigned variant) {
  TestSizes sizes;
  sizes.extents = getTestExtents(program, kernels, variant);
  for (auto [position, kernel] : llvm::enumerate(kernels)) {
    Tiling &tiling = sizes.tilings.emplace_back();
    tiling.loop = 2;
    tiling.tile.assign(sizes.extents.begin(), sizes.extents.end());
    for (NameId name : kernel.gridNames)
      tiling.tile[name] = 2;
    if (kernel.loopName != kNoName)
      tiling.tile[kernel.loopName] = 2;
    setPartExtents(program, position, kernel, tiling, sizes.extents);
  }
  return sizes;
}
