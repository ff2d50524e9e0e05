//===- PickCount.cpp - How many values are picked from --------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PickCount.h"
#include "UsedFunctions.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::mirage;

/// How many elements of an operand, and iterations or blocks, each result of an
/// operation is of.
static double countJoined(const Graph &graph, const Node &node,
                          const TileGraph *tiles) {
  double joined = double(graph.getType(node.operands[0]).getNumElements()) /
                  double(graph.getType(node.results[0]).getNumElements());
  if (node.opcode != Opcode::Accumulate || !tiles)
    return joined;
  return joined * double(tiles->getExtent(node.attributes.axis));
}

static llvm::SmallVector<double> countByValue(const Graph &graph,
                                              llvm::ArrayRef<double> inputs,
                                              const TileGraph *tiles) {
  llvm::SmallVector<double> counts(inputs);
  counts.resize(graph.getNumValues(), 1);
  for (const Node &node : graph.getNodes()) {
    auto operands = llvm::map_range(
        node.operands, [&](ValueId operand) { return counts[operand]; });
    if (node.body) {
      llvm::SmallVector<double> nested =
          countByValue(*node.body, llvm::to_vector(operands), node.body.get());
      for (auto [result, output] :
           llvm::zip_equal(node.results, node.body->getOutputs()))
        counts[result] = nested[output];
      continue;
    }
    double most = 1, sum = 0;
    for (double count : operands) {
      most = std::max(most, count);
      sum += count;
    }
    if (appliesFunction(node, {ScalarFunction::Max, ScalarFunction::Min})) {
      bool isElementwise =
          getOperatorInfo(node.opcode).kind == OperatorKind::Elementwise;
      // One operand is against a constant, as in relu.
      most = isElementwise ? std::max(sum, most + 1)
                           : most * countJoined(graph, node, tiles);
    }
    counts[node.results[0]] = most;
  }
  return counts;
}

double mlir::mirage::countPicked(const Graph &graph) {
  llvm::SmallVector<double> inputs(graph.getNumInputs(), 1);
  llvm::SmallVector<double> counts = countByValue(graph, inputs, nullptr);
  double most = 1;
  for (ValueId output : graph.getOutputs())
    most = std::max(most, counts[output]);
  return most;
}
