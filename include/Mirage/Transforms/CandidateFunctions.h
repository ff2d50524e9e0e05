//===- CandidateFunctions.h - Candidates beside the result ---- -*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With keep-candidates, a search of @f leaves in the module, besides @f with
// what it took:
//
//   @f__baseline     the program as it was
//   @f__candidate_0  what @f has: the first that passed the final test
//   @f__candidate_1  the next, ...
//
// each with the attribute mirage.candidate = {of = "f", ...}. The order is that
// in which a search would take them: first those with the proved bound that is
// asked for, then those without; among either, the cheapest first, as predicted
// or, where there are times, as measured. Of candidates that the search itself
// has measured, the fastest is the first.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TRANSFORMS_CANDIDATEFUNCTIONS_H
#define MIRAGE_TRANSFORMS_CANDIDATEFUNCTIONS_H

#include "Mirage/Transforms/SearchGraph.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::mirage {

/// Of such a function: a dictionary with the members of CandidateInfo.
inline constexpr llvm::StringLiteral kCandidateAttr = "mirage.candidate";

struct CandidateInfo {
  std::string of;         ///< the function that was searched
  int64_t number = -1;    ///< of the candidate; -1: the baseline
  std::string graph;      ///< hash of the µGraph; empty for the baseline
  double predictedUs = 0; ///< by the search's cost model

  bool isBaseline() const { return number < 0; }
};

/// None where the function is no candidate.
std::optional<CandidateInfo> readCandidateInfo(FunctionOpInterface function);

/// Looks, before a search, whether its candidates can be kept.
/// \returns failure after a diagnostic where the function has no place for
///          them, or has several graphs.
LogicalResult checkKeepsCandidates(FunctionOpInterface function);

/// Writes the functions of one search behind `function`, which has been
/// checked.
/// \param original    the function as it was before.
/// \param baselineUs  predicted, of that.
void writeCandidateFunctions(FunctionOpInterface function,
                             FunctionOpInterface original,
                             ArrayRef<TestedCandidate> candidates,
                             double baselineUs);

} // namespace mlir::mirage

#endif // MIRAGE_TRANSFORMS_CANDIDATEFUNCTIONS_H
