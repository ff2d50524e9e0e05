//===- TestPairs.cpp - Structures at small sizes --------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Search/TestPairs.h"
#include "Mirage/Graph/GraphJSON.h"
#include "Mirage/Search/Instantiator.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir::mirage;
using namespace mlir::mirage::search;

std::vector<TestPair>
mlir::mirage::search::buildTestPairs(const TargetProgram &program,
                                     const Structure &structure,
                                     llvm::ArrayRef<KernelPlan> plans) {
  std::vector<TestPair> pairs;
  for (unsigned variant = 0; variant < 2; ++variant) {
    TestSizes sizes = getTestSizes(program, structure.kernels, variant);
    Graph candidate =
        buildGraph(program, structure, plans, sizes.extents, sizes.tilings);
    pairs.push_back({resize(program.graph, program.names, sizes.extents),
                     std::move(candidate)});
  }
  return pairs;
}

std::optional<CandidateFilter> &
TestPairFilter::getFilter(const TestPair &pair) {
  std::string text;
  llvm::raw_string_ostream(text) << mlir::mirage::toJSON(pair.program);
  auto [entry, isNew] = filters.try_emplace(std::move(text));
  std::optional<CandidateFilter> &filter = entry->second;
  if (!isNew)
    return filter;
  llvm::Expected<CandidateFilter> made = CandidateFilter::create(
      pair.program, hashToSeed("filter " + std::to_string(seed)));
  if (made)
    filter.emplace(std::move(*made));
  else
    llvm::consumeError(made.takeError()); // the verifier has to do
  return filter;
}

bool TestPairFilter::rejects(const TestPair &pair) {
  std::optional<CandidateFilter> &filter = getFilter(pair);
  return filter &&
         filter->test(pair.candidate) == CandidateFilter::Answer::Disagrees;
}
