//===- CandidatePool.h - Structures with their sizes ------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Structures get sizes as they are found, a batch at a time on all threads. A
// batch goes by one limit, what the batches before it left as the N-th best, so
// that the number of threads changes neither candidates nor counts.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_SEARCH_CANDIDATEPOOL_H
#define MIRAGE_LIB_SEARCH_CANDIDATEPOOL_H

#include "Mirage/Search/Search.h"
#include "Mirage/Search/TilingSearch.h"
#include <atomic>
#include <set>

namespace mlir::mirage::search {

class CandidatePool {
public:
  struct Limits {
    unsigned numCandidates = 1; ///< that are asked for
    /// Whether what cannot be among these is left out; false once some of them
    /// turn out to be wrong.
    bool cuts = true;
    /// Whether tilings that cannot be a structure's best are left out.
    bool cutsTilings = true;
    unsigned numThreads = 1;
    /// Asked by all threads; once it is true and there is a candidate, no
    /// structure gets sizes any more.
    std::function<bool()> isToEnd;
  };
  CandidatePool(const TargetProgram &program, const CostModel &costModel,
                Limits limits)
      : program(program), limits(std::move(limits)),
        tilings(program, costModel, this->limits.cutsTilings) {}

  /// Takes effect with the next batch.
  void add(const Structure &structure);
  /// Gives sizes to what was added. \returns false if not all got some, as it
  /// is time to end.
  bool endBatch();
  /// Whether it is worth ending.
  bool isBatchFull() const {
    return batch.size() >= std::min(kMaxBatchSize, kMinBatchSize + numSized);
  }

  /// What a candidate must not exceed to be of use.
  double getLimitUs() const;
  /// Infinite if there is none.
  double getBestUs() const;

  uint64_t getNumTried() const { return tilings.getNumTried(); }
  uint64_t getNumFitting() const { return tilings.getNumFitting(); }

  /// Cheapest first, then by number of operators and by text; without plans,
  /// which would be most of what many candidates take.
  std::vector<Candidate> takeRanked();

private:
  /// Batches grow, as the first ones have no limit to go by.
  static constexpr size_t kMinBatchSize = 8, kMaxBatchSize = 128;

  std::optional<Candidate> giveSizes(const Structure &structure,
                                     double limitUs);
  void keep(Candidate candidate);
  void dropCutOff();

  const TargetProgram &program;
  Limits limits;
  TilingSearch tilings;
  std::vector<Structure> batch;
  size_t numSized = 0; ///< in earlier batches
  std::vector<Candidate> candidates;
  std::multiset<double> bestUs; ///< of as many as are asked for
};

} // namespace mlir::mirage::search

#endif // MIRAGE_LIB_SEARCH_CANDIDATEPOOL_H
