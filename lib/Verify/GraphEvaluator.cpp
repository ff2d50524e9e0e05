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
  size_t elements = frame.sample
                        ? countElements(frame.getShape(value))
                        : countElements(frame.graph.getType(value).shape);
  return frame.countInstancesOf(value) * elements * words;
}

uint32_t *GraphEvaluator::allocate(Frame &frame, ValueId value) {
  size_t count = countWords(frame, value);
  if (frame.tiles)
    return frame.values[value] = arena.allocate(count);
  ownedWords += count;
  frame.owners[value].reset(new uint32_t[count], [this, count](uint32_t *data) {
    delete[] data;
    ownedWords -= count;
  });
  return frame.values[value] = frame.owners[value].get();
}

void GraphEvaluator::share(Frame &frame, ValueId value, ValueId other) {
  frame.values[value] = frame.values[other];
  if (!frame.tiles)
    frame.owners[value] = frame.owners[other];
}

void GraphEvaluator::release(Frame &frame, ValueId value) {
  if (!frame.owners[value])
    return;
  frame.owners[value].reset();
  frame.values[value] = nullptr;
}

void GraphEvaluator::notePeak() {
  peakWords = std::max(peakWords, ownedWords + arena.getCapacity());
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

/// By value, the operation that reads it last; outputs are read in the end.
static llvm::SmallVector<size_t, 16> findLastUses(const Graph &graph) {
  llvm::SmallVector<size_t, 16> lastUses(graph.getNumValues(), 0);
  for (auto [number, operation] : llvm::enumerate(graph.getNodes()))
    for (ValueId operand : operation.operands)
      lastUses[operand] = number;
  for (ValueId output : graph.getOutputs())
    lastUses[output] = graph.getNodes().size();
  return lastUses;
}

std::vector<std::vector<uint32_t>>
GraphEvaluator::evaluate(const Graph &graph, const InputElements &inputs,
                         const Sample *sample) {
  arena.release({0, 0});
  Frame frame{graph, nullptr, 1};
  frame.values.resize(graph.getNumValues());
  frame.owners.resize(graph.getNumValues());
  frame.inputs = &inputs;
  frame.sample = sample;
  if (!sample)
    for (unsigned input = 0; input < graph.getNumInputs(); ++input)
      frame.values[input] = // only read
          const_cast<uint32_t *>(inputs.getAll(input));
  llvm::SmallVector<size_t, 16> lastUses = findLastUses(graph);
  for (auto [number, operation] : llvm::enumerate(graph.getNodes())) {
    bool isNeeded = !sample || sample->operations[number].isNeeded;
    if (!isNeeded || isLeftOut(operation))
      continue;
    readInputs(frame, operation);
    if (sample)
      evaluateSampled(frame, number);
    else
      evaluateOperation(frame, operation);
    notePeak();
    for (llvm::ArrayRef<ValueId> values : {llvm::ArrayRef(operation.operands),
                                           llvm::ArrayRef(operation.results)})
      for (ValueId value : values)
        if (lastUses[value] <= number)
          release(frame, value);
    if (arena.getCapacity() > kKeptWords)
      arena.clear();
  }
  std::vector<std::vector<uint32_t>> outputs;
  if (slice && !slice->hasOutputs())
    return outputs;
  outputs.reserve(graph.getOutputs().size());
  for (auto [number, output] : llvm::enumerate(graph.getOutputs())) {
    if (!frame.values[output])
      readInput(frame, output);
    const uint32_t *data = frame.values[output];
    if (!sample) {
      outputs.emplace_back(data, data + countWords(frame, output));
      continue;
    }
    const Region &asked = sample->outputs[number];
    outputs.emplace_back(countElements(getShape(asked)) * words);
    narrow(outputs.back().data(), data, sample->regions[output], asked);
  }
  return outputs;
}

void GraphEvaluator::readInput(Frame &frame, ValueId input) {
  if (frame.sample)
    return readNeeded(frame, input);
  assert(words == 1 && "elements of more words are there as a whole");
  size_t count = countWords(frame, input);
  frame.inputs->read(input, 0, {allocate(frame, input), count});
  notePeak();
}

/// Those that the operation reads as a whole, or some part of again and again.
void GraphEvaluator::readInputs(Frame &frame, const Node &operation) {
  for (auto [number, operand] : llvm::enumerate(operation.operands))
    if (frame.graph.isInput(operand) && !frame.values[operand] &&
        frame.isNeeded(operand) && !isReadInParts(frame, operation, number))
      readInput(frame, operand);
}

bool GraphEvaluator::isReadInParts(const Frame &frame, const Node &operation,
                                   unsigned operand) const {
  if (frame.sample)
    return false;
  switch (getOperatorInfo(operation.opcode).kind) {
  case OperatorKind::Contraction:
    return isReadInBands(frame, operation, operand);
  case OperatorKind::Graph:
    return isReadAboutOnce(frame.graph, operation, operand);
  default:
    return false;
  }
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
  case OperatorKind::Copy:
    return share(frame, operation.results[0], operation.operands[0]);
  case OperatorKind::Accumulate:
    return accumulateOverGrid(frame, operation);
  case OperatorKind::Graph:
    return evaluateGraph(frame, operation, BlockSet(*operation.body));
  case OperatorKind::Composed:
    break;
  }
  assert(false && "composed operators are expanded before");
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

size_t GraphEvaluator::countRows(size_t instances,
                                 llvm::ArrayRef<int64_t> shape) {
  size_t rows = instances;
  for (int64_t size : shape.drop_back(shape.empty() ? 0 : 1))
    rows *= size;
  return rows;
}

const uint32_t *GraphEvaluator::stretchRows(const Frame &frame, Tiles operand,
                                            llvm::ArrayRef<int64_t> shape,
                                            AxisSet axes, size_t first,
                                            size_t count) {
  size_t from = countElements(operand.shape), length = getRowLength(shape);
  if (operand.axes == axes && from == countElements(shape))
    return operand.data + first * length * words;
  uint32_t *result = arena.allocate(count * length * words);
  Strides strides = getBroadcastStrides(operand.shape, shape);
  OffsetWalk rows;
  frame.addInstancesTo(rows, axes, operand.axes, from);
  rows.addDimensions(shape.drop_back(), llvm::ArrayRef(strides).drop_back());
  rows.goTo(first);
  for (size_t row = 0; row < count; ++row, rows.advance())
    copyRow(result + row * length * words,
            operand.data + rows.getOffset() * words, length, strides.back(),
            words);
  return result;
}

void GraphEvaluator::evaluateElementwise(Frame &frame, const Node &operation) {
  ValueId value = operation.results[0];
  const Shape &shape = frame.graph.getType(value).shape;
  bool needsResult = !slice || slice->needsResults(operation);
  uint32_t *result = needsResult ? allocate(frame, value) : nullptr;
  bool readsOperands = !slice || slice->readsOperands(operation);
  AxisSet axes = frame.getAxes(value);
  size_t rows = countRows(frame.countInstances(axes), shape);
  size_t rowWords = getRowLength(shape) * words;
  size_t perBlock = std::max<size_t>(kBlockWords / rowWords, 1);
  for (size_t first = 0; first < rows; first += perBlock) {
    size_t count = std::min(perBlock, rows - first);
    WordArena::Mark mark = arena.mark();
    uint32_t *target = result ? result + first * rowWords : nullptr;
    llvm::SmallVector<const uint32_t *, 2> arguments;
    for (ValueId operand : operation.operands)
      arguments.push_back(readsOperands
                              ? stretchRows(frame, getTiles(frame, operand),
                                            shape, axes, first, count)
                              : target); // nobody looks at them
    applyDefinition(getOperatorInfo(operation.opcode).definition, arguments,
                    operation.attributes.scalars, /*size=*/1, target,
                    count * rowWords);
    arena.release(mark);
  }
}

const uint32_t *GraphEvaluator::join(const OperatorInfo &reduction,
                                     const uint32_t *operand, size_t instances,
                                     Shape shape,
                                     llvm::ArrayRef<int64_t> dims) {
  size_t count = instances * countElements(shape) * words;
  const uint32_t *data = operand;
  if (!reduction.definition.isArgument()) {
    uint32_t *applied = arena.allocate(count);
    applyDefinition(reduction.definition, {operand}, {}, /*size=*/1, applied,
                    count);
    data = applied;
  }
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
                                frame.countInstancesOf(operation.operands[0]),
                                shape, attributes.dims);
  applyDefinition(info.finish, {joined}, {},
                  getAveragedCount(attributes, shape), result,
                  countWords(frame, operation.results[0]));
  arena.release(mark);
}

void GraphEvaluator::evaluateMatmul(Frame &frame, const Node &operation) {
  ValueId value = operation.results[0];
  llvm::ArrayRef<int64_t> shape = frame.graph.getType(value).shape;
  llvm::ArrayRef<int64_t> batch = shape.drop_back(2);
  Tiles lhs = getTiles(frame, operation.operands[0]);
  Tiles rhs = getTiles(frame, operation.operands[1]);
  size_t m = shape[shape.size() - 2], n = shape.back(), k = lhs.shape.back();
  // Where the matrices are that each product takes.
  auto walkMatrices = [&](const Tiles &factor, size_t size) {
    OffsetWalk walk;
    frame.addInstancesTo(walk, frame.getAxes(value), factor.axes,
                         countElements(factor.shape));
    walk.addDimensions(
        batch, getBroadcastStrides(factor.shape.drop_back(2), batch), size);
    return walk;
  };
  OffsetWalk left = walkMatrices(lhs, m * k), right = walkMatrices(rhs, k * n);
  uint32_t *result = allocate(frame, value);
  size_t numProducts = countWords(frame, value) / (m * n * words);
  llvm::SmallVector<kernels::MatrixProducts::Places, 64> places(numProducts);
  for (size_t i = 0; i < numProducts; ++i) {
    places[i] = {i * m * n * words, left.getOffset() * words,
                 right.getOffset() * words};
    left.advance();
    right.advance();
  }
  auto getElements = [&](const Tiles &factor) {
    return llvm::ArrayRef(factor.data, frame.countInstances(factor.axes) *
                                           countElements(factor.shape) * words);
  };
  if (lhs.data && rhs.data)
    return arithmetic.matmuls(
        {result, getElements(lhs), getElements(rhs), places, m, n, k});
  // Elements that are read part by part have one word.
  for (auto [to, first, second] : places)
    if (!lhs.data)
      multiplyRowsRead({*frame.inputs, operation.operands[0], first, m, n, k},
                       result + to, rhs.data + second);
    else
      multiplyByRowsRead(
          {*frame.inputs, operation.operands[1], second, m, n, k}, result + to,
          lhs.data + first);
}

/// The larger factor, of which every matrix has one use.
bool GraphEvaluator::isReadInBands(const Frame &frame, const Node &operation,
                                   unsigned operand) const {
  ValueId value = operation.operands[operand];
  ValueId other = operation.operands[1 - operand];
  auto countOf = [&](ValueId id) {
    return frame.graph.getType(id).getNumElements();
  };
  if (!frame.values[other] &&
      (value == other || countOf(value) < countOf(other) ||
       (countOf(value) == countOf(other) && operand == 0)))
    return false;
  auto countMatrices = [&](ValueId id) {
    return countElements(
        llvm::ArrayRef(frame.graph.getType(id).shape).drop_back(2));
  };
  return countMatrices(value) == countMatrices(operation.results[0]);
}

/// Sums over bands of the right factor's rows.
void GraphEvaluator::multiplyByRowsRead(const Bands &bands, uint32_t *result,
                                        const uint32_t *lhs) {
  auto [inputs, input, start, m, n, k] = bands;
  size_t most = std::clamp<size_t>(kBlockWords / n, 1, k);
  WordArena::Mark mark = arena.mark();
  uint32_t *rows = arena.allocate(most * n);
  uint32_t *columns = arena.allocate(m * most), *part = arena.allocate(m * n);
  for (size_t first = 0; first < k; first += most) {
    size_t count = std::min(most, k - first);
    inputs.read(input, start + first * n, {rows, count * n});
    for (size_t row = 0; row < m; ++row)
      std::copy_n(lhs + row * k + first, count, columns + row * count);
    arithmetic.matmul(first == 0 ? result : part, columns, rows, m, n, count);
    if (first > 0)
      arithmetic.apply(ScalarFunction::Add, result, {result}, {part}, m * n);
  }
  arena.release(mark);
}

/// Bands of the left factor's rows give bands of the result's.
void GraphEvaluator::multiplyRowsRead(const Bands &bands, uint32_t *result,
                                      const uint32_t *rhs) {
  auto [inputs, input, start, m, n, k] = bands;
  size_t most = std::clamp<size_t>(kBlockWords / k, 1, m);
  WordArena::Mark mark = arena.mark();
  uint32_t *rows = arena.allocate(most * k);
  for (size_t first = 0; first < m; first += most) {
    size_t count = std::min(most, m - first);
    inputs.read(input, start + first * k, {rows, count * k});
    arithmetic.matmul(result + first * n, rows, rhs, count, n, k);
  }
  arena.release(mark);
}
