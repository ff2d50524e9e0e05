//===- GraphGenerator.h - Random µGraphs ------------------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TEST_LIB_RANDOMGRAPHS_GRAPHGENERATOR_H
#define MIRAGE_TEST_LIB_RANDOMGRAPHS_GRAPHGENERATOR_H

#include "Mirage/Graph/Graph.h"

namespace mlir::mirage::test {

struct GeneratedGraph {
  Graph graph; ///< verified
  /// How many were drawn before it that lose digits: what rounding every
  /// operation's result alone does to these is near the tolerance.
  unsigned numLosingDigits = 0;
  /// And how many had a result that is much the same whatever the inputs are.
  unsigned numSayingNothing = 0;
};

/// A kernel graph of one or two block graphs, which no other number has.
/// Operators take turns, so that a few dozen graphs have all of them.
/// \returns an error where what was drawn is not valid.
llvm::Expected<GeneratedGraph> generateGraph(uint64_t seed, unsigned number);

} // namespace mlir::mirage::test

#endif // MIRAGE_TEST_LIB_RANDOMGRAPHS_GRAPHGENERATOR_H
