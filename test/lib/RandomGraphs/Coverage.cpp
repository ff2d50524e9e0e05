//===- Coverage.cpp - What random graphs have had -------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Coverage.h"
#include "Feature.h"
#include "Mirage/Graph/Phases.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::mirage;
using namespace mlir::mirage::test;

static constexpr llvm::StringLiteral kOperators = "operators",
                                     kOperands = "operands",
                                     kResults = "results",
                                     kProducts = "products";

/// What some output depends on.
static std::vector<bool> findLive(const Graph &graph) {
  std::vector<bool> isLive(graph.getNumValues());
  for (ValueId output : graph.getOutputs())
    isLive[output] = true;
  for (const Node &node : llvm::reverse(graph.getNodes()))
    if (llvm::any_of(node.results, [&](ValueId v) { return isLive[v]; }))
      for (ValueId operand : node.operands)
        isLive[operand] = true;
  return isLive;
}

void Coverage::addMaps(const TileGraph &tiles,
                       llvm::ArrayRef<TensorSpec> operands) {
  for (auto [input, map] : llvm::enumerate(tiles.tileInputs)) {
    count("maps", map.loopMap == kReplicated ? "operand not looped over"
                                             : "operand looped over");
    for (unsigned dim = 0; dim < operands[input].getRank(); ++dim) {
      auto axes = tiles.getCuttingAxes(input, dim);
      count("maps",
            "operand's dimension cut by " + std::to_string(axes.size()));
      if (tiles.getExtent(axes) * tiles.getType(input).shape[dim] >
          operands[input].shape[dim])
        count("maps", "partial tiles");
    }
    if (llvm::is_contained(map.gridMap, kReplicated))
      count("maps", "operand the same along an axis");
  }
  for (const TileOutput &map : tiles.tileOutputs)
    for (int dim : map.gridMap)
      count("maps", dim == kSummed       ? "result summed along an axis"
                    : dim == kReplicated ? "result the same along an axis"
                                         : "result joined along an axis");
}

void Coverage::addBlock(const TileGraph &tiles,
                        llvm::ArrayRef<TensorSpec> operands,
                        llvm::ArrayRef<TensorSpec> results) {
  std::vector<bool> isLive = findLive(tiles);
  for (auto [node, phase] :
       llvm::zip_equal(tiles.getNodes(), computeExecutionPhases(tiles))) {
    if (!isLive[node.results[0]])
      continue;
    if (joinsBlocks(node))
      count("joins", phase == Phase::Joined ? "before the loop" : "behind it");
    count(kOperators, toString(getFeature(node)));
    if (node.opcode == Opcode::Matmul)
      count(kProducts,
            getElementTypeName(tiles.getType(node.operands[0]).element).str() +
                " " +
                getElementTypeName(tiles.getType(node.operands[1]).element)
                    .str());
  }
  for (const TensorSpec &operand : operands)
    count(kOperands, getElementTypeName(operand.element).str());
  for (const TensorSpec &result : results)
    count(kResults, getElementTypeName(result.element).str());
  addMaps(tiles, operands);
  count("extents", std::to_string(tiles.grid.size()) + " axes");
  count("extents", "loop of " + std::to_string(tiles.loop));
  count("extents", std::to_string(tiles.stages) + " stages");
  count("extents", std::to_string(tiles.threads) + " threads");
  if (tiles.getNumClusterBlocks() > 1)
    count("extents", "clusters");
}

void Coverage::add(const Graph &graph) {
  seen.clear();
  unsigned numBlocks = 0;
  for (const Node &node : graph.getNodes()) {
    addBlock(*node.body, graph.getTypes(node.operands),
             graph.getTypes(node.results));
    ++numBlocks;
  }
  count("graphs", std::to_string(numBlocks) + " kernels");
  for (const auto &[group, name] : seen)
    ++counts[group][name];
}

void Coverage::addOptimized(const Graph &graph) {
  bool hasThreads = llvm::any_of(graph.getNodes(), [](const Node &node) {
    return node.body &&
           llvm::any_of(node.body->getNodes(),
                        [](const Node &step) { return bool(step.body); });
  });
  if (hasThreads)
    ++counts["graphs"]["with thread graphs"];
}

void Coverage::print(llvm::raw_ostream &os) const {
  for (const auto &[group, names] : counts) {
    os << group << ":";
    llvm::interleave(
        names,
        [&](const auto &entry) {
          os << " " << entry.first << " " << entry.second;
        },
        [&] { os << ","; });
    os << "\n";
  }
}

std::vector<std::string> Coverage::listMissing() const {
  std::vector<std::string> missing;
  auto require = [&](llvm::StringRef group, const std::string &name) {
    auto found = counts.find(group.str());
    if (found == counts.end() || !found->second.count(name))
      missing.push_back(group.str() + ": " + name);
  };
  for (const Feature &feature : listFeatures())
    require(kOperators, toString(feature));
  for (ElementType element : kElementTypes) {
    std::string name = getElementTypeName(element).str();
    require(kOperands, name);
    require(kResults, name);
    require(kProducts, name + " " + name);
  }
  require("graphs", "with thread graphs");
  require("joins", "before the loop");
  require("joins", "behind it");
  for (const char *map :
       {"partial tiles", "operand looped over", "operand not looped over",
        "operand the same along an axis", "result summed along an axis",
        "result joined along an axis", "result the same along an axis"})
    require("maps", map);
  return missing;
}
