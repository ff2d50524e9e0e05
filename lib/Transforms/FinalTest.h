//===- FinalTest.h - Whether a candidate is taken ---------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_TRANSFORMS_FINALTEST_H
#define MIRAGE_LIB_TRANSFORMS_FINALTEST_H

#include "Mirage/Transforms/SearchGraph.h"
#include <chrono>
#include <optional>
#include <string>

namespace mlir::mirage {

/// The test that stands between a candidate of a search and the program: a
/// proof at small sizes, by trials that a certificate names, then trials at the
/// program's own sizes. Both end with the time that the search has.
class FinalTest {
public:
  using Clock = std::chrono::steady_clock;

  /// Two graphs and what was proved of them, without trials at their own sizes
  /// where these are large.
  struct Proof {
    Verdict verdict;
    Certificate certificate;
  };

  struct Judged {
    const search::Candidate *candidate;
    Proof whole = {};
    /// Of each claim, where the whole was Unknown.
    std::vector<Proof> ofClaims = {};
    bool isBrief = false; ///< with a share of the work

    bool meetsBound() const { return whole.verdict.meetsBound(); }
  };

  /// \param program  what candidates are to equal; it and `options` outlive
  /// this.
  /// \param start    of the search, whose time limit counts from there.
  FinalTest(const Graph &program, const SearchGraphOptions &options,
            Clock::time_point start)
      : program(program), options(options), start(start) {}

  /// Of a program that was cut into parts, the whole may be too much for
  /// trials, as where exponentials are nested too deep, and for canonical forms
  /// too. Equal parts make an equal whole, and the sum of their bounds counts.
  /// \returns none if the candidate is not found equal.
  std::optional<Judged> prove(const search::Candidate &candidate, bool isBrief);

  /// Unknown, with the reason, where there are no trials, or where none of
  /// graphs that are proved counts. What nothing was proved of is looked at
  /// longer. \returns none if the candidate is found different.
  std::optional<Verdict> tryOwnSizes(const Judged &judged);

  /// Why the last candidate that was not taken was not.
  StringRef getWhyNot() const { return whyNot; }

private:
  std::optional<Proof> prove(const Graph &claimed, const Graph &graph,
                             bool isBrief, bool mayBeUnknown);
  bool proveExactly(const Graph &graph, Proof &proof);
  std::optional<Verdict> tryOwnSizes(const Graph &claimed, const Graph &graph,
                                     const Proof &proof);
  std::optional<Verdict> take(llvm::Expected<Verdict> verdict,
                              bool mayBeUnknown = false);
  VerifyOptions getOwnSizeOptions(const Certificate &certificate) const;
  bool isOver() const;
  bool isProofOver();
  bool isInterrupted() const;
  bool hasPassed(Clock::duration time) const;

  const Graph &program;
  const SearchGraphOptions &options;
  const Clock::time_point start;
  /// When the proof heard of it first.
  std::optional<Clock::time_point> interruptedAt;
  std::string whyNot;
};

} // namespace mlir::mirage

#endif // MIRAGE_LIB_TRANSFORMS_FINALTEST_H
