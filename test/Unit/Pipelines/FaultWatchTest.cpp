//===- FaultWatchTest.cpp - Whose mistake a failure is --------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Pipelines/FaultWatch.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/Passes.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::mirage;

namespace {

/// What a pass does to a function, and whether it calls that a success.
using Action = llvm::function_ref<LogicalResult(func::FuncOp)>;

struct ActingPass : PassWrapper<ActingPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ActingPass)
  explicit ActingPass(Action action) : action(action) {}
  void runOnOperation() override {
    if (failed(action(getOperation())))
      signalPassFailure();
  }
  Action action;
};

/// Takes the value from a return, which the function's type wants.
void breakReturn(func::FuncOp func) {
  func.front().getTerminator()->eraseOperand(0);
}

LogicalResult complain(func::FuncOp func, const Twine &message) {
  return func.emitError() << message.str();
}

class FaultWatchTest : public ::testing::Test {
protected:
  FaultWatchTest() {
    context.loadDialect<func::FuncDialect>();
    // Of several functions, whose passes run side by side.
    std::string text;
    for (int i = 0; i < 8; ++i)
      text += "func.func @f" + std::to_string(i) +
              "(%x: i32) -> i32 { return %x : i32 }\n";
    module = parseSourceString<ModuleOp>(text, &context);
  }

  /// Runs a pass that has to fail.
  bool isInternal(Action action, bool isOurs) {
    PassManager passes(&context);
    passes.addNestedPass<func::FuncOp>(std::make_unique<ActingPass>(action));
    FaultWatch watch(passes, isOurs);
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
        watch.noteError(diagnostic.str());
    });
    EXPECT_TRUE(failed(passes.run(*module)));
    return watch.isInternal();
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(FaultWatchTest, ASuccessThatDoesNotVerifyIsAFault) {
  EXPECT_TRUE(isInternal(
      [](func::FuncOp func) {
        if (func.getSymName() == "f5")
          breakReturn(func);
        return success();
      },
      /*isOurs=*/false));
}

TEST_F(FaultWatchTest, WhatAPassRefusesIsNone) {
  EXPECT_FALSE(isInternal(
      [](func::FuncOp func) { return complain(func, "expects less"); },
      /*isOurs=*/true));
}

TEST_F(FaultWatchTest, APassThatRefusesMayLeaveWhatItWill) {
  EXPECT_FALSE(isInternal(
      [](func::FuncOp func) {
        breakReturn(func);
        return complain(func, "expects less");
      },
      /*isOurs=*/true));
}

TEST_F(FaultWatchTest, AFailureWithoutAWordIsAFault) {
  EXPECT_TRUE(
      isInternal([](func::FuncOp) { return failure(); }, /*isOurs=*/false));
}

TEST_F(FaultWatchTest, WhatNoPassLowersIsAFaultOfOurPipelines) {
  auto refuseOurs = [](func::FuncOp func) {
    return complain(func, "failed to legalize operation 'mirage_thread.mma' "
                          "that was explicitly marked illegal");
  };
  EXPECT_TRUE(isInternal(refuseOurs, /*isOurs=*/true));
  EXPECT_FALSE(isInternal(refuseOurs, /*isOurs=*/false));
  EXPECT_FALSE(isInternal(
      [](func::FuncOp func) {
        return complain(func, "failed to legalize operation 'scf.while'");
      },
      /*isOurs=*/true));
}

TEST_F(FaultWatchTest, ReproducersHoldModuleAndPipeline) {
  registerCSEPass();
  std::string text = printReproducer(*module, "builtin.module(cse)");
  // As --run-reproducer reads it.
  MLIRContext other;
  other.loadDialect<func::FuncDialect>();
  ParserConfig config(&other);
  PassReproducerOptions options;
  options.attachResourceParser(config);
  OwningOpRef<ModuleOp> read = parseSourceString<ModuleOp>(text, config);
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->lookupSymbol("f3"));
  PassManager passes(&other);
  ASSERT_TRUE(succeeded(options.apply(passes)));
  ASSERT_EQ(passes.size(), 1u);
  EXPECT_EQ(passes.begin()->getArgument(), "cse");
}

} // namespace
