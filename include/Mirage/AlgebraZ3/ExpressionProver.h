//===- ExpressionProver.h - The laws decided by a solver --------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Questions about abstract expressions, put to Z3 as Wu et al., "Mirage", OSDI
// 2025, put them: operators are uninterpreted functions, and the laws
// (ExpressionLaws.h) are axioms that quantify over expressions and ranges. It
// knows nothing of normal forms, so it is an oracle for them, and slow.
//
// The laws have no finite models to speak of, hence the solver proves or gives
// up: it says yes or unknown.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_ALGEBRAZ3_EXPRESSIONPROVER_H
#define MIRAGE_ALGEBRAZ3_EXPRESSIONPROVER_H

#include "Mirage/Algebra/ExpressionTree.h"

namespace mlir::mirage {

struct ProverOptions {
  /// Wall-clock time of one question.
  unsigned timeLimitMs = 10000;
  /// Work of one question in the solver's own units, which do not depend on the
  /// machine; 0: no limit. The default is some 50 ms; of 240 random pairs 13
  /// times that settled none more.
  unsigned workLimit = 150000;
  /// Whether what depends on a name stays under a sum over it. False: as in the
  /// paper, whose sums have sizes and no names, every factor may leave.
  bool indexRule = true;
};

enum class ProverAnswer : uint8_t {
  Yes,     ///< it follows from the laws
  No,      ///< some model of the laws has it otherwise
  Unknown, ///< neither was shown within the limits
};

class ExpressionProver {
public:
  /// \param context  names and symbols of the expressions.
  explicit ExpressionProver(const ExpressionContext &context,
                            ProverOptions options = {})
      : context(context), options(options) {}

  /// Whether the laws make lhs and rhs equal.
  ProverAnswer isEqual(const Expression &lhs, const Expression &rhs) const;
  /// Whether `part` is a subexpression of something equal to one of `wholes`.
  ProverAnswer isSubexpression(const Expression &part,
                               llvm::ArrayRef<Expression> wholes) const;

private:
  const ExpressionContext &context;
  ProverOptions options;
};

} // namespace mlir::mirage

#endif // MIRAGE_ALGEBRAZ3_EXPRESSIONPROVER_H
