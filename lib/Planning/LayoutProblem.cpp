//===- LayoutProblem.cpp - How the tiles of a block lie -------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Planning/LayoutProblem.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include <tuple>

using namespace mlir::mirage;
using llvm::ArrayRef;
using llvm::SmallVector;

static auto toTuple(const LayoutOption &option) {
  return std::tie(option.copiedBytes, option.wavefronts, option.sizeBytes);
}

bool LayoutOption::operator<(const LayoutOption &other) const {
  return toTuple(*this) < toTuple(other);
}

bool LayoutOption::operator==(const LayoutOption &other) const {
  return toTuple(*this) == toTuple(other);
}

LayoutOption &LayoutOption::operator+=(const LayoutOption &other) {
  copiedBytes += other.copiedBytes;
  wavefronts += other.wavefronts;
  sizeBytes += other.sizeBytes;
  return *this;
}

LayoutOption LayoutProblem::addUp(ArrayRef<unsigned> options) const {
  LayoutOption sum;
  for (auto [tile, option] : llvm::zip_equal(tiles, options))
    sum += tile[option];
  return sum;
}

namespace {
/// Tiles are decided one after the other; those that are not decided yet are
/// taken to be the best, for the bound, and the smallest, for the place.
class LayoutSearch {
public:
  LayoutSearch(const LayoutProblem &problem, FitTogether fit)
      : problem(problem), fit(fit) {
    for (ArrayRef<LayoutOption> tile : problem.getTiles()) {
      auto numbers =
          llvm::to_vector<8>(llvm::seq<unsigned>(0, unsigned(tile.size())));
      llvm::sort(numbers, [&](unsigned a, unsigned b) {
        return tile[a] == tile[b] ? a < b : tile[a] < tile[b];
      });
      smallest.push_back(
          *llvm::min_element(numbers, [&](unsigned a, unsigned b) {
            return tile[a].sizeBytes < tile[b].sizeBytes;
          }));
      sorted.push_back(std::move(numbers));
    }
    leastBehind.resize(sorted.size() + 1);
    for (size_t tile = sorted.size(); tile-- > 0;) {
      leastBehind[tile] = leastBehind[tile + 1];
      leastBehind[tile] += problem.getTiles()[tile][sorted[tile].front()];
    }
  }

  std::optional<LayoutChoice> run() {
    chosen = smallest;
    if (!fit(chosen))
      return std::nullopt;
    // All that takes least, if it fits.
    for (auto [option, numbers] : llvm::zip_equal(chosen, sorted))
      option = numbers.front();
    if (fit(chosen))
      return LayoutChoice{chosen, /*isOptimal=*/true};
    best = smallest;
    leastCost = problem.addUp(best);
    chosen = smallest;
    decide(0, {});
    return LayoutChoice{best, numTried < kMostTried};
  }

private:
  /// \param cost  of the tiles before.
  void decide(unsigned tile, LayoutOption cost) {
    if (tile == sorted.size()) {
      best = chosen;
      leastCost = cost;
      return;
    }
    for (unsigned option : sorted[tile]) {
      LayoutOption with = cost;
      with += problem.getTiles()[tile][option];
      LayoutOption bound = with;
      bound += leastBehind[tile + 1];
      // What comes next takes no less.
      if (!(bound < leastCost))
        break;
      chosen[tile] = option;
      if (numTried == kMostTried)
        break;
      ++numTried;
      if (fit(chosen))
        decide(tile + 1, with);
    }
    chosen[tile] = smallest[tile];
  }

  static constexpr unsigned kMostTried = 2000;

  const LayoutProblem &problem;
  FitTogether fit;
  SmallVector<SmallVector<unsigned, 8>> sorted; ///< by tile, best first
  SmallVector<unsigned> smallest, chosen, best;
  SmallVector<LayoutOption> leastBehind; ///< of a tile and those behind it
  LayoutOption leastCost;
  unsigned numTried = 0;
};
} // namespace

std::optional<LayoutChoice>
mlir::mirage::chooseLayouts(const LayoutProblem &problem, FitTogether fit) {
  return LayoutSearch(problem, fit).run();
}
