//===- CandidateFilter.h - Quick tests of many candidates -------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_VERIFY_CANDIDATEFILTER_H
#define MIRAGE_VERIFY_CANDIDATEFILTER_H

#include "Mirage/Algebra/Random.h"
#include "Mirage/Graph/Graph.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace mlir::mirage {

/// Sixteen trials of one program, prepared once, that many candidates are
/// evaluated on. A search drops what disagrees; what agrees goes on to
/// `verifyEqual`, which draws trials of its own.
class CandidateFilter {
public:
  enum class Answer : uint8_t {
    Agrees,    ///< in all trials that count
    Disagrees, ///< in one at least
    Undecided, ///< no trial counts for some element: new roots, zero
               ///< denominators
  };

  /// Fails if the program itself has no value on the trials: exponentials
  /// nested too deeply, denominators that are always zero, too many elements
  /// (small sizes are meant).
  static llvm::Expected<CandidateFilter> create(const Graph &program,
                                                const Seed &seed);
  CandidateFilter(CandidateFilter &&);
  ~CandidateFilter();

  /// Evaluates a graph with the program's inputs and outputs. Any number of
  /// threads may call this at once.
  Answer test(const Graph &candidate) const;

private:
  struct Trials;
  explicit CandidateFilter(std::unique_ptr<Trials> trials);
  std::unique_ptr<Trials> trials;
};

} // namespace mlir::mirage

#endif // MIRAGE_VERIFY_CANDIDATEFILTER_H
