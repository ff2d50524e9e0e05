//===- WitnessSearch.cpp - A float64 input that tells graphs apart --------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WitnessSearch.h"
#include "TrialMemory.h"
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
                              unsigned output, int64_t element,
                              const VerifyOptions &options) {
  if (!options.findWitnessAt)
    return searchWithin(0, options, {});
  return searchWithin(std::max(estimateWitnessBytesAt(lhs, output, element),
                               estimateWitnessBytesAt(rhs, output, element)),
                      options, [&] {
                        return options.findWitnessAt(lhs, rhs, output, element);
                      });
}
