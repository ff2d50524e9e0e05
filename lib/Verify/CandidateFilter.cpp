//===- CandidateFilter.cpp - Quick tests of many candidates ---------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Verify/CandidateFilter.h"
#include "Comparison.h"
#include "ExpNesting.h"
#include "TrialBatch.h"
#include "WrittenGraph.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::mirage;

struct CandidateFilter::Trials {
  const Graph program; ///< for the shapes of its outputs
  unsigned height;
  FieldBatch fields;
  std::vector<std::vector<uint32_t>> inputs; ///< by component
  Outputs outputs;
};

CandidateFilter::CandidateFilter(std::unique_ptr<Trials> trials)
    : trials(std::move(trials)) {}
CandidateFilter::CandidateFilter(CandidateFilter &&) = default;
CandidateFilter::~CandidateFilter() = default;

llvm::Expected<CandidateFilter> CandidateFilter::create(const Graph &program,
                                                        const Seed &seed) {
  constexpr size_t kMaxTerms = size_t(1) << 18;
  constexpr unsigned kMaxTowers = 64;
  unsigned height = 1 + computeExpNesting(program);
  if (height > FieldTower::kMaxHeight)
    return llvm::createStringError(
        "expects at most 3 nested exponentials, got %u", height - 1);
  TermTable table;
  std::optional<std::vector<TermId>> terms =
      writeOut(program, table, kMaxTerms);
  if (!terms)
    return llvm::createStringError("expects a program of at most %zu terms",
                                   kMaxTerms);
  LiveTerms live(table, *terms);
  size_t numInputs = countInputElements(program);
  std::vector<RootGroups> groups;
  for (unsigned component = 0; component < live.getHeight(); ++component)
    groups.emplace_back(table, live, component, numInputs);
  for (unsigned attempt = 0; attempt < kMaxTowers; ++attempt) {
    Seed own = deriveSeed(seed, "filter", attempt);
    RandomStream random(deriveSeed(own, "primes", 0));
    TrialBatch batch(table, live, groups, FieldTower::draw(height, random),
                     numInputs, own);
    if (!batch.hasFixedRoots())
      continue;
    std::vector<std::vector<uint32_t>> inputs;
    for (unsigned component = 0; component < height; ++component)
      inputs.push_back(batch.getInputs(component).vec());
    FieldBatch fields = std::move(batch).takeFields();
    Outputs outputs = evaluateAndRemember(program, fields, inputs, height);
    Comparison self(program);
    self.add(outputs, outputs, kernels::kLanes);
    if (self.getCounted(self.getLeastCounted()) == 0)
      continue;
    return CandidateFilter(std::unique_ptr<Trials>(
        new Trials{program, height, std::move(fields), std::move(inputs),
                   std::move(outputs)}));
  }
  return llvm::createStringError(
      "expects a program with a value at every output element, got one whose "
      "denominators are always zero or whose roots never exist at once");
}

CandidateFilter::Answer CandidateFilter::test(const Graph &candidate) const {
  assert(countInputElements(candidate) == countInputElements(trials->program) &&
         "trials have a value for each element of the program's inputs");
  if (1 + computeExpNesting(candidate) > trials->height)
    return Answer::Undecided;
  Outputs outputs = evaluateInFields(candidate, trials->fields, trials->inputs,
                                     trials->height);
  if (disagree(trials->outputs, outputs))
    return Answer::Disagrees;
  Comparison comparison(trials->program);
  comparison.add(trials->outputs, outputs, kernels::kLanes);
  bool allCounted = comparison.getCounted(comparison.getLeastCounted()) > 0;
  return allCounted && !comparison.getOneSided() ? Answer::Agrees
                                                 : Answer::Undecided;
}
