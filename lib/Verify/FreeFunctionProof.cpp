//===- FreeFunctionProof.cpp - Equal whatever functions are ---------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FreeFunctionProof.h"
#include "DefinedSomewhere.h"
#include "FieldJudge.h"
#include "FreeFunctionArithmetic.h"
#include "GraphEvaluator.h"
#include "TrialMemory.h"
#include "WrittenGraph.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir::mirage;

/// Numbers, and operands of maxima, of both graphs together: 32 bytes each.
static constexpr size_t kMaxNumbers = size_t(1) << 23;
/// Multiply-adds of either graph, operations on single elements being eight
/// each: seconds, about.
static constexpr double kMaxWork = 1 << 26;
/// However much is asked for.
static constexpr double kMostTrials = 64;

namespace {
/// Both graphs carried out on one random input.
class FreeTrial {
public:
  FreeTrial(const Graph &lhs, const Graph &rhs, const Seed &seed)
      : lhs(lhs), rhs(rhs), arithmetic(seed, kMaxNumbers) {}

  /// \returns what keeps it from proving anything, or an empty string.
  std::string run() {
    drawInputs();
    auto left = GraphEvaluator(arithmetic).evaluate(lhs, starts);
    auto right = GraphEvaluator(arithmetic).evaluate(rhs, starts);
    if (arithmetic.hasOverflowed())
      return "they have too many values";
    for (auto [output, pair] : llvm::enumerate(llvm::zip_equal(left, right)))
      for (auto [element, values] : llvm::enumerate(
               llvm::zip_equal(std::get<0>(pair), std::get<1>(pair))))
        if (!arithmetic.areSame(std::get<0>(values), std::get<1>(values)))
          return llvm::formatv("element {0} of output {1} is another one, or "
                               "is undefined",
                               element, output);
    return "";
  }

  double getErrorLog2() const { return arithmetic.getErrorLog2(); }
  /// Whether something may be out of range. Where it is, and what depends on
  /// it, may be another matter in each graph, if it is the same in both.
  bool hasConditions() const { return arithmetic.hasConditions(); }

private:
  void drawInputs() {
    for (unsigned input = 0; input < lhs.getNumInputs(); ++input) {
      auto &elements = inputs.emplace_back(lhs.getType(input).getNumElements());
      for (uint32_t &element : elements)
        element = arithmetic.makeInput();
    }
    for (const std::vector<uint32_t> &elements : inputs)
      starts.push_back(elements.data());
  }

  const Graph &lhs, &rhs;
  FreeFunctionArithmetic arithmetic;
  std::vector<std::vector<uint32_t>> inputs;
  llvm::SmallVector<const uint32_t *> starts;
};
} // namespace

/// Sums and products are as much work as any operation. What a certificate says
/// may not depend on the machine, so limits are counts.
static bool mayFit(const Graph &graph, const VerifyOptions &options) {
  return countWork(graph) <= kMaxWork &&
         countInputElements(graph) <= kMaxNumbers &&
         estimateEvaluationBytes(graph, /*height=*/1, /*words=*/1) <=
             std::min(options.maxBytes, kMaxSmallBytes);
}

/// No more than take a few times as long as one of the largest graphs.
static double countMostTrials(const Graph &lhs, const Graph &rhs) {
  double work = std::max(countWork(lhs) + countWork(rhs), 1.0);
  return std::clamp(4 * kMaxWork / work, 1.0, kMostTrials);
}

/// Makes trials until enough is proved.
/// \returns why they prove nothing, or an empty string.
static std::string judgeFreely(const Graph &lhs, const Graph &rhs,
                               const VerifyOptions &options, Verdict &verdict) {
  verdict.kind = Verdict::Equal;
  verdict.hasFreeFunctions = true;
  verdict.askedBits = options.errorBoundBits;
  verdict.sizes = printInputSizes(lhs);
  double mostTrials = countMostTrials(lhs, rhs);
  while (!verdict.meetsBound()) {
    if (options.isCancelled && options.isCancelled())
      return "cancelled";
    if (verdict.bound.trials >= mostTrials)
      return "that takes too many trials";
    unsigned number = verdict.bound.trials++;
    FreeTrial trial(lhs, rhs, deriveSeed(options.seed, "symbols", number));
    if (std::string problem = trial.run(); !problem.empty())
      return problem;
    if (!isProvedEnough(trial.getErrorLog2(), options))
      return "values have degrees that are too high";
    verdict.bound.provedLog2 += trial.getErrorLog2();
    verdict.whereBothDefined |= trial.hasConditions();
  }
  verdict.bound.conjecturedLog2 = verdict.bound.provedLog2;
  verdict.bound.towers = verdict.bound.trials;
  return "";
}

std::string mlir::mirage::addFreeFunctions(const Graph &lhs, const Graph &rhs,
                                           const VerifyOptions &options,
                                           Verdict &verdict) {
  bool triesSizes = options.triesOwnSizes || !verdict.isLarge;
  if (!triesSizes || !mayFit(lhs, options) || !mayFit(rhs, options))
    return "they are too large";
  Verdict free;
  std::string problem = judgeFreely(lhs, rhs, options, free);
  if (!problem.empty())
    return problem;
  // What no trial over fields counted for may be defined nowhere.
  bool isUntried = verdict.lacksTrials || verdict.ownSizes.trials == 0;
  if (isUntried && free.whereBothDefined) {
    Definedness defined = findDefined(lhs, rhs);
    if (defined.kind != Definedness::Somewhere)
      return defined.kind == Definedness::Nowhere
                 ? defined.reason
                 : "no input was found on which they have numbers";
  }
  free.isLarge = verdict.isLarge;
  free.ownSizes = verdict.ownSizes;
  verdict = std::move(free);
  return "";
}
