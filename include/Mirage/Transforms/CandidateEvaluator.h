//===- CandidateEvaluator.h - Measures what a search found ------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A cost model says which candidates are worth a look; a GPU says which is the
// fastest. Who searches knows neither a compiler nor a runtime: it hands the
// candidates that passed the final test to an evaluator, which comes with both,
// and takes the fastest. The kernel dialect has it as an interface: that of
// Pipelines where Mirage's extensions are registered (Mirage/InitAll.h), or a
// program's own.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TRANSFORMS_CANDIDATEEVALUATOR_H
#define MIRAGE_TRANSFORMS_CANDIDATEEVALUATOR_H

#include "Mirage/Artifact/MeasuredTime.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectInterface.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/Error.h"
#include <functional>
#include <string>

namespace mlir::mirage {

/// How candidates are compiled and measured; the rest is as --mirage-compile
/// does it without options.
struct EvaluationOptions {
  std::string measure; ///< "true", or the path of mirage-run
  unsigned gpu = 0;    ///< its number
  std::string target, libraryKernels;
  unsigned stages = 0;
  unsigned threads = 0; ///< of the host; 0: all
};

class CandidateEvaluator : public DialectInterface::Base<CandidateEvaluator> {
public:
  CandidateEvaluator(Dialect *dialect) : Base(dialect) {}

  /// An error where nothing can be measured here, before a search that would
  /// be for nothing.
  virtual llvm::Error check(const EvaluationOptions &options) const = 0;

  /// Runs a pipeline over the module of the candidates, as Pass::runPipeline
  /// does.
  using RunPipeline =
      llvm::function_ref<LogicalResult(OpPassManager &, ModuleOp)>;

  /// \param candidates   a module in the one that is searched, with the
  ///                     functions that writeCandidateFunctions left and no
  ///                     others. It is consumed.
  /// \param isCancelled  asked now and then; true ends the measuring.
  /// \returns a time for each that took part, the baseline among them. Fails
  ///          where nothing could be measured at all; what was measured and is
  ///          wrong, hangs or dies says so itself.
  virtual llvm::Expected<std::vector<MeasuredTime>>
  measure(ModuleOp candidates, const EvaluationOptions &options,
          RunPipeline run, const std::function<bool()> &isCancelled) const = 0;
};

} // namespace mlir::mirage

#endif // MIRAGE_TRANSFORMS_CANDIDATEEVALUATOR_H
