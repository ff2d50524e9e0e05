//===- SmallProof.h - What smaller sizes prove of a pair --------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_VERIFY_SMALLPROOF_H
#define MIRAGE_LIB_VERIFY_SMALLPROOF_H

#include "Mirage/Verify/SmallerSizes.h"
#include "Mirage/Verify/Verify.h"

namespace mlir::mirage {

/// Whether a verdict is Equal by more than next to nothing (isProvedEnough).
bool isProved(const Verdict &verdict, const VerifyOptions &options);

/// What smaller sizes say of graphs that agree at their own. Where one divides
/// by a literal and the other by as many elements as it has, say, numbers that
/// follow sizes may be told apart, and those that do not may still prove it.
llvm::Expected<Verdict> judgeSmallerSizes(const Graph &lhs, const Graph &rhs,
                                          const VerifyOptions &options);

/// Adds to a verdict that proves too little what smaller sizes prove.
/// \returns why they prove nothing, or an empty string.
std::string addSmallerSizes(llvm::Expected<Verdict> &small, Verdict &verdict);

/// Trials at other small sizes than those that a proof is of (withOtherSizes),
/// where something is picked, or signs are lost: what the sizes of the proof
/// make equal by chance hides from most trials at the graphs' own, if it is not
/// what a maximum picks, or of a rare pattern.
/// \param numbers  as they were in the proof.
/// \returns what they came to; nothing if nothing can hide.
llvm::Expected<OtherSizeTrials> tryOtherSizes(const Graph &lhs,
                                              const Graph &rhs,
                                              SizeNumbers numbers,
                                              const VerifyOptions &options);

} // namespace mlir::mirage

#endif // MIRAGE_LIB_VERIFY_SMALLPROOF_H
