//===- Moments.cpp - Variances over the loop ------------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A variance over the loop is evaluated as programs spell it, the mean of
// (x - mean x)², in two passes over the iterations: the first adds up the
// elements, and carries out nothing but what they need. Over a field Σx² and Σx
// would do. But error bounds compare terms, and under a root two terms for one
// number would be two radicands that nothing shows to be the same.
//
// Elements that are minus infinity have no part in it.
//
//===----------------------------------------------------------------------===//

#include "GraphEvaluator.h"
#include "Mirage/Graph/Phases.h"
#include "TileCopies.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir::mirage;

bool GraphEvaluator::joinsMoments(const Node &step) {
  return step.opcode == Opcode::Accumulate &&
         getOperatorInfo(step.attributes.reduction).combiner ==
             Combiner::Moments;
}

/// The steps that accumulate variances, and those that their operands need. A
/// component leaves steps out, arguments of exponentials among them; what is
/// needed is found as if it did not, so that all components meet the same
/// exponentials twice.
/// \param isNeeded  gets the values that these read.
static llvm::SmallVector<const Node *>
findSteps(const TileGraph &tiles, llvm::ArrayRef<const Node *> loopSteps,
          llvm::BitVector &isNeeded,
          llvm::function_ref<bool(const Node &)> joinsMoments) {
  llvm::SmallPtrSet<const Node *, 16> needed;
  for (const Node &step : llvm::reverse(tiles.getNodes())) {
    bool isNeededItself = !joinsIterations(step) &&
                          llvm::any_of(step.results, [&](ValueId result) {
                            return isNeeded[result];
                          });
    if (!isNeededItself && !joinsMoments(step))
      continue;
    needed.insert(&step);
    for (ValueId operand : step.operands)
      isNeeded.set(operand);
  }
  llvm::SmallVector<const Node *> steps;
  llvm::copy_if(loopSteps, std::back_inserter(steps),
                [&](const Node *step) { return needed.contains(step); });
  return steps;
}

void GraphEvaluator::evaluateMeans(Frame &frame, const Frame &outer,
                                   const Node &operation,
                                   const llvm::BitVector &isRead,
                                   llvm::ArrayRef<const Node *> loopSteps) {
  llvm::BitVector isNeeded(frame.tiles->getNumValues());
  llvm::SmallVector<const Node *> steps =
      findSteps(*frame.tiles, loopSteps, isNeeded, joinsMoments);
  isNeeded &= isRead;
  WordArena::Mark mark = arena.mark();
  iterate(frame, outer, operation, isNeeded, steps,
          [&](const Node &step) { addToMean(frame, step); });
  arena.release(mark);
  for (const Node *step : steps)
    if (joinsMoments(*step))
      finishMean(frame, *step);
}

void GraphEvaluator::allocateMeans(Frame &frame, const Node &operation) {
  ValueId value = operation.results[0];
  size_t count = countWords(frame, value);
  frame.moments[value] = {arena.allocate(count), arena.allocate(count)};
}

static ScalarDefinition makeOne() {
  ScalarDefinition definition;
  definition.add({ScalarFunction::Constant, 0, 0, 0, 1});
  return definition;
}

static ScalarDefinition makeQuotient() {
  ScalarDefinition definition;
  uint8_t lhs = definition.add({ScalarFunction::Argument, 0});
  uint8_t rhs = definition.add({ScalarFunction::Argument, 1});
  definition.add({ScalarFunction::Div, 0, lhs, rhs});
  return definition;
}

void GraphEvaluator::joinPart(Frame &frame, const Node &operation,
                              const uint32_t *part, uint32_t *total) {
  const Shape &shape = frame.graph.getType(operation.operands[0]).shape;
  const uint32_t *joined = join(getOperatorInfo(Opcode::Sum), part,
                                frame.countInstancesOf(operation.results[0]),
                                shape, operation.attributes.dims);
  combineIteration(frame, Combiner::Add, total, joined,
                   countWords(frame, operation.results[0]));
}

void GraphEvaluator::addToMean(Frame &frame, const Node &operation) {
  static const ScalarDefinition kOne = makeOne();
  const Moments &moments = frame.moments[operation.results[0]];
  WordArena::Mark mark = arena.mark();
  size_t count = countWords(frame, operation.operands[0]);
  const uint32_t *elements = frame.values[operation.operands[0]];
  uint32_t *part = arena.allocate(count);
  arithmetic.vanish(part, elements, elements, count);
  joinPart(frame, operation, part, moments.mean);
  applyDefinition(kOne, {}, {}, /*size=*/1, part, count);
  arithmetic.vanish(part, part, elements, count);
  joinPart(frame, operation, part, moments.count);
  arena.release(mark);
}

void GraphEvaluator::divideByCount(Frame &frame, const Node &operation,
                                   uint32_t *total) {
  static const ScalarDefinition kQuotient = makeQuotient();
  ValueId value = operation.results[0];
  applyDefinition(kQuotient, {total, frame.moments[value].count}, {},
                  /*size=*/1, total, countWords(frame, value));
}

void GraphEvaluator::finishMean(Frame &frame, const Node &operation) {
  divideByCount(frame, operation, frame.moments[operation.results[0]].mean);
}

void GraphEvaluator::addSquares(Frame &frame, const Node &operation) {
  ValueId operand = operation.operands[0], value = operation.results[0];
  const Shape &shape = frame.graph.getType(operand).shape;
  WordArena::Mark mark = arena.mark();
  size_t count = countWords(frame, operand);
  const uint32_t *elements = frame.values[operand];
  const uint32_t *means =
      stretch(frame,
              {frame.moments[value].mean, frame.graph.getType(value).shape,
               frame.getAxes(value)},
              shape, frame.getAxes(value));
  uint32_t *part = arena.allocate(count);
  arithmetic.vanish(part, elements, elements, count);
  applyDefinition(getOperatorInfo(Opcode::Sub).definition, {part, means}, {},
                  /*size=*/1, part, count);
  applyDefinition(getOperatorInfo(Opcode::Square).definition, {part}, {},
                  /*size=*/1, part, count);
  arithmetic.vanish(part, part, elements, count);
  joinPart(frame, operation, part, frame.values[value]);
  arena.release(mark);
}

void GraphEvaluator::finishVariance(Frame &frame, const Node &operation) {
  divideByCount(frame, operation, frame.values[operation.results[0]]);
}
