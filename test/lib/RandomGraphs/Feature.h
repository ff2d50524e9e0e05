//===- Feature.h - What random graphs should contain ------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TEST_LIB_RANDOMGRAPHS_FEATURE_H
#define MIRAGE_TEST_LIB_RANDOMGRAPHS_FEATURE_H

#include "Mirage/Graph/Graph.h"
#include <string>
#include <vector>

namespace mlir::mirage::test {

/// An operator that a block graph may have. Accumulations are as many as there
/// are reductions that they carry out, over the loop or the grid.
struct Feature {
  Opcode opcode = Opcode::Add;
  Opcode reduction = Opcode::Sum; ///< of accumulations, as what follows
  bool overGrid = false;
  bool isRescaled = false;

  bool operator==(const Feature &other) const {
    return opcode == other.opcode && reduction == other.reduction &&
           overGrid == other.overGrid && isRescaled == other.isRescaled;
  }
};

/// All of the operator table, those that hide values first, but for nested
/// graphs: warps' graphs are what the compiler makes of the others.
const std::vector<Feature> &listFeatures();
/// Whether the judge sees little of what an operator is of: a maximum picks one
/// of many, and half of the numbers of a field have no root. Graphs without
/// such operators are judged for sure.
bool hidesValues(const Feature &feature);
Feature getFeature(const Node &operation);
/// "exp", "accumulate max over the loop".
std::string toString(const Feature &feature);

} // namespace mlir::mirage::test

#endif // MIRAGE_TEST_LIB_RANDOMGRAPHS_FEATURE_H
