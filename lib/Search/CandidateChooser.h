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
  CandidateChooser(const TargetProgram &program, const Graph &original,
                   const RewrittenProgram &rewritten,
                   const SearchOptions &options);

  /// Adds graph and claim to structure and tilings.
  void finish(Candidate &candidate) const;

  /// Of the result's candidates, cheapest first, as many stay as were asked for
  /// and are right; what is not among them need not be judged. Report and near
  /// misses are of this choice.
  /// \param goesOn  asked before each, with whether there are some; false ends
  ///                the choice.
  void choose(SearchResult &result,
              llvm::function_ref<bool(bool hasSome)> goesOn);

  /// False once it is known that the program has no trials that count, so that
  /// neither has any structure.
  bool canJudge() const { return !cannotJudge; }

private:
  bool isRight(Candidate &candidate, SearchResult &result);

  const TargetProgram &program;
  const Graph &original;
  const RewrittenProgram &rewritten;
  const SearchOptions &options;
  CandidateJudge judge;
  /// By the structure's text: it may be looked at again (WholeSearch.cpp).
  std::map<std::string, CandidateJudge::Judgement> rulings;
  bool cannotJudge = false;
};

} // namespace mlir::mirage::search

#endif // MIRAGE_LIB_SEARCH_CANDIDATECHOOSER_H
