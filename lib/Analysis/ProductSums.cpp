//===- ProductSums.cpp - Sums of products in registers --------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Analysis/ProductSums.h"
#include "Mirage/Analysis/HeldTiles.h"
#include "Mirage/Graph/Graph.h"
#include "Mirage/Layout/WorkFragments.h"
#include "Mirage/Planning/RegisterBudget.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::mirage;

bool mlir::mirage::growsAlone(block::AccumulateOp sum) {
  return joinsElements(sum) && sum.getOperand().hasOneUse() &&
         (sum.getRescale() || growsWithParts(sum));
}

SmallVector<block::AccumulateOp>
mlir::mirage::findCarriedSums(block::GraphOp graph) {
  return llvm::filter_to_vector(
      graph.getBody().getOps<block::AccumulateOp>(),
      [](block::AccumulateOp op) { return growsAlone(op) && canCarry(op); });
}

static thread::GraphOp getStep(block::AccumulateOp sum) {
  return sum.getOperand().getDefiningOp<thread::GraphOp>();
}

static SumSource getSource(block::AccumulateOp sum) {
  auto products = getStep(sum).getBody().getOps<thread::MmaOp>();
  if (products.empty())
    return SumSource::Others;
  return llvm::any_of(products,
                      [](thread::MmaOp product) {
                        return getElementTypeOrSelf(product.getLhs()).isF32();
                      })
             ? SumSource::RoundedProducts
             : SumSource::TensorProducts;
}

int64_t mlir::mirage::countSumRegisters(ArrayRef<block::AccumulateOp> sums,
                                        unsigned numThreads) {
  SumSource source = SumSource::TensorProducts;
  for (block::AccumulateOp sum : sums)
    source = std::max(source, getSource(sum));
  return RegisterBudget(numThreads).getForSums(source);
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

static bool haveRegisters(ArrayRef<block::AccumulateOp> sums,
                          int64_t numThreads) {
  int64_t mostRegisters = countSumRegisters(sums, numThreads), registers = 0;
  for (block::AccumulateOp sum : sums)
    registers += countRegisters(sum.getType(), numThreads,
                                mostRegisters / int64_t(sums.size()));
  return registers <= mostRegisters;
}

/// Whether items are cut as `chooseMmaColumns` says.
static bool isPlain(block::AccumulateOp sum) {
  return getSource(sum) != SumSource::Others && !sum.getRescale() &&
         !getStep(sum)->hasAttr(kWholeRowsAttr);
}

std::optional<int64_t> mlir::mirage::findThreadsForSums(block::GraphOp graph) {
  constexpr int64_t kWarp = 1 << kLaneBits;
  SmallVector<block::AccumulateOp> sums = findCarriedSums(graph);
  if (sums.empty() || !llvm::all_of(sums, isPlain))
    return std::nullopt;
  int64_t present = graph.getThreads();
  std::optional<int64_t> nearest;
  for (int64_t threads = kWarp; threads <= kMaxBlockThreads; threads += kWarp)
    if (haveRegisters(sums, threads) &&
        (!nearest ||
         std::abs(threads - present) < std::abs(*nearest - present)))
      nearest = threads;
  return nearest;
}
