//===- RecordProgram.cpp - The original program beside the compiled one ---===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RecordProgram.h"
#include "Mirage/Bridge/Bridge.h"
#include "Mirage/Dialect/Operator/LaunchAttributes.h"
#include "Mirage/Graph/GraphJSON.h"
#include "Mirage/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/FormatVariadic.h"

namespace mlir::mirage {
#define GEN_PASS_DEF_RECORDPROGRAMPASS
#include "Mirage/Transforms/Passes.h.inc"
} // namespace mlir::mirage

using namespace mlir;
using namespace mlir::mirage;

LogicalResult mlir::mirage::recordProgram(func::FuncOp function) {
  if (function->hasAttr(kProgramAttr) || function.isExternal())
    return success();
  FailureOr<Graph> graph = readFunction(function);
  if (failed(graph))
    return failure();
  std::string text = llvm::formatv("{0}", toJSON(*graph));
  function->setAttr(kProgramAttr, StringAttr::get(function.getContext(), text));
  return success();
}

namespace {
struct RecordProgramPass
    : mirage::impl::RecordProgramPassBase<RecordProgramPass> {
  void runOnOperation() override {
    WalkResult result = getOperation()->walk([](func::FuncOp function) {
      return WalkResult(recordProgram(function));
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
