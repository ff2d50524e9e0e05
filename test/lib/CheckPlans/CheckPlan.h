//===- CheckPlan.h - Whether a plan of shared memory holds ------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TEST_LIB_CHECKPLANS_CHECKPLAN_H
#define MIRAGE_TEST_LIB_CHECKPLANS_CHECKPLAN_H

#include "Mirage/Dialect/Block/IR/Block.h"
#include "llvm/Support/Error.h"

namespace mlir::mirage::test {

struct PlanReport {
  unsigned numTiles = 0;
  int64_t statedBytes = 0;
  /// The largest sum of tiles no two of which may share bytes. No plan takes
  /// less.
  int64_t liveBytes = 0;
  /// What the best plan takes; none where that is not known.
  std::optional<int64_t> leastBytes;
  std::vector<std::string> findings;
};

/// "6 tiles in 45312 bytes, 45312 live at once: the least"
std::string toString(const PlanReport &report);

/// Plays a block graph with its plan (PlayPlan.h). Each read has to find what
/// was written for it: that write is over when the read begins, and any other
/// one to the same bytes is over before that write begins, or begins when the
/// read is over. What two tiles that share bytes do against this is a finding,
/// and so are a tile beyond the plan or not aligned, and a plan that takes more
/// than the best one.
/// \returns an error for a graph that has no plan.
llvm::Expected<PlanReport> checkPlan(block::GraphOp graph);

} // namespace mlir::mirage::test

#endif // MIRAGE_TEST_LIB_CHECKPLANS_CHECKPLAN_H
