//===- PieceProof.h - What is proved piece by piece -*- C++ -*-
//--------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_VERIFY_PIECEPROOF_H
#define MIRAGE_LIB_VERIFY_PIECEPROOF_H

#include "Mirage/Verify/Verify.h"

namespace mlir::mirage {

/// Where what is proved in pieces is more, that is what counts.
/// Pieces are values that both graphs have (CutPoints.h).
void addPieces(const Graph &lhs, const Graph &rhs, const VerifyOptions &options,
               Verdict &verdict);

} // namespace mlir::mirage

#endif // MIRAGE_LIB_VERIFY_PIECEPROOF_H
