//===- Float8Arithmetic.cpp - 8-bit floats without cvt --------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Float8Conversions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/bit.h"
#include <cmath>

using namespace mlir;
using namespace mlir::mirage;

namespace {
/// Arithmetic on the bits of numbers.
class BitBuilder {
public:
  BitBuilder(OpBuilder &builder, Location location)
      : builder(builder), location(location) {}

  Value constant(int64_t value, Type type) {
    return arith::ConstantOp::create(builder, location,
                                     builder.getIntegerAttr(type, value));
  }
  template <typename OpTy>
  Value apply(Value lhs, int64_t rhs) {
    return OpTy::create(builder, location, lhs, constant(rhs, lhs.getType()));
  }
  template <typename OpTy>
  Value apply(Value lhs, Value rhs) {
    return OpTy::create(builder, location, lhs, rhs);
  }
  Value compare(arith::CmpIPredicate predicate, Value lhs, int64_t rhs) {
    return arith::CmpIOp::create(builder, location, predicate, lhs,
                                 constant(rhs, lhs.getType()));
  }
  Value select(Value condition, Value lhs, Value rhs) {
    return arith::SelectOp::create(builder, location, condition, lhs, rhs);
  }
  Value bitcast(Value value, Type type) {
    return arith::BitcastOp::create(builder, location, type, value);
  }
  /// From 32 bits to two of 16, or back: a vector and a number.
  Value castBits(Value value, Type type) {
    return LLVM::BitcastOp::create(builder, location, type, value);
  }

  OpBuilder &builder;
  Location location;
};

/// What there is to know of an 8-bit format.
struct SmallFormat {
  explicit SmallFormat(FloatType type)
      : mantissaBits(type.getFPMantissaWidth() - 1),
        smallestExponent(
            llvm::APFloat::semanticsMinExponent(type.getFloatSemantics())),
        largest(llvm::APFloat::getLargest(type.getFloatSemantics())
                    .convertToDouble()) {}

  int64_t mantissaBits;
  int64_t smallestExponent; ///< of normal numbers
  float largest;
};
} // namespace

/// Two bytes as the lower bytes of the halves of 32 bits.
static Value pairUp(BitBuilder bits, ValuePair numbers) {
  auto extend = [&](Value number) -> Value {
    Value byte = bits.bitcast(number, bits.builder.getI8Type());
    return arith::ExtUIOp::create(bits.builder, bits.location,
                                  bits.builder.getI32Type(), byte);
  };
  return bits.apply<arith::OrIOp>(
      extend(numbers[0]), bits.apply<arith::ShLIOp>(extend(numbers[1]), 16));
}

/// 0x7fff in each half whose f8E4M3FN is NaN, all ones below the sign: there
/// one more than the magnitude carries into bit 14.
static Value findNaNs(BitBuilder bits, Value magnitudes) {
  Value carries = bits.apply<arith::AndIOp>(
      bits.apply<arith::AddIOp>(magnitudes, 0x00800080), 0x40004000);
  return bits.apply<arith::SubIOp>(bits.apply<arith::ShLIOp>(carries, 1),
                                   bits.apply<arith::ShRUIOp>(carries, 14));
}

/// Both halves at once. f8E5M2 is the upper half of f16. The bits of f8E4M3FN,
/// moved to their place, are those of a number 2^8 times smaller, since f16 has
/// a bias of 15 instead of 7; to multiply is exact, of subnormals as well.
static Value widenHalves(BitBuilder bits, Value bytes, bool isE5M2) {
  auto halves = VectorType::get(2, bits.builder.getF16Type());
  Value shifted = bits.apply<arith::ShLIOp>(bytes, 8);
  if (isE5M2)
    return bits.castBits(shifted, halves);
  Value magnitudes = bits.apply<arith::ShLIOp>(
      bits.apply<arith::AndIOp>(bytes, 0x007f007f), 7);
  Value signs =
      bits.apply<arith::AndIOp>(shifted, static_cast<int32_t>(0x80008000));
  Value placed = bits.apply<arith::OrIOp>(signs, magnitudes);
  Value scale = arith::ConstantOp::create(
      bits.builder, bits.location,
      DenseElementsAttr::get(halves,
                             bits.builder.getF16FloatAttr(256).getValue()));
  Value scaled =
      bits.apply<arith::MulFOp>(bits.castBits(placed, halves), scale);
  Value exact = bits.castBits(scaled, bytes.getType());
  return bits.castBits(
      bits.apply<arith::OrIOp>(exact, findNaNs(bits, magnitudes)), halves);
}

ValuePair Float8Arithmetic::widen(OpBuilder &builder, Location location,
                                  ValuePair numbers) const {
  BitBuilder bits(builder, location);
  Value halves = widenHalves(bits, pairUp(bits, numbers),
                             isa<Float8E5M2Type>(numbers[0].getType()));
  return {vector::ExtractOp::create(builder, location, halves, 0),
          vector::ExtractOp::create(builder, location, halves, 1)};
}

/// The bits of a normal result. Adding half of the last place that is kept,
/// less one where that place is even, carries exactly where a number is rounded
/// up.
static Value narrowNormal(BitBuilder bits, Value magnitude,
                          const SmallFormat &format) {
  constexpr int64_t kMantissaBits = 23, kBias = 127;
  int64_t dropped = kMantissaBits - format.mantissaBits;
  Value last = bits.apply<arith::AndIOp>(
      bits.apply<arith::ShRUIOp>(magnitude, dropped), 1);
  Value half = bits.apply<arith::AddIOp>(magnitude, (1 << (dropped - 1)) - 1);
  Value kept = bits.apply<arith::ShRUIOp>(bits.apply<arith::AddIOp>(half, last),
                                          dropped);
  int64_t bias = 1 - format.smallestExponent;
  return bits.apply<arith::SubIOp>(kept, (kBias - bias) << format.mantissaBits);
}

/// The bits of a subnormal result: how many times the smallest number. An f32
/// whose last place is worth that, added, leaves the count in its lowest bits,
/// rounded.
static Value narrowSubnormal(BitBuilder bits, Value magnitude,
                             const SmallFormat &format) {
  float base =
      std::ldexp(1.0f, 23 + format.smallestExponent - format.mantissaBits);
  Type f32 = bits.builder.getF32Type();
  Value sum = bits.apply<arith::AddFOp>(
      bits.bitcast(magnitude, f32),
      arith::ConstantOp::create(bits.builder, bits.location,
                                bits.builder.getF32FloatAttr(base)));
  return bits.apply<arith::SubIOp>(bits.bitcast(sum, magnitude.getType()),
                                   llvm::bit_cast<int32_t>(base));
}

static Value narrowOne(BitBuilder bits, Value number, FloatType type) {
  constexpr int64_t kInfinity = 0x7f800000, kNaN = 0x7f;
  SmallFormat format(type);
  Value all = bits.bitcast(number, bits.builder.getI32Type());
  Value magnitude = bits.apply<arith::AndIOp>(all, 0x7fffffff);
  Value clamped = bits.apply<arith::MinUIOp>(
      magnitude, llvm::bit_cast<int32_t>(format.largest));
  int64_t firstNormal =
      llvm::bit_cast<int32_t>(std::ldexp(1.0f, format.smallestExponent));
  Value rounded =
      bits.select(bits.compare(arith::CmpIPredicate::ult, clamped, firstNormal),
                  narrowSubnormal(bits, clamped, format),
                  narrowNormal(bits, clamped, format));
  Value sign =
      bits.apply<arith::AndIOp>(bits.apply<arith::ShRUIOp>(all, 24), 0x80);
  Value result =
      bits.select(bits.compare(arith::CmpIPredicate::ugt, magnitude, kInfinity),
                  bits.constant(kNaN, all.getType()),
                  bits.apply<arith::OrIOp>(rounded, sign));
  Value byte = arith::TruncIOp::create(bits.builder, bits.location,
                                       bits.builder.getI8Type(), result);
  return bits.bitcast(byte, type);
}

ValuePair Float8Arithmetic::narrow(OpBuilder &builder, Location location,
                                   ValuePair numbers, FloatType type) const {
  BitBuilder bits(builder, location);
  return {narrowOne(bits, numbers[0], type), narrowOne(bits, numbers[1], type)};
}
