//===- CandidateChooser.h - The cheapest that are right ---------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_SEARCH_CANDIDATECHOOSER_H
#define MIRAGE_LIB_SEARCH_CANDIDATECHOOSER_H

#include "CandidateJudge.h"
#include "Mirage/Search/RewrittenProgram.h"
#include <map>

namespace mlir::mirage::search {

/// Makes graphs of candidates, and keeps the cheapest of those that equal the
/// program.
class CandidateChooser {
public:
  /// \param original   what candidates are to equal.
  /// \param rewritten  its body is the program, or what the program was before
  ///                   its maxima were removed.
  /// \param isOver     asked now and then while a candidate is judged, whether
  ///                   there is no time left for that.
  CandidateChooser(const TargetProgram &program, const Graph &original,
                   const RewrittenProgram &rewritten,
                   const SearchOptions &options, std::function<bool()> isOver);

  /// Adds graph and claim to structure and tilings.
  void finish(Candidate &candidate) const;

  /// Of the result's candidates, cheapest first, as many stay as were asked for
  /// and are right; what is not among them need not be judged. Report and near
  /// misses are of this choice.
  /// \param goesOn  asked before each, with the cheapest that was found right,
  ///                or null; false ends the choice.
  void
  choose(SearchResult &result,
         llvm::function_ref<bool(const Candidate *best, const Candidate &next)>
             goesOn);

  /// False once it is known that the program has no trials that count, so that
  /// neither has any structure.
  bool canJudge() const { return !cannotJudge; }
  /// Whether there was no time left for some candidate.
  bool isOutOfTime() const { return outOfTime; }

private:
  bool isRight(Candidate &candidate, SearchResult &result);

  const TargetProgram &program;
  const Graph &original;
  const RewrittenProgram &rewritten;
  const SearchOptions &options;
  CandidateJudge judge;
  /// By the structure's text: it may be looked at again (WholeSearch.cpp).
  std::map<std::string, CandidateJudge::Judgement> rulings;
  bool cannotJudge = false, outOfTime = false;
};

} // namespace mlir::mirage::search

#endif // MIRAGE_LIB_SEARCH_CANDIDATECHOOSER_H
