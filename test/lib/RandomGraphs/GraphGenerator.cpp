//===- GraphGenerator.cpp - Random µGraphs --------------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphGenerator.h"
#include "BlockGenerator.h"
#include "Mirage/Reference/OutputCheck.h"
#include "Mirage/Reference/RandomInputs.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir::mirage;
using namespace mlir::mirage::test;

namespace {
/// Tensors of a kernel graph before it is known how many inputs it has.
struct KernelPlan {
  struct Tensor {
    RangedTensor tensor;
    /// Of an input the number, else the block and its result.
    int block = -1;
    unsigned number = 0;
    bool isUsed = false;
  };
  std::vector<GeneratedBlock> blocks;
  std::vector<llvm::SmallVector<unsigned>> operands; ///< tensors, by block
  std::vector<Tensor> tensors;
};
} // namespace

/// A block reads some of what an earlier one left, and perhaps one of its
/// operands.
static llvm::SmallVector<unsigned> chooseGiven(Draw &draw,
                                               const KernelPlan &plan) {
  llvm::SmallVector<unsigned> given;
  for (auto [number, tensor] : llvm::enumerate(plan.tensors)) {
    unsigned percent = tensor.block < 0 ? 15 : 70;
    if (given.size() < 3 && draw.chance(percent))
      given.push_back(number);
  }
  return given;
}

static llvm::Expected<bool> addBlock(Draw &draw, llvm::ArrayRef<Feature> wanted,
                                     KernelPlan &plan) {
  llvm::SmallVector<unsigned> given = chooseGiven(draw, plan);
  auto tensors = llvm::map_to_vector(
      given, [&](unsigned number) { return plan.tensors[number].tensor; });
  auto made = generateBlock(draw, tensors, wanted);
  if (!made)
    return made.takeError();
  if (!*made)
    return false;
  GeneratedBlock &block = **made;
  for (unsigned number : given)
    plan.tensors[number].isUsed = true;
  for (const RangedTensor &fresh :
       llvm::ArrayRef(block.operands).drop_front(given.size())) {
    given.push_back(plan.tensors.size());
    plan.tensors.push_back({fresh, -1, 0, true});
  }
  for (auto [number, result] : llvm::enumerate(block.results))
    plan.tensors.push_back(
        {result, int(plan.blocks.size()), unsigned(number), false});
  plan.operands.push_back(given);
  plan.blocks.push_back(std::move(block));
  return true;
}

/// Results that no block reads are the program's, and now and then others.
static Graph buildGraph(Draw &draw, const KernelPlan &plan) {
  Graph graph;
  std::vector<ValueId> values(plan.tensors.size());
  for (auto [number, tensor] : llvm::enumerate(plan.tensors))
    if (tensor.block < 0)
      values[number] = graph.addInput(tensor.tensor.type);
  for (auto [number, block] : llvm::enumerate(plan.blocks)) {
    auto operands = llvm::map_to_vector(
        plan.operands[number], [&](unsigned tensor) { return values[tensor]; });
    auto types = llvm::map_to_vector(
        block.results, [](const RangedTensor &result) { return result.type; });
    ValueId first = graph.addGraph(
        operands, std::make_shared<const TileGraph>(block.tiles), types);
    for (auto [position, tensor] : llvm::enumerate(plan.tensors))
      if (tensor.block == int(number))
        values[position] = first + tensor.number;
  }
  for (auto [number, tensor] : llvm::enumerate(plan.tensors))
    if (tensor.block >= 0 && (!tensor.isUsed || draw.chance(20)))
      graph.addOutput(values[number]);
  return graph;
}

/// Three features of each graph stand fast.
static llvm::SmallVector<Feature> chooseWanted(unsigned number) {
  const std::vector<Feature> &features = listFeatures();
  llvm::SmallVector<Feature> wanted;
  for (unsigned i = 0; i < 3; ++i)
    wanted.push_back(features[(3 * number + i) % features.size()]);
  return wanted;
}

static llvm::Expected<std::optional<Graph>> drawGraph(Draw &draw,
                                                      unsigned number) {
  KernelPlan plan;
  llvm::Expected<bool> isAdded = addBlock(draw, chooseWanted(number), plan);
  if (!isAdded)
    return isAdded.takeError();
  if (!*isAdded)
    return std::nullopt;
  if (draw.chance(35)) {
    isAdded = addBlock(draw, {}, plan);
    if (!isAdded)
      return isAdded.takeError();
  }
  Graph graph = buildGraph(draw, plan);
  if (llvm::Error error = verify(graph))
    return std::move(error);
  return std::move(graph);
}

namespace {
enum class Worth : uint8_t { Good, LosesDigits, SaysNothing };
} // namespace

/// Whether a graph that is rounded after every operation is right by less than
/// a third of what it may be off: what is beyond that says more about the graph
/// than about code. And whether what comes of other inputs would be taken for
/// wrong: if not, nothing is checked.
static llvm::Expected<Worth> appraise(const Graph &graph) {
  auto evaluate = [&](uint64_t seed, Rounding rounding) {
    return evaluateReference(graph, makeRandomInputs(graph, seed),
                             {/*threads=*/1, /*scales=*/true, rounding});
  };
  auto exact = evaluate(1, Rounding::Exact),
       other = evaluate(2, Rounding::Exact),
       rounded = evaluate(1, Rounding::Declared);
  for (auto *result : {&exact, &other, &rounded})
    if (!*result)
      return llvm::joinErrors(
          llvm::joinErrors(exact.takeError(), other.takeError()),
          rounded.takeError());
  for (size_t number = 0; number < exact->size(); ++number) {
    auto check = [&](const ReferenceOutput &found) {
      return checkOutput((*exact)[number],
                         encode(found.type, found.values, /*threads=*/1));
    };
    OutputCheck own = check((*rounded)[number]);
    if (!own.pass || own.numCompared != own.numElements ||
        own.worstError > own.tolerance / 3 ||
        own.relativeError > own.tolerance / 3)
      return Worth::LosesDigits;
    if (check((*other)[number]).pass)
      return Worth::SaysNothing;
  }
  return Worth::Good;
}

llvm::Expected<GeneratedGraph>
mlir::mirage::test::generateGraph(uint64_t seed, unsigned number) {
  Seed parent = deriveSeed(hashToSeed("random graphs"), "seed", seed);
  Draw draw(deriveSeed(parent, "graph", number));
  GeneratedGraph result;
  while (true) {
    auto graph = drawGraph(draw, number);
    if (!graph)
      return graph.takeError();
    if (!*graph)
      continue;
    llvm::Expected<Worth> worth = appraise(**graph);
    if (!worth)
      return worth.takeError();
    if (*worth == Worth::Good) {
      result.graph = std::move(**graph);
      return std::move(result);
    }
    ++(*worth == Worth::LosesDigits ? result.numLosingDigits
                                    : result.numSayingNothing);
  }
}
