//===- Respelling.h - What the search leaves out, rewritten -----*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules by which the search visits one of several kernels (docs/Search.md,
// "Prunings"), as rewrites of what it does not visit. None of them makes a
// kernel longer.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TEST_UNIT_SEARCH_RESPELLING_H
#define MIRAGE_TEST_UNIT_SEARCH_RESPELLING_H

#include "BruteForce.h"

namespace mlir::mirage::test {

enum class RespellingRule : uint8_t {
  Duplicate,   ///< of two equal tensors, one
  Square,      ///< x·x as a square
  Reciprocal,  ///< x·(1/y) as x/y, (1/y)/z as 1/(y·z)
  PartialSum,  ///< accumulate(sum over the loop's name) as one operator
  OrderOfSums, ///< over names ascending, the loop, then axes ascending
  Factor,      ///< a constant or a sign moves outward
  Difference,  ///< x + (-y) as x - y, -x - y as -(x + y)
};
constexpr unsigned kNumRespellingRules = 7;
llvm::StringRef getRuleName(RespellingRule rule);

struct Respelled {
  BruteKernel kernel;
  RespellingRule rule;
};

/// The kernel with one rule applied at one place; none if no rule applies.
std::optional<Respelled> respell(TermTable &table, const BruteKernel &kernel);

} // namespace mlir::mirage::test

#endif // MIRAGE_TEST_UNIT_SEARCH_RESPELLING_H
