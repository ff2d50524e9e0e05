//===- SignDegree.h - How well signs hide a difference ----------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// |x| is χ(x)·x over a field, and √(x²) is as well. So what a graph computes is
// a polynomial in such signs, in which each stands at most once: of degree k
// one that is not zero is none for at least one pattern of signs in 2^k
// (Schwartz and Zippel, over {1, -1}). The product of all (|x_i| + x_i) shows
// in one pattern of all, the sum of all |x_i| in most.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_VERIFY_SIGNDEGREE_H
#define MIRAGE_LIB_VERIFY_SIGNDEGREE_H

#include "Mirage/Graph/Graph.h"

namespace mlir::mirage {

/// Beyond this nothing is told apart.
constexpr unsigned kManySigns = 1000;

/// An upper bound of that degree, for the output element with the largest;
/// kManySigns where there is none.
/// \param graph  without composed operators.
unsigned computeSignDegree(const Graph &graph);

/// The chance, as a power of two, that trials that are enough may all have
/// missed what they are to see.
constexpr double kEnoughTrialsLog2 = -10;

/// Whether so many trials may all have missed one pattern of signs in
/// 2^degree, but for a chance of 2^-10.
bool mayMissPattern(unsigned degree, unsigned numTrials);

} // namespace mlir::mirage

#endif // MIRAGE_LIB_VERIFY_SIGNDEGREE_H
