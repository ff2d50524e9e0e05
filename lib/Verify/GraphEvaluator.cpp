//===- GraphEvaluator.cpp - Walks a µGraph with an arithmetic -------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphEvaluator.h"
#include "TileCopies.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <cstring>

using namespace mlir::mirage;

Arithmetic::~Arithmetic() = default;

size_t GraphEvaluator::countWords(const Frame &frame, ValueId value) const {
  return frame.instances * frame.graph.getType(value).getNumElements() * words;
}

uint32_t *GraphEvaluator::allocate(Frame &frame, ValueId value) {
  return frame.values[value] = arena.allocate(countWords(frame, value));
}

std::vector<std::vector<uint32_t>>
GraphEvaluator::evaluate(const Graph &graph,
                         llvm::ArrayRef<const uint32_t *> inputs) {
  arena.release({0, 0});
  Frame frame{graph, nullptr, 1};
  frame.values.resize(graph.getNumValues());
  for (auto [number, input] : llvm::enumerate(inputs))
    frame.values[number] = const_cast<uint32_t *>(input); // only read
  for (const Node &operation : graph.getNodes())
    evaluateOperation(frame, operation);
  std::vector<std::vector<uint32_t>> outputs;
  for (ValueId output : graph.getOutputs()) {
    const uint32_t *data = frame.values[output];
    outputs.emplace_back(data, data + countWords(frame, output));
  }
  return outputs;
}

void GraphEvaluator::evaluateOperation(Frame &frame, const Node &operation) {
  switch (getOperatorInfo(operation.opcode).kind) {
  case OperatorKind::Elementwise:
    return evaluateElementwise(frame, operation);
  case OperatorKind::Reduction:
    return evaluateReduction(frame, operation);
  case OperatorKind::Contraction:
    return evaluateMatmul(frame, operation);
  case OperatorKind::Movement:
    return evaluateMovement(frame, operation);
  case OperatorKind::Accumulate:
    return accumulateOverGrid(frame, operation);
  case OperatorKind::Graph:
    return evaluateGraph(frame, operation);
  }
}

void GraphEvaluator::applyDefinition(const ScalarDefinition &definition,
                                     llvm::ArrayRef<const uint32_t *> arguments,
                                     llvm::ArrayRef<double> parameters,
                                     double size, uint32_t *result,
                                     size_t count) {
  using Source = Arithmetic::Source;
  WordArena::Mark mark = arena.mark();
  llvm::SmallVector<Source, 8> sources;
  llvm::SmallVector<double, 8> constants; ///< NaN where a node is none
  auto addConstant = [&](double value) {
    uint32_t *data = arena.allocate(Arithmetic::kConstantWords);
    arithmetic.constant(data, value);
    constants.push_back(value);
    sources.push_back({data, /*repeats=*/true});
  };
  for (auto [number, node] : llvm::enumerate(definition.nodes())) {
    switch (node.function) {
    case ScalarFunction::Parameter:
      addConstant(parameters[node.index]);
      continue;
    case ScalarFunction::Constant:
      addConstant(node.value);
      continue;
    case ScalarFunction::Size:
      addConstant(size);
      continue;
    default:
      break;
    }
    constants.push_back(std::nan(""));
    if (node.function == ScalarFunction::Argument) {
      sources.push_back({arguments[node.index]});
      continue;
    }
    if (node.function == ScalarFunction::Ln2) {
      uint32_t *data = arena.allocate(Arithmetic::kConstantWords);
      arithmetic.ln2(data);
      sources.push_back({data, /*repeats=*/true});
      continue;
    }
    bool isLast = number + 1 == definition.nodes().size();
    uint32_t *target = isLast ? result : arena.allocate(count);
    Source lhs = sources[node.lhs];
    bool isBinary = getArity(node.function) == 2;
    Source rhs = isBinary ? sources[node.rhs] : lhs;
    if (node.function == ScalarFunction::Mul && constants[node.lhs] > 0)
      arithmetic.scale(target, rhs, lhs, count);
    else if (node.function == ScalarFunction::Mul && constants[node.rhs] > 0)
      arithmetic.scale(target, lhs, rhs, count);
    else
      arithmetic.apply(node.function, target, lhs, rhs, count);
    sources.push_back({target});
  }
  // A definition that is a leaf: the operand or a constant as it is.
  const Source &last = sources.back();
  if (last.data != result)
    for (size_t i = 0; i < count; i += words)
      std::memcpy(result + i, last.data + (last.repeats ? 0 : i),
                  words * sizeof(uint32_t));
  arena.release(mark);
}

const uint32_t *GraphEvaluator::stretch(const Frame &frame, ValueId operand,
                                        llvm::ArrayRef<int64_t> shape) {
  const Shape &own = frame.graph.getType(operand).shape;
  const uint32_t *data = frame.values[operand];
  size_t from = frame.graph.getType(operand).getNumElements();
  size_t to = countElements(shape);
  if (from == to)
    return data;
  uint32_t *result = arena.allocate(frame.instances * to * words);
  Strides strides = getBroadcastStrides(own, shape);
  for (size_t i = 0; i < frame.instances; ++i)
    copyStrided(result + i * to * words, data + i * from * words, shape,
                strides, words);
  return result;
}

void GraphEvaluator::evaluateElementwise(Frame &frame, const Node &operation) {
  ValueId value = operation.results[0];
  const Shape &shape = frame.graph.getType(value).shape;
  uint32_t *result = allocate(frame, value);
  WordArena::Mark mark = arena.mark();
  llvm::SmallVector<const uint32_t *, 2> arguments;
  for (ValueId operand : operation.operands)
    arguments.push_back(stretch(frame, operand, shape));
  applyDefinition(getOperatorInfo(operation.opcode).definition, arguments,
                  operation.attributes.scalars, /*size=*/1, result,
                  countWords(frame, value));
  arena.release(mark);
}

uint32_t *GraphEvaluator::join(const OperatorInfo &reduction,
                               const uint32_t *operand, size_t instances,
                               Shape shape, llvm::ArrayRef<int64_t> dims) {
  size_t count = instances * countElements(shape) * words;
  uint32_t *data = arena.allocate(count);
  applyDefinition(reduction.definition, {operand}, {}, /*size=*/1, data, count);
  for (int64_t dim : dims) {
    size_t outer =
        instances * countElements(llvm::ArrayRef(shape).take_front(dim));
    size_t inner =
        countElements(llvm::ArrayRef(shape).drop_front(dim + 1)) * words;
    uint32_t *joined = arena.allocate(outer * inner);
    arithmetic.reduce(reduction.combiner, joined, data, outer, shape[dim],
                      inner);
    data = joined;
    shape[dim] = 1;
  }
  return data;
}

void GraphEvaluator::evaluateReduction(Frame &frame, const Node &operation) {
  const Attributes &attributes = operation.attributes;
  const OperatorInfo &info = getOperatorInfo(operation.opcode);
  const Shape &shape = frame.graph.getType(operation.operands[0]).shape;
  uint32_t *result = allocate(frame, operation.results[0]);
  WordArena::Mark mark = arena.mark();
  const uint32_t *joined = join(info, frame.values[operation.operands[0]],
                                frame.instances, shape, attributes.dims);
  applyDefinition(info.finish, {joined}, {},
                  getAveragedCount(attributes, shape), result,
                  countWords(frame, operation.results[0]));
  arena.release(mark);
}

void GraphEvaluator::evaluateMatmul(Frame &frame, const Node &operation) {
  ValueId value = operation.results[0];
  const Shape &lhsShape = frame.graph.getType(operation.operands[0]).shape;
  const Shape &rhsShape = frame.graph.getType(operation.operands[1]).shape;
  llvm::ArrayRef<int64_t> shape = frame.graph.getType(value).shape;
  size_t m = shape[shape.size() - 2], n = shape.back(), k = lhsShape.back();
  uint32_t *result = allocate(frame, value);
  llvm::ArrayRef<int64_t> batch = shape.drop_back(2);
  Strides lhsBatches =
      getBroadcastStrides(llvm::ArrayRef(lhsShape).drop_back(2), batch);
  Strides rhsBatches =
      getBroadcastStrides(llvm::ArrayRef(rhsShape).drop_back(2), batch);
  size_t lhsSize = countElements(lhsShape), rhsSize = countElements(rhsShape);
  size_t number = 0;
  for (size_t instance = 0; instance < frame.instances; ++instance) {
    const uint32_t *lhs =
        frame.values[operation.operands[0]] + instance * lhsSize * words;
    const uint32_t *rhs =
        frame.values[operation.operands[1]] + instance * rhsSize * words;
    forEachIndex(batch, [&](llvm::ArrayRef<int64_t> index) {
      arithmetic.matmul(result + number++ * m * n * words,
                        lhs + getOffset(index, lhsBatches) * m * k * words,
                        rhs + getOffset(index, rhsBatches) * k * n * words, m,
                        n, k);
    });
  }
}

void GraphEvaluator::evaluateMovement(Frame &frame, const Node &operation) {
  ValueId operand = operation.operands[0], value = operation.results[0];
  if (operation.opcode == Opcode::Mask)
    return evaluateMask(frame, operation);
  if (operation.opcode == Opcode::Cast || operation.opcode == Opcode::Reshape) {
    frame.values[value] = frame.values[operand];
    return;
  }
  const Shape &from = frame.graph.getType(operand).shape;
  const Shape &to = frame.graph.getType(value).shape;
  if (operation.opcode == Opcode::Broadcast &&
      countElements(from) == countElements(to)) {
    frame.values[value] = frame.values[operand];
    return;
  }
  Strides strides;
  if (operation.opcode == Opcode::Transpose) {
    Strides own = getRowMajorStrides(from);
    for (int64_t dim : operation.attributes.dims)
      strides.push_back(own[dim]);
  } else {
    assert(operation.opcode == Opcode::Broadcast &&
           "a movement without a rule");
    strides = getBroadcastStrides(from, to);
  }
  uint32_t *result = allocate(frame, value);
  for (size_t i = 0; i < frame.instances; ++i)
    copyStrided(result + i * countElements(to) * words,
                frame.values[operand] + i * countElements(from) * words, to,
                strides, words);
}

/// The coordinate of an instance along an axis.
static int64_t getCoordinate(const TileGraph *tiles, size_t instance,
                             int64_t iteration, Axis axis) {
  if (axis == Axis::Loop)
    return iteration;
  // Blocks count with the last axis fastest.
  int64_t block = instance % tiles->getNumBlocks();
  for (unsigned later = tiles->grid.size();
       --later > static_cast<unsigned>(axis);)
    block /= tiles->grid[later];
  return block % tiles->getExtent(axis);
}

/// Where along a dimension the tile of an instance begins, in tiles.
static int64_t getPosition(const TileGraph *tiles, size_t instance,
                           int64_t iteration, llvm::ArrayRef<Axis> axes) {
  int64_t linear = 0;
  for (Axis axis : axes)
    if (tiles->getExtent(axis) > 1)
      linear = linear * tiles->getExtent(axis) +
               getCoordinate(tiles, instance, iteration, axis);
  return linear;
}

void GraphEvaluator::evaluateMask(Frame &frame, const Node &operation) {
  const Attributes &attributes = operation.attributes;
  ValueId operand = operation.operands[0], value = operation.results[0];
  llvm::ArrayRef<int64_t> shape = frame.graph.getType(value).shape;
  int64_t dim = attributes.dims[0], tile = shape[dim];
  size_t outer = countElements(shape.take_front(dim));
  size_t inner = countElements(shape.drop_front(dim + 1));
  uint32_t *result = allocate(frame, value);
  std::memcpy(result, frame.values[operand],
              countWords(frame, value) * sizeof(uint32_t));
  uint32_t constant[Arithmetic::kConstantWords];
  arithmetic.constant(constant, attributes.scalars[0]);
  for (size_t instance = 0; instance < frame.instances; ++instance) {
    int64_t position = frame.tiles
                           ? getPosition(frame.tiles, instance, frame.iteration,
                                         attributes.axes)
                           : 0;
    int64_t kept =
        std::clamp<int64_t>(attributes.extent - position * tile, 0, tile);
    for (size_t o = 0; o < outer; ++o) {
      uint32_t *row =
          result + ((instance * outer + o) * tile + kept) * inner * words;
      for (size_t i = 0; i < (tile - kept) * inner; ++i)
        std::memcpy(row + i * words, constant, words * sizeof(uint32_t));
    }
  }
}

void GraphEvaluator::readTile(Frame &frame, const Frame &outer, unsigned input,
                              ValueId operand) {
  const TileGraph &tiles = *frame.tiles;
  const Shape &tensor = outer.graph.getType(operand).shape;
  const Shape &tile = tiles.getType(input).shape;
  llvm::SmallVector<llvm::SmallVector<Axis, 2>, 4> axes;
  for (unsigned dim = 0; dim < tile.size(); ++dim)
    axes.push_back(tiles.getCuttingAxes(input, dim));
  uint32_t zero[Arithmetic::kConstantWords];
  arithmetic.constant(zero, 0);
  size_t tileWords = countElements(tile) * words;
  size_t tensorWords = countElements(tensor) * words;
  for (size_t instance = 0; instance < frame.instances; ++instance) {
    Shape origin(tile.size());
    for (unsigned dim = 0; dim < tile.size(); ++dim)
      origin[dim] =
          tile[dim] * getPosition(&tiles, instance, frame.iteration, axes[dim]);
    const uint32_t *source =
        outer.values[operand] + instance / tiles.getNumBlocks() * tensorWords;
    copyTile(frame.values[input] + instance * tileWords, tile, source, tensor,
             origin, zero, words);
  }
}

void GraphEvaluator::writeTile(const Frame &frame, Frame &outer,
                               unsigned output, ValueId result) {
  const TileGraph &tiles = *frame.tiles;
  ValueId value = tiles.getOutputs()[output];
  const Shape &tensor = outer.graph.getType(result).shape;
  const Shape &tile = tiles.getType(value).shape;
  llvm::ArrayRef<int> map = tiles.tileOutputs[output].gridMap;
  size_t tileWords = countElements(tile) * words;
  size_t tensorWords = countElements(tensor) * words;
  for (size_t instance = 0; instance < frame.instances; ++instance) {
    Shape position(tile.size(), 0);
    bool writes = true, adds = false;
    for (auto [axis, dim] : llvm::enumerate(map)) {
      int64_t coordinate =
          getCoordinate(&tiles, instance, 0, static_cast<Axis>(axis));
      if (dim >= 0)
        position[dim] = position[dim] * tiles.grid[axis] + coordinate;
      writes &= dim != kReplicated || coordinate == 0;
      adds |= dim == kSummed && coordinate != 0;
    }
    if (!writes)
      continue;
    for (unsigned dim = 0; dim < tile.size(); ++dim)
      position[dim] *= tile[dim];
    uint32_t *target =
        outer.values[result] + instance / tiles.getNumBlocks() * tensorWords;
    const uint32_t *source = frame.values[value] + instance * tileWords;
    forEachTileRow(tile, tensor, position,
                   [&](size_t tileRow, size_t tensorRow, size_t length) {
                     uint32_t *to = target + tensorRow * words;
                     const uint32_t *from = source + tileRow * words;
                     if (adds)
                       arithmetic.apply(ScalarFunction::Add, to, {to}, {from},
                                        length * words);
                     else
                       std::memcpy(to, from, length * words * sizeof(uint32_t));
                   });
  }
}

void GraphEvaluator::evaluateGraph(Frame &outer, const Node &operation) {
  const TileGraph &tiles = *operation.body;
  for (ValueId result : operation.results)
    allocate(outer, result);
  WordArena::Mark mark = arena.mark();
  Frame frame{tiles, &tiles, outer.instances * tiles.getNumBlocks()};
  frame.values.resize(tiles.getNumValues());
  evaluateLoop(frame, outer, operation);
  for (auto [number, result] : llvm::enumerate(operation.results))
    writeTile(frame, outer, number, result);
  arena.release(mark);
}

static bool accumulatesLoop(const Node &operation) {
  return operation.opcode == Opcode::Accumulate &&
         operation.attributes.axis == Axis::Loop;
}

void GraphEvaluator::evaluateLoop(Frame &frame, const Frame &outer,
                                  const Node &operation) {
  const TileGraph &tiles = *frame.tiles;
  llvm::SmallVector<Phase> phases = computePhases(tiles);
  for (unsigned input = 0; input < tiles.getNumInputs(); ++input) {
    allocate(frame, input);
    if (phases[input] != Phase::Loop)
      readTile(frame, outer, input, operation.operands[input]);
  }
  for (const Node &step : tiles.getNodes()) {
    if (accumulatesLoop(step))
      allocate(frame, step.results[0]);
    else if (phases[step.results[0]] == Phase::Invariant)
      evaluateOperation(frame, step);
  }
  // A value of the loop outlives its iteration only where there is no second.
  WordArena::Mark mark = arena.mark();
  for (frame.iteration = 0; frame.iteration < tiles.loop; ++frame.iteration) {
    arena.release(mark);
    for (unsigned input = 0; input < tiles.getNumInputs(); ++input)
      if (phases[input] == Phase::Loop)
        readTile(frame, outer, input, operation.operands[input]);
    for (const Node &step : tiles.getNodes()) {
      if (accumulatesLoop(step))
        accumulateIteration(frame, step);
      else if (phases[step.results[0]] == Phase::Loop)
        evaluateOperation(frame, step);
    }
  }
  for (const Node &step : tiles.getNodes()) {
    if (accumulatesLoop(step))
      finishAccumulation(frame, step);
    else if (phases[step.results[0]] == Phase::After)
      evaluateOperation(frame, step);
  }
}

static ScalarFunction getFunction(Combiner combiner) {
  return combiner == Combiner::Add ? ScalarFunction::Add : ScalarFunction::Max;
}

void GraphEvaluator::accumulateIteration(Frame &frame, const Node &operation) {
  const Attributes &attributes = operation.attributes;
  const OperatorInfo &reduction = getOperatorInfo(attributes.reduction);
  ValueId operand = operation.operands[0], value = operation.results[0];
  const Shape &shape = frame.graph.getType(operand).shape;
  WordArena::Mark mark = arena.mark();
  const uint32_t *joined = join(reduction, frame.values[operand],
                                frame.instances, shape, attributes.dims);
  uint32_t *total = frame.values[value];
  size_t count = countWords(frame, value);
  if (frame.iteration == 0)
    std::memcpy(total, joined, count * sizeof(uint32_t));
  else
    arithmetic.apply(getFunction(reduction.combiner), total, {total}, {joined},
                     count);
  arena.release(mark);
}

void GraphEvaluator::finishAccumulation(Frame &frame, const Node &operation) {
  const Attributes &attributes = operation.attributes;
  ValueId value = operation.results[0];
  uint32_t *total = frame.values[value];
  size_t count = countWords(frame, value);
  const ScalarDefinition &finish = getOperatorInfo(attributes.reduction).finish;
  if (finish.nodes().size() == 1)
    return;
  WordArena::Mark mark = arena.mark();
  uint32_t *copy = arena.allocate(count);
  std::memcpy(copy, total, count * sizeof(uint32_t));
  int64_t size = getAveragedCount(
      attributes, frame.graph.getType(operation.operands[0]).shape,
      frame.tiles->loop);
  applyDefinition(finish, {copy}, {}, size, total, count);
  arena.release(mark);
}

void GraphEvaluator::accumulateOverGrid(Frame &frame, const Node &operation) {
  assert(frame.tiles && "only tile graphs accumulate");
  const Attributes &attributes = operation.attributes;
  const OperatorInfo &reduction = getOperatorInfo(attributes.reduction);
  ValueId operand = operation.operands[0], value = operation.results[0];
  const Shape &shape = frame.graph.getType(operand).shape;
  size_t tileWords = frame.graph.getType(value).getNumElements() * words;
  uint32_t *result = allocate(frame, value);
  WordArena::Mark mark = arena.mark();
  const uint32_t *joined = join(reduction, frame.values[operand],
                                frame.instances, shape, attributes.dims);
  // Instances are [outside][extent][inside] around the axis.
  int64_t extent = frame.tiles->getExtent(attributes.axis);
  size_t inside = 1;
  for (unsigned axis = static_cast<unsigned>(attributes.axis) + 1;
       axis < frame.tiles->grid.size(); ++axis)
    inside *= frame.tiles->grid[axis];
  size_t outside = frame.instances / (extent * inside);
  size_t count = outside * inside * tileWords;
  uint32_t *total = arena.allocate(count), *finished = arena.allocate(count);
  arithmetic.reduce(reduction.combiner, total, joined, outside, extent,
                    inside * tileWords);
  int64_t size = getAveragedCount(attributes, shape, extent);
  applyDefinition(reduction.finish, {total}, {}, size, finished, count);
  // Every block along the axis holds the result.
  for (size_t o = 0; o < outside; ++o)
    for (int64_t e = 0; e < extent; ++e)
      std::memcpy(result + (o * extent + e) * inside * tileWords,
                  finished + o * inside * tileWords,
                  inside * tileWords * sizeof(uint32_t));
  arena.release(mark);
}
