//===- WitnessSearch.cpp - A float64 input that tells graphs apart --------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WitnessSearch.h"
#include "SampleChoice.h"
#include "TileCopies.h"
#include "TrialMemory.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir::mirage;

/// \param bytes  that an evaluation of either graph takes.
/// \param find   looks for the witness; empty if nobody can.
static llvm::Expected<WitnessSearch> searchWithin(
    double bytes, const VerifyOptions &options,
    const std::function<llvm::Expected<std::optional<Witness>>()> &find) {
  WitnessSearch search;
  if (!find) {
    search.whyNot = "no float64 input was tried";
    return search;
  }
  if (bytes > getMaxTrialBytes(options)) {
    constexpr double kGiB = 1u << 30;
    search.whyNot = llvm::formatv(
        "no float64 input was tried, which may take {0:f1} GiB of memory and "
        "has {1:f1} GiB",
        bytes / kGiB, getMaxTrialBytes(options) / kGiB);
    return search;
  }
  llvm::Expected<std::optional<Witness>> witness = find();
  if (!witness)
    return witness.takeError();
  search.found = std::move(*witness);
  return search;
}

llvm::Expected<WitnessSearch>
mlir::mirage::searchWitness(const Graph &lhs, const Graph &rhs,
                            const VerifyOptions &options) {
  if (!options.findWitness)
    return searchWithin(0, options, {});
  return searchWithin(
      std::max(estimateWitnessBytes(lhs), estimateWitnessBytes(rhs)), options,
      [&] { return options.findWitness(lhs, rhs); });
}

llvm::Expected<WitnessSearch>
mlir::mirage::searchWitnessAt(const Graph &lhs, const Graph &rhs,
                              unsigned output, llvm::ArrayRef<int64_t> elements,
                              const VerifyOptions &options) {
  if (!options.findWitnessAt)
    return searchWithin(0, options, {});
  return searchWithin(
      std::max(estimateWitnessBytesAt(lhs, output, elements),
               estimateWitnessBytesAt(rhs, output, elements)),
      options,
      [&] { return options.findWitnessAt(lhs, rhs, output, elements); });
}

/// Elements of inputs.
static double countRead(const Graph &graph, const Sample &sample) {
  double count = 0;
  for (unsigned input = 0; input < graph.getNumInputs(); ++input)
    count += countElements(getShape(sample.regions[input]));
  return count;
}

llvm::Expected<WitnessSearch>
mlir::mirage::searchWitnessInSample(const Graph &lhs, const Graph &rhs,
                                    const VerifyOptions &options) {
  // Of one input: multiply-adds of either graph, and numbers that are drawn.
  constexpr double kMaxWork = 1 << 25, kMaxDrawn = 1 << 26;
  if (std::max(countWork(lhs), countWork(rhs)) <= kMaxWork)
    return searchWitness(lhs, rhs, options);
  std::optional<TrialSample> sample =
      drawSample(lhs, rhs, /*height=*/1, deriveSeed(options.seed, "witness", 0),
                 {kMaxWork, kMaxWork, getMaxTrialBytes(options)});
  if (!sample || sample->work > kMaxWork ||
      countRead(lhs, sample->lhs) > kMaxDrawn ||
      countRead(rhs, sample->rhs) > kMaxDrawn)
    return WitnessSearch{
        std::nullopt, "no float64 input was tried, which would take too much"};
  for (auto [output, region] : llvm::enumerate(sample->outputs)) {
    const Shape &shape = lhs.getType(lhs.getOutputs()[output]).shape;
    llvm::Expected<WitnessSearch> search =
        searchWitnessAt(lhs, rhs, output, listElements(shape, region), options);
    if (!search || search->found || !search->whyNot.empty())
      return search;
  }
  return WitnessSearch();
}
