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
  explicit BitDealer(llvm::ArrayRef<int64_t> tile) {
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

  LinearLayout build() const {
    return buildBlockedLayout(bitsLeft.size(), runs);
  }

private:
  llvm::SmallVector<unsigned, 4> bitsLeft;
  unsigned lanesLeft = kLaneBits;
  llvm::SmallVector<LayoutRun, 8> runs;
};
} // namespace

/// Bits of a run along a dimension that never overhangs it: at most `atMost`.
static unsigned getRunBits(int64_t size, unsigned atMost) {
  return std::min<unsigned>(atMost, llvm::countr_zero<uint64_t>(size));
}

LinearLayout mlir::mirage::chooseElementwiseLayout(llvm::ArrayRef<int64_t> tile,
                                                   unsigned numWarps,
                                                   RunLengths runs) {
  unsigned last = tile.size() - 1;
  unsigned runBits = getRunBits(tile[last], llvm::Log2_64(runs.longest));
  while (runBits > llvm::Log2_64(runs.shortest) &&
         (int64_t(32) << runBits) * numWarps > countElements(tile))
    --runBits;
  BitDealer dealer(tile);
  dealer.give(LayoutInput::Register, last, runBits);
  dealer.giveRemainingLanes();
  return dealer.build();
}

LinearLayout mlir::mirage::chooseReductionLayout(llvm::ArrayRef<int64_t> tile,
                                                 unsigned dim,
                                                 unsigned numWarps) {
  unsigned last = tile.size() - 1;
  BitDealer dealer(tile);
  if (dim == last) {
    dealer.give(LayoutInput::Register, dim, getRunBits(tile[dim], 3));
    // A row for each warp before several rows for one.
    int64_t rows = countElements(tile.drop_back());
    unsigned rowBits = 0;
    while (rowBits < kLaneBits && rows >> (rowBits + 1) >= numWarps)
      ++rowBits;
    dealer.give(LayoutInput::Lane, dim, kLaneBits - std::min(rowBits, 3u));
    for (unsigned other = last; other-- > 0;)
      dealer.give(LayoutInput::Lane, other, kLaneBits);
    return dealer.build();
  }
  // Lanes before registers: a lane's elements do not lie side by side.
  dealer.give(LayoutInput::Lane, last, kLaneBits);
  dealer.give(LayoutInput::Lane, dim, kLaneBits);
  dealer.give(LayoutInput::Register, dim, 2);
  dealer.giveRemainingLanes();
  return dealer.build();
}

LinearLayout mlir::mirage::chooseMatmulLayout(int64_t m, int64_t n, int64_t k,
                                              unsigned numWarps) {
  enum { M, N, K };
  BitDealer dealer({m, n, k});
  dealer.give(LayoutInput::Register, K, 2);
  unsigned columnBits = getRunBits(n, 2);
  while (columnBits > 0 && (int64_t(32) << columnBits) * numWarps > m * n)
    --columnBits;
  dealer.give(LayoutInput::Register, N, columnBits);
  dealer.give(LayoutInput::Lane, N, 3);
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

int64_t mlir::mirage::chooseMmaColumns(int64_t batch, int64_t m, int64_t n,
                                       unsigned numWarps) {
  int64_t rowsOfTiles = batch * llvm::divideCeil(m, 16);
  int64_t columns = getMostMmaColumns(n);
  while (columns > 1 &&
         rowsOfTiles * llvm::divideCeil(n, 8 * columns) < numWarps)
    columns /= 2;
  return columns;
}
