//===- GraphBuilder.cpp - Graphs that are checked as they grow ------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Graph/GraphBuilder.h"
#include "Mirage/Graph/ComposedOperators.h"
#include "Mirage/Graph/LevelRules.h"
#include "Mirage/Graph/Phases.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir::mirage;

static bool isWide(ElementType type) { return getSizeBytes(type) >= 2; }

ElementType mlir::mirage::joinElements(ElementType lhs, ElementType rhs) {
  if (!isWide(lhs))
    return isWide(rhs) ? rhs : ElementType::F16;
  return !isWide(rhs) || lhs == rhs ? lhs : ElementType::F32;
}

static bool haveOneElement(const Graph &graph,
                           llvm::ArrayRef<ValueId> operands) {
  return llvm::all_equal(llvm::map_range(operands, [&](ValueId operand) {
    return graph.getType(operand).element;
  }));
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

llvm::Error GraphBuilder::checkValues(llvm::ArrayRef<ValueId> values) const {
  for (ValueId value : values)
    if (value >= graph.getNumValues())
      return llvm::createStringError("expects one of " +
                                     llvm::Twine(graph.getNumValues()) +
                                     " values, got %" + llvm::Twine(value));
  return llvm::Error::success();
}

llvm::Expected<ElementType>
GraphBuilder::inferElement(Opcode opcode, llvm::ArrayRef<TensorSpec> operands,
                           const ResultRequest &request) const {
  if (request.element)
    return *request.element;
  if (opcode == Opcode::Cast)
    return llvm::createStringError("expects the element type of its result, "
                                   "got none");
  bool moves = getOperatorInfo(opcode).kind == OperatorKind::Movement ||
               opcode == Opcode::Repeat;
  if (tiles && !moves)
    return inferTileElement(opcode, operands);
  if (operands.empty())
    return ElementType::F32;
  ElementType element = operands[0].element;
  for (const TensorSpec &operand : operands.drop_front())
    if (operand.element != element)
      element = joinElements(element, operand.element);
  return moves ? element : joinElements(element, element);
}

ElementType GraphBuilder::getStored(ValueId operand) const {
  if (tiles)
    return ElementType::F32;
  ElementType element = graph.getType(operand).element;
  return joinElements(element, element);
}

llvm::Expected<TensorSpec>
GraphBuilder::inferType(Opcode opcode, llvm::ArrayRef<TensorSpec> operands,
                        const Attributes &attributes,
                        const ResultRequest &request) const {
  llvm::Expected<Shape> shape =
      inferShape(opcode, attributes, operands, request.shape);
  if (!shape)
    return shape.takeError();
  if (!request.shape.empty() && request.shape != *shape)
    return llvm::createStringError("expects a result of shape " +
                                   toString(*shape) + ", got " +
                                   toString(request.shape));
  llvm::Expected<ElementType> element = inferElement(opcode, operands, request);
  if (!element)
    return element.takeError();
  TensorSpec type{std::move(*shape), *element};
  if (llvm::Error error = checkTensorType(type))
    return std::move(error);
  return type;
}

llvm::Error GraphBuilder::checkTypes(Opcode opcode,
                                     llvm::ArrayRef<ValueId> operands,
                                     const Attributes &attributes,
                                     ElementType element) const {
  llvm::SmallVector<TensorSpec> types = graph.getTypes(operands);
  if (llvm::Error error = checkCarried(opcode, getLevel(), attributes))
    return error;
  if (llvm::Error error =
          checkElement(opcode, getLevel(), attributes, types, element))
    return error;
  if (!tiles)
    return llvm::Error::success();
  llvm::SmallVector<Phase> phases = computePhases(*tiles);
  llvm::SmallVector<Phase, 2> met;
  for (ValueId operand : operands)
    met.push_back(phases[operand]);
  return checkInTileGraph(opcode, attributes, met, types, *tiles);
}

llvm::Expected<ValueId> GraphBuilder::add(Opcode opcode,
                                          llvm::ArrayRef<ValueId> operands,
                                          Attributes attributes,
                                          const ResultRequest &request) {
  if (opcode == Opcode::Graph)
    return llvm::createStringError("expects an operator, got a nested graph");
  if (llvm::Error error = checkValues(operands))
    return std::move(error);
  if (tiles && isComposed(opcode))
    return addComposed(opcode, operands, attributes, request);
  if (tiles && opcode == Opcode::Concat && !haveOneElement(graph, operands))
    return addConcat(operands, attributes);
  if (llvm::Error error = checkLevel(opcode, getLevel()))
    return std::move(error);
  llvm::Expected<TensorSpec> type =
      inferType(opcode, graph.getTypes(operands), attributes, request);
  if (!type)
    return type.takeError();
  if (llvm::Error error =
          checkTypes(opcode, operands, attributes, type->element))
    return std::move(error);
  return graph.add(opcode, operands, std::move(*type), std::move(attributes));
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

/// The whole of what blocks hold tiles of.
static Shape joinTiles(const TileGraph &kernel, unsigned output) {
  Shape shape = kernel.getType(kernel.getOutputs()[output]).shape;
  for (auto [dim, size] : llvm::enumerate(shape))
    size *= kernel.getExtent(kernel.getJoinedAxes(output, dim));
  return shape;
}

llvm::Expected<ValueId> GraphBuilder::addInput(TensorSpec type,
                                               llvm::StringRef name) {
  if (llvm::Error error = checkTensorType(type))
    return std::move(error);
  return graph.insertInput(std::move(type), name);
}

llvm::Expected<ValueId>
GraphBuilder::addKernel(llvm::ArrayRef<ValueId> operands,
                        std::shared_ptr<const TileGraph> kernel,
                        llvm::ArrayRef<ResultRequest> requests) {
  if (llvm::Error error = checkValues(operands))
    return std::move(error);
  if (operands.size() != kernel->getNumInputs())
    return llvm::createStringError("expects an operand for each of " +
                                   llvm::Twine(kernel->getNumInputs()) +
                                   " tiles, got " +
                                   llvm::Twine(operands.size()));
  size_t numResults = kernel->getOutputs().size();
  assert((requests.empty() || requests.size() == numResults) &&
         "one for each result, or none");
  ElementType element =
      operands.empty() ? ElementType::F32 : getStored(operands[0]);
  llvm::SmallVector<TensorSpec> results;
  for (unsigned output = 0; output < numResults; ++output) {
    ResultRequest request =
        requests.empty() ? ResultRequest() : requests[output];
    results.push_back(
        {request.shape.empty() ? joinTiles(*kernel, output) : request.shape,
         request.element.value_or(element)});
  }
  for (const TensorSpec &result : results)
    if (llvm::Error error = checkTensorType(result))
      return std::move(error);
  if (llvm::Error error = verify(*kernel, graph.getTypes(operands), results))
    return std::move(error);
  return graph.addGraph(operands, std::move(kernel), results);
}

llvm::Error GraphBuilder::addOutput(ValueId value) {
  if (llvm::Error error = checkValues(value))
    return error;
  graph.addOutput(value);
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Tile graphs
//===----------------------------------------------------------------------===//

/// A map has an entry for each axis of the grid: a dimension, or one of the
/// numbers below 0 that say something.
static llvm::Error checkMap(llvm::ArrayRef<int> map, size_t numAxes,
                            unsigned rank, int least) {
  if (map.size() != numAxes)
    return llvm::createStringError("expects a map for each of " +
                                   llvm::Twine(numAxes) + " grid axes, got " +
                                   llvm::Twine(map.size()));
  for (int dim : map)
    if (dim < least || dim >= int(rank))
      return llvm::createStringError("expects a map to dimensions below " +
                                     llvm::Twine(rank) + ", got " +
                                     llvm::Twine(dim));
  return llvm::Error::success();
}

llvm::Expected<ValueId> GraphBuilder::addInput(const TensorSpec &tensor,
                                               llvm::ArrayRef<int> gridMap,
                                               int loopMap) {
  unsigned rank = tensor.getRank();
  if (llvm::Error error = checkTensorType(tensor))
    return std::move(error);
  if (llvm::Error error =
          checkMap(gridMap, tiles->grid.size(), rank, kReplicated))
    return std::move(error);
  if (llvm::Error error = checkMap(loopMap, 1, rank, kReplicated))
    return std::move(error);
  TensorSpec tile = tensor;
  for (auto [dim, size] : llvm::enumerate(tile.shape)) {
    int64_t parts = loopMap == int(dim) ? tiles->loop : 1;
    for (auto [axis, cut] : llvm::enumerate(gridMap))
      parts *= cut == int(dim) ? tiles->grid[axis] : 1;
    size = llvm::divideCeil(size, parts);
  }
  tiles->tileInputs.push_back({llvm::SmallVector<int, 3>(gridMap), loopMap});
  return tiles->insertInput(std::move(tile), "");
}

llvm::Error GraphBuilder::addOutput(ValueId value,
                                    llvm::ArrayRef<int> gridMap) {
  if (llvm::Error error = checkValues(value))
    return error;
  if (llvm::Error error = checkMap(gridMap, tiles->grid.size(),
                                   graph.getType(value).getRank(), kSummed))
    return error;
  if (tiles->loop > 1 && computePhases(*tiles)[value] == Phase::Loop)
    return llvm::createStringError(
        "expects an output from after the loop, got a value of the loop");
  tiles->tileOutputs.push_back({llvm::SmallVector<int, 3>(gridMap)});
  graph.addOutput(value);
  return llvm::Error::success();
}
