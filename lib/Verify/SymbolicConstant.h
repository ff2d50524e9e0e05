//===- SymbolicConstant.h - Literals that stand for ln 2 --------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_VERIFY_SYMBOLICCONSTANT_H
#define MIRAGE_LIB_VERIFY_SYMBOLICCONSTANT_H

#include "Mirage/Graph/ScalarDefinition.h"
#include <cmath>
#include <optional>
#include <set>
#include <utility>

namespace mlir::mirage {

/// Literals are the exact rationals of their bits, with one exception: the
/// numbers nearest to ln 2 and log2 e, in f32 or f64, and their negatives stand
/// for these, as exp(x) = exp2(x·log2 e) has to hold. What is equal by that may
/// differ by what was rounded away; two roundings in one pair of graphs are not
/// taken as one (findTwoRoundings).
struct SymbolicConstant {
  enum Kind { Rational, Ln2, InverseLn2 } kind = Rational;
  bool isNegative = false;
};

inline SymbolicConstant classifyConstant(double value) {
  constexpr double kLog2E = 1.44269504088896340736;
  auto isNearest = [&](double number) {
    return std::fabs(value) == number ||
           std::fabs(value) == static_cast<float>(number);
  };
  if (isNearest(kLn2))
    return {SymbolicConstant::Ln2, value < 0};
  if (isNearest(kLog2E))
    return {SymbolicConstant::InverseLn2, value < 0};
  return {};
}

/// Two of some literals that stand for ln 2 or log2 e, of which one was rounded
/// to f32 and another one to f64: one symbol, and not one number.
inline std::optional<std::pair<double, double>>
findTwoRoundings(const std::set<double> &literals) {
  std::optional<double> narrow, wide;
  for (double literal : literals)
    if (classifyConstant(literal).kind != SymbolicConstant::Rational)
      (literal == static_cast<float>(literal) ? narrow : wide) = literal;
  if (!narrow || !wide)
    return std::nullopt;
  return std::pair(*narrow, *wide);
}

} // namespace mlir::mirage

#endif // MIRAGE_LIB_VERIFY_SYMBOLICCONSTANT_H
