//===- GraphVerifier.cpp - What makes a µGraph well formed ----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ErrorPrefix.h"
#include "Mirage/Graph/Graph.h"
#include "Mirage/Graph/LevelRules.h"
#include "Mirage/Graph/Phases.h"
#include "Mirage/Graph/VaryingAxes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

using namespace mlir::mirage;

/// The level of the graphs that one of `level` holds.
static llvm::Error checkNested(const Node &operation, Level level) {
  if (!operation.body)
    return llvm::createStringError("expects a nested graph, got none");
  Level inner = level == Level::Kernel ? Level::Block : Level::Thread;
  if (operation.body->level != inner)
    return llvm::createStringError(
        "expects a " + getLevelName(inner) + " graph in a " +
        getLevelName(level) + " graph, got a " +
        getLevelName(operation.body->level) + " graph");
  return llvm::Error::success();
}

static llvm::Error checkOperation(const Graph &graph, const Node &operation,
                                  ValueId firstResult, Level level) {
  for (ValueId operand : operation.operands)
    if (operand >= firstResult)
      return llvm::createStringError(
          "expects operands that stand earlier, got %" + llvm::Twine(operand));
  for (ValueId result : operation.results)
    if (llvm::Error error = checkTensorType(graph.getType(result)))
      return error;
  llvm::SmallVector<TensorSpec> operands = graph.getTypes(operation.operands);
  llvm::SmallVector<TensorSpec> results = graph.getTypes(operation.results);
  if (llvm::Error error = checkLevel(operation.opcode, level))
    return error;
  if (operation.opcode == Opcode::Graph) {
    if (llvm::Error error = checkNested(operation, level))
      return error;
    return verify(*operation.body, operands, results);
  }
  llvm::Expected<Shape> shape = inferShape(
      operation.opcode, operation.attributes, operands, results[0].shape);
  if (!shape)
    return shape.takeError();
  if (*shape != results[0].shape)
    return llvm::createStringError("expects a result of shape " +
                                   toString(*shape) + ", got " +
                                   toString(results[0].shape));
  if (llvm::Error error =
          checkCarried(operation.opcode, level, operation.attributes))
    return error;
  return checkElement(operation.opcode, level, operation.attributes, operands,
                      results[0].element);
}

static llvm::Error verifyAtLevel(const Graph &graph, Level level) {
  for (unsigned input = 0; input < graph.getNumInputs(); ++input)
    if (llvm::Error error = checkTensorType(graph.getType(input)))
      return prefixError("input " + llvm::Twine(input), std::move(error));
  ValueId next = graph.getNumInputs();
  for (auto [number, operation] : llvm::enumerate(graph.getNodes())) {
    if (llvm::Error error = checkOperation(graph, operation, next, level))
      return prefixError("operation " + llvm::Twine(number) + " (" +
                             getOperatorInfo(operation.opcode).name + ")",
                         std::move(error));
    next += operation.results.size();
  }
  if (graph.getOutputs().empty())
    return llvm::createStringError("expects at least one output, got none");
  for (ValueId output : graph.getOutputs())
    if (output >= graph.getNumValues())
      return llvm::createStringError(
          "expects an output among the values, got %" + llvm::Twine(output));
  return llvm::Error::success();
}

llvm::Error mlir::mirage::verify(const Graph &graph) {
  return verifyAtLevel(graph, Level::Kernel);
}

/// Axes and phases of each operation; and what leaves the graph has left the
/// loop.
static llvm::Error checkOperationsInTileGraph(const TileGraph &graph) {
  llvm::SmallVector<Phase> phases = computePhases(graph);
  for (auto [number, operation] : llvm::enumerate(graph.getNodes())) {
    llvm::SmallVector<Phase, 2> operands;
    for (ValueId operand : operation.operands)
      operands.push_back(phases[operand]);
    if (llvm::Error error =
            checkInTileGraph(operation.opcode, operation.attributes, operands,
                             graph.getTypes(operation.operands), graph))
      return prefixError("operation " + llvm::Twine(number) + " (" +
                             getOperatorInfo(operation.opcode).name + ")",
                         std::move(error));
  }
  for (ValueId output : graph.getOutputs())
    if (phases[output] == Phase::Loop && graph.loop > 1)
      return llvm::createStringError(
          "expects outputs from after the loop, got %" + llvm::Twine(output) +
          " of the loop");
  return llvm::Error::success();
}

llvm::Error mlir::mirage::verify(const TileGraph &graph,
                                 llvm::ArrayRef<TensorSpec> operands,
                                 llvm::ArrayRef<TensorSpec> results) {
  if (llvm::Error error = verifyAtLevel(graph, graph.level))
    return error;
  if (llvm::Error error = verifyMaps(
          graph, operands, graph.getTypes(graph.getOutputs()), results))
    return error;
  if (llvm::Error error = checkOperationsInTileGraph(graph))
    return error;
  return checkOutputJoins(graph);
}
