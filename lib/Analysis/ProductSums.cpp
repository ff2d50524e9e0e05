//===- ProductSums.cpp - Sums of products in registers --------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Analysis/ProductSums.h"
#include "Mirage/Analysis/HeldTiles.h"
#include "Mirage/Graph/WarpRows.h"
#include "Mirage/Layout/WorkFragments.h"
#include "Mirage/Planning/RegisterBudget.h"
#include "Mirage/Planning/RegisterPlacement.h"
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

/// The sums that so many threads have registers for: of all of them those that
/// save most of shared memory's traffic, as they are chosen once steps have
/// their items.
static SmallVector<block::AccumulateOp>
findHeldSums(ArrayRef<block::AccumulateOp> sums, int64_t numThreads) {
  int64_t mostRegisters = countSumRegisters(sums, numThreads);
  RegisterPlacementProblem problem({mostRegisters});
  for (block::AccumulateOp sum : sums) {
    HeldCandidate candidate;
    candidate.registers = countRegisters(sum.getType(), numThreads,
                                         mostRegisters / int64_t(sums.size()));
    candidate.end = 1; // all of them at the same time
    candidate.savedBytes = convertTensor(sum.getType()).getSizeBytes();
    problem.add(candidate);
  }
  RegisterPlacement placement =
      placeInRegisters(problem, [](llvm::BitVector &) {});
  SmallVector<block::AccumulateOp> held;
  for (unsigned number : placement.held.set_bits())
    held.push_back(sums[number]);
  return held;
}

/// Whether a step multiplies what the block loads, and nobody else reads that:
/// its rows are a chain of their own (Mirage/Graph/WarpRows.h).
static bool multipliesInputsAlone(block::AccumulateOp sum,
                                  ArrayRef<block::AccumulateOp> sums) {
  auto isOfSums = [&](Operation *reader) {
    return llvm::any_of(sums, [&](block::AccumulateOp other) {
      return getStep(other) == reader;
    });
  };
  return llvm::all_of(getStep(sum).getInputs(), [&](Value input) {
    return isa<BlockArgument>(input) &&
           llvm::all_of(input.getUsers(), isOfSums);
  });
}

/// A block that takes these products and nothing else. What they are summed
/// over says nothing about rows of the results.
static TileGraph describeProducts(ArrayRef<block::AccumulateOp> sums,
                                  int64_t numThreads) {
  constexpr int64_t kAnyDepth = 16;
  TileGraph graph;
  graph.threads = numThreads;
  graph.loop = 2;
  for (block::AccumulateOp sum : sums) {
    TensorSpec lhs = convertTensor(sum.getType()), rhs = lhs;
    lhs.element = rhs.element = ElementType::F16;
    lhs.shape.end()[-1] = rhs.shape.end()[-2] = kAnyDepth;
    graph.addInput(lhs);
    graph.addInput(rhs);
    graph.tileInputs.push_back({{}, int(lhs.getRank()) - 1});
    graph.tileInputs.push_back({{}, int(lhs.getRank()) - 2});
  }
  for (block::AccumulateOp sum : sums) {
    TensorSpec result = convertTensor(sum.getType());
    ValueId left = 2 * graph.getOutputs().size();
    ValueId product = graph.add(Opcode::Matmul, {left, left + 1}, result);
    graph.addOutput(graph.add(Opcode::Accumulate, {product}, result));
    graph.tileOutputs.emplace_back();
  }
  return graph;
}

/// Whether so many threads would have whole rows of all sums.
static bool wouldHaveRows(ArrayRef<block::AccumulateOp> sums,
                          int64_t numThreads) {
  return llvm::all_of(sums,
                      [&](block::AccumulateOp sum) {
                        return multipliesInputsAlone(sum, sums);
                      }) &&
         findWarpRows(describeProducts(sums, numThreads),
                      RegisterBudget(numThreads).getForRows())
             .members.all();
}

/// Whether items are cut as `chooseMmaColumns` says.
static bool isPlain(block::AccumulateOp sum) {
  return getSource(sum) != SumSource::Others && !sum.getRescale() &&
         !getStep(sum)->hasAttr(kWholeRowsAttr);
}

/// All numbers that a block may have but its own, the nearest first.
static SmallVector<int64_t> listOtherThreads(int64_t present) {
  constexpr int64_t kWarp = 1 << kLaneBits;
  SmallVector<int64_t> all;
  for (int64_t threads = kWarp; threads <= kMaxBlockThreads; threads += kWarp)
    if (threads != present)
      all.push_back(threads);
  llvm::sort(all, [&](int64_t lhs, int64_t rhs) {
    return std::pair(std::abs(lhs - present), lhs) <
           std::pair(std::abs(rhs - present), rhs);
  });
  return all;
}

std::optional<ThreadsForSums>
mlir::mirage::findThreadsForSums(block::GraphOp graph, FitWithoutSums fit) {
  SmallVector<block::AccumulateOp> sums = findCarriedSums(graph);
  if (sums.empty() || !llvm::all_of(sums, isPlain))
    return std::nullopt;
  for (int64_t threads : listOtherThreads(graph.getThreads())) {
    SmallVector<block::AccumulateOp> held =
        wouldHaveRows(sums, threads) ? sums : findHeldSums(sums, threads);
    if (!held.empty() && fit(held))
      return ThreadsForSums{threads, held.size() == sums.size()};
  }
  return std::nullopt;
}
