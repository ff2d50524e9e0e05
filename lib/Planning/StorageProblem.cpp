//===- StorageProblem.cpp - Places for tiles in shared memory -------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Planning/StorageProblem.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir::mirage;

int64_t StorageProblem::getPaddedBytes(unsigned tile) const {
  return llvm::alignTo(tiles[tile].sizeBytes, alignment);
}

llvm::Error StorageProblem::check() const {
  if (!llvm::isPowerOf2_64(alignment))
    return llvm::createStringError(
        "expects an alignment that is a power of two, got " +
        llvm::Twine(alignment));
  for (auto [number, tile] : llvm::enumerate(tiles)) {
    if (tile.sizeBytes <= 0)
      return llvm::createStringError("expects tile " + llvm::Twine(number) +
                                     " to have a positive size, got " +
                                     llvm::Twine(tile.sizeBytes));
    if (tile.begin >= tile.end)
      return llvm::createStringError(
          "expects tile " + llvm::Twine(number) +
          " to be live for an epoch at least, got [" + llvm::Twine(tile.begin) +
          ", " + llvm::Twine(tile.end) + ")");
    if (!llvm::isPowerOf2_64(tile.alignment))
      return llvm::createStringError(
          "expects tile " + llvm::Twine(number) +
          " to have an alignment that is a power of two, got " +
          llvm::Twine(tile.alignment));
  }
  return llvm::Error::success();
}

StorageProblem::Demand StorageProblem::getLargestDemand() const {
  Demand largest;
  // The demand rises only where a live range begins.
  for (const StoredTile &candidate : tiles)
    for (unsigned epoch :
         {candidate.begin, candidate.begin + candidate.again}) {
      int64_t sum = 0;
      for (auto [number, tile] : llvm::enumerate(tiles))
        if (tile.isLive(epoch))
          sum += getPaddedBytes(number);
      if (sum > largest.sizeBytes)
        largest = {sum, epoch};
    }
  return largest;
}

namespace {
/// Puts tiles at the lowest free places, in one order after the other.
class Placer {
public:
  explicit Placer(const StorageProblem &problem, unsigned maxSteps)
      : problem(problem), maxSteps(maxSteps),
        bound(problem.getLargestDemand().sizeBytes), enough(bound),
        current(problem.getTiles().size(), kUnplaced) {}

  StoragePlan run() {
    placeAll();
    search(0);
    // A search that came to its end has seen all orders.
    best.isOptimal = best.sizeBytes == bound || steps < maxSteps;
    return std::move(best);
  }

  /// Whether some plan has no more bytes.
  bool fits(int64_t mostBytes) {
    if (bound > mostBytes)
      return false;
    enough = mostBytes;
    placeAll();
    search(0);
    return best.sizeBytes <= mostBytes;
  }

private:
  static constexpr int64_t kUnplaced = -1;

  /// First fit by decreasing size; what came first stays first among equals.
  void placeAll() {
    auto order = llvm::to_vector(llvm::seq<unsigned>(0, current.size()));
    llvm::sort(order, [&](unsigned lhs, unsigned rhs) {
      return std::pair(-problem.getPaddedBytes(lhs), lhs) <
             std::pair(-problem.getPaddedBytes(rhs), rhs);
    });
    int64_t height = 0;
    for (unsigned tile : order)
      height = std::max(height, place(tile));
    best.offsets = current;
    best.sizeBytes = height;
    llvm::fill(current, kUnplaced);
  }

  /// \returns the end of the tile, put at the lowest place that no tile which
  /// is live together with it takes.
  int64_t place(unsigned tile) {
    llvm::SmallVector<std::pair<int64_t, int64_t>> taken;
    for (auto [other, offset] : llvm::enumerate(current))
      if (offset != kUnplaced &&
          problem.getTiles()[tile].overlaps(problem.getTiles()[other]))
        taken.push_back({offset, offset + problem.getPaddedBytes(other)});
    llvm::sort(taken);
    int64_t size = problem.getPaddedBytes(tile), offset = 0;
    for (auto [begin, end] : taken) {
      if (begin - offset >= size)
        break;
      offset = llvm::alignTo(std::max(offset, end), problem.getAlignment(tile));
    }
    current[tile] = offset;
    return offset + size;
  }

  void search(int64_t height) {
    if (best.sizeBytes <= enough || steps >= maxSteps)
      return;
    bool isComplete = true;
    for (unsigned tile = 0; tile < current.size(); ++tile) {
      if (current[tile] != kUnplaced)
        continue;
      isComplete = false;
      if (++steps >= maxSteps)
        return;
      int64_t next = std::max(height, place(tile));
      if (next < best.sizeBytes)
        search(next);
      current[tile] = kUnplaced;
    }
    if (isComplete) {
      best.offsets = current;
      best.sizeBytes = height;
    }
  }

  const StorageProblem &problem;
  unsigned maxSteps;
  int64_t bound;  ///< no plan has fewer bytes
  int64_t enough; ///< of a plan that is good enough
  llvm::SmallVector<int64_t> current;
  StoragePlan best;
  unsigned steps = 0;
};
} // namespace

StoragePlan mlir::mirage::planStorage(const StorageProblem &problem) {
  assert(!llvm::errorToBool(problem.check()) && "the problem must be sound");
  return Placer(problem, /*maxSteps=*/100000).run();
}

bool mlir::mirage::fitsStorage(const StorageProblem &problem,
                               int64_t mostBytes) {
  assert(!llvm::errorToBool(problem.check()) && "the problem must be sound");
  return Placer(problem, /*maxSteps=*/1000).fits(mostBytes);
}

llvm::Error mlir::mirage::verify(const StorageProblem &problem,
                                 const StoragePlan &plan) {
  llvm::ArrayRef<StoredTile> tiles = problem.getTiles();
  if (plan.offsets.size() != tiles.size())
    return llvm::createStringError("expects an offset for each of " +
                                   llvm::Twine(tiles.size()) + " tiles, got " +
                                   llvm::Twine(plan.offsets.size()));
  for (unsigned i = 0; i < tiles.size(); ++i) {
    // What is stated may be any number: sums of it could overflow.
    int64_t begin = plan.offsets[i], size = problem.getPaddedBytes(i);
    if (begin < 0 || begin % problem.getAlignment(i) != 0 ||
        plan.sizeBytes < size || begin > plan.sizeBytes - size)
      return llvm::createStringError(
          "expects tile " + llvm::Twine(i) + " aligned to " +
          llvm::Twine(problem.getAlignment(i)) + " below " +
          llvm::Twine(plan.sizeBytes) + ", got offset " + llvm::Twine(begin));
    int64_t end = begin + tiles[i].sizeBytes;
    for (unsigned j = 0; j < i; ++j)
      if (tiles[i].overlaps(tiles[j]) &&
          begin < plan.offsets[j] + tiles[j].sizeBytes && plan.offsets[j] < end)
        return llvm::createStringError("tiles " + llvm::Twine(j) + " and " +
                                       llvm::Twine(i) +
                                       " are live together and share bytes");
  }
  return llvm::Error::success();
}
