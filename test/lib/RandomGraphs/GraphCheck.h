//===- GraphCheck.h - From a µGraph to numbers ------------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TEST_LIB_RANDOMGRAPHS_GRAPHCHECK_H
#define MIRAGE_TEST_LIB_RANDOMGRAPHS_GRAPHCHECK_H

#include "Mirage/Artifact/Artifact.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::mirage::test {

/// What is compiled is compared with.
/// \returns an error for a module of anything but one function of µGraphs.
llvm::Expected<Graph> readProgram(ModuleOp module);

struct CheckOptions {
  std::string target; ///< "sm_90a"
  /// Of NVIDIA's assembler; none: nothing is assembled.
  std::optional<std::string> ptxas;
  llvm::SmallVector<std::string> chips; ///< to assemble for
};

struct CheckResult {
  /// What is wrong, each with the step at which it came up.
  std::vector<std::string> failures;
  /// What the judge cannot decide, and why. Nothing speaks against these.
  std::vector<std::string> unproved;
  std::optional<Graph> optimized;
  /// Kernels that spill registers or wait for each wgmma: no fault of numbers.
  std::vector<std::string> warnings;
};

/// A module with one function, `@graph`, that has the graph as its only kernel
/// graph.
OwningOpRef<ModuleOp> writeModule(MLIRContext &context, const Graph &graph);

/// Compiles the graph as `--mirage-compile=from=optimize` does and emulates
/// what comes out. The judge compares the IR after each pass that leaves a
/// µGraph with the program, and plans of shared memory are played
/// (CheckPlans/CheckPlan.h); the numbers are compared with the float64
/// reference of the program, and the emulator's findings are failures.
/// \param program  of the module itself, or what it should be equal to.
CheckResult checkGraph(ModuleOp module, const Graph &program,
                       const CheckOptions &options);

} // namespace mlir::mirage::test

#endif // MIRAGE_TEST_LIB_RANDOMGRAPHS_GRAPHCHECK_H
