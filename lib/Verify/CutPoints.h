//===- CutPoints.h - Two graphs, cut where they agree -----------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Graphs of many operations are hard to judge at once: of ten norms in a row,
// all roots exist in one trial of 2^10 or fewer. But graphs that are equal
// often compute the same values on the way, as what a kernel stores is mostly a
// value of the program. Such values are *cut points*. A *piece* is one of them,
// by both graphs, as a function of inputs and of cut points before it:
//
//   program  n = rms_norm x, q = n @ w, r = rms_norm q      pieces
//   result   a = K1(x, w),   b = K2(a)                      q(x, w), a(x, w)
//                                                           r(q),    b(q)
//
// If every piece is the same function in both graphs, then so are the graphs:
// each cut point has one value in both, given that those before it have. The
// method is that of internal equivalences (Kuehlmann, Krohm: Equivalence
// Checking Using Cuts and Heaps, DAC 1997). It proves, and refutes nothing:
// pieces may differ where what they read is never what makes them differ.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_VERIFY_CUTPOINTS_H
#define MIRAGE_LIB_VERIFY_CUTPOINTS_H

#include "Mirage/Algebra/Random.h"
#include "Mirage/Graph/Graph.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir::mirage {

/// More pieces are not tried.
constexpr unsigned kMaxPieces = 64;

/// Proves two graphs equal piece by piece. Which values may be equal is told by
/// one trial of all at the graphs' own sizes.
/// \param lhs, rhs  of one interface, without composed operators.
/// \param seed      of that trial.
/// \param maxBytes  that it may take.
/// \param areEqual  whether the two graphs of a piece are; it is asked about
///                  kMaxPieces pairs of values at most. A pair that it denies
///                  is no cut point.
/// \returns whether all outputs are proved; false as well where there is no
/// value to cut at, so that the only piece would be the whole.
bool proveInPieces(
    const Graph &lhs, const Graph &rhs, const Seed &seed, double maxBytes,
    llvm::function_ref<bool(const Graph &lhs, const Graph &rhs)> areEqual);

} // namespace mlir::mirage

#endif // MIRAGE_LIB_VERIFY_CUTPOINTS_H
