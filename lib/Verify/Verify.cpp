//===- Verify.cpp - Are two graphs equal? ---------------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Verify/Verify.h"
#include "ExpNesting.h"
#include "FieldJudge.h"
#include "Mirage/Graph/MachineMemory.h"
#include "Mirage/Verify/SmallerSizes.h"
#include "Mirage/Verify/VerdictJSON.h"
#include "TrialMemory.h"
#include "WitnessSearch.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir::mirage;

llvm::StringRef mlir::mirage::getVerdictName(Verdict::Kind kind) {
  switch (kind) {
  case Verdict::Equal:
    return "equal";
  case Verdict::Different:
    return "different";
  case Verdict::Unknown:
    return "unknown";
  }
  return "";
}

/// Element types may differ: a cast changes no value over a field.
static llvm::Error checkTypes(const Graph &lhs, llvm::ArrayRef<ValueId> lhsIds,
                              const Graph &rhs, llvm::ArrayRef<ValueId> rhsIds,
                              llvm::StringRef what) {
  if (lhsIds.size() != rhsIds.size())
    return llvm::createStringError("expects graphs with as many " + what +
                                   "s, got " + llvm::Twine(lhsIds.size()) +
                                   " and " + llvm::Twine(rhsIds.size()));
  for (auto [number, left, right] : llvm::enumerate(lhsIds, rhsIds))
    if (lhs.getType(left).shape != rhs.getType(right).shape)
      return llvm::createStringError(
          "expects " + what + " " + llvm::Twine(number) +
          " to have one shape in both graphs, got " +
          toString(lhs.getType(left).shape) + " and " +
          toString(rhs.getType(right).shape));
  return llvm::Error::success();
}

static llvm::Error checkInterfaces(const Graph &lhs, const Graph &rhs) {
  auto inputs = [](const Graph &graph) {
    return llvm::to_vector(llvm::seq<ValueId>(0, graph.getNumInputs()));
  };
  if (llvm::Error error =
          checkTypes(lhs, inputs(lhs), rhs, inputs(rhs), "input"))
    return error;
  return checkTypes(lhs, lhs.getOutputs(), rhs, rhs.getOutputs(), "output");
}

/// The verdict on the same graphs with small sizes; an error says why there is
/// none.
static llvm::Expected<Verdict> judgeSmallerSizes(const Graph &lhs,
                                                 const Graph &rhs,
                                                 const VerifyOptions &options) {
  llvm::Expected<SmallerGraphs> pair = withSmallerSizes(lhs, rhs);
  if (!pair)
    return pair.takeError();
  if (estimateTrialBytes(pair->lhs, pair->rhs) > getMaxTrialBytes(options))
    return llvm::createStringError("these are too large, too");
  VerifyOptions smallOptions = options;
  smallOptions.findWitness = {};
  llvm::Expected<Verdict> verdict =
      FieldJudge(pair->lhs, pair->rhs, smallOptions).run();
  if (verdict && verdict->isLarge)
    return llvm::createStringError("these are too large, too");
  if (verdict)
    verdict->literals = std::move(pair->literals);
  return verdict;
}

/// Trials at the graphs' own sizes agree, but smaller sizes do not: these were
/// too few, or large, to see it.
static llvm::Error concludeSmallDisagreement(const Graph &lhs, const Graph &rhs,
                                             const VerifyOptions &options,
                                             const Verdict &small,
                                             Verdict &verdict) {
  verdict.kind = Verdict::Unknown;
  verdict.reason = llvm::formatv(
      "trials at its own sizes agree, but at smaller ones element "
      "{0} of output {1} differs over a field",
      small.disagreement->element, small.disagreement->output);
  verdict.bound = {};
  verdict.whyWeaker.clear();
  llvm::Expected<WitnessSearch> search = searchWitness(lhs, rhs, options);
  if (!search)
    return search.takeError();
  verdict.witness = search->found;
  if (search->found)
    verdict.kind = Verdict::Different;
  else if (!search->whyNot.empty())
    verdict.reason += ", and " + search->whyNot;
  return llvm::Error::success();
}

/// Adds to a verdict that proves too little what smaller sizes prove.
static llvm::Error addSmallerSizes(const Graph &lhs, const Graph &rhs,
                                   const VerifyOptions &options,
                                   Verdict &verdict) {
  llvm::Expected<Verdict> small = judgeSmallerSizes(lhs, rhs, options);
  std::string problem;
  if (!small)
    problem = llvm::toString(small.takeError());
  else if (small->disagreement)
    return concludeSmallDisagreement(lhs, rhs, options, *small, verdict);
  else if (small->kind != Verdict::Equal)
    problem = small->reason;
  if (!problem.empty()) {
    if (verdict.isLarge)
      verdict.whyWeaker = "too large to be written out at these sizes, and "
                          "smaller sizes do not help: " +
                          problem;
    return llvm::Error::success();
  }
  if (!verdict.isLarge && small->bound.provedLog2 >= verdict.bound.provedLog2)
    return llvm::Error::success();
  verdict.bound = small->bound;
  verdict.whyWeaker = small->whyWeaker;
  verdict.sizes = small->sizes;
  verdict.literals = std::move(small->literals);
  verdict.whereBothDefined = small->whereBothDefined;
  return llvm::Error::success();
}

double mlir::mirage::estimateTrialBytes(const Graph &lhs, const Graph &rhs) {
  unsigned height =
      1 + std::max(computeExpNesting(lhs), computeExpNesting(rhs));
  return std::max(estimateEvaluationBytes(lhs, height, 1),
                  estimateEvaluationBytes(rhs, height, 1));
}

double mlir::mirage::getMaxTrialBytes(const VerifyOptions &options) {
  return std::min(options.maxBytes, getMachineMemoryBytes() / 2);
}

/// Nothing is allocated at the graphs' own sizes. That they agree at smaller
/// ones is worth saying, but what goes wrong at the edge of a tile need not.
static Verdict refuseSizes(const Graph &lhs, const Graph &rhs,
                           const VerifyOptions &options) {
  constexpr double kGiB = 1u << 30;
  Verdict verdict;
  verdict.reason = llvm::formatv(
      "expects graphs whose trials fit {0:f1} GiB of memory, got "
      "graphs whose trials may take {1:f1} GiB; ",
      getMaxTrialBytes(options) / kGiB, estimateTrialBytes(lhs, rhs) / kGiB);
  llvm::Expected<Verdict> small = judgeSmallerSizes(lhs, rhs, options);
  verdict.reason +=
      "at smaller sizes: " +
      (small ? toString(*small) : llvm::toString(small.takeError()));
  return verdict;
}

llvm::Expected<Verdict>
mlir::mirage::verifyEqual(const Graph &lhs, const Graph &rhs,
                          const VerifyOptions &options) {
  if (llvm::Error error = checkInterfaces(lhs, rhs))
    return std::move(error);
  if (estimateTrialBytes(lhs, rhs) > getMaxTrialBytes(options))
    return refuseSizes(lhs, rhs, options);
  llvm::Expected<Verdict> verdict = FieldJudge(lhs, rhs, options).run();
  if (!verdict || verdict->kind != Verdict::Equal ||
      (!verdict->isLarge && verdict->meetsBound()))
    return verdict;
  if (llvm::Error error = addSmallerSizes(lhs, rhs, options, *verdict))
    return std::move(error);
  return verdict;
}
