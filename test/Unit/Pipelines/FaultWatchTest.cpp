//===- FaultWatchTest.cpp - Whose mistake a failure is --------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Pipelines/FaultWatch.h"
#include "Mirage/Dialect/Kernel/IR/Kernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
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

/// What MLIR says of these is for MLIR to say.
class UnloweredTest : public FaultWatchTest {
protected:
  UnloweredTest() {
    context.loadDialect<kernel::MirageKernelDialect, arith::ArithDialect>();
    context.allowUnregisteredDialects();
  }

  void parse(StringRef body) {
    module = parseSourceString<ModuleOp>(
        ("func.func @f(%x: tensor<8xf32>, %i: i32) {\n" + body +
         "\nreturn\n}\n")
            .str(),
        &context);
    ASSERT_TRUE(module);
  }

  void expectFaultOfOurs(Action action) {
    // A conversion that fails may leave part of its work.
    OwningOpRef<ModuleOp> untouched = module->clone();
    EXPECT_TRUE(isInternal(action, /*isOurs=*/true));
    module = std::move(untouched);
    EXPECT_FALSE(isInternal(action, /*isOurs=*/false));
  }
};

/// Converts a function in which operations of these names are illegal.
/// \param isFull  all must be known to be legal.
LogicalResult refuse(func::FuncOp func, ArrayRef<StringRef> names,
                     bool isFull) {
  MLIRContext *context = func.getContext();
  ConversionTarget target(*context);
  target.addLegalDialect<func::FuncDialect>();
  for (StringRef name : names)
    target.setOpAction(OperationName(name, context),
                       ConversionTarget::LegalizationAction::Illegal);
  FrozenRewritePatternSet none;
  return isFull ? applyFullConversion(func, target, none)
                : applyPartialConversion(func, target, none);
}

TEST_F(UnloweredTest, OperationsOfOurs) {
  parse("%y = mirage_kernel.exp %x : (tensor<8xf32>) -> tensor<8xf32>");
  expectFaultOfOurs([](func::FuncOp func) {
    return refuse(func, {"mirage_kernel.exp"}, /*isFull=*/false);
  });
  expectFaultOfOurs([](func::FuncOp func) {
    return refuse(func, {"mirage_kernel.exp"}, /*isFull=*/true);
  });
  expectFaultOfOurs(
      [](func::FuncOp func) { return refuse(func, {}, /*isFull=*/true); });
}

TEST_F(UnloweredTest, OperationsOfOthers) {
  parse("%y = arith.addi %i, %i : i32");
  EXPECT_FALSE(isInternal(
      [](func::FuncOp func) {
        return refuse(func, {"arith.addi"}, /*isFull=*/true);
      },
      /*isOurs=*/true));
}

TEST_F(UnloweredTest, CastsThatNobodyWrote) {
  constexpr StringLiteral kCast = "builtin.unrealized_conversion_cast";
  parse("%y = builtin.unrealized_conversion_cast %i : i32 to index\n"
        "\"test.use\"(%y) : (index) -> ()");
  expectFaultOfOurs([&](func::FuncOp func) {
    return refuse(func, {kCast}, /*isFull=*/false);
  });
}

/// Makes an i64 of what was an i32.
struct WidenPattern : ConversionPattern {
  WidenPattern(const TypeConverter &types, MLIRContext *context)
      : ConversionPattern(types, "test.make", /*benefit=*/1, context) {}
  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<Value>,
                  ConversionPatternRewriter &rewriter) const override {
    OperationState state(op->getLoc(), "test.made");
    state.addTypes(rewriter.getI64Type());
    rewriter.replaceOp(op, rewriter.create(state));
    return success();
  }
};

TEST_F(UnloweredTest, TypesBetweenWhichThereIsNoWay) {
  parse("%y = \"test.make\"() : () -> i32\n"
        "\"test.use\"(%y) : (i32) -> ()");
  expectFaultOfOurs([](func::FuncOp func) {
    MLIRContext *context = func.getContext();
    TypeConverter types;
    types.addConversion([](IntegerType type) {
      return IntegerType::get(type.getContext(), 64);
    });
    RewritePatternSet patterns(context);
    patterns.add<WidenPattern>(types, context);
    ConversionTarget target(*context);
    target.setOpAction(OperationName("test.make", context),
                       ConversionTarget::LegalizationAction::Illegal);
    target.setOpAction(OperationName("test.made", context),
                       ConversionTarget::LegalizationAction::Legal);
    return applyPartialConversion(func, target, std::move(patterns));
  });
}

TEST_F(UnloweredTest, CastsThatAreLeftForLLVM) {
  context.loadDialect<LLVM::LLVMDialect>();
  registerBuiltinDialectTranslation(context);
  registerLLVMDialectTranslation(context);
  parse("");
  OwningOpRef<ModuleOp> lowered = parseSourceString<ModuleOp>(
      "llvm.func @f(%x: i32) -> i64 {\n"
      "  %y = builtin.unrealized_conversion_cast %x : i32 to i64\n"
      "  llvm.return %y : i64\n}\n",
      &context);
  ASSERT_TRUE(lowered);
  expectFaultOfOurs([&](func::FuncOp) {
    llvm::LLVMContext llvmContext;
    return success(translateModuleToLLVMIR(*lowered, llvmContext) != nullptr);
  });
}

TEST_F(FaultWatchTest, ReproducersHoldModuleAndPipeline) {
  registerCSEPass();
  std::string text = printReproducer(*module, {"builtin.module(cse)", {}});
  EXPECT_FALSE(StringRef(text).starts_with("//"));
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

TEST_F(FaultWatchTest, ReproducersNameOptionsThatTextCannotHold) {
  PipelineText pipeline =
      printPipeline("mirage-compile", {{"artifact", "a{b"},
                                       {"target", "sm_90a"},
                                       {"ptxas", "it's \"here\""},
                                       {"cache", "it's here"}});
  EXPECT_EQ(pipeline.text, "builtin.module(mirage-compile{target='sm_90a' "
                           "cache=\"it's here\"})");
  std::string text = printReproducer(*module, pipeline);
  EXPECT_TRUE(StringRef(text).starts_with(
      "// without options whose values a pipeline's text cannot hold: "
      "artifact, ptxas\n"))
      << text;
  EXPECT_TRUE(parseSourceString<ModuleOp>(text, &context));
}

} // namespace
