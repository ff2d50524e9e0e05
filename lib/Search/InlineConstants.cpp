//===- InlineConstants.cpp - Numbers within kernels -----------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Search/RewrittenProgram.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using llvm::SmallVector;

namespace {
/// By operand of a nested graph: the attributes of the constant that it is.
using Constants = SmallVector<const Attributes *>;
} // namespace

/// A tile of a number is the number.
static std::shared_ptr<const TileGraph> inlineInto(const TileGraph &graph,
                                                   const Constants &constants) {
  auto result = std::make_shared<TileGraph>();
  result->f32Products = graph.f32Products;
  result->level = graph.level;
  result->grid = graph.grid;
  result->cluster = graph.cluster;
  result->loop = graph.loop;
  result->stages = graph.stages;
  result->threads = graph.threads;
  result->tileOutputs = graph.tileOutputs;
  SmallVector<ValueId> map(graph.getNumInputs());
  for (unsigned input = 0; input < graph.getNumInputs(); ++input)
    if (!constants[input]) {
      map[input] =
          result->addInput(graph.getType(input), graph.getInputName(input));
      result->tileInputs.push_back(graph.tileInputs[input]);
    }
  for (unsigned input = 0; input < graph.getNumInputs(); ++input)
    if (constants[input])
      map[input] = result->add(Opcode::Constant, {}, graph.getType(input),
                               *constants[input]);
  for (ValueId output : inlineGraph(graph, map, *result))
    result->addOutput(output);
  return result;
}

Graph mlir::mirage::search::inlineConstants(const Graph &graph) {
  Graph result;
  result.f32Products = graph.f32Products;
  SmallVector<ValueId> map;
  for (unsigned input = 0; input < graph.getNumInputs(); ++input)
    map.push_back(
        result.addInput(graph.getType(input), graph.getInputName(input)));
  llvm::SmallVector<bool> isRead(graph.getNumValues(), false);
  for (const Node &node : graph.getNodes())
    for (ValueId operand : node.operands)
      isRead[operand] |= !node.body;
  for (ValueId output : graph.getOutputs())
    isRead[output] = true;
  for (const Node &node : graph.getNodes()) {
    if (node.opcode == Opcode::Constant && !isRead[node.results[0]]) {
      map.push_back(0);
      continue;
    }
    SmallVector<ValueId> operands;
    Constants constants;
    for (ValueId operand : node.operands) {
      const Node *definition = graph.getDefinition(operand);
      bool isInlined =
          node.body && definition && definition->opcode == Opcode::Constant;
      constants.push_back(isInlined ? &definition->attributes : nullptr);
      if (!isInlined)
        operands.push_back(map[operand]);
    }
    SmallVector<TensorSpec> types = graph.getTypes(node.results);
    auto body = operands.size() < constants.size()
                    ? inlineInto(*node.body, constants)
                    : node.body;
    ValueId first =
        body ? result.addGraph(operands, body, types)
             : result.add(node.opcode, operands, types[0], node.attributes);
    for (unsigned i = 0; i < node.results.size(); ++i)
      map.push_back(first + i);
  }
  for (ValueId output : graph.getOutputs())
    result.addOutput(map[output]);
  return result;
}
