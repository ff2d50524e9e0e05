//===- SearchOptions.cpp - What a search looks at, and how long -----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Search/SearchOptions.h"
#include "Mirage/Search/TargetProgram.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Threading.h"
#include <algorithm>

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using llvm::Error;

static Error makeError(const llvm::Twine &message) {
  return llvm::createStringError(message);
}

static Error checkRange(llvm::StringRef name, uint64_t value, uint64_t least,
                        uint64_t most) {
  if (value >= least && value <= most)
    return Error::success();
  return makeError(llvm::formatv("expects {0} of {1} to {2}, got {3}", name,
                                 least, most, value)
                       .str());
}

static constexpr SpaceLimitOption kSpaceLimits[kNumSpaceLimits] = {
    {"max-block-ops", &SearchOptions::maxBlockOps, 1, kMaxOperators},
    {"max-ops", &SearchOptions::maxOps, 1, kMaxOperators},
    {"max-kernels", &SearchOptions::maxKernels, 1, kMaxKernels},
    {"max-grid-axes", &SearchOptions::maxGridAxes, 0, kMaxGridAxes}};

const SpaceLimitOption &mlir::mirage::search::getOption(SpaceLimit limit) {
  return kSpaceLimits[static_cast<unsigned>(limit)];
}

SpaceLimits mlir::mirage::search::withoutLargest(SpaceLimits limits,
                                                 const SearchOptions &options) {
  for (SpaceLimit limit : limits.list())
    if (options.*getOption(limit).value == getOption(limit).most)
      limits.remove(limit);
  return limits;
}

SpaceLimits mlir::mirage::search::onlyLowered(SpaceLimits limits,
                                              const SearchOptions &options) {
  for (SpaceLimit limit : limits.list())
    if (options.*getOption(limit).value >=
        SearchOptions().*getOption(limit).value)
      limits.remove(limit);
  return limits;
}

std::string mlir::mirage::search::describe(SpaceLimits limits,
                                           const SearchOptions &options) {
  std::string text;
  for (SpaceLimit limit : limits.list())
    text +=
        llvm::formatv("{0}{1}={2}", text.empty() ? "" : " ",
                      getOption(limit).name, options.*getOption(limit).value)
            .str();
  return text;
}

Error mlir::mirage::search::checkOptions(const SearchOptions &options) {
  for (const SpaceLimitOption &limit : kSpaceLimits)
    if (Error error = checkRange(limit.name, options.*limit.value, limit.least,
                                 limit.most))
      return error;
  struct Range {
    llvm::StringLiteral name;
    uint64_t value, least, most;
  };
  const Range ranges[] = {
      {"max-states", options.maxStates, 1, kMaxStates},
      {"candidates", options.numCandidates, 1, 1000000},
      {"stages", options.stages, 0, kMaxStages},
      {"threads", options.numThreads, 0, kMaxThreads},
      {"time-limit-s", options.timeLimitS, 0, kMaxTimeLimitS}};
  for (const Range &range : ranges)
    if (Error error =
            checkRange(range.name, range.value, range.least, range.most))
      return error;
  // Each kernel has an operator.
  if (options.maxKernels > 1 && options.maxOps < options.maxKernels)
    return makeError(llvm::formatv("expects max-ops of at least {0} where "
                                   "max-kernels is {0}, got {1}",
                                   options.maxKernels, options.maxOps)
                         .str());
  return Error::success();
}

unsigned mlir::mirage::search::getNumThreads(const SearchOptions &options) {
  if (options.numThreads != 0)
    return options.numThreads;
  return std::clamp(llvm::hardware_concurrency().compute_thread_count(), 1u,
                    kMaxThreads);
}

std::string
mlir::mirage::search::getExplorationText(const SearchOptions &options) {
  std::string text;
  for (const SpaceLimitOption &limit : kSpaceLimits)
    text += llvm::formatv("{0}={1} ", limit.name, options.*limit.value);
  return text + llvm::formatv("summed-outputs={0} grid-accumulates={1} "
                              "pruner={2}",
                              options.allowSummedOutputs,
                              options.allowGridAccumulates, options.pruner.name)
                    .str();
}

static constexpr SearchPreset kPresets[] = {
    {"attention", /*maxKernels=*/2, /*maxOps=*/12, /*maxBlockOps=*/14,
     /*maxGridAxes=*/3},
    {"mlp", /*maxKernels=*/1, /*maxOps=*/9, /*maxBlockOps=*/9,
     /*maxGridAxes=*/3},
    {"lora", /*maxKernels=*/1, /*maxOps=*/8, /*maxBlockOps=*/8,
     /*maxGridAxes=*/3},
};

llvm::ArrayRef<SearchPreset> mlir::mirage::search::getPresets() {
  return kPresets;
}

const SearchPreset *mlir::mirage::search::findPreset(llvm::StringRef name) {
  auto found = llvm::find_if(kPresets, [&](const SearchPreset &preset) {
    return preset.name == name;
  });
  return found == std::end(kPresets) ? nullptr : found;
}
