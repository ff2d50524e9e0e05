//===- Context.h - What modules of the C API share --------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_CAPI_CONTEXT_H
#define MIRAGE_LIB_CAPI_CONTEXT_H

#include "Mirage-c/Compiler.h"
#include "Mirage/Pipelines/FaultWatch.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/ThreadPool.h"
#include <atomic>
#include <mutex>

struct MirageContext {
  /// \param numThreads  0: one for each core.
  explicit MirageContext(unsigned numThreads);

  std::unique_ptr<llvm::StdThreadPool> pool; ///< outlives `mlir`
  mlir::MLIRContext mlir;

  MirageDiagnosticHandler onDiagnostic = nullptr;
  void *diagnosticData = nullptr;
  MirageProgressHandler onProgress = nullptr;
  void *progressData = nullptr;

  std::atomic<bool> isCancelled{false};
  static_assert(std::atomic<bool>::is_always_lock_free,
                "a signal handler may set it");
  std::mutex mutex;          ///< of progress and reports
  llvm::json::Array reports; ///< of the searches of the call that runs
  std::string reproducer;    ///< of the last call, if a fault of ours ended it
};

struct MirageModule {
  MirageContext *context;
  mlir::OwningOpRef<mlir::ModuleOp> op;
};

namespace mlir::mirage {

/// What lasts as long as a call that works on modules: hands on diagnostics,
/// keeps the first error, and takes an earlier cancellation back.
class ContextCall {
public:
  explicit ContextCall(MirageContext &context);
  ContextCall(const ContextCall &) = delete;

  /// Is told of all errors from now on.
  void watchBy(FaultWatch *watch) { faults = watch; }

  /// Success, or the first error that there was.
  /// \param what  the error, if no diagnostic has said one.
  MirageStatus finish(LogicalResult result, const Twine &what);

  /// The first error that there was, else `what`.
  std::string describe(const Twine &what) const;

private:
  std::string firstError;
  FaultWatch *faults = nullptr;
  ScopedDiagnosticHandler handler;
};

} // namespace mlir::mirage

#endif // MIRAGE_LIB_CAPI_CONTEXT_H
