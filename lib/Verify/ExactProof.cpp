//===- ExactProof.cpp - Equality by canonical forms -----------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Verify/ExactProof.h"
#include "DefinedSomewhere.h"
#include "ExactArithmetic.h"
#include "GraphEvaluator.h"
#include "Mirage/Graph/ComposedOperators.h"
#include "Mirage/Graph/Work.h"
#include "Mirage/Verify/SmallerSizes.h"
#include "TrialMemory.h"
#include "WrittenGraph.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <optional>

using namespace mlir::mirage;
using exact::FormId;
using llvm::formatv;

static std::string describeLimit(const exact::Limits &limits) {
  return formatv("its forms take more than {0} products and sums of terms, or "
                 "numbers that are too long",
                 limits.maxWork);
}

//===----------------------------------------------------------------------===//
// Comparing forms
//===----------------------------------------------------------------------===//

namespace {
/// One graph carried out.
struct ExactOutputs {
  std::vector<std::vector<uint32_t>> forms; ///< by output and element
  std::vector<uint64_t> conditions;         ///< Algebra::takeConditions
};

class ExactComparison {
public:
  ExactComparison(const Graph &lhs, const Graph &rhs,
                  const exact::Limits &limits)
      : lhs(lhs), rhs(rhs), limits(limits), algebra(limits) {}

  ExactProof run() {
    proof.sizes = printInputSizes(lhs);
    ExactOutputs left = evaluate(lhs), right = evaluate(rhs);
    proof.whereBothDefined = left.conditions != right.conditions;
    for (auto [output, pair] :
         llvm::enumerate(llvm::zip_equal(left.forms, right.forms)))
      for (auto [element, forms] : llvm::enumerate(
               llvm::zip_equal(std::get<0>(pair), std::get<1>(pair))))
        if (!compare(static_cast<FormId>(std::get<0>(forms)),
                     static_cast<FormId>(std::get<1>(forms)), output, element))
          return conclude();
    bool mayBeNowhereDefined =
        !left.conditions.empty() || !right.conditions.empty();
    if (mayBeNowhereDefined)
      if (std::optional<OutputPlace> place = findUndefined(lhs, rhs)) {
        proof.outcome = ExactProof::Open;
        proof.reason = describe(place->output, place->element) +
                       "has one form, but no float64 input that was tried has "
                       "a number there in both graphs";
        return conclude();
      }
    proof.outcome = ExactProof::Proved;
    return conclude();
  }

private:
  static std::string describe(unsigned output, size_t element) {
    return formatv("element {0} of output {1} ", element, output).str();
  }

  ExactOutputs evaluate(const Graph &graph) {
    std::vector<std::vector<uint32_t>> inputs;
    llvm::SmallVector<const uint32_t *> starts;
    uint32_t next = 0;
    for (unsigned input = 0; input < graph.getNumInputs(); ++input) {
      std::vector<uint32_t> variables(graph.getType(input).getNumElements());
      for (uint32_t &variable : variables)
        variable = static_cast<uint32_t>(algebra.getVariable(next++));
      inputs.push_back(std::move(variables));
      starts.push_back(inputs.back().data());
    }
    ExactArithmetic arithmetic(algebra);
    auto forms = GraphEvaluator(arithmetic).evaluate(graph, starts);
    return {std::move(forms), algebra.takeConditions()};
  }

  /// \returns false once the comparison is settled.
  bool compare(FormId left, FormId right, unsigned output, size_t element) {
    if (algebra.areEqual(left, right))
      return true;
    std::string place = describe(output, element);
    if (algebra.isExhausted()) {
      proof.reason = describeLimit(limits);
      return false;
    }
    proof.outcome = ExactProof::Open;
    if (left == FormId::Undefined || right == FormId::Undefined)
      proof.reason = place + "is nowhere defined, by a zero denominator, a "
                             "negative radicand or an infinity";
    else
      proof.reason = place + "has two forms that no law of the algebra joins";
    return false;
  }

  ExactProof conclude() {
    proof.work = algebra.getWork();
    if (proof.outcome != ExactProof::Proved)
      proof.whereBothDefined = false;
    return std::move(proof);
  }

  const Graph &lhs, &rhs;
  const exact::Limits &limits;
  exact::Algebra algebra;
  ExactProof proof;
};
} // namespace

/// A product of two elements is one of two terms at least, and elements are
/// variables at first.
static bool mayFit(const Graph &graph, const exact::Limits &limits) {
  constexpr double kMaxBytes = 1 << 26;
  return countFlops(graph) + countInputElements(graph) <= limits.maxWork &&
         estimateEvaluationBytes(graph, /*height=*/1, /*words=*/1) <= kMaxBytes;
}

ExactProof mlir::mirage::proveEqual(const Graph &lhs, const Graph &rhs,
                                    const exact::Limits &limits) {
  Graph left = expandComposed(lhs), right = expandComposed(rhs);
  if (mayFit(left, limits) && mayFit(right, limits))
    return ExactComparison(left, right, limits).run();
  ExactProof proof;
  proof.reason = describeLimit(limits);
  proof.sizes = printInputSizes(lhs);
  return proof;
}

ExactProof mlir::mirage::proveEqualAtSmallerSizes(const Graph &lhs,
                                                  const Graph &rhs,
                                                  const exact::Limits &limits) {
  Graph left = expandComposed(lhs), right = expandComposed(rhs);
  llvm::Expected<SmallerGraphs> pair = withSmallerSizes(left, right);
  if (!pair) { // numbers that follow sizes cannot be had
    llvm::consumeError(pair.takeError());
    pair = withSmallerSizes(left, right, SizeNumbers::Stay);
  }
  if (!pair) {
    ExactProof proof;
    proof.reason =
        "there are no smaller sizes: " + llvm::toString(pair.takeError());
    return proof;
  }
  ExactProof proof = proveEqual(pair->lhs, pair->rhs, limits);
  proof.replaced = std::move(pair->replaced);
  return proof;
}
