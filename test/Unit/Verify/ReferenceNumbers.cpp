//===- ReferenceNumbers.cpp - What floats say of a pair -------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReferenceNumbers.h"
#include "Mirage/Verify/RoundedEvaluation.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace mlir::mirage;
using namespace mlir::mirage::test;

namespace {
/// Uniform numbers, scaled, of either sign or of one, in order or not.
struct InputKind {
  double range;
  int sign = 0;
  bool ascends = false;
};
} // namespace

/// Both signs tell most graphs apart, one sign tells max x from max(x, 0), and
/// all but positive numbers give logarithms and roots no value.
static constexpr InputKind kInputKinds[] = {{2},     {0.7},        {2, 1},
                                            {1, -1}, {2, 0, true}, {16, 0}};

/// \param purpose  inputs that decide, or that witnesses are looked for on.
static std::vector<HostTensor> makeInputs(const Graph &graph, unsigned number,
                                          llvm::StringRef purpose) {
  const InputKind &kind = kInputKinds[number];
  RandomStream random(deriveSeed(Seed{}, purpose, number));
  std::vector<HostTensor> inputs;
  for (unsigned input = 0; input < graph.getNumInputs(); ++input) {
    const TensorSpec &type = graph.getType(input);
    std::vector<double> values(type.getNumElements());
    for (double &value : values) {
      value = kind.range * (random.next() / 2147483648.0 - 1);
      if (kind.sign != 0)
        value = kind.sign * std::fabs(value);
    }
    if (kind.ascends)
      llvm::sort(values);
    inputs.push_back(encode(type, values));
  }
  return inputs;
}

static std::vector<ReferenceOutput>
evaluateFloats(const Graph &graph, llvm::ArrayRef<HostTensor> inputs) {
  ReferenceOptions options;
  options.threads = 1;
  options.scales = false;
  return llvm::cantFail(evaluateReference(graph, inputs, options));
}

ReferenceNumbers::ReferenceNumbers(const Graph &program) : program(program) {
  for (unsigned number = 0; number < std::size(kInputKinds); ++number) {
    inputs.push_back(makeInputs(program, number, "comparison"));
    outputs.push_back(evaluateFloats(program, inputs.back()));
  }
}

namespace {
struct Tally {
  double difference = 0; ///< the largest that the result's own rounding is not
  bool unclear = false, oneDefined = false, anyFinite = false;

  void add(double x, double y) {
    if (!std::isfinite(x) || !std::isfinite(y)) {
      oneDefined |= std::isfinite(x) != std::isfinite(y);
      return;
    }
    anyFinite = true;
    double error = std::fabs(x - y), scale = 1 + std::fabs(x) + std::fabs(y);
    if (error > 1e-7 * scale)
      difference = std::max(difference, error);
    unclear |= error > 1e-10 * scale;
  }
};
} // namespace

/// Of all values on the way to the outputs. Where they cancel, as in
/// 10^18 + (x - 10^18), so much rounding is left.
static double findRounding(const Graph &graph,
                           llvm::ArrayRef<HostTensor> inputs) {
  Graph all = graph;
  for (ValueId value = 0; value < graph.getNumValues(); ++value)
    all.addOutput(value);
  double largest = 0;
  for (const ReferenceOutput &output : evaluateFloats(all, inputs))
    for (double value : output.values)
      if (std::isfinite(value))
        largest = std::max(largest, std::fabs(value));
  return 1e-12 * largest;
}

FloatAnswer ReferenceNumbers::compare(const Graph &other) const {
  Tally tally;
  for (auto [tensors, ours] : llvm::zip_equal(inputs, outputs)) {
    std::vector<ReferenceOutput> theirs = evaluateFloats(other, tensors);
    for (auto [x, y] : llvm::zip_equal(ours, theirs))
      for (auto [a, b] : llvm::zip_equal(x.values, y.values))
        tally.add(a, b);
    if (tally.difference > findRounding(program, tensors) &&
        tally.difference > findRounding(other, tensors))
      return FloatAnswer::Differ;
    tally.difference = 0;
  }
  return tally.unclear      ? FloatAnswer::Unclear
         : !tally.anyFinite ? FloatAnswer::Nowhere
         : tally.oneDefined ? FloatAnswer::Defined
                            : FloatAnswer::Agree;
}

bool ReferenceNumbers::areModerate() const {
  auto isModerate = [](double x) { return std::fabs(x) < 1e6; };
  return llvm::count_if(outputs, [&](const auto &numbers) {
           return llvm::all_of(numbers, [&](const ReferenceOutput &output) {
             return llvm::all_of(output.values, isModerate);
           });
         }) >= 3;
}

static std::optional<Witness> compare(llvm::ArrayRef<RoundedNumber> lhs,
                                      llvm::ArrayRef<RoundedNumber> rhs) {
  for (auto [element, pair] : llvm::enumerate(llvm::zip_equal(lhs, rhs))) {
    auto [x, y] = pair;
    if (!std::isfinite(x.value) || !std::isfinite(y.value))
      continue;
    double error = std::fabs(x.value - y.value);
    if (error > 2 * (x.error + y.error) &&
        error > 1e-6 * (std::fabs(x.value) + std::fabs(y.value)))
      return Witness{0, 0, static_cast<int64_t>(element), x.value, y.value};
  }
  return std::nullopt;
}

llvm::Expected<std::optional<Witness>>
mlir::mirage::test::findRoundedWitness(const Graph &lhs, const Graph &rhs) {
  for (unsigned number = 0; number < std::size(kInputKinds); ++number) {
    std::vector<std::vector<double>> numbers;
    for (const HostTensor &input : makeInputs(lhs, number, "witness"))
      numbers.push_back(decode(input));
    auto left = evaluateRounded(lhs, numbers);
    auto right = evaluateRounded(rhs, numbers);
    for (auto [output, pair] : llvm::enumerate(llvm::zip_equal(left, right)))
      if (auto witness = compare(std::get<0>(pair), std::get<1>(pair))) {
        witness->seed = number;
        witness->output = output;
        return witness;
      }
  }
  return std::nullopt;
}

bool mlir::mirage::test::confirmsWitness(const Graph &lhs, const Graph &rhs,
                                         const Witness &witness) {
  std::vector<HostTensor> inputs = makeInputs(lhs, witness.seed, "witness");
  auto getNumber = [&](const Graph &graph) {
    return evaluateFloats(graph, inputs)[witness.output]
        .values[witness.element];
  };
  double error = std::fabs(getNumber(lhs) - witness.lhs) +
                 std::fabs(getNumber(rhs) - witness.rhs);
  return error < 0.1 * std::fabs(witness.lhs - witness.rhs);
}
