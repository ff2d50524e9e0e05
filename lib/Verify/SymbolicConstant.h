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

namespace mlir::mirage {

/// Literals are the exact rationals of their bits, with one exception: the
/// numbers nearest to ln 2 and log2 e, in f32 or f64, and their negatives stand
/// for these, as exp(x) = exp2(x·log2 e) has to hold.
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

} // namespace mlir::mirage

#endif // MIRAGE_LIB_VERIFY_SYMBOLICCONSTANT_H
