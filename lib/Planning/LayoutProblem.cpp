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
#include <utility>

using namespace mlir::mirage;
using llvm::ArrayRef;
using llvm::SmallVector;

static auto toTuple(const LayoutOption &option) {
  return std::tie(option.copiedBytes, option.wavefronts, option.swizzledBytes,
                  option.sizeBytes);
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
  swizzledBytes += other.swizzledBytes;
  sizeBytes += other.sizeBytes;
  return *this;
}

LayoutOption LayoutProblem::addUp(ArrayRef<unsigned> options) const {
  LayoutOption sum;
  for (auto [tile, option] : llvm::zip_equal(tiles, options))
    sum += tile[option];
  return sum;
}

llvm::Error LayoutProblem::check() const {
  for (auto [number, tile] : llvm::enumerate(tiles)) {
    if (tile.empty())
      return llvm::createStringError("expects a way for tile " +
                                     llvm::Twine(number) + " to lie, got none");
    for (const LayoutOption &option : tile)
      if (option.copiedBytes < 0 || option.wavefronts < 0 ||
          option.swizzledBytes < 0 || option.sizeBytes < 0)
        return llvm::createStringError("expects no negative numbers of tile " +
                                       llvm::Twine(number));
  }
  return llvm::Error::success();
}

namespace {
/// Tiles are decided one after the other; those that are not decided yet are
/// taken to be the best, for the bound, and the smallest, for the place.
class LayoutSearch {
public:
  LayoutSearch(const LayoutProblem &problem, FitTogether fit, unsigned maxCalls)
      : problem(problem), fit(fit), maxCalls(maxCalls) {
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
    order = llvm::to_vector(llvm::seq<unsigned>(0, unsigned(sorted.size())));
    llvm::sort(order, [&](unsigned a, unsigned b) {
      return std::pair(getGain(b), a) < std::pair(getGain(a), b);
    });
    leastBehind.resize(order.size() + 1);
    for (size_t step = order.size(); step-- > 0;) {
      leastBehind[step] = leastBehind[step + 1];
      leastBehind[step] += getBest(order[step]);
    }
  }

  LayoutChoice run(ArrayRef<unsigned> known) {
    best.assign(known.begin(), known.end());
    if (known.empty() && fit(smallest))
      best = smallest;
    if (best.empty() && !sorted.empty())
      return {smallest, /*fits=*/false, /*isOptimal=*/true};
    chosen.resize(sorted.size());
    // All that takes least, if it fits.
    for (auto [option, numbers] : llvm::zip_equal(chosen, sorted))
      option = numbers.front();
    if (fit(chosen))
      return {chosen, /*fits=*/true, /*isOptimal=*/true};
    leastCost = problem.addUp(best);
    chosen = smallest;
    decide(0, {});
    return {best, /*fits=*/true, /*isOptimal=*/numCalls < maxCalls};
  }

private:
  const LayoutOption &getBest(unsigned tile) const {
    return problem.getTiles()[tile][sorted[tile].front()];
  }
  /// What a tile takes more that is the smallest.
  std::tuple<int64_t, int64_t, int64_t> getGain(unsigned tile) const {
    const LayoutOption &least = problem.getTiles()[tile][smallest[tile]];
    return {least.copiedBytes - getBest(tile).copiedBytes,
            least.wavefronts - getBest(tile).wavefronts,
            least.swizzledBytes - getBest(tile).swizzledBytes};
  }

  /// \param cost  of the tiles before, in the order of the search.
  void decide(unsigned step, LayoutOption cost) {
    if (step == order.size()) {
      best = chosen;
      leastCost = cost;
      return;
    }
    unsigned tile = order[step];
    for (unsigned option : sorted[tile]) {
      LayoutOption with = cost;
      with += problem.getTiles()[tile][option];
      LayoutOption bound = with;
      bound += leastBehind[step + 1];
      // What comes next takes no less.
      if (!(bound < leastCost) || numCalls == maxCalls)
        break;
      chosen[tile] = option;
      ++numCalls;
      if (fit(chosen))
        decide(step + 1, with);
    }
    chosen[tile] = smallest[tile];
  }

  const LayoutProblem &problem;
  FitTogether fit;
  unsigned maxCalls, numCalls = 0;
  SmallVector<SmallVector<unsigned, 8>> sorted; ///< by tile, best first
  SmallVector<unsigned> order;                  ///< of tiles
  SmallVector<unsigned> smallest, chosen, best;
  SmallVector<LayoutOption> leastBehind; ///< of a step's tile and those behind
  LayoutOption leastCost;
};
} // namespace

LayoutChoice mlir::mirage::chooseLayouts(const LayoutProblem &problem,
                                         FitTogether fit,
                                         ArrayRef<unsigned> known,
                                         unsigned maxCalls) {
  assert(!llvm::errorToBool(problem.check()) && "the problem must be sound");
  return LayoutSearch(problem, fit, maxCalls).run(known);
}

llvm::Error mlir::mirage::verify(const LayoutProblem &problem,
                                 const LayoutChoice &choice) {
  if (choice.options.size() != problem.getTiles().size())
    return llvm::createStringError("expects an option for each of " +
                                   llvm::Twine(problem.getTiles().size()) +
                                   " tiles, got " +
                                   llvm::Twine(choice.options.size()));
  for (auto [tile, option] :
       llvm::zip_equal(problem.getTiles(), choice.options))
    if (option >= tile.size())
      return llvm::createStringError("expects one of " +
                                     llvm::Twine(tile.size()) +
                                     " options, got " + llvm::Twine(option));
  return llvm::Error::success();
}
