//===- ValueRange.h - Between which numbers values lie ----------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A random graph should be undefined nowhere and lose no digits: a quotient by
// something near zero says nothing about the code that divides. Inputs are
// within five standard deviations, so what every value can be follows from the
// operator table's definitions, by interval arithmetic.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TEST_LIB_RANDOMGRAPHS_VALUERANGE_H
#define MIRAGE_TEST_LIB_RANDOMGRAPHS_VALUERANGE_H

#include "Mirage/Graph/Operators.h"
#include <optional>

namespace mlir::mirage::test {

struct ValueRange {
  double low = 0, high = 0;
  /// Whether elements may be minus infinity besides, as masks make them.
  bool hasMinusInfinity = false;

  double getMagnitude() const;
  ValueRange join(const ValueRange &other) const;
  /// Of a sum of so many.
  ValueRange times(double count) const;
};

/// No value of a graph is larger: f16 holds it, and so its square root's error.
constexpr double kLargestMagnitude = 2000;

/// Of an elementwise operator's result. None where operands reach what it is
/// undefined for or nearly so, and where the result may be too large.
std::optional<ValueRange> inferElementwise(Opcode opcode,
                                           llvm::ArrayRef<ValueRange> operands,
                                           llvm::ArrayRef<double> scalars);

/// Of what a reduction makes of `count` elements, and divides by `divisor` if
/// it averages.
std::optional<ValueRange> inferReduction(Opcode reduction,
                                         const ValueRange &operand,
                                         double count, double divisor);

} // namespace mlir::mirage::test

#endif // MIRAGE_TEST_LIB_RANDOMGRAPHS_VALUERANGE_H
