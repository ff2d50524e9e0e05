//===- TestPairs.cpp - Structures at small sizes --------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Search/TestPairs.h"
#include "Mirage/Search/Instantiator.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::mirage;
using namespace mlir::mirage::search;

std::vector<TestPair>
mlir::mirage::search::buildTestPairs(const TargetProgram &program,
                                     const Structure &structure,
                                     llvm::ArrayRef<KernelPlan> plans) {
  constexpr unsigned kVariants = 2;
  std::vector<TestPair> pairs;
  pairs.reserve(kVariants);
  for (unsigned variant = 0; variant < kVariants; ++variant) {
    TestSizes sizes = getTestSizes(program, structure.kernels, variant);
    Graph candidate =
        buildGraph(program, structure, plans, sizes.extents, sizes.tilings);
    pairs.push_back({resize(program.graph, program.names, sizes.extents),
                     std::move(candidate)});
  }
  return pairs;
}

static size_t hashTypes(const Graph &graph) {
  size_t hash = graph.getNodes().size();
  for (ValueId value = 0; value < graph.getNumValues(); ++value) {
    const TensorSpec &type = graph.getType(value);
    hash = llvm::hash_combine(
        hash, type.element,
        llvm::hash_combine_range(type.shape.begin(), type.shape.end()));
  }
  return hash;
}

/// Whether two programs are written alike, so that their trials are the same.
static bool areAlike(const Graph &lhs, const Graph &rhs) {
  if (lhs.getNumValues() != rhs.getNumValues() ||
      lhs.getNumInputs() != rhs.getNumInputs() ||
      lhs.getNodes().size() != rhs.getNodes().size() ||
      lhs.getOutputs() != rhs.getOutputs())
    return false;
  for (ValueId value = 0; value < lhs.getNumValues(); ++value)
    if (lhs.getType(value) != rhs.getType(value))
      return false;
  return llvm::all_of(
      llvm::zip_equal(lhs.getNodes(), rhs.getNodes()), [](auto pair) {
        const auto &[x, y] = pair;
        return x.opcode == y.opcode && x.operands == y.operands &&
               x.attributes == y.attributes && x.body == y.body;
      });
}

std::optional<CandidateFilter> &
TestPairFilter::getFilter(const TestPair &pair) {
  size_t hash = hashTypes(pair.program);
  auto [begin, end] = entries.equal_range(hash);
  for (auto entry = begin; entry != end; ++entry)
    if (areAlike(entry->second.program, pair.program))
      return entry->second.filter;
  Entry &entry =
      entries.emplace(hash, Entry{pair.program, std::nullopt})->second;
  llvm::Expected<CandidateFilter> made = CandidateFilter::create(
      pair.program, hashToSeed("filter " + std::to_string(seed)));
  if (made)
    entry.filter.emplace(std::move(*made));
  else
    llvm::consumeError(made.takeError()); // the verifier has to do
  return entry.filter;
}

bool TestPairFilter::rejects(const TestPair &pair) {
  std::optional<CandidateFilter> &filter = getFilter(pair);
  return filter &&
         filter->test(pair.candidate) == CandidateFilter::Answer::Disagrees;
}
