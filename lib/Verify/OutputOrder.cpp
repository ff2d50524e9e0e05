//===- OutputOrder.cpp - Which output is which ----------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Verify/OutputOrder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir::mirage;
using llvm::ArrayRef;
using llvm::Expected;
using llvm::SmallVector;

Graph mlir::mirage::withOutputs(const Graph &graph,
                                ArrayRef<unsigned> outputs) {
  Graph result;
  SmallVector<ValueId> values;
  for (unsigned input = 0; input < graph.getNumInputs(); ++input)
    values.push_back(
        result.addInput(graph.getType(input), graph.getInputName(input)));
  values = inlineGraph(graph, values, result);
  for (unsigned output : outputs)
    result.addOutput(values[output]);
  return result;
}

static const Shape &getShape(const Graph &graph, unsigned output) {
  return graph.getType(graph.getOutputs()[output]).shape;
}

static SmallVector<unsigned> keepOrder(const Graph &graph) {
  return llvm::to_vector(llvm::seq<unsigned>(graph.getOutputs().size()));
}

static bool haveSameShapes(const Graph &lhs, const Graph &rhs) {
  auto collect = [](const Graph &graph) {
    std::vector<Shape> shapes;
    for (unsigned output : keepOrder(graph))
      shapes.push_back(getShape(graph, output));
    llvm::sort(shapes);
    return shapes;
  };
  return collect(lhs) == collect(rhs);
}

/// A few trials; what has none that count equals nothing.
static Expected<bool> areEqual(const Graph &lhs, unsigned left,
                               const Graph &rhs, unsigned right,
                               VerifyOptions options) {
  options.errorBoundBits = 20;
  options.minTowers = 1;
  options.maxTowers = 4;
  options.findWitness = {};
  options.findWitnessAt = {};
  options.wantsExactProof = false;
  Expected<Verdict> verdict =
      verifyEqual(withOutputs(lhs, {left}), withOutputs(rhs, {right}), options);
  if (!verdict)
    return verdict.takeError();
  return verdict->kind == Verdict::Equal;
}

Expected<SmallVector<unsigned>>
mlir::mirage::matchOutputs(const Graph &lhs, const Graph &rhs,
                           const VerifyOptions &options) {
  if (!haveSameShapes(lhs, rhs))
    return keepOrder(rhs);
  SmallVector<unsigned> left = keepOrder(rhs), order(left.size(), ~0u);
  auto take = [&](unsigned output, unsigned other) {
    order[output] = other;
    llvm::erase(left, other);
  };
  for (unsigned output = 0; output < order.size(); ++output)
    for (unsigned other : SmallVector<unsigned>(left)) {
      if (getShape(lhs, output) != getShape(rhs, other))
        continue;
      Expected<bool> isEqual = areEqual(lhs, output, rhs, other, options);
      if (!isEqual)
        return isEqual.takeError();
      if (!*isEqual)
        continue;
      take(output, other);
      break;
    }
  for (unsigned output = 0; output < order.size(); ++output)
    if (order[output] == ~0u)
      take(output, *llvm::find_if(left, [&](unsigned other) {
             return getShape(lhs, output) == getShape(rhs, other);
           }));
  return order;
}
