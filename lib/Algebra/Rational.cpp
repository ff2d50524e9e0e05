//===- Rational.cpp - Exact rational numbers ------------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Algebra/Rational.h"
#include "llvm/ADT/APInt.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/Support/raw_ostream.h"
#include <cassert>
#include <cmath>
#include <limits>

using namespace mlir::mirage;
using namespace mlir::mirage::exact;
using llvm::DynamicAPInt;

static DynamicAPInt makePowerOfTwo(unsigned exponent) {
  return DynamicAPInt(llvm::APInt::getOneBitSet(exponent + 2, exponent));
}

Rational::Rational(DynamicAPInt top, DynamicAPInt bottom)
    : numerator(std::move(top)), denominator(std::move(bottom)) {
  assert(denominator != 0 && "no number");
  if (denominator < 0) {
    numerator = -numerator;
    denominator = -denominator;
  }
  if (denominator == 1)
    return;
  DynamicAPInt common = gcd(abs(numerator), denominator);
  if (common == 1)
    return;
  numerator /= common;
  denominator /= common;
}

Rational Rational::fromDouble(double value) {
  assert(std::isfinite(value) && "no number");
  constexpr int kDigits = std::numeric_limits<double>::digits;
  int exponent;
  double fraction = std::frexp(value, &exponent);
  DynamicAPInt mantissa(static_cast<int64_t>(std::ldexp(fraction, kDigits)));
  exponent -= kDigits;
  if (exponent >= 0)
    return Rational(mantissa * makePowerOfTwo(exponent), DynamicAPInt(1));
  return Rational(mantissa, makePowerOfTwo(-exponent));
}

Rational mlir::mirage::exact::operator+(const Rational &x, const Rational &y) {
  if (x.denominator == y.denominator)
    return Rational(x.numerator + y.numerator, x.denominator);
  return Rational(x.numerator * y.denominator + y.numerator * x.denominator,
                  x.denominator * y.denominator);
}

Rational mlir::mirage::exact::operator*(const Rational &x, const Rational &y) {
  return Rational(x.numerator * y.numerator, x.denominator * y.denominator);
}

bool mlir::mirage::exact::operator<(const Rational &x, const Rational &y) {
  return x.numerator * y.denominator < y.numerator * x.denominator;
}

Rational Rational::getInverse() const {
  return Rational(denominator, numerator);
}

int Rational::getSign() const {
  return numerator == 0 ? 0 : numerator < 0 ? -1 : 1;
}

static bool fitsInt64(const DynamicAPInt &number) {
  return number >= std::numeric_limits<int64_t>::min() &&
         number <= std::numeric_limits<int64_t>::max();
}

std::optional<int64_t> Rational::getInteger() const {
  if (denominator != 1 || !fitsInt64(numerator))
    return std::nullopt;
  return static_cast<int64_t>(numerator);
}

bool Rational::fits(unsigned bits) const {
  if (bits >= 63 && fitsInt64(numerator) && fitsInt64(denominator))
    return true;
  DynamicAPInt limit = makePowerOfTwo(bits);
  return abs(numerator) < limit && denominator < limit;
}

/// The same for a number kept in more words than it needs.
static int64_t getResidue(const DynamicAPInt &number) {
  constexpr int64_t kPrime = (int64_t(1) << 61) - 1;
  return static_cast<int64_t>(number % DynamicAPInt(kPrime));
}

uint64_t Rational::getHash() const {
  return llvm::hash_combine(getResidue(numerator), getResidue(denominator));
}

std::string mlir::mirage::exact::toString(const Rational &number) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << number.getNumerator();
  if (number.getDenominator() != 1)
    os << '/' << number.getDenominator();
  return text;
}

DynamicAPInt mlir::mirage::exact::takeFloorOfRoot(const DynamicAPInt &number) {
  assert(number >= 0 && "no root");
  if (number < 2)
    return number;
  // Newton's method from above descends to the root.
  DynamicAPInt root(1);
  while (root * root < number)
    root *= 2;
  while (true) {
    DynamicAPInt next = (root + number / root) / DynamicAPInt(2);
    if (next >= root)
      return root;
    root = next;
  }
}
