//===- FieldJudge.h - Two graphs over fields at their own sizes -*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Small graphs are written out, every element a term, and tried in batches
// until the bound that was asked for is proved. Large ones are tried once or as
// often as is asked for, unwritten; of very large ones a sample of the outputs'
// elements is. `verifyEqual` adds what smaller sizes say.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_VERIFY_FIELDJUDGE_H
#define MIRAGE_LIB_VERIFY_FIELDJUDGE_H

#include "Comparison.h"
#include "DegreeBound.h"
#include "Mirage/Verify/Verify.h"
#include "SampleChoice.h"
#include "WitnessSearch.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/Twine.h"

namespace mlir::mirage {

/// Trials that a lost sign escapes with probability 2^-16.
constexpr unsigned kSignTrials = 16;

/// Whether a chance to err counts as a proof: one that leaves the odds nearly
/// as they were does not, unless nobody asks for more.
inline bool isProvedEnough(double provedLog2, const VerifyOptions &options) {
  constexpr unsigned kLeastBits = 10;
  return provedLog2 <= -double(std::min(kLeastBits, options.errorBoundBits));
}

/// One judgement of two graphs with the same inputs and outputs; the phases are
/// its methods.
class FieldJudge {
public:
  FieldJudge(const Graph &lhs, const Graph &rhs, const VerifyOptions &options)
      : lhs(lhs), rhs(rhs), options(options) {}

  llvm::Expected<Verdict> run();

private:
  bool areBatchesSmall() const;
  bool writeOutTerms();
  void prepareDraws();
  bool collectDifferences();

  bool haveDifferentDomains() const;
  llvm::Error runSmall();
  void compare(unsigned words,
               llvm::function_ref<Outputs(bool isLhs)> evaluate);
  bool addBatch(unsigned number);
  FieldTower drawTower(const Seed &seed) const;
  bool isCancelled();
  void addBounds(const TrialBatch &batch);
  bool isEnough(unsigned numTowers);
  bool mayHideSigns();

  bool isTooLargeAsAWhole() const;
  bool takeSample();
  Verdict refuse() const;
  llvm::Error runLarge();
  void addLargeTrial(bool multiplicativeRoots);
  bool agrees() const {
    return !comparison.getDisagreement() && !comparison.getOneSided();
  }
  size_t getLeastCount() const {
    return comparison.getCounted(comparison.getLeastCounted());
  }

  /// Where trials do not count, or not yet: a witness needs none.
  llvm::Error lookForWitness();
  llvm::Expected<WitnessSearch> searchWhereSampleDiffers() const;
  llvm::Expected<Verdict> conclude();
  llvm::Expected<Verdict> concludeDisagreement();
  llvm::Expected<Verdict> concludeSilence(const llvm::Twine &reason);
  void concludeBound();
  Verdict unknown(const llvm::Twine &reason) const;
  std::string describe(size_t element) const;

  const Graph &lhs, &rhs;
  const VerifyOptions &options;
  Comparison comparison; ///< of nothing, until it is known what is tried
  Verdict verdict;
  std::optional<WitnessSearch> search; ///< if there was one
  unsigned height = 1;
  size_t numInputs = 0; ///< elements of all inputs together

  // Where they are not.
  std::optional<TrialSample> sample; ///< if that is all that is tried
  unsigned numLargeTrials = 0;
  size_t wantedCount = 1; ///< of trials, for every output element

  // Where elements are written out as terms.
  TermTable table;
  std::vector<TermId> lhsTerms, rhsTerms; ///< by output element
  ExponentSets exponents{table};
  /// Of different pairs of terms: where a tensor is repeated, many elements are
  /// one pair, and what feeds it is as much work for each of them.
  std::vector<ElementDifference> differences;
  std::vector<size_t> differenceOf; ///< by output element
  size_t batchWork = 0;             ///< for the bounds of one batch
  std::vector<ElementBound> bounds; ///< by output element
  llvm::StringRef whatEndedTrials;
  std::optional<LiveTerms> live;
  std::vector<RootGroups> groups;
};

} // namespace mlir::mirage

#endif // MIRAGE_LIB_VERIFY_FIELDJUDGE_H
