//===- SolverPruner.h - Prefixes kept by a solver's word --------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_ALGEBRAZ3_SOLVERPRUNER_H
#define MIRAGE_ALGEBRAZ3_SOLVERPRUNER_H

#include "Mirage/Algebra/Pruner.h"
#include "Mirage/AlgebraZ3/ExpressionProver.h"

namespace mlir::mirage {

/// Keeps what a solver proves to be a subexpression of a target. What it can
/// neither prove nor refute within its limits is dropped, and counted: the
/// solver never refutes, so that keeping it would drop nothing. A form that no
/// tree reads (ExpressionTree.h) cannot be asked about, and is kept.
class SolverPruner : public Pruner {
public:
  SolverPruner(ExpressionContext &context, llvm::ArrayRef<FormId> targets,
               ProverOptions options = {});

  bool contains(FormId candidate) override;

  uint64_t getNumQuestions() const { return numQuestions; }
  uint64_t getNumUnknown() const { return numUnknown; }

private:
  bool decide(FormId candidate);

  ExpressionContext &context;
  ExpressionProver prover;
  /// Empty if some target has no tree: then everything is kept.
  std::vector<Expression> targets;
  llvm::DenseMap<uint32_t, bool> memo;
  uint64_t numQuestions = 0, numUnknown = 0;
};

} // namespace mlir::mirage

#endif // MIRAGE_ALGEBRAZ3_SOLVERPRUNER_H
