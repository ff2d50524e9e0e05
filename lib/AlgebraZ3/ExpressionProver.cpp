//===- ExpressionProver.cpp - The laws decided by a solver ----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/AlgebraZ3/ExpressionProver.h"
#include "Z3Encoding.h"
#include "llvm/ADT/STLFunctionalExtras.h"

using namespace mlir::mirage;

/// Instances by patterns alone: looking for models of these axioms takes all
/// the time there is.
static void configure(z3::context &z3, z3::solver &solver,
                      const ProverOptions &options) {
  z3::params params(z3);
  params.set("auto_config", false);
  params.set("mbqi", false);
  params.set("ctrl_c", false); // SIGINT is for whoever asks
  params.set("timeout", options.timeLimitMs);
  if (options.workLimit != 0)
    params.set("rlimit", options.workLimit);
  solver.set(params);
}

/// Whether what `denied` says, which denies the claim, contradicts the laws. A
/// solver of its own for each question: answers do not depend on earlier ones.
static ProverAnswer
refute(const ExpressionContext &context, const ProverOptions &options,
       llvm::function_ref<void(Z3Encoding &, z3::solver &)> deny) {
  try {
    z3::context z3;
    z3::solver solver(z3, z3::solver::simple());
    configure(z3, solver, options);
    Z3Encoding encoding(context, solver, options);
    deny(encoding, solver);
    encoding.assertAxioms();
    switch (solver.check()) {
    case z3::unsat:
      return ProverAnswer::Yes;
    case z3::sat:
      return ProverAnswer::No;
    case z3::unknown:
      return ProverAnswer::Unknown;
    }
  } catch (const z3::exception &) {
    // Out of memory, or interrupted.
  }
  return ProverAnswer::Unknown;
}

ProverAnswer ExpressionProver::isEqual(const Expression &lhs,
                                       const Expression &rhs) const {
  return refute(context, options,
                [&](Z3Encoding &encoding, z3::solver &solver) {
                  solver.add(encoding.encode(lhs) != encoding.encode(rhs));
                });
}

ProverAnswer
ExpressionProver::isSubexpression(const Expression &part,
                                  llvm::ArrayRef<Expression> wholes) const {
  return refute(context, options,
                [&](Z3Encoding &encoding, z3::solver &solver) {
                  for (const Expression &whole : wholes)
                    solver.add(encoding.contained(encoding.encode(whole)));
                  solver.add(!encoding.contained(encoding.encode(part)));
                });
}
