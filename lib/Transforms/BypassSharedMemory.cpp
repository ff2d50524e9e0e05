//===- BypassSharedMemory.cpp - Lanes load and store by themselves --------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BypassSharedMemory.h"
#include "CopySteps.h"
#include "Mirage/Analysis/BypassingTiles.h"
#include "Mirage/Dialect/Thread/IR/Thread.h"
#include "Mirage/Transforms/Passes.h"
#include "mlir/IR/Builders.h"

namespace mlir::mirage {
#define GEN_PASS_DEF_BYPASSSHAREDMEMORYPASS
#include "Mirage/Transforms/Passes.h.inc"
} // namespace mlir::mirage

using namespace mlir;
using namespace mlir::mirage;

void mlir::mirage::forgetBypassing(block::GraphOp graph) {
  graph->removeAttr(kBypassingInputsAttr);
  for (auto step : graph.getBody().getOps<thread::GraphOp>())
    step->removeAttr(kBypassesAttr);
}

static void bypassSharedMemory(block::GraphOp graph) {
  forgetBypassing(graph);
  BypassingValues values = findBypassingValues(graph);
  Builder builder(graph.getContext());
  SmallVector<int64_t> inputs;
  for (BlockArgument input : graph.getBody().getArguments())
    if (values.contains(input)) {
      inputs.push_back(input.getArgNumber());
      loadPlainly(input);
    }
  if (!inputs.empty())
    graph->setAttr(kBypassingInputsAttr, builder.getDenseI64ArrayAttr(inputs));
  for (auto step : graph.getBody().getOps<thread::GraphOp>())
    if (step->getNumResults() == 1 && values.contains(step.getResult(0)))
      step->setAttr(kBypassesAttr, builder.getUnitAttr());
}

namespace {
struct BypassSharedMemoryPass
    : mirage::impl::BypassSharedMemoryPassBase<BypassSharedMemoryPass> {
  void runOnOperation() override {
    getOperation()->walk(
        [](block::GraphOp graph) { bypassSharedMemory(graph); });
  }
};
} // namespace
