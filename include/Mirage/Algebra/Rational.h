//===- Rational.h - Exact rational numbers ----------------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_ALGEBRA_RATIONAL_H
#define MIRAGE_ALGEBRA_RATIONAL_H

#include "llvm/ADT/DynamicAPInt.h"
#include <optional>
#include <string>

namespace mlir::mirage::exact {

/// A fraction in lowest terms, of any size, with a positive denominator.
class Rational {
public:
  Rational(int64_t value = 0) : numerator(value), denominator(1) {}
  /// \param denominator  not zero.
  Rational(llvm::DynamicAPInt numerator, llvm::DynamicAPInt denominator);
  /// The number that the bits of a finite double are.
  static Rational fromDouble(double value);

  friend Rational operator+(const Rational &x, const Rational &y);
  friend Rational operator*(const Rational &x, const Rational &y);
  friend bool operator==(const Rational &x, const Rational &y) {
    return x.numerator == y.numerator && x.denominator == y.denominator;
  }
  friend bool operator<(const Rational &x, const Rational &y);

  Rational getInverse() const; ///< of a number that is not zero
  int getSign() const;         ///< -1, 0 or 1
  const llvm::DynamicAPInt &getNumerator() const { return numerator; }
  const llvm::DynamicAPInt &getDenominator() const { return denominator; }
  /// The number, if it is whole and fits.
  std::optional<int64_t> getInteger() const;
  /// Whether numerator and denominator take at most `bits` bits each.
  bool fits(unsigned bits) const;
  /// Equal for equal numbers, however they were computed.
  uint64_t getHash() const;

private:
  llvm::DynamicAPInt numerator, denominator;
};

/// "-3/4", "2".
std::string toString(const Rational &number);

/// The largest integer whose square is at most `number`, which is not negative.
llvm::DynamicAPInt takeFloorOfRoot(const llvm::DynamicAPInt &number);

} // namespace mlir::mirage::exact

#endif // MIRAGE_ALGEBRA_RATIONAL_H
