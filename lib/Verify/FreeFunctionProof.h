//===- FreeFunctionProof.h - Equal whatever functions are -------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_VERIFY_FREEFUNCTIONPROOF_H
#define MIRAGE_LIB_VERIFY_FREEFUNCTIONPROOF_H

#include "Mirage/Verify/Verify.h"

namespace mlir::mirage {

/// Where trials over towers of fields prove nothing of graphs, their own sizes
/// are tried once more with functions as symbols (FreeFunctionArithmetic.h): a
/// maximum does not pick, and roots always exist. What that proves is the
/// verdict. It is left as it is where values differ, which says nothing, or
/// where that would take too long.
/// \param lhs, rhs  of one interface, without composed operators.
/// \returns why they prove nothing, or an empty string.
std::string addFreeFunctions(const Graph &lhs, const Graph &rhs,
                             const VerifyOptions &options, Verdict &verdict);

} // namespace mlir::mirage

#endif // MIRAGE_LIB_VERIFY_FREEFUNCTIONPROOF_H
