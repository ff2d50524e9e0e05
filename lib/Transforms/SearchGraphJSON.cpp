//===- SearchGraphJSON.cpp - What a search has come to, as JSON -----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Artifact/MeasuredTime.h"
#include "Mirage/Graph/CanonicalGraph.h"
#include "Mirage/Transforms/SearchGraph.h"
#include "Mirage/Verify/VerdictJSON.h"

using namespace mlir::mirage;

static llvm::json::Value toJSON(const search::Candidate &candidate) {
  return llvm::json::Object{{"graph", hashGraph(candidate.graph)},
                            {"predictedUs", candidate.predictedUs},
                            {"structure", toString(candidate.structure)}};
}

llvm::json::Value mlir::mirage::toJSON(const SearchGraphResult &result) {
  llvm::json::Object object{
      {"search", search::toJSON(result.search.report)},
      {"limitsHit", search::listLimitsHit(result.search)},
      {"stopReason", search::getStopReasonName(result.search.stopReason)},
      {"replaced", result.isReplaced}};
  if (result.isReplaced) {
    object["kernels"] = int64_t(result.kernels.size());
    llvm::json::Array sizes;
    for (const KernelSizes &kernel : result.kernels)
      sizes.push_back(kernel.isLibrary
                          ? llvm::json::Object{{"library", "matmul"}}
                          : llvm::json::Object{{"blocks", kernel.blocks},
                                               {"threads", kernel.threads},
                                               {"loop", kernel.loop},
                                               {"stages", kernel.stages}});
    object["sizes"] = std::move(sizes);
    object["predictedUs"] = result.predictedUs;
    if (result.measuredUs)
      object["measuredUs"] = *result.measuredUs;
    object["smallSizes"] = toJSON(result.smallSizes);
    object["fullSize"] = toJSON(result.fullSize);
  } else {
    object["whyNot"] = result.whyNot;
  }
  if (result.measuredBaselineUs)
    object["measuredBaselineUs"] = *result.measuredBaselineUs;
  llvm::json::Array candidates, times;
  for (const search::Candidate &candidate : result.search.candidates)
    candidates.push_back(::toJSON(candidate));
  for (const MeasuredTime &time : result.times)
    times.push_back(toJSON(time));
  object["candidates"] = std::move(candidates);
  if (!times.empty())
    object["times"] = std::move(times);
  object["nearMisses"] = search::toJSON(result.search.nearMisses);
  return object;
}
