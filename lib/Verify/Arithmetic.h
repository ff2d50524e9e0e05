//===- Arithmetic.h - A meaning of the primitive functions ------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_VERIFY_ARITHMETIC_H
#define MIRAGE_LIB_VERIFY_ARITHMETIC_H

#include "Mirage/Algebra/FieldKernels.h"
#include "Mirage/Graph/Operators.h"

namespace mlir::mirage {

/// What the elements of a graph's tensors are, and what the primitive functions
/// do with them. GraphEvaluator walks a graph with one: field elements give
/// random tests, terms give what the error bound needs to know.
///
/// An element is `getWords()` 32-bit words. All counts are in words, and
/// results may be operands. A source that repeats is what `constant` wrote.
class Arithmetic {
public:
  using Source = kernels::Source;

  explicit Arithmetic(unsigned words) : words(words) {}
  virtual ~Arithmetic();

  unsigned getWords() const { return words; }
  /// Words that `constant` and `ln2` write, whatever an element's size is.
  static constexpr unsigned kConstantWords = kernels::kLanes;

  /// A finite number or minus infinity.
  virtual void constant(uint32_t *result, double value) = 0;
  virtual void ln2(uint32_t *result) = 0;
  /// A primitive with operands; `rhs` is `lhs` again if it takes one.
  virtual void apply(ScalarFunction function, uint32_t *result, Source lhs,
                     Source rhs, size_t count) = 0;
  /// x·c for a constant c > 0 that `constant` or `ln2` wrote.
  virtual void scale(uint32_t *result, Source lhs, Source positive,
                     size_t count) {
    apply(ScalarFunction::Mul, result, lhs, positive, count);
  }
  /// What `operand` is, and zero where `exponent` is minus infinity: what a
  /// factor exp(exponent) makes of it even where it is undefined.
  virtual void vanish(uint32_t *result, const uint32_t *operand,
                      const uint32_t *exponent, size_t count) = 0;
  /// Joins over r in operand[o][r][i].
  virtual void reduce(Combiner combiner, uint32_t *result,
                      const uint32_t *operand, size_t outer, size_t reduced,
                      size_t inner) = 0;
  /// result[m][n] = Σ_k lhs[m][k]·rhs[k][n], sizes in elements.
  virtual void matmul(uint32_t *result, const uint32_t *lhs,
                      const uint32_t *rhs, size_t m, size_t n, size_t k) = 0;
  /// Several of them.
  virtual void matmuls(const kernels::MatrixProducts &products) {
    for (auto [result, lhs, rhs] : products.places)
      matmul(products.result + result, products.lhs.data() + lhs,
             products.rhs.data() + rhs, products.m, products.n, products.k);
  }

private:
  unsigned words;
};

} // namespace mlir::mirage

#endif // MIRAGE_LIB_VERIFY_ARITHMETIC_H
