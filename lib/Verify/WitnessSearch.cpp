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

llvm::Expected<WitnessSearch>
mlir::mirage::searchWitness(const Graph &lhs, const Graph &rhs,
                            const VerifyOptions &options) {
  WitnessSearch search;
  if (!options.findWitness) {
    search.whyNot = "no float64 input was tried";
    return search;
  }
  double bytes = std::max(estimateWitnessBytes(lhs), estimateWitnessBytes(rhs));
  if (bytes > getMaxTrialBytes(options)) {
    constexpr double kGiB = 1u << 30;
    search.whyNot = llvm::formatv(
        "no float64 input was tried, which may take {0:f1} GiB of memory and "
        "has {1:f1} GiB",
        bytes / kGiB, getMaxTrialBytes(options) / kGiB);
    return search;
  }
  llvm::Expected<std::optional<Witness>> witness =
      options.findWitness(lhs, rhs);
  if (!witness)
    return witness.takeError();
  search.found = std::move(*witness);
  return search;
}
