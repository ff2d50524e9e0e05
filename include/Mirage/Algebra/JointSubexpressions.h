//===- JointSubexpressions.h - Can two tensors both be used? ----*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each of two tensors may lead to the target (Subexpression.h) and yet not both
// of them: of x·w + (x·a)·b nothing that reads x·a still has a use for x·a·b.
// As all that a kernel computes has to be used, such a pair is the end of it.
//
// If both are contained in one level L of the targets only, and that has one
// place, then some operator of that place joins what comes of one and what
// comes of the other: L = m·a + n·b + r or L = m·a·b + r, with monomials m and
// n (docs/Expressions.md, "Two at once").
//
// The test is of images: monomials are compared as multisets of inputs,
// functions and terms of exponents, without letters, sizes, signs, constants,
// radicands and denominators. That map takes sums to sums and products to
// products, so nothing is refused that the laws allow.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_ALGEBRA_JOINTSUBEXPRESSIONS_H
#define MIRAGE_ALGEBRA_JOINTSUBEXPRESSIONS_H

#include "Mirage/Algebra/Subexpression.h"
#include <map>

namespace mlir::mirage {

class JointSubexpressionTest {
public:
  /// The image of a monomial: factors by number, ascending, with repeats.
  using Product = std::vector<uint32_t>;
  /// That of a form, ascending, with repeats.
  using Sum = std::vector<Product>;

  /// \param options  what subexpressions may have; whatever these say of signs,
  ///                 it is the laws' signs that count.
  JointSubexpressionTest(ExpressionContext &context,
                         llvm::ArrayRef<FormId> targets,
                         SubexpressionOptions options = {});

  /// Whether something equal to the targets may contain both, neither as a part
  /// of the other. Both are contained in a target.
  bool mayContainBoth(FormId lhs, FormId rhs);

private:
  const Sum &getImage(FormId form);
  Product makeImage(const Monomial &monomial);
  uint32_t getNumber(std::vector<uint32_t> factor);
  bool decide(FormId lhs, FormId rhs);

  ExpressionContext &context;
  SubexpressionTest test;
  std::map<uint32_t, Sum> images;                           ///< by form
  std::map<std::vector<uint32_t>, uint32_t> numbers;        ///< of factors
  llvm::DenseMap<std::pair<uint32_t, uint32_t>, bool> memo; ///< ascending pairs
};

} // namespace mlir::mirage

#endif // MIRAGE_ALGEBRA_JOINTSUBEXPRESSIONS_H
