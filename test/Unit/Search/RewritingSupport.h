//===- RewritingSupport.h - Programs that are rewritten for it --*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TEST_UNIT_SEARCH_REWRITINGSUPPORT_H
#define MIRAGE_TEST_UNIT_SEARCH_REWRITINGSUPPORT_H

#include "Mirage/Reference/RandomInputs.h"
#include "Mirage/Reference/Reference.h"
#include "Mirage/Search/Enumerator.h"
#include "Mirage/Search/RewrittenProgram.h"
#include "Mirage/Search/Search.h"
#include "Programs.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <cmath>

namespace mlir::mirage::test {

using namespace mlir::mirage::search;

/// Two graphs give the same numbers in double precision.
inline void expectSameNumbers(const Graph &lhs, const Graph &rhs) {
  std::vector<HostTensor> inputs = makeRandomInputs(lhs, /*seed=*/1);
  auto expected = llvm::cantFail(evaluateReference(lhs, inputs));
  auto found = llvm::cantFail(evaluateReference(rhs, inputs));
  ASSERT_EQ(expected.size(), found.size());
  for (auto [e, f] : llvm::zip(expected, found)) {
    ASSERT_EQ(e.type.shape, f.type.shape);
    for (size_t i = 0; i < e.values.size(); ++i)
      ASSERT_TRUE(e.values[i] == f.values[i] ||
                  (std::isnan(e.values[i]) && std::isnan(f.values[i])) ||
                  std::abs(e.values[i] - f.values[i]) <=
                      1e-9 * (1 + std::abs(e.values[i])))
          << "element " << i << ": " << e.values[i] << " and " << f.values[i];
  }
}

/// What is rewritten for the search means what it did, and can be searched.
inline RewrittenProgram expectRewritten(const Graph &graph) {
  RewrittenProgram program = llvm::cantFail(rewriteForSearch(graph));
  EXPECT_FALSE(verify(program.body));
  Graph whole = program.withBody(program.body);
  EXPECT_FALSE(verify(whole));
  expectSameNumbers(graph, whole);
  EXPECT_TRUE(!!makeTargetProgram(program.body));
  return program;
}

/// One kernel between views is among the cheapest; all candidates compute the
/// right numbers.
inline SearchResult expectFused(const Graph &graph,
                                SearchOptions options = {}) {
  SearchResult result = llvm::cantFail(superoptimize(graph, options));
  EXPECT_GT(result.report.verified, 0u);
  EXPECT_EQ(result.report.rejected, 0u) << describeMisses(result);
  auto isOneKernel = [](const Candidate &candidate) {
    return llvm::count_if(candidate.graph.getNodes(), [](const Node &node) {
             return bool(node.body);
           }) == 1;
  };
  EXPECT_TRUE(llvm::any_of(result.candidates, isOneKernel));
  for (const Candidate &candidate : result.candidates) {
    EXPECT_FALSE(verify(candidate.graph));
    expectSameNumbers(graph, candidate.graph);
  }
  return result;
}

inline size_t countInputs(const RewrittenProgram &program) {
  return program.body.getNumInputs();
}

inline ValueId slice(ProgramBuilder &b, ValueId x, int64_t dim, int64_t offset,
                     int64_t size) {
  Shape shape = b.graph.getType(x).shape;
  Attributes attributes;
  attributes.offsets.assign(shape.size(), 0);
  attributes.strides.assign(shape.size(), 1);
  attributes.offsets[dim] = offset;
  shape[dim] = size;
  return b.apply(Opcode::Slice, {x}, attributes, shape);
}

inline ValueId concat(ProgramBuilder &b, llvm::ArrayRef<ValueId> parts,
                      int64_t dim) {
  Attributes attributes;
  attributes.dims = {dim};
  return b.apply(Opcode::Concat, parts, attributes);
}

inline ValueId constant(ProgramBuilder &b, double number,
                        llvm::ArrayRef<int64_t> shape) {
  Attributes attributes;
  attributes.scalars = {number};
  return b.apply(Opcode::Constant, {}, attributes, shape);
}

} // namespace mlir::mirage::test

#endif // MIRAGE_TEST_UNIT_SEARCH_REWRITINGSUPPORT_H
