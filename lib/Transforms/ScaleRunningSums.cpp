//===- ScaleRunningSums.cpp - Parts relative to a running maximum ---------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Analysis/RunningScale.h"
#include "Mirage/Transforms/Passes.h"

namespace mlir::mirage {
#define GEN_PASS_DEF_SCALERUNNINGSUMSPASS
#include "Mirage/Transforms/Passes.h.inc"
} // namespace mlir::mirage

using namespace mlir;
using namespace mlir::mirage;

namespace {
struct ScaleRunningSumsPass
    : mirage::impl::ScaleRunningSumsPassBase<ScaleRunningSumsPass> {
  void runOnOperation() override {
    UnitAttr scales = UnitAttr::get(&getContext());
    getOperation()->walk([&](block::AccumulateOp op) {
      op->removeAttr(kRunningScaleAttr);
      if (canHaveRunningScale(op))
        op->setAttr(kRunningScaleAttr, scales);
    });
  }
};
} // namespace
