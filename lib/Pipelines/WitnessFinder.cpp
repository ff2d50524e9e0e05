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

static size_t countInputElements(const Graph &graph) {
  size_t count = 0;
  for (unsigned input = 0; input < graph.getNumInputs(); ++input)
    count += graph.getType(input).getNumElements();
  return count;
}

namespace {
/// Elements of one set of inputs after the other, of which those that are
/// sorted have to be held.
class SetReader {
public:
  SetReader(const Graph &lhs, const Graph &rhs, uint64_t seed)
      : sets(lhs, rhs, seed), numElements(countInputElements(lhs)) {}

  unsigned size() const { return sets.size(); }
  double getNumRead() const { return numRead; }

  /// \returns false if the set has too much to be held.
  bool begin(unsigned number) {
    attempt = number;
    held.clear();
    if (!WitnessInputs::isOrdered(attempt))
      return true;
    if (numElements > kMaxHeldElements)
      return false;
    for (const HostTensor &input : sets.make(attempt))
      held.push_back(decode(input));
    numRead += numElements;
    return true;
  }

  void read(unsigned input, size_t first,
            llvm::MutableArrayRef<double> values) {
    if (!held.empty()) {
      llvm::copy(ArrayRef(held[input]).slice(first, values.size()),
                 values.begin());
      return;
    }
    sets.read(attempt, input, first, values);
    numRead += values.size();
  }

private:
  WitnessInputs sets;
  size_t numElements; ///< of a set
  unsigned attempt = 0;
  std::vector<std::vector<double>> held; ///< by input
  double numRead = 0;
};
} // namespace

FindWitnessAt mlir::mirage::makeElementWitnessFinder(uint64_t seed,
                                                     unsigned tries) {
  return [seed, tries](const Graph &lhs, const Graph &rhs, unsigned output,
                       ArrayRef<int64_t> elements)
             -> llvm::Expected<std::optional<Witness>> {
    // As many as do not take their time to be drawn.
    constexpr double kMostRead = 0x1p28;
    SetReader sets(lhs, rhs, seed);
    auto evaluate = [&](const Graph &graph) {
      auto read = [&](unsigned input, size_t first,
                      llvm::MutableArrayRef<double> values) {
        sets.read(input, first, values);
      };
      return evaluateRounded(graph, read, output, elements);
    };
    unsigned e = std::min(tries, sets.size());
    for (unsigned attempt = 0; attempt < e && sets.getNumRead() < kMostRead;
         ++attempt) {
      if (!sets.begin(attempt))
        continue;
      if (std::optional<Witness> witness =
              compare(evaluate(lhs), evaluate(rhs)))
        return Witness{seed, output, elements[witness->element], witness->lhs,
                       witness->rhs};
    }
    return std::nullopt;
  };
}
