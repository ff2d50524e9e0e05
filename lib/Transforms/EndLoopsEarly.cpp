//===- EndLoopsEarly.cpp - Loops that a causal mask ends ------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Analysis/CausalLoop.h"
#include "Mirage/Analysis/Multicast.h"
#include "Mirage/Transforms/Passes.h"
#include "mlir/IR/Builders.h"

namespace mlir::mirage {
#define GEN_PASS_DEF_ENDLOOPSEARLYPASS
#include "Mirage/Transforms/Passes.h.inc"
} // namespace mlir::mirage

using namespace mlir;
using namespace mlir::mirage;

namespace {
struct EndLoopsEarlyPass
    : mirage::impl::EndLoopsEarlyPassBase<EndLoopsEarlyPass> {
  void runOnOperation() override {
    getOperation()->walk([](block::GraphOp graph) {
      graph->removeAttr(kEndsEarlyAttr);
      std::optional<CausalLoop> loop = findCausalLoop(graph);
      // Otherwise all blocks have the same rows.
      if (loop && !loop->rowAxes.empty() && getMulticastCluster(graph).empty())
        graph->setAttr(kEndsEarlyAttr, UnitAttr::get(graph.getContext()));
    });
  }
};
} // namespace
