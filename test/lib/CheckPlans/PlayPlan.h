//===- PlayPlan.h - A planned block graph, step by step ---------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plays what a block does by its graph and by the attributes that plans leave:
// what comes before the loop, so many iterations that each place of the rings
// is used twice at least, the last of which are the last, and what follows.
// This is a second opinion: nothing of it comes of the list of steps, the live
// ranges or the schedules by which plans are made
// (Mirage/Analysis/BlockSteps.h, Mirage/Planning).
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TEST_LIB_CHECKPLANS_PLAYPLAN_H
#define MIRAGE_TEST_LIB_CHECKPLANS_PLAYPLAN_H

#include "TilesOfPlan.h"

namespace mlir::mirage::test {

struct PlayedPlan {
  std::vector<PlannedTile> tiles;
  int64_t statedBytes = 0;
  Timeline timeline;
  /// What a thread would wait for and never comes.
  std::vector<std::string> problems;
};

/// \returns an error for a graph that has no plan.
llvm::Expected<PlayedPlan> playPlan(block::GraphOp graph);

} // namespace mlir::mirage::test

#endif // MIRAGE_TEST_LIB_CHECKPLANS_PLAYPLAN_H
