//===- GraphVerifier.cpp - What makes a µGraph well formed ----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Graph/Graph.h"
#include "Mirage/Graph/LevelRules.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

using namespace mlir::mirage;

static llvm::Error prefix(const llvm::Twine &where, llvm::Error error) {
  return llvm::createStringError(where + ": " + llvm::toString(std::move(error)));
}

/// A tensor has a rank and elements.
static llvm::Error checkType(const TensorSpec &type) {
  if (type.shape.empty())
    return llvm::createStringError("expects a rank of at least 1, got 0");
  for (int64_t size : type.shape)
    if (size < 1)
      return llvm::createStringError("expects sizes of at least 1, got " + llvm::Twine(size));
  if (!multiplyCounts(type.shape))
    return llvm::createStringError("expects at most 2^40 elements, got more");
  return llvm::Error::success();
}

/// The level of the graphs that one of `level` holds.
static llvm::Error checkNested(const Node &operation, Level level) {
  if (!operation.body)
    return llvm::createStringError("expects a nested graph, got none");
  if (level == Level::Thread)
    return llvm::createStringError("expects no graph in a thread graph, got one");
  Level inner = level == Level::Kernel ? Level::Block : Level::Thread;
  if (operation.body->level != inner)
    return llvm::createStringError("expects a " + getLevelName(inner) + " graph in a " +
                     getLevelName(level) + " graph, got a " +
                     getLevelName(operation.body->level) + " graph");
  return llvm::Error::success();
}

static llvm::Error checkOperation(const Graph &graph, const Node &operation,
                                  ValueId firstResult, Level level) {
  for (ValueId operand : operation.operands)
    if (operand >= firstResult)
      return llvm::createStringError("expects operands that stand earlier, got %" +
                       llvm::Twine(operand));
  for (ValueId result : operation.results)
    if (llvm::Error error = checkType(graph.getType(result)))
      return error;
  llvm::SmallVector<TensorSpec> operands = graph.getTypes(operation.operands);
  llvm::SmallVector<TensorSpec> results = graph.getTypes(operation.results);
  if (operation.opcode == Opcode::Graph) {
    if (llvm::Error error = checkNested(operation, level))
      return error;
    return verify(*operation.body, operands, results);
  }
  if (llvm::Error error = checkLevel(operation.opcode, level))
    return error;
  llvm::Expected<Shape> shape = inferShape(
      operation.opcode, operation.attributes, operands, results[0].shape);
  if (!shape)
    return shape.takeError();
  if (*shape != results[0].shape)
    return llvm::createStringError("expects a result of another shape than the one stated");
  return checkElement(operation.opcode, level, operands, results[0].element);
}

static llvm::Error verifyAtLevel(const Graph &graph, Level level) {
  for (unsigned input = 0; input < graph.getNumInputs(); ++input)
    if (llvm::Error error = checkType(graph.getType(input)))
      return prefix("input " + llvm::Twine(input), std::move(error));
  ValueId next = graph.getNumInputs();
  for (auto [number, operation] : llvm::enumerate(graph.getNodes())) {
    if (llvm::Error error = checkOperation(graph, operation, next, level))
      return prefix("operation " + llvm::Twine(number) + " (" +
                        getOperatorInfo(operation.opcode).name + ")",
                    std::move(error));
    next += operation.results.size();
  }
  if (graph.getOutputs().empty())
    return llvm::createStringError("expects at least one output, got none");
  for (ValueId output : graph.getOutputs())
    if (output >= graph.getNumValues())
      return llvm::createStringError("expects an output among the values, got %" +
                       llvm::Twine(output));
  return llvm::Error::success();
}

llvm::Error mlir::mirage::verify(const Graph &graph) {
  return verifyAtLevel(graph, Level::Kernel);
}

/// How much of a dimension tiles cover: enough or exactly the tensor's size.
static llvm::Error checkCover(llvm::ArrayRef<int64_t> extents, int64_t tile,
                              int64_t size, int dim, bool mayOverhang) {
  llvm::SmallVector<int64_t, 4> factors(extents);
  factors.push_back(tile);
  std::optional<int64_t> covered = multiplyCounts(factors);
  if (covered && (mayOverhang ? *covered >= size : *covered == size))
    return llvm::Error::success();
  return llvm::createStringError("expects tiles that cover dimension " + llvm::Twine(dim) +
                   " of size " + llvm::Twine(size) + ", got tiles that cover " +
                   (covered ? std::to_string(*covered) : "more than 2^40"));
}

/// An axis cuts one dimension that exists, and the tiles cover the tensor.
static llvm::Error checkInput(const TileGraph &graph, unsigned input,
                              const TensorSpec &tensor) {
  const TileInput &map = graph.tileInputs[input];
  const TensorSpec &tile = graph.getType(input);
  int rank = tensor.getRank();
  if (static_cast<int>(tile.getRank()) != rank)
    return llvm::createStringError("expects a tile of rank " + llvm::Twine(rank) + ", got " +
                     llvm::Twine(tile.getRank()));
  if (tile.element != tensor.element)
    return llvm::createStringError("expects a tile of " + getElementTypeName(tensor.element) +
                     ", got " + getElementTypeName(tile.element));
  if (map.gridMap.size() != graph.grid.size())
    return llvm::createStringError("expects a map for each of " +
                     llvm::Twine(graph.grid.size()) + " grid axes, got " +
                     llvm::Twine(map.gridMap.size()));
  for (int dim :
       llvm::concat<const int>(map.gridMap, llvm::ArrayRef(map.loopMap)))
    if (dim < kReplicated || dim >= rank)
      return llvm::createStringError("expects an axis to cut a dimension in [0, " +
                       llvm::Twine(rank) + ") or none, got " +
                       llvm::Twine(dim));
  for (int dim = 0; dim < rank; ++dim) {
    llvm::SmallVector<Axis, 2> axes = graph.getCuttingAxes(input, dim);
    llvm::SmallVector<int64_t, 4> extents;
    for (Axis axis : axes)
      extents.push_back(graph.getExtent(axis));
    if (llvm::Error error =
            checkCover(extents, tile.shape[dim], tensor.shape[dim], dim,
                       graph.level == Level::Thread || !axes.empty()))
      return error;
  }
  return llvm::Error::success();
}

static llvm::Error checkOutput(const TileGraph &graph, const TileOutput &map,
                               const TensorSpec &tile,
                               const TensorSpec &tensor) {
  int rank = tensor.getRank();
  if (static_cast<int>(tile.getRank()) != rank)
    return llvm::createStringError("expects a tile of rank " + llvm::Twine(rank) + ", got " +
                     llvm::Twine(tile.getRank()));
  if (map.gridMap.size() != graph.grid.size())
    return llvm::createStringError("expects a map for each of " +
                     llvm::Twine(graph.grid.size()) + " grid axes, got " +
                     llvm::Twine(map.gridMap.size()));
  llvm::SmallVector<llvm::SmallVector<int64_t, 3>> extents(rank);
  for (auto [axis, dim] : llvm::enumerate(map.gridMap)) {
    if (dim < kSummed || dim >= rank)
      return llvm::createStringError("expects an axis to join a dimension in [0, " +
                       llvm::Twine(rank) + "), to be summed, or neither, got " +
                       llvm::Twine(dim));
    if (dim >= 0)
      extents[dim].push_back(graph.grid[axis]);
  }
  // Fragments have sizes that are powers of two, so they may overhang anywhere.
  for (int dim = 0; dim < rank; ++dim)
    if (llvm::Error error =
            checkCover(extents[dim], tile.shape[dim], tensor.shape[dim], dim,
                       graph.level == Level::Thread || !extents[dim].empty()))
      return error;
  return llvm::Error::success();
}

static llvm::Error checkAxis(Axis axis, const TileGraph &header) {
  if (axis == Axis::Loop || static_cast<unsigned>(axis) < header.grid.size())
    return llvm::Error::success();
  return llvm::createStringError("expects the loop or one of the graph's " +
                   llvm::Twine(header.grid.size()) + " grid axes, got " +
                   getAxisName(axis));
}

/// The axes that an operation names exist, and a mask's are in the order in
/// which they count.
static llvm::Error checkAxes(Opcode opcode, const Attributes &attributes,
                             const TileGraph &header) {
  if (opcode == Opcode::Accumulate)
    return checkAxis(attributes.axis, header);
  if (opcode != Opcode::Mask)
    return llvm::Error::success();
  for (auto [number, axis] : llvm::enumerate(attributes.axes)) {
    if (llvm::Error error = checkAxis(axis, header))
      return error;
    if (number > 0 && attributes.axes[number - 1] >= axis)
      return llvm::createStringError("expects axes in the order x, y, z, loop, got " +
                       getAxisName(axis) + " after " +
                       getAxisName(attributes.axes[number - 1]));
  }
  return llvm::Error::success();
}

static llvm::StringRef describe(Phase phase) {
  return phase == Phase::Invariant ? "that the loop does not change"
         : phase == Phase::Loop    ? "of the loop"
                                   : "from after it";
}

static llvm::Error checkAccumulated(Phase operand, const TileGraph &header) {
  if (operand == Phase::Loop ||
      (operand == Phase::Invariant && header.loop == 1))
    return llvm::Error::success();
  return llvm::createStringError("expects a value of the loop to accumulate over it, got "
                   "operand 0 " +
                   describe(operand));
}

llvm::Error mlir::mirage::checkInTileGraph(Opcode opcode,
                                           const Attributes &attributes,
                                           llvm::ArrayRef<Phase> operands,
                                           const TileGraph &header) {
  if (llvm::Error error = checkAxes(opcode, attributes, header))
    return error;
  bool accumulates =
      opcode == Opcode::Accumulate && attributes.axis == Axis::Loop;
  if (accumulates && operands.size() == 1)
    return checkAccumulated(operands[0], header);
  const Phase *inLoop = llvm::find(operands, Phase::Loop);
  const Phase *after = llvm::find(operands, Phase::After);
  if (after == operands.end())
    return llvm::Error::success();
  if (inLoop != operands.end())
    return llvm::createStringError("expects operands of one phase, got operand " +
                     llvm::Twine(inLoop - operands.begin()) +
                     " of the loop and operand " +
                     llvm::Twine(after - operands.begin()) +
                     " from after it; an accumulate over the loop leads from "
                     "one to the other");
  if (inferPhase(opcode, attributes, {}) == Phase::Loop)
    return llvm::createStringError("expects a value of the loop to mask along it, got "
                     "operand " +
                     llvm::Twine(after - operands.begin()) + " from after it");
  return llvm::Error::success();
}

/// Axes and phases of each operation; and what leaves the graph has left the
/// loop.
static llvm::Error checkOperationsInTileGraph(const TileGraph &graph) {
  llvm::SmallVector<Phase> phases = computePhases(graph);
  for (auto [number, operation] : llvm::enumerate(graph.getNodes())) {
    llvm::SmallVector<Phase, 2> operands;
    for (ValueId operand : operation.operands)
      operands.push_back(phases[operand]);
    if (llvm::Error error = checkInTileGraph(
            operation.opcode, operation.attributes, operands, graph))
      return prefix("operation " + llvm::Twine(number) + " (" +
                        getOperatorInfo(operation.opcode).name + ")",
                    std::move(error));
  }
  for (ValueId output : graph.getOutputs())
    if (phases[output] == Phase::Loop && graph.loop > 1)
      return llvm::createStringError("expects outputs from after the loop, got %" +
                       llvm::Twine(output) + " of the loop");
  return llvm::Error::success();
}

static llvm::Error checkExtents(const TileGraph &graph) {
  if (graph.grid.size() > 3)
    return llvm::createStringError("expects a grid of at most 3 axes, got " +
                     llvm::Twine(graph.grid.size()));
  for (int64_t extent : graph.grid)
    if (extent < 1)
      return llvm::createStringError("expects grid extents of at least 1, got " +
                       llvm::Twine(extent));
  if (!multiplyCounts(graph.grid))
    return llvm::createStringError("expects a grid of at most 2^40 blocks, got more");
  if (graph.loop < 1 || graph.loop > kMaxCount)
    return llvm::createStringError("expects a loop of 1 to 2^40 iterations, got " +
                     llvm::Twine(graph.loop));
  if (graph.threads < 32 || graph.threads > 1024 || graph.threads % 32 != 0)
    return llvm::createStringError("expects 32 to 1024 threads in multiples of 32, got " +
                     llvm::Twine(graph.threads));
  return llvm::Error::success();
}

llvm::Error mlir::mirage::verifyMaps(const TileGraph &graph,
                                     llvm::ArrayRef<TensorSpec> operands,
                                     llvm::ArrayRef<TensorSpec> outputTiles,
                                     llvm::ArrayRef<TensorSpec> results) {
  if (llvm::Error error = checkExtents(graph))
    return error;
  if (operands.size() != graph.getNumInputs() ||
      operands.size() != graph.tileInputs.size())
    return llvm::createStringError("expects a tile for each of " +
                     llvm::Twine(operands.size()) + " operands, got " +
                     llvm::Twine(graph.getNumInputs()));
  if (results.size() != outputTiles.size() ||
      results.size() != graph.tileOutputs.size())
    return llvm::createStringError("expects a tile for each of " +
                     llvm::Twine(results.size()) + " results, got " +
                     llvm::Twine(outputTiles.size()));
  for (auto [number, tensor] : llvm::enumerate(operands))
    if (llvm::Error error = checkInput(graph, number, tensor))
      return prefix("operand " + llvm::Twine(number), std::move(error));
  for (auto [number, tensor] : llvm::enumerate(results))
    if (llvm::Error error = checkOutput(graph, graph.tileOutputs[number],
                                        outputTiles[number], tensor))
      return prefix("result " + llvm::Twine(number), std::move(error));
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
  return checkOperationsInTileGraph(graph);
}
