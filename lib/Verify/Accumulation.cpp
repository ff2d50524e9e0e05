//===- Accumulation.cpp - Accumulators over the loop and the grid ---------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphEvaluator.h"
#include "TileCopies.h"
#include <cstring>

using namespace mlir::mirage;

static ScalarFunction getFunction(Combiner combiner) {
  assert(combiner != Combiner::Moments && "Moments.cpp joins them");
  return combiner == Combiner::Add ? ScalarFunction::Add : ScalarFunction::Max;
}

// Rescaling: Σ v·exp(s - M) is evaluated as (Σ v·exp(s))·exp(-M). Nothing
// overflows in a field; and an exponential of each s and of M is all that error
// bounds have to count, where a sum that is corrected step by step has one for
// each pair of maxima, too.

static constexpr ScalarNode kValue{ScalarFunction::Argument, 0};
static constexpr ScalarNode kExponent{ScalarFunction::Argument, 1};

/// v·exp(s).
static ScalarDefinition makeWeighted() {
  ScalarDefinition definition;
  uint8_t value = definition.add(kValue), exponent = definition.add(kExponent);
  uint8_t weight = definition.add({ScalarFunction::Exp, 0, exponent});
  definition.add({ScalarFunction::Mul, 0, value, weight});
  return definition;
}

/// v·exp(-M).
static ScalarDefinition makeRelative() {
  ScalarDefinition definition;
  uint8_t value = definition.add(kValue), exponent = definition.add(kExponent);
  uint8_t minus = definition.add({ScalarFunction::Constant, 0, 0, 0, -1});
  uint8_t negative = definition.add({ScalarFunction::Mul, 0, minus, exponent});
  uint8_t weight = definition.add({ScalarFunction::Exp, 0, negative});
  definition.add({ScalarFunction::Mul, 0, value, weight});
  return definition;
}

const uint32_t *GraphEvaluator::weigh(const Frame &frame,
                                      const ScalarDefinition &definition,
                                      Tiles operand, Tiles exponent,
                                      AxisSet axes) {
  const uint32_t *values = stretch(frame, operand, operand.shape, axes);
  const uint32_t *exponents = stretch(frame, exponent, operand.shape, axes);
  size_t count =
      frame.countInstances(axes) * countElements(operand.shape) * words;
  uint32_t *result = arena.allocate(count);
  applyDefinition(definition, {values, exponents}, {}, /*size=*/1, result,
                  count);
  arithmetic.vanish(result, result, exponents, count);
  return result;
}

/// What an accumulation adds, before `dims` are joined.
const uint32_t *GraphEvaluator::getPart(const Frame &frame,
                                        const Node &operation, AxisSet axes) {
  Tiles operand = getTiles(frame, operation.operands[0]);
  if (!operation.isRescaled())
    return stretch(frame, operand, operand.shape, axes);
  static const ScalarDefinition kWeighted = makeWeighted();
  return weigh(frame, kWeighted, operand,
               getTiles(frame, operation.operands[1]), axes);
}

void GraphEvaluator::allocateAccumulators(Frame &frame, const Node &operation) {
  allocate(frame, operation.results[0]);
  if (joinsMoments(operation))
    allocateMeans(frame, operation);
  if (operation.isRescaled())
    frame.maxima[operation.results[0]] =
        arena.allocate(countWords(frame, operation.operands[1]));
}

/// Joins a part to what there is, which is nothing in the first iteration.
void GraphEvaluator::combineIteration(const Frame &frame, Combiner combiner,
                                      uint32_t *total, const uint32_t *part,
                                      size_t count) {
  if (frame.iteration == 0)
    std::memcpy(total, part, count * sizeof(uint32_t));
  else
    arithmetic.apply(getFunction(combiner), total, {total}, {part}, count);
}

void GraphEvaluator::accumulateIteration(Frame &frame, const Node &operation) {
  if (joinsMoments(operation))
    return addSquares(frame, operation);
  const Attributes &attributes = operation.attributes;
  const OperatorInfo &reduction = getOperatorInfo(attributes.reduction);
  ValueId value = operation.results[0];
  AxisSet axes = frame.getAxes(value);
  WordArena::Mark mark = arena.mark();
  const uint32_t *joined = join(
      reduction, getPart(frame, operation, axes), frame.countInstances(axes),
      frame.graph.getType(operation.operands[0]).shape, attributes.dims);
  combineIteration(frame, reduction.combiner, frame.values[value], joined,
                   countWords(frame, value));
  if (operation.isRescaled())
    combineIteration(frame, Combiner::Max, frame.maxima[value],
                     frame.values[operation.operands[1]],
                     countWords(frame, operation.operands[1]));
  arena.release(mark);
}

void GraphEvaluator::finish(const Frame &frame, const Node &operation,
                            Tiles total, Tiles maximum, int64_t averaged,
                            uint32_t *result) {
  WordArena::Mark mark = arena.mark();
  size_t count =
      frame.countInstances(total.axes) * countElements(total.shape) * words;
  const uint32_t *data = total.data;
  if (operation.isRescaled()) {
    static const ScalarDefinition kRelative = makeRelative();
    data = weigh(frame, kRelative, total, maximum, total.axes);
  }
  applyDefinition(getOperatorInfo(operation.attributes.reduction).finish,
                  {data}, {}, averaged, result, count);
  arena.release(mark);
}

void GraphEvaluator::finishAccumulation(Frame &frame, const Node &operation) {
  if (joinsMoments(operation))
    return finishVariance(frame, operation);
  ValueId value = operation.results[0];
  int64_t averaged = getAveragedCount(
      operation.attributes, frame.graph.getType(operation.operands[0]).shape,
      frame.tiles->loop);
  Tiles maximum;
  if (operation.isRescaled())
    maximum = {frame.maxima[value],
               frame.graph.getType(operation.operands[1]).shape,
               frame.getAxes(operation.operands[1])};
  finish(frame, operation, getTiles(frame, value), maximum, averaged,
         frame.values[value]);
}

GraphEvaluator::Tiles GraphEvaluator::joinBlocks(const Frame &frame, Axis axis,
                                                 Combiner combiner,
                                                 Tiles parts) {
  // Instances are [outside][extent][inside] around the axis.
  AxisSet own = toAxisSet(axis), others = parts.axes & ~own;
  size_t extent = frame.blocks.size(axis),
         inside = frame.blocks.count(others & ~(own - 1));
  size_t instances = frame.countInstances(others);
  size_t tileWords = countElements(parts.shape) * words;
  uint32_t *total = arena.allocate(instances * tileWords);
  arithmetic.reduce(combiner, total, parts.data, instances / inside, extent,
                    inside * tileWords);
  return {total, parts.shape, others};
}

void GraphEvaluator::accumulateOverGrid(Frame &frame, const Node &operation) {
  assert(frame.tiles && "only tile graphs accumulate");
  const Attributes &attributes = operation.attributes;
  const OperatorInfo &reduction = getOperatorInfo(attributes.reduction);
  ValueId operand = operation.operands[0], value = operation.results[0];
  const Shape &shape = frame.graph.getType(operand).shape;
  uint32_t *result = allocate(frame, value);
  WordArena::Mark mark = arena.mark();
  // Blocks that hold the same count one by one as well.
  AxisSet axes = frame.getAxes(value) | toAxisSet(attributes.axis);
  const uint32_t *parts =
      join(reduction, getPart(frame, operation, axes),
           frame.countInstances(axes), shape, attributes.dims);
  Tiles total = joinBlocks(frame, attributes.axis, reduction.combiner,
                           {parts, frame.graph.getType(value).shape, axes});
  Tiles maximum;
  if (operation.isRescaled()) {
    Tiles exponents = getTiles(frame, operation.operands[1]);
    maximum = joinBlocks(frame, attributes.axis, Combiner::Max,
                         {stretch(frame, exponents, exponents.shape, axes),
                          exponents.shape, axes});
  }
  size_t extent = frame.blocks.size(attributes.axis);
  finish(frame, operation, total, maximum,
         getAveragedCount(attributes, shape, extent), result);
  arena.release(mark);
}
