//===- CandidatePool.h - Structures with their sizes ------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Structures wait until all of a round are found, or many. Then those with the
// least bounds get sizes first, a batch at a time on all threads, so that the
// limit on what others may cost is soon a low one, and what is bounded above it
// gets none. A batch goes by one limit, what the batches before it left as the
// N-th best, so that the number of threads changes neither candidates nor
// counts.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_SEARCH_CANDIDATEPOOL_H
#define MIRAGE_LIB_SEARCH_CANDIDATEPOOL_H

#include "Mirage/Search/Search.h"
#include "Mirage/Search/TilingSearch.h"
#include <atomic>
#include <map>
#include <set>

namespace mlir::mirage::search {

class CandidatePool {
public:
  struct Limits {
    unsigned numCandidates = 1; ///< that are to have the best sizes
    /// At least as many: what cannot be among so many is left out, if `cuts`.
    unsigned numKept = 1;
    bool cuts = true;
    /// Whether tilings that cannot be among these are left out.
    bool cutsTilings = true;
    TileSizeChoice tileSizes = TileSizeChoice::Refined;
    unsigned numThreads = 1;
    /// Asked by all threads; once it is true and there is a candidate, no
    /// structure gets sizes any more, and those that are being sought are taken
    /// as soon as some fit.
    std::function<bool()> isToEnd;
  };
  CandidatePool(const TargetProgram &program, const CostModel &costModel,
                Limits limits)
      : program(program), limits(std::move(limits)),
        roundTilings(program, costModel, TileSizeSet::Round,
                     this->limits.cutsTilings, this->limits.isToEnd),
        moreTilings(program, costModel,
                    takesAll() ? TileSizeSet::All : TileSizeSet::Aligned,
                    /*cuts=*/!takesAll() || this->limits.cutsTilings,
                    this->limits.isToEnd) {}

  /// \param leastUs  what the structure cannot cost less than.
  void add(const Structure &structure, double leastUs = 0);
  bool isEmpty() const { return added.empty() && waiting.empty(); }
  /// Whether sizes should be given before more is added.
  bool isFull() const { return added.size() >= kMaxAdded; }
  /// Gives sizes to a batch of what waits, or finds that there are none to be
  /// given. \returns false, with nothing left to wait, if it is time to end.
  bool sizeBatch();

  /// Whether it is time to end and there is a candidate, so that nothing more
  /// is of use.
  bool isOver() const {
    return !candidates.empty() && limits.isToEnd && limits.isToEnd();
  }

  /// What a candidate must not exceed to be of use.
  double getLimitUs() const;
  /// Infinite if there is none.
  double getBestUs() const;

  uint64_t getNumTried() const {
    return roundTilings.getNumTried() + moreTilings.getNumTried();
  }
  uint64_t getNumFitting() const {
    return roundTilings.getNumFitting() + moreTilings.getNumFitting();
  }

  /// Cheapest first, then by number of operators and by text; without plans,
  /// which would be most of what many candidates take. As many as were asked
  /// for have refined sizes, if these were.
  std::vector<Candidate> takeRanked();

private:
  /// Batches grow, as the first ones have no limit to go by.
  static constexpr size_t kMinBatchSize = 8, kMaxBatchSize = 512;
  /// That are bounded, and wait, together.
  static constexpr size_t kMaxAdded = 4096;

  bool takesAll() const { return limits.tileSizes == TileSizeChoice::All; }
  void boundAdded();
  double boundUs(const Structure &structure);
  std::vector<Structure> takeBatch(double limitUs);
  std::optional<Candidate> giveSizes(const Structure &structure,
                                     double limitUs);
  void keep(Candidate candidate);
  void rank();
  void refine(Candidate &candidate);
  void dropCutOff();

  const TargetProgram &program;
  Limits limits;
  TilingSearch roundTilings;
  TilingSearch moreTilings; ///< all, or those that candidates are refined with
  std::vector<Structure> added;
  std::multimap<double, Structure> waiting; ///< by bounds
  size_t numSized = 0;                      ///< in earlier batches
  std::vector<Candidate> candidates;
  std::multiset<double> bestUs; ///< of as many as are kept
};

} // namespace mlir::mirage::search

#endif // MIRAGE_LIB_SEARCH_CANDIDATEPOOL_H
