//===- TestPairs.h - Structures at small sizes ------------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_SEARCH_TESTPAIRS_H
#define MIRAGE_SEARCH_TESTPAIRS_H

#include "Mirage/Search/KernelPlan.h"
#include "Mirage/Verify/CandidateFilter.h"
#include <optional>
#include <unordered_map>

namespace mlir::mirage::search {

/// The program and a structure at the same small sizes.
struct TestPair {
  Graph program, candidate;
};

/// Two sets of small sizes, so that no equality holds by a coincidence of
/// sizes.
std::vector<TestPair> buildTestPairs(const TargetProgram &program,
                                     const Structure &structure,
                                     llvm::ArrayRef<KernelPlan> plans);

/// Quick tests of many structures of a few programs. What they let pass is
/// still to be verified: they have no bound, and their trials are always the
/// same.
class TestPairFilter {
public:
  explicit TestPairFilter(uint64_t seed) : seed(seed) {}

  /// Whether a trial tells the two graphs apart.
  bool rejects(const TestPair &pair);
  /// Whether the program has any at all at these sizes.
  bool hasTrials(const TestPair &pair) { return getFilter(pair).has_value(); }

private:
  /// A program at some small sizes; parts of a program may have the same
  /// extents.
  struct Entry {
    Graph program;
    /// None where trials of the program cannot be had.
    std::optional<CandidateFilter> filter;
  };

  std::optional<CandidateFilter> &getFilter(const TestPair &pair);

  uint64_t seed;
  std::unordered_multimap<size_t, Entry> entries; ///< by hashTypes
};

} // namespace mlir::mirage::search

#endif // MIRAGE_SEARCH_TESTPAIRS_H
