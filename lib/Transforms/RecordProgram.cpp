//===- RecordProgram.cpp - The original program beside the compiled one ---===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

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

namespace {
struct RecordProgramPass
    : mirage::impl::RecordProgramPassBase<RecordProgramPass> {
  void runOnOperation() override {
    WalkResult result = getOperation()->walk([](func::FuncOp function) {
      if (function->hasAttr(kProgramAttr) || function.isExternal())
        return WalkResult::advance();
      FailureOr<Graph> graph = readFunction(function);
      if (failed(graph))
        return WalkResult::interrupt();
      std::string text = llvm::formatv("{0}", toJSON(*graph));
      function->setAttr(kProgramAttr,
                        StringAttr::get(function.getContext(), text));
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
