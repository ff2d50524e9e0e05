//===- SplitPair.cpp - Two graphs without products of names ---------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SplitPair.h"
#include "JointGraph.h"
#include "Mirage/Graph/GraphWriter.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir::mirage;

/// Both graphs on the same inputs, with what their outputs have in common.
static Graph joinGraphs(const Graph &lhs, const Graph &rhs) {
  JointGraph joint(lhs, rhs);
  for (auto [a, b] : llvm::zip_equal(joint.lhsOutputs, joint.rhsOutputs))
    joint.graph.addOutput(
        joint.graph.add(Opcode::Add, {a, b}, joint.graph.getType(a)));
  return std::move(joint.graph);
}

llvm::Expected<SplitPair> SplitPair::make(const Graph &lhs, const Graph &rhs) {
  Graph graph = joinGraphs(lhs, rhs);
  auto factors = factorDimensions(graph);
  if (!factors)
    return factors.takeError();
  // What a kernel takes as one dimension may be two of the other graph.
  DimensionFactors joint = mergeFactors(graph, *factors, MergedFactors::Whole);
  auto first = joint.ofValues.begin();
  DimensionFactors left{{first, first + lhs.getNumValues()}};
  DimensionFactors right{{first, first + rhs.getNumInputs()}};
  first += lhs.getNumValues();
  right.ofValues.insert(right.ofValues.end(), first,
                        first + (rhs.getNumValues() - rhs.getNumInputs()));
  auto splitLeft = splitDimensions(lhs, left);
  if (!splitLeft)
    return splitLeft.takeError();
  auto splitRight = splitDimensions(rhs, right);
  if (!splitRight)
    return splitRight.takeError();
  SplitPair pair;
  pair.lhs = std::move(*splitLeft);
  pair.rhs = std::move(*splitRight);
  auto countFactors = [&](ValueId value) {
    return llvm::map_to_vector<4>(
        left.ofValues[value],
        [](const FactorList &factors) { return unsigned(factors.size()); });
  };
  for (unsigned input = 0; input < lhs.getNumInputs(); ++input)
    pair.ofInputs.push_back(countFactors(input));
  for (ValueId output : lhs.getOutputs())
    pair.ofOutputs.push_back(countFactors(output));
  return pair;
}

Shape SplitPair::join(llvm::ArrayRef<int64_t> shape,
                      llvm::ArrayRef<unsigned> counts) {
  Shape joined;
  for (unsigned count : counts) {
    int64_t size = 1;
    for (int64_t factor : shape.take_front(count))
      size *= factor;
    shape = shape.drop_front(count);
    joined.push_back(size);
  }
  return joined;
}

Graph SplitPair::joinDimensions(const Graph &split) const {
  Graph joined;
  GraphWriter writer(joined);
  llvm::SmallVector<ValueId> values;
  for (auto [input, counts] : llvm::enumerate(ofInputs)) {
    const TensorSpec &type = split.getType(input);
    joined.addInput({join(type.shape, counts), type.element},
                    split.getInputName(input));
  }
  for (unsigned input = 0; input < split.getNumInputs(); ++input)
    values.push_back(writer.reshape(input, split.getType(input).shape));
  values = inlineGraph(split, values, joined);
  for (auto [value, counts] : llvm::zip_equal(values, ofOutputs))
    joined.addOutput(
        writer.reshape(value, join(joined.getType(value).shape, counts)));
  return joined;
}
