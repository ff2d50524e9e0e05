//===- Moments.cpp - Variances over the loop ------------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The mean of (x - mean x)² is Σx²/n - (Σx/n)². Code that is run must not
// compute it that way; where nothing is rounded it is the same, and a loop adds
// up three sums. Elements that are minus infinity have no part in any of them.
//
//===----------------------------------------------------------------------===//

#include "GraphEvaluator.h"
#include "TileCopies.h"
#include <cstring>

using namespace mlir::mirage;

namespace {
enum PowerSum : uint8_t { Count, Sum, SumOfSquares, kNumPowerSums };
} // namespace

static ScalarDefinition makeOne() {
  ScalarDefinition definition;
  definition.add({ScalarFunction::Constant, 0, 0, 0, 1});
  return definition;
}

/// Arguments are the sums, by PowerSum.
static ScalarDefinition makeVariance() {
  ScalarDefinition definition;
  auto add = [&](ScalarFunction function, uint8_t lhs, uint8_t rhs) {
    return definition.add({function, 0, lhs, rhs});
  };
  uint8_t count = definition.add({ScalarFunction::Argument, Count});
  uint8_t sum = definition.add({ScalarFunction::Argument, Sum});
  uint8_t squares = definition.add({ScalarFunction::Argument, SumOfSquares});
  uint8_t minus = definition.add({ScalarFunction::Constant, 0, 0, 0, -1});
  uint8_t mean = add(ScalarFunction::Div, sum, count);
  uint8_t squareOfMean = add(ScalarFunction::Mul, mean, mean);
  uint8_t negative = add(ScalarFunction::Mul, minus, squareOfMean);
  uint8_t meanOfSquares = add(ScalarFunction::Div, squares, count);
  add(ScalarFunction::Add, meanOfSquares, negative);
  return definition;
}

void GraphEvaluator::allocatePowerSums(Frame &frame, const Node &operation) {
  ValueId value = operation.results[0];
  frame.powerSums[value] =
      arena.allocate(kNumPowerSums * countWords(frame, value));
}

void GraphEvaluator::accumulatePowerSums(Frame &frame, const Node &operation) {
  static const ScalarDefinition kOne = makeOne();
  ValueId operand = operation.operands[0], value = operation.results[0];
  const OperatorInfo &sum = getOperatorInfo(Opcode::Sum);
  WordArena::Mark mark = arena.mark();
  size_t count = countWords(frame, operand),
         joinedCount = countWords(frame, value);
  const uint32_t *elements = frame.values[operand];
  uint32_t *power = arena.allocate(count), *present = arena.allocate(count);
  arithmetic.vanish(present, elements, elements, count);
  applyDefinition(kOne, {}, {}, /*size=*/1, power, count);
  arithmetic.vanish(power, power, elements, count);
  for (unsigned number = 0; number < kNumPowerSums; ++number) {
    const uint32_t *joined =
        join(sum, power, frame.instances, frame.graph.getType(operand).shape,
             operation.attributes.dims);
    combineIteration(frame, Combiner::Add,
                     frame.powerSums[value] + number * joinedCount, joined,
                     joinedCount);
    arithmetic.apply(ScalarFunction::Mul, power, {power}, {present}, count);
  }
  arena.release(mark);
}

void GraphEvaluator::finishVariance(Frame &frame, const Node &operation) {
  static const ScalarDefinition kVariance = makeVariance();
  ValueId value = operation.results[0];
  size_t count = countWords(frame, value);
  const uint32_t *sums = frame.powerSums[value];
  applyDefinition(
      kVariance,
      {sums + Count * count, sums + Sum * count, sums + SumOfSquares * count},
      {}, /*size=*/1, frame.values[value], count);
}
