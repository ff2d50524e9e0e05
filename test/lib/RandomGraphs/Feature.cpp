//===- Feature.cpp - What random graphs should contain --------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Feature.h"
#include "llvm/ADT/STLExtras.h"
#include <functional>

using namespace mlir::mirage;
using namespace mlir::mirage::test;

static void listAccumulations(std::vector<Feature> &features) {
  for (const OperatorInfo &row : getOperatorTable()) {
    if (row.kind != OperatorKind::Reduction)
      continue;
    features.push_back({Opcode::Accumulate, row.opcode});
    // Blocks join one number for each element.
    if (row.getNumCarried() == 1)
      features.push_back({Opcode::Accumulate, row.opcode, /*overGrid=*/true});
  }
  for (bool overGrid : {false, true})
    features.push_back(
        {Opcode::Accumulate, Opcode::Sum, overGrid, /*isRescaled=*/true});
}

const std::vector<Feature> &mlir::mirage::test::listFeatures() {
  static const std::vector<Feature> features = [] {
    std::vector<Feature> list;
    for (const OperatorInfo &row : getOperatorTable()) {
      if (!row.existsAt(Level::Block) || row.opcode == Opcode::Graph)
        continue;
      if (row.opcode == Opcode::Accumulate)
        listAccumulations(list);
      else
        list.push_back({row.opcode});
    }
    std::vector<Feature> ordered;
    llvm::copy_if(list, std::back_inserter(ordered), hidesValues);
    llvm::copy_if(list, std::back_inserter(ordered), std::not_fn(hidesValues));
    return ordered;
  }();
  return features;
}

bool mlir::mirage::test::hidesValues(const Feature &feature) {
  const OperatorInfo &row =
      getOperatorInfo(feature.opcode == Opcode::Accumulate ? feature.reduction
                                                           : feature.opcode);
  auto hides = [](const ScalarNode &node) {
    return node.function == ScalarFunction::Max ||
           node.function == ScalarFunction::Min ||
           node.function == ScalarFunction::Sqrt;
  };
  // What parts are relative to is a maximum.
  return feature.isRescaled || row.combiner == Combiner::Max ||
         llvm::any_of(row.definition.nodes(), hides) ||
         llvm::any_of(row.finish.nodes(), hides);
}

Feature mlir::mirage::test::getFeature(const Node &operation) {
  if (operation.opcode != Opcode::Accumulate)
    return {operation.opcode};
  return {operation.opcode, operation.attributes.reduction,
          operation.attributes.axis != Axis::Loop, operation.isRescaled()};
}

std::string mlir::mirage::test::toString(const Feature &feature) {
  std::string name = getOperatorInfo(feature.opcode).name.str();
  if (feature.opcode != Opcode::Accumulate)
    return name;
  return name + " " + getOperatorInfo(feature.reduction).name.str() +
         (feature.isRescaled ? ", rescaled," : "") +
         (feature.overGrid ? " over the grid" : " over the loop");
}
