//===- WitnessSearch.h - An input that tells graphs apart ----- -*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_VERIFY_WITNESSSEARCH_H
#define MIRAGE_LIB_VERIFY_WITNESSSEARCH_H

#include "Mirage/Verify/Verify.h"

namespace mlir::mirage {

/// What looking for a witness came to.
struct WitnessSearch {
  std::optional<Witness> found = std::nullopt;
  /// Why no input was tried, as the end of a sentence; empty if some were.
  std::string whyNot = {};
};

/// Calls `options.findWitness`, if there is one and the graphs' float64
/// evaluations fit the memory that trials may take.
/// \returns an error of `findWitness`.
llvm::Expected<WitnessSearch> searchWitness(const Graph &lhs, const Graph &rhs,
                                            const VerifyOptions &options);
/// The same with `options.findWitnessAt`.
llvm::Expected<WitnessSearch> searchWitnessAt(const Graph &lhs,
                                              const Graph &rhs, unsigned output,
                                              llvm::ArrayRef<int64_t> elements,
                                              const VerifyOptions &options);

/// Of graphs that are too large to be tried as a whole, and of which no trial
/// says where to look: as wholes, if an input takes little time, else at
/// elements that are drawn like those of trials (SampleChoice.h). What that
/// takes is bounded, and little beside a sampled trial.
llvm::Expected<WitnessSearch>
searchWitnessInSample(const Graph &lhs, const Graph &rhs,
                      const VerifyOptions &options);

} // namespace mlir::mirage

#endif // MIRAGE_LIB_VERIFY_WITNESSSEARCH_H
