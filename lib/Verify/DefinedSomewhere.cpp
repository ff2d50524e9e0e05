//===- DefinedSomewhere.cpp - Inputs on which graphs have numbers ---------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DefinedSomewhere.h"
#include "Mirage/Algebra/Random.h"
#include "Mirage/Verify/RoundedEvaluation.h"
#include "Mirage/Verify/SmallerSizes.h"
#include "Sample.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace mlir::mirage;

/// Inputs of both signs, of one, and of one each in turn; then larger ones.
static std::vector<std::vector<double>> makeInputs(const Graph &graph,
                                                   unsigned attempt) {
  RandomStream random(deriveSeed(Seed{}, "exact", attempt));
  std::vector<std::vector<double>> inputs;
  for (unsigned input = 0; input < graph.getNumInputs(); ++input) {
    std::vector<double> values(graph.getType(input).getNumElements());
    for (double &value : values) {
      double magnitude = std::ldexp(random.next() + 1.0, -32);
      magnitude *= attempt < 4 ? 2 : 16;
      bool isRandom = attempt % 4 == 0, alternates = attempt % 4 == 3;
      bool isNegative = isRandom     ? random.next() % 2
                        : alternates ? (input + attempt / 4) % 2
                                     : attempt % 4 == 2;
      value = isNegative ? -magnitude : magnitude;
    }
    inputs.push_back(std::move(values));
  }
  return inputs;
}

std::optional<OutputPlace> mlir::mirage::findUndefined(const Graph &lhs,
                                                       const Graph &rhs) {
  constexpr unsigned kNumAttempts = 8;
  std::vector<llvm::BitVector> isMissing;
  for (ValueId output : lhs.getOutputs())
    isMissing.emplace_back(lhs.getType(output).getNumElements(), /*t=*/true);
  auto hasMissing = [](const llvm::BitVector &bits) { return bits.any(); };
  for (unsigned attempt = 0;
       attempt < kNumAttempts && llvm::any_of(isMissing, hasMissing);
       ++attempt) {
    auto inputs = makeInputs(lhs, attempt);
    auto left = evaluateRounded(lhs, inputs),
         right = evaluateRounded(rhs, inputs);
    for (unsigned output = 0; output < isMissing.size(); ++output)
      for (unsigned element : isMissing[output].set_bits())
        if (!std::isnan(left[output][element].value) &&
            !std::isnan(right[output][element].value))
          isMissing[output].reset(element);
  }
  for (auto [output, bits] : llvm::enumerate(isMissing))
    if (bits.any())
      return OutputPlace{unsigned(output), size_t(bits.find_first())};
  return std::nullopt;
}

Definedness mlir::mirage::findDefined(const Graph &lhs, const Graph &rhs) {
  // Up to some tenths of a second; and up to seconds, where there is no other
  // way.
  constexpr double kLittleWork = 1 << 22, kMostWork = 1 << 26;
  double work = std::max(countWork(lhs), countWork(rhs));
  std::optional<OutputPlace> place;
  llvm::StringRef sizes;
  if (work <= kLittleWork) {
    place = findUndefined(lhs, rhs);
  } else if (llvm::Expected<SmallerGraphs> small =
                 withSmallerSizes(lhs, rhs, SizeNumbers::Follow)) {
    place = findUndefined(small->lhs, small->rhs);
    sizes = " at smaller sizes";
  } else {
    llvm::consumeError(small.takeError());
    if (work > kMostWork)
      return {Definedness::NotKnown};
    place = findUndefined(lhs, rhs);
  }
  if (!place)
    return {Definedness::Somewhere};
  return {Definedness::Nowhere,
          llvm::formatv("no float64 input that was tried has a number for "
                        "element {0} of output {1}{2}",
                        place->element, place->output, sizes)};
}
