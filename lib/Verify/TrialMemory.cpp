//===- TrialMemory.cpp - What a trial of a graph takes --------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TrialMemory.h"
#include "Mirage/Verify/OutputOrder.h"
#include "Mirage/Verify/RoundedEvaluation.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::mirage;

/// Sizes of one dimension fit 64 bits, their product need not.
static double countElements(const TensorSpec &type) {
  double count = 1;
  for (int64_t size : type.shape)
    count *= double(size);
  return count;
}

namespace {
/// Elements that an evaluation keeps, and those of them in the arguments of
/// exponentials.
struct ElementCount {
  double kept = 0, exponents = 0;
};

/// Counts all that a GraphEvaluator allocates, one after the other, as if it
/// gave nothing back and worked on whole values at a time: a bound that takes
/// no knowledge of when it does.
class ElementCounter {
public:
  ElementCount run(const Graph &graph) {
    count(graph, /*instances=*/1, /*iterations=*/1);
    return sum;
  }

  ElementCount run(const Graph &graph, const Sample &sample) {
    for (const Region &region : sample.regions)
      if (!region.empty())
        sum.kept += countElements({getShape(region)});
    for (auto [number, node] : llvm::enumerate(graph.getNodes()))
      if (sample.operations[number].isNeeded)
        countNeeded(graph, node, number, sample);
    return sum;
  }

private:
  void countNeeded(const Graph &graph, const Node &node, unsigned number,
                   const Sample &sample) {
    const Sample::Operation &operation = sample.operations[number];
    if (node.body)
      return count(*node.body, operation.blocks.size(),
                   double(node.body->loop));
    llvm::SmallVector<TensorSpec> operands = sample.getReadTypes(graph, number);
    // A part of each operand is copied, and where it is are offsets.
    constexpr double kWordsPerOffset = 2;
    for (const TensorSpec &type : operands)
      sum.kept += (1 + kWordsPerOffset) * countElements(type);
    TensorSpec result = sample.getKeptType(graph, node.results[0]);
    sum.kept += kWordsPerOffset * countElements(result);
    countIntermediates(node, operands, result, /*instances=*/1,
                       /*iterations=*/1);
  }

  void count(const Graph &graph, double instances, double iterations) {
    for (ValueId value = 0; value < graph.getNumValues(); ++value)
      sum.kept += instances * countElements(graph.getType(value));
    for (const Node &node : graph.getNodes()) {
      if (node.body)
        count(*node.body, instances * countBlocks(*node.body),
              iterations * double(node.body->loop));
      else
        countIntermediates(node, graph.getTypes(node.operands),
                           graph.getType(node.results[0]), instances,
                           iterations);
    }
  }

  static double countBlocks(const TileGraph &tiles) {
    double blocks = 1;
    for (int64_t extent : tiles.grid)
      blocks *= double(extent);
    return blocks;
  }

  /// Operands stretched to the result's shape, and each step of a definition.
  void countIntermediates(const Node &node, llvm::ArrayRef<TensorSpec> operands,
                          const TensorSpec &result, double instances,
                          double iterations) {
    const OperatorInfo &row = getOperatorInfo(node.opcode == Opcode::Accumulate
                                                  ? node.attributes.reduction
                                                  : node.opcode);
    double largest = countElements(result);
    for (const TensorSpec &operand : operands)
      largest = std::max(largest, countElements(operand));
    largest *= instances;
    // Elementwise ones stretch their operands; reductions join dimension by
    // dimension, and the blocks along an axis into a total that is finished.
    sum.kept += row.kind == OperatorKind::Elementwise
                    ? double(node.operands.size()) * largest
                    : double(3 + node.attributes.dims.size()) * largest;
    // Means, stretched ones, differences and their squares.
    if (row.combiner == Combiner::Moments)
      sum.kept += 8 * largest;
    // Stretched exponents, the steps of a weighted part, parts and totals.
    if (node.isRescaled()) {
      sum.kept += 8 * largest;
      sum.exponents += largest * iterations;
    }
    for (const ScalarDefinition *definition : {&row.definition, &row.finish})
      for (const ScalarNode &step : definition->nodes()) {
        sum.kept += getArity(step.function) > 0 ? largest : 0;
        if (step.function == ScalarFunction::Exp)
          sum.exponents += largest * iterations;
      }
  }

  ElementCount sum;
};
} // namespace

/// \param inputs, outputs  elements of all of them.
static double countBytes(ElementCount count, double inputs, double outputs,
                         unsigned height, unsigned words) {
  // Arguments are recorded in one component for the next, in a vector that may
  // be twice as large. Outputs are copied out, of both graphs.
  double exponents = height > 1 ? 4 * count.exponents : 0;
  // Counts for each output element, beside its words (Comparison.h).
  constexpr double kBytesPerComparison = 12;
  return sizeof(uint32_t) * double(words) *
             (count.kept + exponents + double(height) * inputs + 2 * outputs) +
         kBytesPerComparison * outputs;
}

double mlir::mirage::estimateEvaluationBytes(const Graph &graph,
                                             unsigned height, unsigned words) {
  double inputs = 0, outputs = 0;
  for (unsigned input = 0; input < graph.getNumInputs(); ++input)
    inputs += countElements(graph.getType(input));
  for (ValueId output : graph.getOutputs())
    outputs += countElements(graph.getType(output));
  return countBytes(ElementCounter().run(graph), inputs, outputs, height,
                    words);
}

double mlir::mirage::estimateSampleBytes(const Graph &graph,
                                         const Sample &sample, unsigned height,
                                         unsigned words) {
  double outputs = 0;
  for (const Region &region : sample.outputs)
    outputs += countElements({getShape(region)});
  // Inputs are among the values, for one component at a time.
  return countBytes(ElementCounter().run(graph, sample), /*inputs=*/0, outputs,
                    height, words);
}

/// Of the reference.
static double estimateFloat64Bytes(const Graph &graph) {
  double elements = 0;
  for (ValueId value = 0; value < graph.getNumValues(); ++value)
    elements += countElements(graph.getType(value));
  // Inputs are there as they are stored, and decoded; outputs of both graphs
  // that are compared are copied out.
  for (unsigned input = 0; input < graph.getNumInputs(); ++input)
    elements += 2 * countElements(graph.getType(input));
  for (ValueId output : graph.getOutputs())
    elements += 2 * countElements(graph.getType(output));
  return sizeof(double) * elements;
}

double mlir::mirage::estimateWitnessBytes(const Graph &graph) {
  double inputs = 0;
  for (unsigned input = 0; input < graph.getNumInputs(); ++input)
    inputs += countElements(graph.getType(input));
  constexpr unsigned kWords = sizeof(RoundedNumber) / sizeof(uint32_t);
  double rounded = estimateEvaluationBytes(graph, /*height=*/1, kWords) +
                   sizeof(double) * inputs;
  return std::max(estimateFloat64Bytes(graph), rounded);
}

double mlir::mirage::estimateWitnessBytesAt(const Graph &graph, unsigned output,
                                            llvm::ArrayRef<int64_t> elements) {
  Graph one = withOutputs(graph, {output});
  const Shape &shape = one.getType(one.getOutputs()[0]).shape;
  Sample sample = findSample(one, {makeRegionOf(shape, elements)});
  double inputs = 0;
  for (unsigned input = 0; input < graph.getNumInputs(); ++input)
    inputs += countElements(graph.getType(input));
  if (inputs > kMaxHeldElements)
    inputs = 0;
  constexpr unsigned kWords = sizeof(RoundedNumber) / sizeof(uint32_t);
  // Inputs as they are stored, and decoded.
  return estimateSampleBytes(one, sample, /*height=*/1, kWords) +
         2 * sizeof(double) * inputs;
}
