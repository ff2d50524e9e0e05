//===- Float8Conversions.h - 8-bit floats and wider ones --------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `cvt` of PTX does (9.7.9), for two numbers at a time, by that
// instruction or, for chips that lack it, by arithmetic on bits.
//
// Every number of f8E4M3FN and of f8E5M2 is one of f16, so widening is exact.
// The way back rounds to nearest, ties to even, and saturates: what is beyond
// the largest number, infinities among it, becomes that number with its sign.
// NaN stays NaN.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_CONVERSION_LOWERFLOAT8_FLOAT8CONVERSIONS_H
#define MIRAGE_LIB_CONVERSION_LOWERFLOAT8_FLOAT8CONVERSIONS_H

#include "mlir/IR/Builders.h"
#include <array>

namespace mlir::mirage {

using ValuePair = std::array<Value, 2>;

/// Builds conversions at the builder's insertion point. Values are scalars.
class Float8Conversions {
public:
  virtual ~Float8Conversions() = default;

  /// Two numbers of one 8-bit type as f16.
  virtual ValuePair widen(OpBuilder &builder, Location location,
                          ValuePair numbers) const = 0;
  /// Two numbers of f32 as ones of `type`.
  virtual ValuePair narrow(OpBuilder &builder, Location location,
                           ValuePair numbers, FloatType type) const = 0;
};

/// By `cvt` of a pair, which sm_89 and later have.
class Float8Instructions : public Float8Conversions {
public:
  ValuePair widen(OpBuilder &builder, Location location,
                  ValuePair numbers) const override;
  ValuePair narrow(OpBuilder &builder, Location location, ValuePair numbers,
                   FloatType type) const override;
};

/// By integer and float arithmetic, on any chip.
class Float8Arithmetic : public Float8Conversions {
public:
  ValuePair widen(OpBuilder &builder, Location location,
                  ValuePair numbers) const override;
  ValuePair narrow(OpBuilder &builder, Location location, ValuePair numbers,
                   FloatType type) const override;
};

} // namespace mlir::mirage

#endif // MIRAGE_LIB_CONVERSION_LOWERFLOAT8_FLOAT8CONVERSIONS_H
