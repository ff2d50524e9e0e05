//===- F32Functions.cpp - Math functions without libdevice ----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Conversion/F32Functions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::mirage;
using arith::CmpFPredicate;

static constexpr float kLog2E = 1.44269504088896341f;
static constexpr float kInfinity = std::numeric_limits<float>::infinity();
static constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

// The polynomials below were fitted by us (weighted minimax in double
// precision, coefficients rounded to f32); the numbers after them are the
// largest relative errors of the whole expression in f32.

/// (ln(1 + f) - f) / f^2 for 1 + f in [sqrt(1/2), sqrt(2)): 7.4e-8.
static constexpr float kLogarithm[] = {
    -0.49999988079071045f, 0.33333325386047363f,  -0.25001585483551025f,
    0.20001985132694244f,  -0.16609056293964386f, 0.14181633293628693f,
    -0.13242985308170319f, 0.12905515730381012f,  -0.07623068243265152f};
/// erf(x) / x - 1 in x^2, |x| <= 1: 8e-8.
static constexpr float kErfInner[] = {
    0.12837916612625122f,   -0.3761262595653534f,  0.11283600330352783f,
    -0.026854444295167923f, 0.005189535208046436f, -0.0008020841632969677f,
    7.889120024628937e-05f};
/// log2(1 - erf(x)), 1 <= x <= 4: 7.5e-8 in 1 - 2^p.
static constexpr float kErfOuter[] = {
    0.0002632343675941229f, -1.6295990943908691f,   -0.9136189818382263f,
    -0.15633267164230347f,  0.03631524369120598f,   -0.006046127527952194f,
    0.0006326651782728732f, -3.093943450949155e-05f};
/// (tanh(x) / x - 1) / x^2 in x^2, |x| <= 0.625: 7.3e-8.
static constexpr float kTanhInner[] = {
    -0.3333333432674408f,  0.13333305716514587f,  -0.05395957827568054f,
    0.021771160885691643f, -0.00835043378174305f, 0.0022993388120085f};

Value F32Functions::constant(float value) {
  return arith::ConstantOp::create(builder, location,
                                   builder.getF32FloatAttr(value));
}

Value F32Functions::integer(int32_t value) {
  return arith::ConstantOp::create(builder, location,
                                   builder.getI32IntegerAttr(value));
}

Value F32Functions::add(Value lhs, Value rhs) {
  return arith::AddFOp::create(builder, location, lhs, rhs);
}

Value F32Functions::sub(Value lhs, Value rhs) {
  return arith::SubFOp::create(builder, location, lhs, rhs);
}

Value F32Functions::mul(Value lhs, Value rhs) {
  return arith::MulFOp::create(builder, location, lhs, rhs);
}

/// Intrinsics are called by name: convert-gpu-to-nvvm refuses the operations
/// of the LLVM dialect that stand for some of them, and would turn others into
/// calls of libdevice.
Value F32Functions::intrinsic(StringRef name, ValueRange operands) {
  return LLVM::CallIntrinsicOp::create(builder, location, builder.getF32Type(),
                                       builder.getStringAttr(name), operands)
      .getResult(0);
}

Value F32Functions::fma(Value x, Value y, Value z) {
  return intrinsic("llvm.fma.f32", {x, y, z});
}

Value F32Functions::copySign(Value magnitude, Value sign) {
  return intrinsic("llvm.copysign.f32", {magnitude, sign});
}

Value F32Functions::polynomial(Value x, ArrayRef<float> coefficients) {
  Value result = constant(coefficients.back());
  for (float coefficient : llvm::reverse(coefficients.drop_back()))
    result = fma(result, x, constant(coefficient));
  return result;
}

static Value compare(OpBuilder &builder, Location location,
                     CmpFPredicate predicate, Value lhs, Value rhs) {
  return arith::CmpFOp::create(builder, location, predicate, lhs, rhs);
}

static Value select(OpBuilder &builder, Location location, Value condition,
                    Value yes, Value no) {
  return arith::SelectOp::create(builder, location, condition, yes, no);
}

Value F32Functions::abs(Value x) { return intrinsic("llvm.fabs.f32", x); }
Value F32Functions::floor(Value x) { return intrinsic("llvm.floor.f32", x); }
Value F32Functions::ceil(Value x) { return intrinsic("llvm.ceil.f32", x); }
Value F32Functions::trunc(Value x) { return intrinsic("llvm.trunc.f32", x); }
Value F32Functions::roundEven(Value x) {
  return intrinsic("llvm.roundeven.f32", x);
}
/// div.rn takes some 20 instructions, and a branch for quotients out of range.
Value F32Functions::divide(Value x, Value y) {
  APFloat divisor(0.0f), inverse(0.0f);
  if (matchPattern(y, m_ConstantFloat(&divisor)) &&
      divisor.getExactInverse(&inverse))
    return mul(x, constant(inverse.convertToFloat()));
  return intrinsic("llvm.nvvm.div.full", {x, y});
}

Value F32Functions::sqrt(Value x) { return intrinsic("llvm.sqrt.f32", x); }

Value F32Functions::rsqrt(Value x) {
  return intrinsic("llvm.nvvm.rsqrt.approx.f", x);
}

/// Without `.ftz` the assembler scales what would be subnormal, before and
/// after: three instructions more for each one.
Value F32Functions::exp2(Value x) {
  return intrinsic("llvm.nvvm.ex2.approx.ftz.f32", x);
}

Value F32Functions::exp(Value x) { return exp2(mul(x, constant(kLog2E))); }

F32Functions::Logarithm F32Functions::reduceLogarithm(Value x) {
  // Subnormal numbers are scaled into the normal range first.
  Value tiny = compare(builder, location, CmpFPredicate::OLT, x,
                       constant(std::numeric_limits<float>::min()));
  Value scaled = select(builder, location, tiny, mul(x, constant(0x1p23f)), x);
  Value correction =
      select(builder, location, tiny, constant(-23.0f), constant(0.0f));
  Value bits =
      arith::BitcastOp::create(builder, location, builder.getI32Type(), scaled);
  // Counting from sqrt(1/2) puts the mantissa around 1 rather than above it.
  Value distance =
      arith::SubIOp::create(builder, location, bits, integer(0x3f3504f3));
  Value exponent =
      arith::ShRSIOp::create(builder, location, distance, integer(23));
  Value mantissaBits = arith::SubIOp::create(
      builder, location, bits,
      arith::ShLIOp::create(builder, location, exponent, integer(23)));
  Value mantissa = arith::BitcastOp::create(builder, location,
                                            builder.getF32Type(), mantissaBits);
  Value f = sub(mantissa, constant(1.0f));
  Value exponentF32 = arith::SIToFPOp::create(builder, location,
                                              builder.getF32Type(), exponent);
  return {add(exponentF32, correction),
          fma(mul(f, f), polynomial(f, kLogarithm), f)};
}

Value F32Functions::finishLogarithm(Value x, Value result) {
  Value infinity = constant(kInfinity), zero = constant(0.0f);
  result = select(builder, location,
                  compare(builder, location, CmpFPredicate::OEQ, x, infinity),
                  infinity, result);
  result = select(builder, location,
                  compare(builder, location, CmpFPredicate::OEQ, x, zero),
                  constant(-kInfinity), result);
  return select(builder, location,
                compare(builder, location, CmpFPredicate::ULT, x, zero),
                constant(kNaN), result);
}

Value F32Functions::log(Value x) {
  // ln 2 in two parts, of which the first has few bits: its product with the
  // exponent is exact.
  constexpr float kHigh = 0.693145751953125f, kLow = 1.42860677e-6f;
  Logarithm parts = reduceLogarithm(x);
  Value low = fma(parts.exponent, constant(kLow), parts.mantissa);
  return finishLogarithm(x, fma(parts.exponent, constant(kHigh), low));
}

Value F32Functions::log2(Value x) {
  Logarithm parts = reduceLogarithm(x);
  return finishLogarithm(x,
                         fma(parts.mantissa, constant(kLog2E), parts.exponent));
}

Value F32Functions::log10(Value x) {
  constexpr float kLog10E = 0.434294481903251828f;
  constexpr float kHigh = 0.30102539f, kLow = 4.6050390e-6f; // log10(2)
  Logarithm parts = reduceLogarithm(x);
  Value low = fma(parts.exponent, constant(kLow),
                  mul(parts.mantissa, constant(kLog10E)));
  return finishLogarithm(x, fma(parts.exponent, constant(kHigh), low));
}

Value F32Functions::erf(Value x) {
  Value t = abs(x), limit = constant(4.0f), one = constant(1.0f);
  Value inner = fma(polynomial(mul(x, x), kErfInner), x, x);
  // From 3.92 on erf rounds to 1; NaN passes the comparison by.
  Value beyond = compare(builder, location, CmpFPredicate::OGT, t, limit);
  Value clamped = select(builder, location, beyond, limit, t);
  Value outer = sub(one, exp2(polynomial(clamped, kErfOuter)));
  Value isInner = compare(builder, location, CmpFPredicate::OLE, t, one);
  return select(builder, location, isInner, inner, copySign(outer, x));
}

Value F32Functions::tanh(Value x) {
  Value t = abs(x), square = mul(x, x), one = constant(1.0f);
  Value inner = fma(mul(polynomial(square, kTanhInner), square), x, x);
  // 1 - 2 / (exp(2t) + 1); where exp is infinite this is 1.
  Value power = exp2(mul(t, constant(2 * kLog2E)));
  Value quotient =
      arith::DivFOp::create(builder, location, constant(2.0f), add(power, one));
  Value outer = copySign(sub(one, quotient), x);
  Value isInner =
      compare(builder, location, CmpFPredicate::OLE, t, constant(0.625f));
  return select(builder, location, isInner, inner, outer);
}

Value F32Functions::isOddInteger(Value y) {
  // y/2 is no integer and y is one. Beyond 2^24 every f32 is even.
  Value half = mul(y, constant(0.5f));
  Value isInteger = compare(builder, location, CmpFPredicate::OEQ, floor(y), y);
  Value isHalfInteger =
      compare(builder, location, CmpFPredicate::ONE, floor(half), half);
  return arith::AndIOp::create(builder, location, isInteger, isHalfInteger);
}

Value F32Functions::pow(Value x, Value y) {
  Value zero = constant(0.0f), one = constant(1.0f);
  Value magnitude = exp2(mul(y, log2(abs(x))));
  // A negative base: the sign of an odd power, NaN unless y is an integer.
  Value isOdd = isOddInteger(y);
  Value signedResult =
      select(builder, location, isOdd, copySign(magnitude, x), magnitude);
  Value isFraction =
      compare(builder, location, CmpFPredicate::UNE, floor(y), y);
  Value isNegative = compare(builder, location, CmpFPredicate::OLT, x, zero);
  Value isFinite =
      compare(builder, location, CmpFPredicate::ONE, x, constant(-kInfinity));
  Value undefined = arith::AndIOp::create(
      builder, location, isFraction,
      arith::AndIOp::create(builder, location, isNegative, isFinite));
  Value result =
      select(builder, location, undefined, constant(kNaN), signedResult);
  // 1 to any power and anything to the power 0 are 1, NaN included.
  Value isOne = arith::OrIOp::create(
      builder, location, compare(builder, location, CmpFPredicate::OEQ, x, one),
      compare(builder, location, CmpFPredicate::OEQ, y, zero));
  return select(builder, location, isOne, one, result);
}
