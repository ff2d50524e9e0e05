//===- WitnessFinder.cpp - A float64 input that tells graphs apart --------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Graph/Work.h"
#include "Mirage/Pipelines/Judge.h"
#include "Mirage/Reference/Reference.h"
#include "Mirage/Verify/RoundedEvaluation.h"
#include "WitnessInputs.h"
#include <cmath>

using namespace mlir;
using namespace mlir::mirage;

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

/// Differences that literals written with a few digits explain do not count.
static constexpr double kRounding = 1e-6;

/// Whether two outputs differ anywhere by more than that.
static bool haveDifference(const ReferenceOutput &lhs,
                           const ReferenceOutput &rhs) {
  return llvm::any_of(llvm::zip_equal(lhs.values, rhs.values), [](auto pair) {
    auto [x, y] = pair;
    return std::fabs(x - y) > kRounding * (std::fabs(x) + std::fabs(y));
  });
}

/// The element where two outputs differ most, if they differ by more than the
/// rounding of everything that they were computed from.
static std::optional<Witness> compare(ArrayRef<RoundedNumber> lhs,
                                      ArrayRef<RoundedNumber> rhs) {
  std::optional<Witness> worst;
  double worstError = 0;
  for (auto [element, pair] : llvm::enumerate(llvm::zip_equal(lhs, rhs))) {
    auto [x, y] = pair;
    // Where either is not finite, floats say nothing about the reals.
    if (!std::isfinite(x.value) || !std::isfinite(y.value))
      continue;
    double error = std::fabs(x.value - y.value);
    double literals = kRounding * (std::fabs(x.value) + std::fabs(y.value));
    // Twice, for the rounding of the comparison itself.
    if (error > literals && error > 2 * (x.error + y.error) &&
        error > worstError) {
      worst = Witness{0, 0, static_cast<int64_t>(element), x.value, y.value};
      worstError = error;
    }
  }
  return worst;
}

static std::optional<Witness> compare(const Graph &lhs, const Graph &rhs,
                                      ArrayRef<HostTensor> inputs) {
  std::vector<std::vector<double>> numbers;
  for (const HostTensor &input : inputs)
    numbers.push_back(decode(input));
  auto left = evaluateRounded(lhs, numbers);
  auto right = evaluateRounded(rhs, numbers);
  for (auto [output, pair] : llvm::enumerate(llvm::zip_equal(left, right)))
    if (auto witness = compare(std::get<0>(pair), std::get<1>(pair))) {
      witness->output = output;
      return witness;
    }
  return std::nullopt;
}

/// The reference is quick and says whether it is worth looking closer.
static llvm::Expected<bool> haveDifference(const Graph &lhs, const Graph &rhs,
                                           ArrayRef<HostTensor> inputs) {
  ReferenceOptions options;
  options.scales = false;
  auto left = evaluateReference(lhs, inputs, options);
  if (!left)
    return left.takeError();
  auto right = evaluateReference(rhs, inputs, options);
  if (!right)
    return right.takeError();
  return llvm::any_of(llvm::zip_equal(*left, *right), [](auto pair) {
    return haveDifference(std::get<0>(pair), std::get<1>(pair));
  });
}

//===----------------------------------------------------------------------===//
// Attempts
//===----------------------------------------------------------------------===//

/// As many attempts as are worth their time: of large graphs one.
static unsigned limitTries(const Graph &lhs, const Graph &rhs, unsigned tries) {
  constexpr double kMaxWork = 0x1p36;
  double work = countFlops(lhs) + countFlops(rhs);
  return work * tries <= kMaxWork ? tries
                                  : std::max(1u, unsigned(kMaxWork / work));
}

FindWitness mlir::mirage::makeWitnessFinder(uint64_t seed, unsigned tries) {
  return [seed,
          tries](const Graph &lhs,
                 const Graph &rhs) -> llvm::Expected<std::optional<Witness>> {
    WitnessInputs sets(lhs, rhs, seed);
    unsigned e = limitTries(lhs, rhs, std::min(tries, sets.size()));
    for (unsigned attempt = 0; attempt < e; ++attempt) {
      std::vector<HostTensor> inputs = sets.make(attempt);
      llvm::Expected<bool> differ = haveDifference(lhs, rhs, inputs);
      if (!differ)
        return differ.takeError();
      if (!*differ)
        continue;
      if (std::optional<Witness> witness = compare(lhs, rhs, inputs)) {
        witness->seed = seed;
        return witness;
      }
    }
    return std::nullopt;
  };
}

/// As many as do not take their time to be drawn.
static unsigned limitInputs(const Graph &graph, unsigned tries) {
  constexpr double kMaxElements = 0x1p28;
  double count = 0;
  for (unsigned input = 0; input < graph.getNumInputs(); ++input)
    count += double(graph.getType(input).getNumElements());
  return std::clamp(unsigned(kMaxElements / count), 1u, tries);
}

FindWitnessAt mlir::mirage::makeElementWitnessFinder(uint64_t seed,
                                                     unsigned tries) {
  return [seed, tries](const Graph &lhs, const Graph &rhs, unsigned output,
                       ArrayRef<int64_t> elements)
             -> llvm::Expected<std::optional<Witness>> {
    WitnessInputs sets(lhs, rhs, seed);
    unsigned e = limitInputs(lhs, std::min(tries, sets.size()));
    for (unsigned attempt = 0; attempt < e; ++attempt) {
      std::vector<std::vector<double>> numbers;
      for (const HostTensor &input : sets.make(attempt))
        numbers.push_back(decode(input));
      if (std::optional<Witness> witness =
              compare(evaluateRounded(lhs, numbers, output, elements),
                      evaluateRounded(rhs, numbers, output, elements)))
        return Witness{seed, output, elements[witness->element],
                       witness->lhs, witness->rhs};
    }
    return std::nullopt;
  };
}
