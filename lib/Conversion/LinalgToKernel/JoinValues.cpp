//===- JoinValues.cpp - Two operands, of which one may be a number --------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalarTranslator.h"
#include "llvm/Support/Format.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::mirage;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

FailureOr<BodyValue> ScalarTranslator::join(Opcode opcode, const BodyValue &x,
                                            const BodyValue &y, Type element) {
  auto *numberX = std::get_if<double>(&x), *numberY = std::get_if<double>(&y);
  if (numberX && numberY)
    return BodyValue(evaluateDouble(getOperatorInfo(opcode).definition,
                                    {*numberX, *numberY}, {}));
  if (numberX)
    return joinNumber(opcode, std::get<IndexedTensor>(y), *numberX,
                      /*isNumberLeft=*/true, element);
  if (numberY)
    return joinNumber(opcode, std::get<IndexedTensor>(x), *numberY,
                      /*isNumberLeft=*/false, element);
  const IndexedTensor &left = std::get<IndexedTensor>(x);
  const IndexedTensor &right = std::get<IndexedTensor>(y);
  if (opcode == Opcode::Mul && left.tensor == right.tensor &&
      left.loops == right.loops)
    return BodyValue(builder.unary(Opcode::Square, left, element));
  return BodyValue(builder.binary(opcode, left, right, element));
}

FailureOr<BodyValue>
ScalarTranslator::joinNumber(Opcode opcode, const IndexedTensor &x,
                             double number, bool isNumberLeft, Type element) {
  auto apply = [&](Opcode unary, ArrayRef<double> scalars = {}) -> BodyValue {
    return builder.unary(unary, x, element, scalars);
  };
  auto unrounded = [&](Opcode unary) {
    return builder.unary(unary, x, builder.getUnroundedType());
  };
  if (std::isnan(number))
    return fail("expects constants that are numbers, got NaN");
  switch (opcode) {
  case Opcode::Add:
    return apply(Opcode::Offset, number);
  case Opcode::Sub:
    if (!isNumberLeft)
      return apply(Opcode::Offset, -number);
    return BodyValue(
        builder.unary(Opcode::Offset, unrounded(Opcode::Neg), element, number));
  case Opcode::Mul:
    return apply(Opcode::Scale, number);
  case Opcode::Div:
    if (!isNumberLeft)
      return divide(x, number, element);
    if (number == 1)
      return apply(Opcode::Reciprocal);
    return BodyValue(builder.unary(Opcode::Scale, unrounded(Opcode::Reciprocal),
                                   element, number));
  case Opcode::Maximum:
    return number == 0 ? apply(Opcode::Relu)
                       : apply(Opcode::Clamp, {number, kInfinity});
  case Opcode::Minimum:
    return apply(Opcode::Clamp, {-kInfinity, number});
  case Opcode::Pow:
    if (!isNumberLeft)
      return power(x, number, element);
    if (number == 2)
      return apply(Opcode::Exp2);
    if (number <= 0)
      return fail("expects powers of a constant above 0");
    return BodyValue(
        builder.binary(Opcode::Pow, builder.constant(number), x, element));
  default:
    llvm_unreachable("an operator with two operands");
  }
}

/// The inverse of a power of two is exact.
FailureOr<BodyValue> ScalarTranslator::divide(const IndexedTensor &x,
                                              double divisor, Type element) {
  if (!std::isnormal(static_cast<float>(divisor)) ||
      !std::isnormal(static_cast<float>(1 / divisor)))
    return fail("expects a divisor that has a reciprocal in f32");
  int exponent;
  bool isPowerOfTwo = std::fabs(std::frexp(divisor, &exponent)) == 0.5;
  return BodyValue(isPowerOfTwo
                       ? builder.unary(Opcode::Scale, x, element, 1 / divisor)
                       : builder.unary(Opcode::Unscale, x, element, divisor));
}

/// x to the `exponent`-th, at least the first, by squarings.
static IndexedTensor raise(IndexedBuilder &builder, const IndexedTensor &x,
                           unsigned exponent, Type element) {
  if (exponent == 1)
    return x;
  Type unrounded = builder.getUnroundedType();
  bool isOdd = exponent % 2 == 1;
  IndexedTensor root = raise(builder, x, exponent / 2, unrounded);
  IndexedTensor square =
      builder.unary(Opcode::Square, root, isOdd ? unrounded : element);
  return isOdd ? builder.binary(Opcode::Mul, square, x, element) : square;
}

/// Powers that are products and roots; `exponent` is positive, a multiple of
/// 1/2.
static IndexedTensor raiseToHalves(IndexedBuilder &builder,
                                   const IndexedTensor &x, double exponent,
                                   Type element) {
  double whole = std::floor(exponent);
  if (whole == exponent)
    return raise(builder, x, static_cast<unsigned>(whole), element);
  if (whole == 0)
    return builder.unary(Opcode::Sqrt, x, element);
  Type unrounded = builder.getUnroundedType();
  IndexedTensor root = builder.unary(Opcode::Sqrt, x, unrounded);
  return builder.binary(
      Opcode::Mul, raise(builder, x, static_cast<unsigned>(whole), unrounded),
      root, element);
}

/// What exponents are written out for; beyond, a product of so many factors
/// overflows f32 for all but a sliver of numbers.
constexpr double kLargestExponent = 64;

FailureOr<BodyValue> ScalarTranslator::power(const IndexedTensor &x,
                                             double exponent, Type element) {
  double size = std::fabs(exponent);
  if (size > kLargestExponent) {
    llvm::raw_string_ostream(reason)
        << llvm::format("expects an exponent from %g to %g, got %g",
                        -kLargestExponent, kLargestExponent, exponent);
    return failure();
  }
  if (2 * size != std::floor(2 * size))
    return BodyValue(
        builder.binary(Opcode::Pow, x, builder.constant(exponent), element));
  if (exponent == 0)
    return BodyValue(1.0);
  if (exponent > 0)
    return BodyValue(raiseToHalves(builder, x, size, element));
  if (size == 0.5)
    return BodyValue(builder.unary(Opcode::Rsqrt, x, element));
  IndexedTensor raised =
      raiseToHalves(builder, x, size, builder.getUnroundedType());
  return BodyValue(builder.unary(Opcode::Reciprocal, raised, element));
}
