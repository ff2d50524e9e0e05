//===- ExactArithmetic.h - Elements in canonical form -----------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_VERIFY_EXACTARITHMETIC_H
#define MIRAGE_LIB_VERIFY_EXACTARITHMETIC_H

#include "Arithmetic.h"
#include "Mirage/Algebra/ExactAlgebra.h"

namespace mlir::mirage {

/// Arithmetic with expressions in canonical form, one word an element. Once the
/// algebra is exhausted all results are undefined, and cost nothing.
class ExactArithmetic : public Arithmetic {
public:
  explicit ExactArithmetic(exact::Algebra &algebra)
      : Arithmetic(1), algebra(algebra) {}

  void constant(uint32_t *result, double value) override;
  void ln2(uint32_t *result) override;
  void apply(ScalarFunction function, uint32_t *result, Source lhs, Source rhs,
             size_t count) override;
  void vanish(uint32_t *result, const uint32_t *operand,
              const uint32_t *exponent, size_t count) override;
  void reduce(Combiner combiner, uint32_t *result, const uint32_t *operand,
              size_t outer, size_t reduced, size_t inner) override;
  void matmul(uint32_t *result, const uint32_t *lhs, const uint32_t *rhs,
              size_t m, size_t n, size_t k) override;

private:
  exact::FormId apply(ScalarFunction function, exact::FormId lhs,
                      exact::FormId rhs);
  exact::FormId makeConstant(double value);

  exact::Algebra &algebra;
};

} // namespace mlir::mirage

#endif // MIRAGE_LIB_VERIFY_EXACTARITHMETIC_H
