//===- WitnessInputsTest.cpp - Tests of inputs that may tell apart --------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WitnessInputs.h"
#include "gtest/gtest.h"

using namespace mlir::mirage;

/// Of an input that nobody holds, elements are what the whole has.
TEST(WitnessInputs, ElementsAloneAreThoseOfTheWhole) {
  Graph graph;
  for (ElementType element : {ElementType::F32, ElementType::F16})
    graph.addInput({{30, 40}, element});
  Attributes limits;
  limits.scalars = {-3, 100};
  graph.addOutput(graph.add(Opcode::Clamp, {0}, graph.getType(0), limits));
  WitnessInputs sets(graph, graph, /*seed=*/5);
  unsigned ordered = 0;
  std::vector<double> some(100);
  for (unsigned attempt = 0; attempt < sets.size(); ++attempt) {
    if (WitnessInputs::isOrdered(attempt)) {
      ++ordered;
      continue;
    }
    for (auto [input, tensor] : llvm::enumerate(sets.make(attempt))) {
      std::vector<double> whole = decode(tensor);
      for (size_t first : {0, 567, 1100}) {
        sets.read(attempt, input, first, some);
        EXPECT_EQ(llvm::ArrayRef(some),
                  llvm::ArrayRef(whole).slice(first, some.size()))
            << "input " << input << " of set " << attempt;
      }
    }
  }
  EXPECT_EQ(sets.size(), 17u);
  EXPECT_EQ(ordered, 2u);
}
