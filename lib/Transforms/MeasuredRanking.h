//===- MeasuredRanking.h - Candidates by what was measured ---- -*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_TRANSFORMS_MEASUREDRANKING_H
#define MIRAGE_LIB_TRANSFORMS_MEASUREDRANKING_H

#include "Mirage/Artifact/MeasuredTime.h"
#include "Mirage/Search/Search.h"

namespace mlir::mirage {

/// Whether a time is of a device with the instruction set of a target.
bool isOfTarget(const MeasuredTime &time, llvm::StringRef target);

/// Whether times can rank what a search for `target` finds. \returns an error
/// where they are of several devices, or of one with another instruction set.
llvm::Error checkTimes(llvm::ArrayRef<MeasuredTime> times,
                       llvm::StringRef target);

/// A candidate and its time, cold, with a library or without.
struct RankedCandidate {
  const search::Candidate *candidate;
  double timeUs;
};

/// Puts candidates in the order of their times. Those that were not measured,
/// or are not right, are not in it.
class MeasuredRanking {
public:
  MeasuredRanking(llvm::ArrayRef<MeasuredTime> times,
                  llvm::ArrayRef<search::Candidate> candidates);

  /// Whether any candidate was measured, right or not.
  bool hasTimes() const { return !ranking.empty() || !refused.empty(); }
  /// The fastest first; among equals the better prediction.
  llvm::ArrayRef<RankedCandidate> getRanking() const { return ranking; }
  /// Of the program without a search; none where that was not measured, or is
  /// not right.
  std::optional<double> getBaselineUs() const { return baselineUs; }
  /// Of candidates that were measured and found not right: what was said.
  llvm::ArrayRef<search::NearMiss> getRefused() const { return refused; }

private:
  std::vector<RankedCandidate> ranking;
  std::optional<double> baselineUs;
  std::vector<search::NearMiss> refused;
};

} // namespace mlir::mirage

#endif // MIRAGE_LIB_TRANSFORMS_MEASUREDRANKING_H
