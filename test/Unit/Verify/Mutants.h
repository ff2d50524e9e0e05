//===- Mutants.h - Graphs that are almost right -----------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TEST_UNIT_VERIFY_MUTANTS_H
#define MIRAGE_TEST_UNIT_VERIFY_MUTANTS_H

#include "Mirage/Verify/Verify.h"
#include <functional>
#include <string>

namespace mlir::mirage::test {

struct Mutant {
  std::string what; ///< "operation 3: add for mul"
  Graph graph;
};

/// Every graph that one small mistake makes of a graph, inside its tile graphs
/// too, as far as it is still well formed: a wrong operator, operand, order of
/// operands, reduction, dimension, count, constant, map or mask; an operation
/// left out; an output taken from another value.
std::vector<Mutant> makeMutants(const Graph &graph);

/// The verdict that a mutant of something equal to `program` deserves:
///   Different  numbers differ in float64 on some moderate input
///   Unknown    they do not, but somewhere the mutant alone has none (log of a
///              negative number, 0/0)
///   Equal      neither: the mistake makes no difference
Verdict::Kind getExpectedVerdict(const Graph &program, const Graph &mutant);

} // namespace mlir::mirage::test

#endif // MIRAGE_TEST_UNIT_VERIFY_MUTANTS_H
