//===- Explain.h - The pass --mirage-explain --------------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_PIPELINES_EXPLAIN_H
#define MIRAGE_LIB_PIPELINES_EXPLAIN_H

#include "Mirage/Pipelines/Pipelines.h"
#include <optional>

namespace mlir::mirage {

/// Adds what turns a planned µGraph into launches and a gpu.module.
/// \param target  as the option of --mirage-compile.
void addLowering(OpPassManager &passManager, StringRef target);

/// A pass that says what is known of each kernel of a module
/// (Mirage/Transforms/ExplainKernels.h): as text on standard error, or as JSON
/// in a file. It changes nothing. Where a ptxas is found, registers are those
/// that it reports of the code of planned kernels, which is made for that and
/// thrown away. It fails after an error where there is no kernel graph, where
/// attributes of a plan do not hold, and where the file cannot be written.
/// \param options  those of --mirage-compile: `explain`, `ptxas` and `target`.
std::unique_ptr<Pass> createExplainPass(const CompileOptions &options);
/// Makes it known as --mirage-explain.
void registerExplainPass();

/// What `explain=` of --mirage-compile asks for.
struct ExplainChoice {
  bool isWanted = false;
  std::string report; ///< file for JSON; empty: text on standard error
};
/// \returns an error that names what there is to choose from.
llvm::Expected<ExplainChoice> chooseExplanation(StringRef option);

} // namespace mlir::mirage

#endif // MIRAGE_LIB_PIPELINES_EXPLAIN_H
