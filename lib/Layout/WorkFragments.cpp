//===- WorkFragments.cpp - Fragments for the steps of a block -------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Layout/WorkFragments.h"
#include "Mirage/Layout/Fragments.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <functional>
#include <numeric>

using namespace mlir::mirage;

static int64_t countElements(llvm::ArrayRef<int64_t> tile) {
  return std::accumulate(tile.begin(), tile.end(), int64_t(1),
                         std::multiplies<>());
}

namespace {
/// Deals out register and lane bits, and knows what is left of each dimension.
class BitDealer {
public:
  explicit BitDealer(llvm::ArrayRef<int64_t> tile) : sizes(tile) {
    for (int64_t size : tile)
      bitsLeft.push_back(llvm::Log2_64_Ceil(size));
  }

  void give(LayoutInput input, unsigned dim, unsigned atMost) {
    unsigned numBits = std::min(atMost, bitsLeft[dim]);
    if (input == LayoutInput::Lane) {
      numBits = std::min(numBits, lanesLeft);
      lanesLeft -= numBits;
    }
    bitsLeft[dim] -= numBits;
    if (numBits > 0)
      runs.push_back({input, dim, numBits});
  }

  /// Lanes that have nothing to do yet, along the dimensions from the last.
  void giveRemainingLanes() {
    for (unsigned dim = bitsLeft.size(); dim-- > 0;)
      give(LayoutInput::Lane, dim, lanesLeft);
  }

  bool hasLanes(unsigned dim) const { return lanesLeft > 0 && bitsLeft[dim]; }

  /// Fragments along a dimension, if one has what was dealt.
  int64_t countFragments(unsigned dim) const {
    unsigned all = llvm::Log2_64_Ceil(sizes[dim]);
    return llvm::divideCeil(sizes[dim], int64_t(1) << (all - bitsLeft[dim]));
  }
  /// The same of all dimensions but one.
  int64_t countItems(unsigned except) const {
    int64_t items = 1;
    for (unsigned dim = 0; dim < sizes.size(); ++dim)
      items *= dim == except ? 1 : countFragments(dim);
    return items;
  }

  /// Bits of an input along one dimension, or along all others.
  unsigned countBits(LayoutInput input, unsigned dim, bool along) const {
    unsigned bits = 0;
    for (const LayoutRun &run : runs)
      if (run.input == input && (run.dim == dim) == along)
        bits += run.numBits;
    return bits;
  }

  LinearLayout build() const {
    return buildBlockedLayout(bitsLeft.size(), runs);
  }

private:
  llvm::ArrayRef<int64_t> sizes;
  llvm::SmallVector<unsigned, 4> bitsLeft;
  unsigned lanesLeft = kLaneBits;
  llvm::SmallVector<LayoutRun, 8> runs;
};
} // namespace

/// Bits of a run along a dimension that never overhangs it: at most `atMost`.
static unsigned getRunBits(int64_t size, unsigned atMost) {
  return std::min<unsigned>(atMost, llvm::countr_zero<uint64_t>(size));
}

/// Bits of a run along the last dimension with which all warps have work, where
/// a shorter one can do that.
static unsigned chooseRunBits(llvm::ArrayRef<int64_t> tile, unsigned numWarps,
                              RunLengths runs) {
  unsigned bits = getRunBits(tile.back(), llvm::Log2_64(runs.longest));
  while (bits > llvm::Log2_64(runs.shortest) &&
         (int64_t(32) << bits) * numWarps > countElements(tile))
    --bits;
  return bits;
}

LinearLayout mlir::mirage::chooseElementwiseLayout(llvm::ArrayRef<int64_t> tile,
                                                   unsigned numWarps,
                                                   RunLengths runs) {
  BitDealer dealer(tile);
  dealer.give(LayoutInput::Register, tile.size() - 1,
              chooseRunBits(tile, numWarps, runs));
  dealer.giveRemainingLanes();
  return dealer.build();
}

/// Of rows, which lie along the last dimension.
static BitDealer dealRowReduction(llvm::ArrayRef<int64_t> tile,
                                  unsigned numWarps) {
  unsigned last = tile.size() - 1;
  BitDealer dealer(tile);
  dealer.give(LayoutInput::Register, last, getRunBits(tile[last], 3));
  // A row for each warp before several rows for one.
  int64_t rows = countElements(tile.drop_back());
  unsigned rowBits = 0;
  while (rowBits < kLaneBits && rows >> (rowBits + 1) >= numWarps)
    ++rowBits;
  dealer.give(LayoutInput::Lane, last, kLaneBits - std::min(rowBits, 3u));
  for (unsigned other = last; other-- > 0;)
    dealer.give(LayoutInput::Lane, other, kLaneBits);
  return dealer;
}

static BitDealer dealReduction(llvm::ArrayRef<int64_t> tile, unsigned dim,
                               unsigned numWarps, RunLengths runs) {
  unsigned last = tile.size() - 1;
  if (dim == last)
    return dealRowReduction(tile, numWarps);
  assert(runs.longest <= kMaxRegisters && "a run has place in registers");
  // Runs are no longer than leaves sums for all warps, if shorter ones do: as
  // short as one element, since no two warps share a sum.
  int64_t others = countElements(tile) / tile[dim] / tile[last];
  auto countSums = [&](unsigned runBits) {
    return others * int64_t(llvm::divideCeil(tile[last], 32 << runBits));
  };
  unsigned runBits = chooseRunBits(tile, numWarps, runs);
  int64_t wanted = std::min<int64_t>(numWarps, countSums(/*runBits=*/0));
  while (countSums(runBits) < wanted)
    --runBits;
  BitDealer dealer(tile);
  dealer.give(LayoutInput::Register, last, runBits);
  dealer.give(LayoutInput::Lane, last, kLaneBits);
  // Sums for each warp before several sums, side by side, for one.
  for (unsigned other = last; other-- > 0;)
    while (other != dim && dealer.hasLanes(other) &&
           dealer.countItems(dim) >= 2 * int64_t(numWarps))
      dealer.give(LayoutInput::Lane, other, 1);
  dealer.give(LayoutInput::Lane, dim, kLaneBits);
  dealer.give(LayoutInput::Register, dim,
              llvm::Log2_32(kMaxRegisters) - runBits);
  dealer.giveRemainingLanes();
  return dealer;
}

LinearLayout mlir::mirage::chooseReductionLayout(llvm::ArrayRef<int64_t> tile,
                                                 unsigned dim,
                                                 unsigned numWarps,
                                                 RunLengths runs) {
  return dealReduction(tile, dim, numWarps, runs).build();
}

ReductionShare mlir::mirage::shareReduction(llvm::ArrayRef<int64_t> tile,
                                            unsigned dim, unsigned numWarps,
                                            RunLengths runs) {
  BitDealer dealer = dealReduction(tile, dim, numWarps, runs);
  return {dealer.countItems(dim),
          int64_t(dealer.countBits(LayoutInput::Lane, dim, /*along=*/true))
              << dealer.countBits(LayoutInput::Register, dim,
                                  /*along=*/false),
          int64_t(1) << dealer.countBits(LayoutInput::Register, tile.size() - 1,
                                         /*along=*/true)};
}

LinearLayout mlir::mirage::chooseMatmulLayout(int64_t m, int64_t n, int64_t k,
                                              unsigned numWarps,
                                              bool isRhsAlongK) {
  enum { M, N, K };
  unsigned columnBits = getRunBits(n, 2);
  while (columnBits > 0 && (int64_t(32) << columnBits) * numWarps > m * n)
    --columnBits;
  // The first registers are runs of elements that lie side by side.
  BitDealer dealer({m, n, k});
  if (isRhsAlongK) {
    dealer.give(LayoutInput::Register, K, 2);
    dealer.give(LayoutInput::Lane, N, 3);
    dealer.give(LayoutInput::Register, N, columnBits);
  } else {
    dealer.give(LayoutInput::Register, N, columnBits);
    dealer.give(LayoutInput::Lane, N, 3);
    dealer.give(LayoutInput::Register, K, 2);
  }
  dealer.give(LayoutInput::Lane, M, kLaneBits);
  dealer.give(LayoutInput::Lane, N, kLaneBits);
  if ((int64_t(64) << columnBits) * numWarps <= m * n)
    dealer.give(LayoutInput::Register, M, 1);
  return dealer.build();
}

int64_t mlir::mirage::getMostMmaColumns(int64_t n) {
  return std::min<int64_t>(llvm::PowerOf2Ceil(llvm::divideCeil(n, 8)), 4);
}

std::optional<LinearLayout>
mlir::mirage::findRowsLayout(llvm::ArrayRef<int64_t> tile) {
  constexpr int64_t kColumns = 8;
  int rank = tile.size();
  if (rank < 2)
    return std::nullopt;
  int64_t size = tile.back();
  bool isWhole = llvm::isPowerOf2_64(size) && size >= kColumns &&
                 size <= kMostFragmentElements;
  if (size != 1 && !isWhole)
    return std::nullopt;
  LinearLayout accumulators =
      repeatFragment(getFragmentLayout(FragmentKind::MmaM16N8D), 1,
                     std::max<int64_t>(size / kColumns, 1));
  llvm::SmallVector<int> dims(rank, -1);
  dims[rank - 2] = 0;
  dims[rank - 1] = size == 1 ? -1 : 1;
  return accumulators.project(dims);
}

int64_t mlir::mirage::countMmaRegisters(int64_t batch, int64_t m, int64_t n,
                                        int64_t columns, unsigned numWarps) {
  constexpr int64_t kOfTile = 4;
  int64_t numItems =
      batch * llvm::divideCeil(m, 16) * llvm::divideCeil(n, 8 * columns);
  return llvm::divideCeil(numItems, numWarps) * kOfTile * columns;
}

int64_t mlir::mirage::chooseMmaColumns(int64_t batch, int64_t m, int64_t n,
                                       unsigned numWarps,
                                       std::optional<int64_t> mostRegisters) {
  int64_t rowsOfTiles = batch * llvm::divideCeil(m, 16);
  int64_t columns = getMostMmaColumns(n);
  while (columns > 1 &&
         rowsOfTiles * llvm::divideCeil(n, 8 * columns) < numWarps)
    columns /= 2;
  if (mostRegisters)
    for (int64_t fewer = columns; fewer > 0; fewer /= 2)
      if (countMmaRegisters(batch, m, n, fewer, numWarps) <= *mostRegisters)
        return fewer;
  return columns;
}
