//===- CandidateJudge.h - Whether candidates are right ----------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_SEARCH_CANDIDATEJUDGE_H
#define MIRAGE_LIB_SEARCH_CANDIDATEJUDGE_H

#include "Mirage/Search/Search.h"

namespace mlir::mirage::search {

/// Judges candidates at small sizes, by quick tests first: what differs at all
/// differs there.
class CandidateJudge {
public:
  /// \param verifier  empty for makeFieldVerifier.
  /// \param isOver    asked now and then, whether there is no time left.
  CandidateJudge(StructureVerifier verifier, uint64_t seed,
                 std::function<bool()> isOver)
      : verifier(verifier ? std::move(verifier)
                          : makeFieldVerifier(seed, isOver)),
        isOver(std::move(isOver)), seed(seed), filter(seed) {}

  enum class Ruling : uint8_t {
    Equal,
    Filtered,  ///< a quick test told it from the program
    Different, ///< the verifier did
    Unstable,  ///< it is equal, and loses numbers that the program keeps
    /// The program has no trials that count, so neither has any structure.
    CannotJudge,
    OutOfTime,
  };
  struct Judgement {
    Ruling ruling = Ruling::Equal;
    std::string why; ///< if it is not taken
  };
  Judgement judge(llvm::ArrayRef<TestPair> pairs);

private:
  StructureVerifier verifier;
  std::function<bool()> isOver;
  uint64_t seed;
  TestPairFilter filter;
};

} // namespace mlir::mirage::search

#endif // MIRAGE_LIB_SEARCH_CANDIDATEJUDGE_H
