//===- CheckBundle.cpp - Looks whether there can be a bundle --------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Analysis/FindLocation.h"
#include "Mirage/Dialect/Kernel/IR/Kernel.h"
#include "Mirage/Graph/WholeFiles.h"
#include "Mirage/Options/CheckedPass.h"
#include "WriteBundle.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/FileSystem.h"

using namespace mlir;
using namespace mlir::mirage;

namespace {
struct CheckBundlePass
    : public PassWrapper<CheckBundlePass, CheckedPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CheckBundlePass)

  CheckBundlePass() = default;
  CheckBundlePass(const CheckBundlePass &other) : PassWrapper(other) {}
  explicit CheckBundlePass(const CompileOptions &given) {
    folder = given.bundle;
  }

  Option<TextOption> folder{
      *this, "bundle",
      llvm::cl::desc("Folder that a bundle is to be written to")};

  StringRef getArgument() const override { return "mirage-check-bundle"; }
  StringRef getDescription() const override {
    return "Fails where there can be no bundle of the candidates of a search";
  }

  void runOnOperation() override {
    if (failed(checkOptions()) || failed(checkFunctions()) ||
        failed(checkFolder()))
      signalPassFailure();
  }

private:
  LogicalResult fail(const Twine &message) {
    return mlir::emitError(findLocation(getOperation())) << message;
  }

  LogicalResult checkOptions() {
    return folder.empty()
               ? fail("expects the folder of a bundle as 'bundle', got none")
               : success();
  }

  LogicalResult checkFunctions() {
    SmallVector<StringRef> searched;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function.walk([](kernel::GraphOp) { return WalkResult::interrupt(); })
              .wasInterrupted())
        searched.push_back(function.getName());
    std::optional<std::string> problem = explainNoBundle(searched);
    return problem ? fail(*problem) : success();
  }

  /// What an earlier bundle left in the folder stays until there is another.
  LogicalResult checkFolder() {
    if (llvm::Error error = createFolder(folder))
      return fail(llvm::toString(std::move(error)));
    if (std::error_code code =
            llvm::sys::fs::access(folder, llvm::sys::fs::AccessMode::Write))
      return fail(folder.getValue() +
                  ": cannot be written to: " + code.message());
    return success();
  }
};
} // namespace

std::unique_ptr<Pass>
mlir::mirage::createCheckBundlePass(const CompileOptions &options) {
  return std::make_unique<CheckBundlePass>(options);
}

void mlir::mirage::registerCheckBundlePass() {
  PassRegistration<CheckBundlePass>();
}
