//===- TilingLists.h - The tilings of boxes, one by one ---------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TEST_UNIT_SEARCH_TILINGLISTS_H
#define MIRAGE_TEST_UNIT_SEARCH_TILINGLISTS_H

#include "Mirage/Search/Search.h"
#include "Mirage/Search/TilingSpace.h"
#include <random>

namespace mlir::mirage::test {

/// Calls `visit` with a box and all that it is split into.
template <typename Visit>
void forEachBox(const search::TilingSpace &space, const search::TilingBox &box,
                const Visit &visit) {
  visit(box);
  if (!box.isOne())
    for (const search::TilingBox &half : space.split(box))
      forEachBox(space, half, visit);
}

inline std::vector<search::Tiling>
listTilings(const search::TilingSpace &space,
            const std::optional<search::TilingBox> &box) {
  std::vector<search::Tiling> tilings;
  if (box)
    forEachBox(space, *box, [&](const search::TilingBox &one) {
      if (one.isOne())
        tilings.push_back(space.getTiling(one));
    });
  return tilings;
}
inline std::vector<search::Tiling>
listTilings(const search::TilingSpace &space) {
  return listTilings(space, space.getAll());
}

/// Calls `visit` with the program that is searched, and with each of its
/// structures and the plans of its kernels.
template <typename Visit>
void forEachPlan(const Graph &graph, unsigned maxKernels, unsigned maxOps,
                 const Visit &visit) {
  search::SearchOptions options;
  options.maxKernels = maxKernels;
  options.maxOps = options.maxBlockOps = maxOps;
  options.tileSizes = search::TileSizeChoice::Round;
  options.cutsKernels = options.cutsProgram = false;
  options.judgesCandidates = false;
  options.onStructure = [&](const search::TargetProgram &program,
                            const search::Structure &structure) {
    if (auto plans = search::planKernels(program, structure))
      visit(program, structure, llvm::ArrayRef<search::KernelPlan>(*plans));
  };
  llvm::cantFail(search::superoptimize(graph, options));
}

/// Those of a single tiling.
inline search::TilingEnds getEnds(const search::KernelStructure &kernel,
                                  llvm::ArrayRef<int64_t> extents,
                                  const search::Tiling &tiling) {
  search::TilingEnds ends;
  ends.leastTile = ends.mostTile = tiling.tile;
  ends.leastGrid = ends.mostGrid = search::getGrid(kernel, extents, tiling);
  ends.leastLoop = ends.mostLoop = search::getLoop(kernel, extents, tiling);
  return ends;
}

/// Boxes one in the other, from all tilings to one. Shorter where the last one
/// has none.
template <typename Random>
std::vector<search::TilingBox> descend(const search::TilingSpace &space,
                                       search::TilingBox box, Random &random) {
  std::vector<search::TilingBox> boxes = {box};
  while (!boxes.back().isOne()) {
    auto halves = space.split(boxes.back());
    if (halves.empty())
      break;
    boxes.push_back(halves[random() % halves.size()]);
  }
  return boxes;
}

} // namespace mlir::mirage::test

#endif // MIRAGE_TEST_UNIT_SEARCH_TILINGLISTS_H
