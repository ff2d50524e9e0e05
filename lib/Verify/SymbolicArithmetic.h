//===- SymbolicArithmetic.h - Elements that are expressions -----*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_VERIFY_SYMBOLICARITHMETIC_H
#define MIRAGE_LIB_VERIFY_SYMBOLICARITHMETIC_H

#include "Arithmetic.h"
#include "llvm/ADT/ArrayRef.h"

namespace mlir::mirage {

/// Arithmetic whose words are numbers of expressions, one an element. What an
/// expression is, and how two of them are joined, derived classes say.
class SymbolicArithmetic : public Arithmetic {
public:
  SymbolicArithmetic() : Arithmetic(1) {}

  void constant(uint32_t *result, double value) final;
  void ln2(uint32_t *result) final;
  void apply(ScalarFunction function, uint32_t *result, Source lhs, Source rhs,
             size_t count) final;
  void vanish(uint32_t *result, const uint32_t *operand,
              const uint32_t *exponent, size_t count) final;
  void reduce(Combiner combiner, uint32_t *result, const uint32_t *operand,
              size_t outer, size_t reduced, size_t inner) final;
  void matmul(uint32_t *result, const uint32_t *lhs, const uint32_t *rhs,
              size_t m, size_t n, size_t k) override;

protected:
  /// Whether there is no room for more expressions: then all results are 0,
  /// and mean nothing.
  virtual bool isExhausted() const = 0;
  /// A rational number or minus infinity.
  virtual uint32_t makeNumber(double value) = 0;
  virtual uint32_t makeLn2() = 0;
  virtual uint32_t makeUndefined() = 0;
  virtual bool isMinusInfinity(uint32_t expression) const = 0;
  virtual uint32_t applyTo(ScalarFunction function, uint32_t lhs,
                           uint32_t rhs) = 0;
  virtual uint32_t add(llvm::ArrayRef<uint32_t> summands) = 0;
  virtual uint32_t max(llvm::ArrayRef<uint32_t> operands) = 0;

private:
  uint32_t multiply(uint32_t lhs, uint32_t rhs);
};

} // namespace mlir::mirage

#endif // MIRAGE_LIB_VERIFY_SYMBOLICARITHMETIC_H
