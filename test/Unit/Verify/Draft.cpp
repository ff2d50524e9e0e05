//===- Draft.cpp - A graph in pieces that can be changed ------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Draft.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir::mirage;
using namespace mlir::mirage::test;

Attributes mlir::mirage::test::withScalar(double scalar) {
  Attributes attributes;
  attributes.scalars = {scalar};
  return attributes;
}

Attributes mlir::mirage::test::withDim(int64_t dim) {
  Attributes attributes;
  attributes.dims = {dim};
  return attributes;
}

Draft::Draft(const Graph &graph) { takeApart(graph); }

/// Clusters and stages say how and not what, and stand in the way of other
/// extents.
Draft::Draft(const TileGraph &graph) : isTileGraph(true) {
  takeApart(graph);
  tiles.level = graph.level;
  tiles.grid = graph.grid;
  tiles.loop = graph.loop;
  tiles.threads = graph.threads;
  tiles.tileInputs = graph.tileInputs;
  tiles.tileOutputs = graph.tileOutputs;
}

void Draft::takeApart(const Graph &graph) {
  operations = graph.getNodes().vec();
  outputs.assign(graph.getOutputs().begin(), graph.getOutputs().end());
  numInputs = graph.getNumInputs();
  for (ValueId value = 0; value < graph.getNumValues(); ++value)
    types.push_back(graph.getType(value));
  for (unsigned input = 0; input < numInputs; ++input)
    inputNames.push_back(graph.getInputName(input).str());
}

std::optional<unsigned> Draft::findDefinition(ValueId value) const {
  for (auto [position, operation] : llvm::enumerate(operations))
    if (llvm::is_contained(operation.results, value))
      return position;
  return std::nullopt;
}

unsigned Draft::countUses(ValueId value) const {
  unsigned count = llvm::count(outputs, value);
  for (const Node &operation : operations)
    count += llvm::count(operation.operands, value);
  return count;
}

static bool moves(Opcode opcode) {
  OperatorKind kind = getOperatorInfo(opcode).kind;
  return (kind == OperatorKind::Movement || kind == OperatorKind::Copy) &&
         opcode != Opcode::Cast;
}

ValueId Draft::insert(unsigned position, Opcode opcode,
                      llvm::ArrayRef<ValueId> operands, Attributes attributes,
                      Shape shape) {
  Node node;
  node.opcode = opcode;
  node.attributes = std::move(attributes);
  node.operands.assign(operands.begin(), operands.end());
  node.results = {static_cast<ValueId>(types.size())};
  llvm::SmallVector<TensorSpec> operandTypes =
      llvm::map_to_vector(operands, [&](ValueId id) { return types[id]; });
  llvm::Expected<Shape> inferred =
      inferShape(opcode, node.attributes, operandTypes, shape);
  if (inferred)
    shape = *inferred;
  else
    llvm::consumeError(inferred.takeError());
  types.push_back({shape, isTileGraph ? inferTileElement(opcode, operandTypes)
                                      : types[operands[0]].element});
  operations.insert(operations.begin() + position, node);
  return node.results[0];
}

void Draft::replaceUses(ValueId value, ValueId other, unsigned first) {
  for (Node &operation : llvm::drop_begin(operations, first))
    llvm::replace(operation.operands, value, other);
  llvm::replace(outputs, value, other);
}

/// Adds all operations to a graph that has the inputs; false if they do not fit
/// together.
bool Draft::fill(Graph &graph) const {
  constexpr ValueId kNone = ~ValueId(0);
  std::vector<ValueId> ids(types.size(), kNone);
  for (ValueId input = 0; input < numInputs; ++input)
    ids[input] = graph.addInput(types[input], inputNames[input]);
  for (const Node &operation : operations) {
    llvm::SmallVector<ValueId> operands = llvm::map_to_vector(
        operation.operands, [&](ValueId value) { return ids[value]; });
    if (llvm::is_contained(operands, kNone))
      return false;
    llvm::SmallVector<TensorSpec> results = llvm::map_to_vector(
        operation.results, [&](ValueId value) { return types[value]; });
    if (operation.body) {
      ValueId first = graph.addGraph(operands, operation.body, results);
      for (auto [number, value] : llvm::enumerate(operation.results))
        ids[value] = first + number;
      continue;
    }
    llvm::Expected<Shape> shape =
        inferShape(operation.opcode, operation.attributes,
                   graph.getTypes(operands), results[0].shape);
    if (!shape) {
      llvm::consumeError(shape.takeError());
      return false;
    }
    results[0].shape = *shape;
    if (moves(operation.opcode))
      results[0].element = graph.getType(operands[0]).element;
    ids[operation.results[0]] =
        graph.add(operation.opcode, operands, results[0], operation.attributes);
  }
  for (ValueId output : outputs) {
    if (ids[output] == kNone)
      return false;
    graph.addOutput(ids[output]);
  }
  return true;
}

std::optional<Graph> Draft::toGraph() const {
  Graph graph;
  if (!fill(graph))
    return std::nullopt;
  if (llvm::Error error = verify(graph)) {
    llvm::consumeError(std::move(error));
    return std::nullopt;
  }
  return graph;
}

std::shared_ptr<const TileGraph> Draft::toTileGraph() const {
  auto graph = std::make_shared<TileGraph>(tiles);
  return fill(*graph) ? graph : nullptr;
}

/// Visits a draft, and what is nested in it.
static void
visitNested(const Draft &draft, Complete complete,
            llvm::function_ref<void(const Draft &, Complete)> visit) {
  visit(draft, complete);
  for (auto [position, operation] : llvm::enumerate(draft.operations)) {
    if (!operation.body)
      continue;
    auto completeInner =
        [&, position = position](const Draft &inner) -> std::optional<Graph> {
      std::shared_ptr<const TileGraph> body = inner.toTileGraph();
      if (!body)
        return std::nullopt;
      Draft outer = draft;
      outer.operations[position].body = body;
      return complete(outer);
    };
    visitNested(Draft(*operation.body), completeInner, visit);
  }
}

void mlir::mirage::test::visitGraphs(
    const Graph &program,
    llvm::function_ref<void(const Draft &, Complete)> visit) {
  auto complete = [&](const Draft &draft) -> std::optional<Graph> {
    std::optional<Graph> graph = draft.toGraph();
    if (!graph || graph->getOutputs().size() != program.getOutputs().size())
      return std::nullopt;
    for (auto [ours, theirs] :
         llvm::zip_equal(graph->getOutputs(), program.getOutputs()))
      if (graph->getType(ours).shape != program.getType(theirs).shape)
        return std::nullopt;
    return graph;
  };
  visitNested(Draft(program), complete, visit);
}
