//===- FaultWatch.cpp - Whose mistake a failure is ------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Pipelines/FaultWatch.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <optional>
#include <thread>

namespace mlir::mirage {

/// MLIR calls a pass failed also where the verifier, which runs behind it, is
/// what failed.
class FaultInstrumentation final : public PassInstrumentation {
public:
  explicit FaultInstrumentation(FaultWatch &watch) : watch(watch) {}

  void runAfterPassFailed(Pass *, Operation *op) override {
    watch.noteFailedPass(op);
  }

private:
  FaultWatch &watch;
};

FaultWatch::FaultWatch(PassManager &passManager, bool isOurs) : isOurs(isOurs) {
  passManager.addInstrumentation(std::make_unique<FaultInstrumentation>(*this));
}

void FaultWatch::noteError(StringRef message) {
  errors.push_back(message.str());
}

void FaultWatch::noteFailedPass(Operation *op) {
  std::vector<std::string> found;
  {
    // Of this thread alone: others may be in passes that go on.
    auto self = std::this_thread::get_id();
    ScopedDiagnosticHandler handler(
        op->getContext(), [&](Diagnostic &diagnostic) {
          if (std::this_thread::get_id() != self)
            return failure();
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
            found.push_back(diagnostic.str());
          return success();
        });
    (void)verify(op);
  }
  std::lock_guard<std::mutex> guard(mutex);
  for (const std::string &flaw : found)
    flaws.insert(flaw);
}

/// What MLIR's conversions say of an operation that they have no pattern for,
/// and of types between which they know no way; and what the translation to
/// LLVM IR says of a cast that stands for one and was left. All in words of
/// MLIR's, which tests have it say (FaultWatchTest.cpp).
static bool isUnlowered(StringRef error) {
  constexpr StringLiteral kMessages[] = {
      "failed to legalize operation 'mirage_",
      "failed to legalize operation 'builtin.unrealized_conversion_cast'",
      "failed to legalize unresolved materialization ",
      "LLVM Translation failed for operation: "
      "builtin.unrealized_conversion_cast"};
  return llvm::any_of(
      kMessages, [&](StringRef message) { return error.starts_with(message); });
}

/// A pass that fails may leave what it will, so a module that does not verify
/// counts only if that is what the run said of it.
bool FaultWatch::isInternal() const {
  return errors.empty() || llvm::any_of(errors, [&](StringRef error) {
           return flaws.contains(error) || (isOurs && isUnlowered(error));
         });
}

/// A value as a textual pipeline has it; none where it cannot.
static std::optional<std::string> quote(StringRef value) {
  if (value.trim() != value || value.find_first_of("{}") != StringRef::npos)
    return std::nullopt;
  for (char mark : {'\'', '"'})
    if (!value.contains(mark))
      return llvm::formatv("{0}{1}{0}", mark, value).str();
  return std::nullopt;
}

PipelineText printPipeline(StringRef name, ArrayRef<NamedValue> options) {
  std::vector<std::string> quoted, leftOut;
  for (auto [option, value] : options) {
    if (std::optional<std::string> text = quote(value))
      quoted.push_back(option.str() + "=" + *text);
    else
      leftOut.push_back(option.str());
  }
  return {
      llvm::formatv("builtin.module({0}{{{1}})", name, llvm::join(quoted, " ")),
      leftOut};
}

std::string printReproducer(Operation *module, const PipelineText &pipeline) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (!pipeline.leftOut.empty())
    os << "// without options whose values a pipeline's text cannot hold: "
       << llvm::join(pipeline.leftOut, ", ") << "\n";
  AsmState state(module, OpPrintingFlags().enableDebugInfo());
  state.attachResourcePrinter("mlir_reproducer",
                              [&](Operation *, AsmResourceBuilder &builder) {
                                builder.buildString("pipeline", pipeline.text);
                                builder.buildBool("disable_threading", false);
                                builder.buildBool("verify_each", true);
                              });
  module->print(os, state);
  os << "\n";
  return text;
}

} // namespace mlir::mirage
