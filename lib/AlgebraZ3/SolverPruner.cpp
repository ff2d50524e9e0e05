//===- SolverPruner.cpp - Prefixes kept by a solver's word ----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/AlgebraZ3/SolverPruner.h"

using namespace mlir::mirage;

SolverPruner::SolverPruner(ExpressionContext &context,
                           llvm::ArrayRef<FormId> forms, ProverOptions options)
    : context(context), prover(context, options) {
  for (FormId form : forms) {
    std::optional<Expression> target = toExpression(context, form);
    if (!target) {
      targets.clear();
      return;
    }
    targets.push_back(*target);
  }
}

bool SolverPruner::decide(FormId candidate) {
  std::optional<Expression> part = toExpression(context, candidate);
  if (!part || targets.empty())
    return true;
  ++numQuestions;
  ProverAnswer answer = prover.isSubexpression(*part, targets);
  numUnknown += answer == ProverAnswer::Unknown;
  return answer == ProverAnswer::Yes;
}

bool SolverPruner::contains(FormId candidate) {
  auto [it, isNew] = memo.try_emplace(static_cast<uint32_t>(candidate), false);
  if (isNew)
    it->second = decide(candidate);
  return it->second;
}
