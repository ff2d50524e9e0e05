//===- JudgeGraphs.h - The verdict on two graphs of a test ------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TEST_UNIT_VERIFY_JUDGEGRAPHS_H
#define MIRAGE_TEST_UNIT_VERIFY_JUDGEGRAPHS_H

#include "Mirage/Verify/Verify.h"
#include "gtest/gtest.h"

namespace mlir::mirage::test {

/// The test fails where a graph is malformed, or there is no verdict.
inline Verdict judge(const Graph &lhs, const Graph &rhs,
                     const VerifyOptions &options = {}) {
  for (const Graph *graph : {&lhs, &rhs})
    if (llvm::Error error = verify(*graph)) {
      ADD_FAILURE() << llvm::toString(std::move(error)) << toString(*graph);
      return {};
    }
  llvm::Expected<Verdict> verdict = verifyEqual(lhs, rhs, options);
  if (!verdict) {
    ADD_FAILURE() << llvm::toString(verdict.takeError());
    return {};
  }
  return *verdict;
}

} // namespace mlir::mirage::test

#endif // MIRAGE_TEST_UNIT_VERIFY_JUDGEGRAPHS_H
