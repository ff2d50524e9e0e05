//===- Context.cpp - The C API of contexts --------------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Context.h"
#include "Mirage/Dialect/Kernel/IR/Kernel.h"
#include "Mirage/InitAll.h"
#include "Mirage/Transforms/SearchMonitor.h"
#include "Status.h"
#include "mlir/IR/DialectRegistry.h"
#include "llvm/Support/FormatVariadic.h"
#include <memory>

using namespace mlir;
using namespace mlir::mirage;

//===----------------------------------------------------------------------===//
// Searches
//===----------------------------------------------------------------------===//

namespace {
/// Hands on what searches of one context say, and keeps what became of them.
class ContextMonitor : public SearchMonitor {
public:
  ContextMonitor(Dialect *dialect, MirageContext *context)
      : SearchMonitor(dialect), context(*context) {}

  void begin(StringRef, StringRef) const final {}
  void end(StringRef) const final {}
  bool isInterrupted() const final { return context.isCancelled; }
  void note(StringRef function, const search::SearchProgress &now) const final {
    std::lock_guard<std::mutex> lock(context.mutex);
    if (!context.onProgress)
      return;
    MirageSearchProgress progress = {};
    progress.structSize = sizeof(progress);
    progress.seconds = now.seconds;
    progress.states = now.states;
    progress.statesPerSecond = now.statesPerSecond;
    progress.structures = now.structures;
    progress.baselineUs = now.baselineUs;
    progress.bestUs = now.bestUs;
    progress.walkStates = now.walkStates;
    progress.maxStates = now.maxStates;
    progress.timeLimitS = now.timeLimitS;
    progress.part = now.part;
    progress.numParts = now.numParts;
    context.onProgress(function.str().c_str(), &progress, context.progressData);
  }
  void record(const llvm::json::Value &report) const final {
    std::lock_guard<std::mutex> lock(context.mutex);
    context.reports.push_back(report);
  }

private:
  MirageContext &context;
};
} // namespace

//===----------------------------------------------------------------------===//
// Contexts
//===----------------------------------------------------------------------===//

static DialectRegistry makeRegistry() {
  DialectRegistry registry;
  registerProgramDialects(registry);
  mirage::registerAllDialects(registry);
  mirage::registerAllExtensions(registry);
  return registry;
}

/// Pipelines find passes by name in a registry of the whole process.
static void registerPassesOnce() {
  static const bool isDone = [] {
    registerProgramPasses();
    mirage::registerAllPasses();
    return true;
  }();
  (void)isDone;
}

MirageContext::MirageContext(unsigned numThreads)
    : pool(numThreads == 0 ? nullptr
                           : std::make_unique<llvm::StdThreadPool>(
                                 llvm::hardware_concurrency(numThreads))),
      mlir(makeRegistry(), pool ? MLIRContext::Threading::DISABLED
                                : MLIRContext::Threading::ENABLED) {
  registerPassesOnce();
  if (pool)
    mlir.setThreadPool(*pool);
  mlir.printOpOnDiagnostic(false); // it may be a whole module
  auto *dialect = mlir.getOrLoadDialect<kernel::MirageKernelDialect>();
  dialect->addInterface(std::make_unique<ContextMonitor>(dialect, this));
}

MirageStatus mirageContextCreate(unsigned numThreads, MirageContext **context) {
  constexpr unsigned kMaxThreads = 1024; // more than any machine has cores
  if (!context)
    return refuse("expects a place for the context, got null");
  *context = nullptr;
  if (numThreads > kMaxThreads)
    return refuse("expects up to " + Twine(kMaxThreads) + " threads, got " +
                  Twine(numThreads));
  *context = new MirageContext(numThreads);
  return MirageSuccess;
}

void mirageContextDestroy(MirageContext *context) { delete context; }

MirageStatus mirageContextSetDiagnosticHandler(MirageContext *context,
                                               MirageDiagnosticHandler handler,
                                               void *userData) {
  if (!context)
    return refuse("expects a context, got null");
  context->onDiagnostic = handler;
  context->diagnosticData = userData;
  return MirageSuccess;
}

MirageStatus mirageContextSetProgressHandler(MirageContext *context,
                                             MirageProgressHandler handler,
                                             void *userData) {
  if (!context)
    return refuse("expects a context, got null");
  context->onProgress = handler;
  context->progressData = userData;
  return MirageSuccess;
}

void mirageContextCancelSearches(MirageContext *context) {
  if (context)
    context->isCancelled = true;
}

//===----------------------------------------------------------------------===//
// Diagnostics
//===----------------------------------------------------------------------===//

static MirageSeverity convert(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Note:
    return MirageSeverityNote;
  case DiagnosticSeverity::Warning:
    return MirageSeverityWarning;
  case DiagnosticSeverity::Error:
    return MirageSeverityError;
  case DiagnosticSeverity::Remark:
    return MirageSeverityRemark;
  }
  llvm_unreachable("all severities are converted");
}

namespace {
/// A diagnostic in C, and what it points at.
struct ConvertedDiagnostic {
  explicit ConvertedDiagnostic(Diagnostic &diagnostic)
      : message(diagnostic.str()) {
    for (Diagnostic &note : diagnostic.getNotes())
      converted.push_back(std::make_unique<ConvertedDiagnostic>(note));
    for (const auto &note : converted)
      notes.push_back(note->c);
    c = {convert(diagnostic.getSeverity()),
         message.c_str(),
         "",
         0,
         0,
         notes.data(),
         notes.size()};
    if (auto place =
            diagnostic.getLocation()->findInstanceOf<FileLineColLoc>()) {
      file = place.getFilename().str();
      c.file = file.c_str();
      c.line = place.getLine();
      c.column = place.getColumn();
    }
  }
  ConvertedDiagnostic(const ConvertedDiagnostic &) = delete;

  /// "program.mlir:3:5: expects ...", as mirageGetLastError has it.
  std::string toString() const {
    return c.line == 0 ? message
                       : llvm::formatv("{0}:{1}:{2}: {3}", file, c.line,
                                       c.column, message)
                             .str();
  }

  std::string message, file;
  std::vector<std::unique_ptr<ConvertedDiagnostic>> converted;
  std::vector<MirageDiagnostic> notes;
  MirageDiagnostic c;
};
} // namespace

ContextCall::ContextCall(MirageContext &context)
    : handler(&context.mlir, [this, &context](Diagnostic &diagnostic) {
        ConvertedDiagnostic converted(diagnostic);
        if (firstError.empty() &&
            diagnostic.getSeverity() == DiagnosticSeverity::Error)
          firstError = converted.toString();
        if (faults && diagnostic.getSeverity() == DiagnosticSeverity::Error)
          faults->noteError(converted.message);
        if (context.onDiagnostic)
          context.onDiagnostic(&converted.c, context.diagnosticData);
      }) {
  context.isCancelled = false;
  context.reports.clear();
  context.reproducer.clear();
}

MirageStatus ContextCall::finish(LogicalResult result, const Twine &what) {
  if (succeeded(result))
    return MirageSuccess;
  return reportFailure(describe(what));
}

std::string ContextCall::describe(const Twine &what) const {
  return firstError.empty() ? what.str() : firstError;
}
