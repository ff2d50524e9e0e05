//===- ExactArithmetic.h - Elements in canonical form -----------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_VERIFY_EXACTARITHMETIC_H
#define MIRAGE_LIB_VERIFY_EXACTARITHMETIC_H

#include "Mirage/Algebra/ExactAlgebra.h"
#include "SymbolicArithmetic.h"

namespace mlir::mirage {

/// Arithmetic with expressions in canonical form, one word an element. Once the
/// algebra is exhausted all results are undefined, and cost nothing.
class ExactArithmetic : public SymbolicArithmetic {
public:
  explicit ExactArithmetic(exact::Algebra &algebra) : algebra(algebra) {}

protected:
  bool isExhausted() const override { return algebra.isExhausted(); }
  uint32_t makeNumber(double value) override;
  uint32_t makeLn2() override;
  uint32_t makeUndefined() override;
  bool isMinusInfinity(uint32_t expression) const override;
  uint32_t applyTo(ScalarFunction function, uint32_t lhs,
                   uint32_t rhs) override;
  uint32_t add(llvm::ArrayRef<uint32_t> summands) override;
  uint32_t max(llvm::ArrayRef<uint32_t> operands) override;

private:
  exact::FormId join(ScalarFunction function, exact::FormId lhs,
                     exact::FormId rhs);

  exact::Algebra &algebra;
};

} // namespace mlir::mirage

#endif // MIRAGE_LIB_VERIFY_EXACTARITHMETIC_H
