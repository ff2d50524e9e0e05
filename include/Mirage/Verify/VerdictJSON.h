//===- VerdictJSON.h - Verdicts for people and programs ---------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_VERIFY_VERDICTJSON_H
#define MIRAGE_VERIFY_VERDICTJSON_H

#include "Mirage/Verify/Verify.h"
#include "llvm/Support/JSON.h"

namespace mlir::mirage {

/// {"verdict": "equal", "provedLog2": -1756.0, "conjecturedLog2": ..,
/// "trials": 64, "towers": 4} and, where there is one, "sizes", "pieces",
/// "literals" and "maskOffsets" (pairs: of the graph, at these sizes),
/// "reason", "whereBothDefined" and "witness". Minus infinity is the string
/// "-inf". An Equal also has "askedLog2", "meetsBound" and, if that is false,
/// "whyWeaker". Where trials at the graphs' own sizes count there is
/// "ownSizes":
/// {"trials": 1, "sampled": true, "outputs": [{"tried": [4, 48], "of":
/// [32, 4096]}]}, without "outputs" if these were tried as a whole.
/// Where an exact proof was asked for there is "exact": {"proved": true,
/// "tooLarge": false, "sizes": "4x6", "work": 512} and, where there are any,
/// "literals", "maskOffsets" and "reason".
llvm::json::Value toJSON(const Verdict &verdict);

/// One line, of these kinds:
///
///   equal; wrong with probability at most 2^-1756 (proved) at ...
///   equal; proved exactly at 4x6, 6x8; wrong with probability ...
///   equal; wrong with ... agree; at its own sizes 1 trial agrees on a sample,
///     4 of 32 x 48 of 4096 elements
///   equal, but proved only up to an error of 2^-3.9 at ..., asked for 2^-64:
///     ... and why
std::string toString(const Verdict &verdict);

/// "0.25 for the literal 0.000244140625 and 1 for the mask's offset 100"
std::string describeReplaced(const ReplacedNumbers &replaced);

} // namespace mlir::mirage

#endif // MIRAGE_VERIFY_VERDICTJSON_H
