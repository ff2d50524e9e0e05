//===- Mutants.h - Graphs that are almost right -----------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TEST_UNIT_VERIFY_MUTANTS_H
#define MIRAGE_TEST_UNIT_VERIFY_MUTANTS_H

#include "Mirage/Graph/Graph.h"
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

} // namespace mlir::mirage::test

#endif // MIRAGE_TEST_UNIT_VERIFY_MUTANTS_H
