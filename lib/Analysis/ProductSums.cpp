//===- ProductSums.cpp - Sums of products in registers --------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Analysis/ProductSums.h"
#include "Mirage/Analysis/HeldTiles.h"
#include "Mirage/Layout/WorkFragments.h"
#include "Mirage/Planning/LaunchBarrier.h"
#include "Mirage/Planning/Target.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::mirage;

/// Warps get registers four at a time, whatever is left over.
int64_t mlir::mirage::countSumRegisters(unsigned numThreads) {
  constexpr int64_t kTogether = 4 << kLaneBits;
  int64_t all =
      Target().getRegistersPerThread(llvm::alignTo(numThreads, kTogether));
  int64_t most =
      std::min<int64_t>(llvm::divideCeil(all * 3, 8), all - kExpectedRegisters);
  return std::max(most, countFreeRegisters(numThreads));
}

SmallVector<ProductSum, 2> mlir::mirage::findProductSums(block::GraphOp graph) {
  SmallVector<ProductSum, 2> sums;
  for (auto sum : graph.getBody().getOps<block::AccumulateOp>()) {
    auto product = sum.getOperand().getDefiningOp<thread::GraphOp>();
    if (product && sum.getAxis() == AxisKind::Loop && !sum.getRescale() &&
        product->hasOneUse() && product->getNumResults() == 1 &&
        !product.getBody().getOps<thread::MmaOp>().empty())
      sums.push_back({product, sum});
  }
  return sums;
}

/// Of a thread, among so many, which has items of a product's result.
static int64_t countRegisters(RankedTensorType tile, int64_t numThreads,
                              int64_t mostRegisters) {
  int64_t m = tile.getShape().end()[-2], n = tile.getShape().back();
  int64_t batch = tile.getNumElements() / (m * n);
  int64_t numWarps = numThreads >> kLaneBits;
  return countMmaRegisters(
      batch, m, n, chooseMmaColumns(batch, m, n, numWarps, mostRegisters),
      numWarps);
}

static bool haveRegisters(ArrayRef<ProductSum> sums, int64_t numThreads) {
  int64_t mostRegisters = countSumRegisters(numThreads), registers = 0;
  for (const ProductSum &sum : sums)
    registers +=
        countRegisters(block::AccumulateOp(sum.sum).getType(), numThreads,
                       mostRegisters / int64_t(sums.size()));
  return registers <= mostRegisters;
}

std::optional<int64_t> mlir::mirage::findThreadsForSums(block::GraphOp graph) {
  constexpr int64_t kWarp = 1 << kLaneBits, kMostThreads = 1024;
  SmallVector<ProductSum, 2> sums = findProductSums(graph);
  if (sums.empty() || llvm::any_of(sums, [](const ProductSum &sum) {
        return thread::GraphOp(sum.product)->hasAttr(kWholeRowsAttr);
      }))
    return std::nullopt;
  int64_t present = graph.getThreads();
  std::optional<int64_t> nearest;
  for (int64_t threads = kWarp; threads <= kMostThreads; threads += kWarp)
    if (haveRegisters(sums, threads) &&
        (!nearest ||
         std::abs(threads - present) < std::abs(*nearest - present)))
      nearest = threads;
  return nearest;
}
