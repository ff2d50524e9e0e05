//===- ExactFunctions.h - Functions of polynomials --------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_ALGEBRA_EXACTFUNCTIONS_H
#define MIRAGE_LIB_ALGEBRA_EXACTFUNCTIONS_H

#include "ExactPolynomials.h"
#include <set>

namespace mlir::mirage::exact {

/// What an algebra does with polynomials; the special forms are its own
/// business.
class Algebra::Functions {
public:
  explicit Functions(const Limits &limits)
      : tables(limits), polynomials(tables) {}

  FormId makeAtom(AtomKind kind, llvm::ArrayRef<uint32_t> operands,
                  Sign sign = {});
  FormId makeConstant(const Rational &value);
  /// \returns Undefined if x is zero.
  FormId invert(FormId x);
  FormId exp(FormId x);
  FormId sqrt(FormId x);
  FormId abs(FormId x);
  /// \param kind  Max or Min.
  FormId pick(AtomKind kind, llvm::ArrayRef<FormId> operands);
  FormId log(FormId x);
  FormId erf(FormId x);
  FormId pow(FormId x, FormId y);
  std::string print(FormId form) const;

  Tables tables;
  Polynomials polynomials;
  std::set<uint64_t> conditions;

private:
  /// A product under a root or bars: |coefficient| · Π powers, the sign apart.
  struct Parts {
    Rational magnitude;
    bool isNegative = false;
    Powers powers; ///< of atoms and one factor
  };
  /// None of what is zero.
  std::optional<Parts> takeParts(FormId form);
  void addFactor(FormId primitive, Parts &parts);
  /// Adds the root of a positive number to a product.
  void addRoot(const Rational &number, Rational &coefficient, Powers &powers);
  void addRootOfInteger(llvm::DynamicAPInt number, Rational &coefficient,
                        Powers &powers);
  Powers takeKnownRoots(const Parts &parts, Powers &powers);
  FormId takeRoot(const Parts &parts);
  /// Adds |atom|^exponent to a product.
  void addMagnitude(AtomId atom, int64_t exponent, Powers &powers);
  AtomId makeRoot(RadicandSign sign, llvm::ArrayRef<AtomId> radicand);

  /// The operands of a form that is one atom of this kind, else none.
  llvm::ArrayRef<uint32_t> getOperandsIf(AtomKind kind, FormId form) const;
  void flatten(AtomKind kind, FormId operand,
               llvm::SmallVectorImpl<FormId> &flat);
  void absorb(AtomKind kind, llvm::SmallVectorImpl<FormId> &operands);
  void joinConstants(AtomKind kind, llvm::SmallVectorImpl<FormId> &operands);

  /// What has to hold for an operation to be defined; numbers in `conditions`.
  enum class Condition : uint32_t { Nonzero, Nonnegative, OfLog, OfPow };
  void require(Condition condition, uint32_t of) {
    conditions.insert((uint64_t(condition) << 32) | of);
  }
};

} // namespace mlir::mirage::exact

#endif // MIRAGE_LIB_ALGEBRA_EXACTFUNCTIONS_H
