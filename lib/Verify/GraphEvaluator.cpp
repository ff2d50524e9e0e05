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
  case OperatorKind::Copy:
    frame.values[operation.results[0]] = frame.values[operation.operands[0]];
    return;
  case OperatorKind::Accumulate:
    return accumulateOverGrid(frame, operation);
  case OperatorKind::Graph:
    return evaluateGraph(frame, operation);
  case OperatorKind::Composed:
    break;
  }
  assert(false && "composed operators are expanded before");
}

const uint32_t *GraphEvaluator::stretch(Tiles operand,
                                        llvm::ArrayRef<int64_t> shape) {
  size_t from = countElements(operand.shape), to = countElements(shape);
  if (from == to)
    return operand.data;
  uint32_t *result = arena.allocate(operand.instances * to * words);
  Strides strides = getBroadcastStrides(operand.shape, shape);
  for (size_t i = 0; i < operand.instances; ++i)
    copyStrided(result + i * to * words, operand.data + i * from * words, shape,
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
    arguments.push_back(stretch(getTiles(frame, operand), shape));
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
