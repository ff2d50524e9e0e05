//===- FaultWatch.h - Whose mistake a failure is ----------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pipeline that fails says what it expected and what it found, of a program
// or an option that is wrong. Where the compiler itself is, there are other
// signs:
//
// * a pass succeeded and left a module that does not verify;
// * one of Mirage's own pipelines came to operations of Mirage's that no pass
//   lowers, or to casts between types that stand for no operation of anybody's;
// * a pass failed without an error.
//
// These are for a bug report, which wants the module as it was and the passes
// that ran (`mirage-opt --run-reproducer`).
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_PIPELINES_FAULTWATCH_H
#define MIRAGE_PIPELINES_FAULTWATCH_H

#include "Mirage/Options/CheckedPass.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringSet.h"
#include <mutex>
#include <string>
#include <vector>

namespace mlir::mirage {

/// Looks on while a pipeline runs, and says afterwards whether its failure is
/// Mirage's. Errors come from `noteError`, as whoever has a handler of
/// diagnostics sees them: of passes that run side by side, after all of these
/// have ended.
class FaultWatch {
public:
  /// \param passManager  that runs afterwards, once.
  /// \param isOurs  the passes and their order are Mirage's, not a user's.
  FaultWatch(PassManager &passManager, bool isOurs);
  FaultWatch(const FaultWatch &) = delete;

  /// An error that the run reported, without its notes.
  void noteError(StringRef message);

  /// After a run that failed.
  bool isInternal() const;

private:
  friend class FaultInstrumentation;
  /// Keeps what the verifier says of an operation after a pass. From any
  /// thread.
  void noteFailedPass(Operation *op);

  bool isOurs;
  std::vector<std::string> errors;
  std::mutex mutex;
  llvm::StringSet<> flaws; ///< of modules that passes have left
};

/// The passes that ran, as a textual pipeline has them.
struct PipelineText {
  std::string text; ///< "builtin.module(mirage-compile{target='sm_90a'})"
  std::vector<std::string> leftOut; ///< options whose values text cannot hold
};

/// A pipeline of a module by its name, and its options. Values that text cannot
/// hold are names of files, which mean nothing where somebody else runs it.
PipelineText printPipeline(StringRef name, ArrayRef<NamedValue> options);

/// The module with the pipeline as the resource that
/// `mirage-opt --run-reproducer` runs, behind a comment on what that lacks.
std::string printReproducer(Operation *module, const PipelineText &pipeline);

} // namespace mlir::mirage

#endif // MIRAGE_PIPELINES_FAULTWATCH_H
