//===- F32Functions.h - Math functions without libdevice --------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of single precision that kernels need, as arithmetic, LLVM
// intrinsics and approximations of our own, so that no kernel calls CUDA's
// libdevice. Errors were measured against double precision over the whole range
// (test/Conversion/LowerMath/lower-math-accuracy.mlir holds them):
//
//   exp2           ex2.approx.ftz: 2^-22 relative (PTX ISA, 9.7.3), and 0 where
//                  that is below 2^-126; so is what is made of it, exp and pow
//   exp            2^-22 + |x| * 2^-24 relative
//   log, log2      3e-7 relative, near 1 as well
//   log10          3e-7 relative
//   x / y          div.full: 2 ulp, of all operands; correctly rounded where y
//                  is a constant that has an inverse
//   sqrt           correctly rounded
//   rsqrt          rsqrt.approx: 2^-22.9 relative
//   erf, tanh      3e-7 relative
//   pow(x, y)      2^-22 * (1 + |y * log2 x|) relative
//
// Infinities, NaN, zeros and subnormal operands give what C's functions give.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_CONVERSION_F32FUNCTIONS_H
#define MIRAGE_CONVERSION_F32FUNCTIONS_H

#include "mlir/IR/Builders.h"

namespace mlir::mirage {

/// Builds function bodies in line, at the builder's insertion point. All values
/// are scalars of type f32.
class F32Functions {
public:
  F32Functions(OpBuilder &builder, Location location)
      : builder(builder), location(location) {}

  Value exp2(Value x);
  Value exp(Value x);
  Value log(Value x);
  Value log2(Value x);
  Value log10(Value x);
  Value divide(Value x, Value y);
  Value sqrt(Value x);
  Value rsqrt(Value x);
  Value erf(Value x);
  Value tanh(Value x);
  Value pow(Value x, Value y);
  Value abs(Value x);
  Value floor(Value x);
  Value ceil(Value x);
  Value trunc(Value x);
  Value roundEven(Value x);
  Value fma(Value x, Value y, Value z); ///< x * y + z, rounded once
  Value copySign(Value magnitude, Value sign);

private:
  Value constant(float value);
  Value integer(int32_t value);
  Value add(Value lhs, Value rhs);
  Value sub(Value lhs, Value rhs);
  Value mul(Value lhs, Value rhs);
  Value intrinsic(StringRef name, ValueRange operands);
  /// The polynomial with these coefficients, lowest degree first, by Horner.
  Value polynomial(Value x, ArrayRef<float> coefficients);
  /// What a logarithm of x > 0 is put together from: x = 2^exponent * (1 + f)
  /// with 1 + f in [sqrt(1/2), sqrt(2)).
  struct Logarithm {
    Value exponent; ///< as f32
    Value mantissa; ///< ln(1 + f)
  };
  Logarithm reduceLogarithm(Value x);
  /// Gives a logarithm its values at infinity, zero and below.
  Value finishLogarithm(Value x, Value result);
  /// \returns an i1: y is an odd integer.
  Value isOddInteger(Value y);

  OpBuilder &builder;
  Location location;
};

} // namespace mlir::mirage

#endif // MIRAGE_CONVERSION_F32FUNCTIONS_H
