//===- HandlersConvert.cpp - cvt ------------------------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaneLoop.h"
#include "Numbers.h"
#include "OpcodeTable.h"

using namespace mlir::mirage::emulator;
using llvm::StringRef;

namespace {

//===----------------------------------------------------------------------===//
// What kernels do a lot: one loop without questions
//===----------------------------------------------------------------------===//

#define MIRAGE_CONVERSION(Name, To, From, expression)                          \
  struct Name {                                                                \
    using Result = To;                                                         \
    using Source = From;                                                       \
    static To apply(From a) { return expression; }                             \
  };
MIRAGE_CONVERSION(HalfToFloat, float, uint16_t, canonical(halfToFloat(a)))
MIRAGE_CONVERSION(BfloatToFloat, float, uint16_t, canonical(bfloatToFloat(a)))
MIRAGE_CONVERSION(FloatToHalf, uint16_t, float, floatToHalf(a))
MIRAGE_CONVERSION(FloatToBfloat, uint16_t, float, floatToBfloat(a))
MIRAGE_CONVERSION(U32ToFloat, float, uint32_t, static_cast<float>(a))
MIRAGE_CONVERSION(S32ToFloat, float, int32_t, static_cast<float>(a))
#undef MIRAGE_CONVERSION

/// Integers among themselves, all registers as wide as their types.
template <typename To, typename From>
struct Extend {
  using Result = To;
  using Source = From;
  static To apply(From a) { return static_cast<To>(a); }
};

//===----------------------------------------------------------------------===//
// The general way: every lane through f64 or 64-bit integers
//===----------------------------------------------------------------------===//

/// Bits of Instruction::variant.
enum Modifier : uint16_t {
  roundingMask = 7, ///< a Rounding
  toInteger = 8,    ///< rni, rzi, ...: the result is a whole number
  flushes = 16,
  saturates = 32, ///< .sat, for floats
  clampsFinite = 64,
  relu = 128,
};

/// A value of any scalar type: its bits, or as f64 (exact for all float types).
int64_t loadInteger(ScalarType type, uint64_t bits) {
  switch (type) {
  case ScalarType::S8:
    return int8_t(bits);
  case ScalarType::S16:
    return int16_t(bits);
  case ScalarType::S32:
    return int32_t(bits);
  case ScalarType::U8:
    return uint8_t(bits);
  case ScalarType::U16:
    return uint16_t(bits);
  case ScalarType::U32:
    return uint32_t(bits);
  default:
    return int64_t(bits);
  }
}

double loadFloat(ScalarType type, uint64_t bits) {
  switch (type) {
  case ScalarType::F16:
    return halfToFloat(bits);
  case ScalarType::BF16:
    return bfloatToFloat(bits);
  case ScalarType::F32:
    return asFloat(bits);
  default:
    return asDouble(bits);
  }
}

uint64_t storeFloat(ScalarType type, double value) {
  if (value != value)
    return type == ScalarType::F64   ? 0x7fffffffffffffffull
           : type == ScalarType::F32 ? nanF32
                                     : nan16;
  switch (type) {
  case ScalarType::F16:
    return floatToHalf(float(value));
  case ScalarType::BF16:
    return floatToBfloat(float(value));
  case ScalarType::F64:
    return asBits(value);
  default:
    return asBits(float(value));
  }
}

const FloatFormat *formatOf(ScalarType type) {
  switch (type) {
  case ScalarType::F16:
    return &formatF16;
  case ScalarType::BF16:
    return &formatBF16;
  case ScalarType::TF32:
    return &formatTF32;
  case ScalarType::F32:
    return &formatF32;
  default:
    return nullptr;
  }
}

/// The range of an integer type. A 64-bit bound is one that f64 can hold: it is
/// only compared with.
struct IntegerRange {
  double low, high;
  uint64_t lowBits, highBits;
};
IntegerRange rangeOf(ScalarType type) {
  unsigned bits = sizeBytes(type) * 8;
  if (isSigned(type))
    return {-std::ldexp(1, bits - 1), std::ldexp(1, bits - 1),
            uint64_t(-1) << (bits - 1), (uint64_t(1) << (bits - 1)) - 1};
  return {0, std::ldexp(1, bits), 0,
          bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1};
}

/// Saturating; NaN is 0, but for 64-bit results and f64 sources, where it is
/// the highest bit alone.
uint64_t floatToInteger(double value, ScalarType from, ScalarType to,
                        Rounding rounding) {
  IntegerRange range = rangeOf(to);
  if (value != value)
    return sizeBytes(to) == 8 || from == ScalarType::F64
               ? uint64_t(1) << (sizeBytes(to) * 8 - 1)
               : 0;
  value = roundToInteger(value, rounding);
  if (value <= range.low)
    return range.lowBits;
  if (value >= range.high)
    return range.highBits;
  return isSigned(to) ? uint64_t(int64_t(value)) : uint64_t(value);
}

uint64_t saturateInteger(int64_t value, bool isUnsigned64, ScalarType to) {
  IntegerRange range = rangeOf(to);
  if (isUnsigned64 && value < 0) // above every signed value
    return range.highBits;
  if (isSigned(to))
    return value < int64_t(range.lowBits)    ? range.lowBits
           : value > int64_t(range.highBits) ? range.highBits
                                             : uint64_t(value);
  return value < 0 ? 0 : std::min(uint64_t(value), range.highBits);
}

/// An integer rounded to a float format. Through round-to-odd where 64 bits do
/// not fit f64.
double integerToDouble(int64_t value, bool isUnsigned) {
  bool isNegative = !isUnsigned && value < 0;
  uint64_t magnitude = isNegative ? 0 - uint64_t(value) : uint64_t(value);
  double high = double(magnitude >> 11) * 2048.0;
  double result = addRoundToOdd(high, double(magnitude & 2047));
  return isNegative ? -result : result;
}

double applyModifiers(double value, uint16_t variant) {
  if ((variant & relu) && value < 0)
    value = 0;
  if (variant & saturates)
    value = value > 0 ? std::min(value, 1.0) : 0.0;
  return value;
}

/// One lane of any `cvt.to.from` between scalars.
uint64_t convert(uint64_t bits, ScalarType from, ScalarType to,
                 uint16_t variant) {
  auto rounding = static_cast<Rounding>(variant & roundingMask);
  if (!isFloat(from)) {
    int64_t value = loadInteger(from, bits);
    bool isUnsigned64 = from == ScalarType::U64;
    if (isFloat(to)) {
      double wide = integerToDouble(value, !isSigned(from));
      if (const FloatFormat *format = formatOf(to))
        wide = roundToFormat(wide, *format, rounding);
      return storeFloat(to, applyModifiers(wide, variant));
    }
    return variant & saturates ? saturateInteger(value, isUnsigned64, to)
                               : uint64_t(value);
  }
  double value = loadFloat(from, bits);
  if ((variant & flushes) && from == ScalarType::F32)
    value = flush(float(value));
  if (!isFloat(to) && to != ScalarType::TF32)
    return floatToInteger(value, from, to, rounding);
  if (variant & toInteger)
    value = roundToInteger(value, rounding);
  else if (const FloatFormat *format = formatOf(to))
    value = roundToFormat(value, *format, rounding, variant & clampsFinite);
  if ((variant & flushes) && to == ScalarType::F32)
    value = flush(float(value));
  return storeFloat(to == ScalarType::TF32 ? ScalarType::F32 : to,
                    applyModifiers(value, variant));
}

uint64_t loadLane(const uint8_t *lanes, unsigned bytes, unsigned lane) {
  uint64_t bits = 0;
  std::memcpy(&bits, lanes + size_t(lane) * bytes, bytes);
  return bits;
}
void storeLane(uint8_t *lanes, unsigned bytes, unsigned lane, uint64_t bits) {
  std::memcpy(lanes + size_t(lane) * bytes, &bits, bytes);
}

/// Types travel in elementBytes (from) and vectorSize (to).
Outcome convertLanes(ExecutionState &state, const Instruction &instruction) {
  auto from = static_cast<ScalarType>(instruction.elementBytes);
  auto to = static_cast<ScalarType>(instruction.vectorSize);
  uint8_t *result = state.lanes<uint8_t>(instruction.slots[0]);
  const uint8_t *source = state.lanes<uint8_t>(instruction.slots[1]);
  for (uint32_t rest = state.active; rest; rest &= rest - 1) {
    unsigned lane = llvm::countr_zero(rest);
    uint64_t bits = convert(loadLane(source, instruction.sourceBytes, lane),
                            from, to, instruction.variant);
    // A result register that is wider holds the value extended.
    if (!isFloat(to) && to != ScalarType::TF32)
      bits = uint64_t(loadInteger(to, bits));
    storeLane(result, instruction.resultBytes, lane, bits);
  }
  return Outcome::Next;
}

//===----------------------------------------------------------------------===//
// Two values into or out of one register
//===----------------------------------------------------------------------===//

/// The first source is the upper half.
template <uint16_t (*narrow)(float)>
struct PackPair {
  using Result = uint32_t;
  using Source = float;
  static uint32_t apply(float upper, float lower) {
    return uint32_t(narrow(upper)) << 16 | narrow(lower);
  }
};

Outcome packPairs(ExecutionState &state, const Instruction &instruction) {
  auto element = static_cast<ScalarType>(instruction.vectorSize);
  uint32_t *result = state.lanes<uint32_t>(instruction.slots[0]);
  const uint32_t *upper = state.lanes<uint32_t>(instruction.slots[1]);
  const uint32_t *lower = state.lanes<uint32_t>(instruction.slots[2]);
  for (uint32_t rest = state.active; rest; rest &= rest - 1) {
    unsigned lane = llvm::countr_zero(rest);
    auto one = [&](uint32_t bits) {
      return uint32_t(
          convert(bits, ScalarType::F32, element, instruction.variant));
    };
    result[lane] = one(upper[lane]) << 16 | one(lower[lane]);
  }
  return Outcome::Next;
}

uint8_t toEightBits(double value, bool isE4M3, uint16_t variant) {
  value = applyModifiers(value, variant);
  double rounded = roundToFormat(value, isE4M3 ? formatE4M3 : formatE5M2,
                                 Rounding::NearestEven, /*saturates=*/true);
  return isE4M3 ? encodeE4M3(rounded) : encodeE5M2(rounded);
}

/// cvt.rn.satfinite.{e4m3x2,e5m2x2}.{f32,f16x2}
template <bool isE4M3, bool fromF16x2>
Outcome packEightBits(ExecutionState &state, const Instruction &instruction) {
  uint16_t *result = state.lanes<uint16_t>(instruction.slots[0]);
  const uint32_t *first = state.lanes<uint32_t>(instruction.slots[1]);
  const uint32_t *second =
      fromF16x2 ? first : state.lanes<uint32_t>(instruction.slots[2]);
  for (uint32_t rest = state.active; rest; rest &= rest - 1) {
    unsigned lane = llvm::countr_zero(rest);
    double upper =
        fromF16x2 ? halfToFloat(first[lane] >> 16) : asFloat(first[lane]);
    double lower =
        fromF16x2 ? halfToFloat(uint16_t(first[lane])) : asFloat(second[lane]);
    result[lane] = uint16_t(toEightBits(upper, isE4M3, instruction.variant))
                       << 8 |
                   toEightBits(lower, isE4M3, instruction.variant);
  }
  return Outcome::Next;
}

/// cvt.rn.f16x2.{e4m3x2,e5m2x2}
template <bool isE4M3>
Outcome unpackEightBits(ExecutionState &state, const Instruction &instruction) {
  uint32_t *result = state.lanes<uint32_t>(instruction.slots[0]);
  const uint16_t *source = state.lanes<uint16_t>(instruction.slots[1]);
  for (uint32_t rest = state.active; rest; rest &= rest - 1) {
    unsigned lane = llvm::countr_zero(rest);
    auto one = [&](uint8_t bits) {
      double value = isE4M3 ? decodeE4M3(bits) : decodeE5M2(bits);
      return uint32_t(
          floatToHalf(float(applyModifiers(value, instruction.variant))));
    };
    result[lane] = one(source[lane] >> 8) << 16 | one(uint8_t(source[lane]));
  }
  return Outcome::Next;
}

//===----------------------------------------------------------------------===//
// Selection
//===----------------------------------------------------------------------===//

void setModifiers(const Form &form, Instruction &instruction) {
  using R = Rounding;
  struct Named {
    StringRef name;
    R rounding;
    bool isInteger;
  };
  const Named names[] = {{"rn", R::NearestEven, false},
                         {"rz", R::Zero, false},
                         {"rm", R::Down, false},
                         {"rp", R::Up, false},
                         {"rna", R::NearestAway, false},
                         {"rni", R::NearestEven, true},
                         {"rzi", R::Zero, true},
                         {"rmi", R::Down, true},
                         {"rpi", R::Up, true}};
  for (const Named &named : names)
    if (form.has(named.name))
      instruction.variant |= uint16_t(named.rounding) |
                             (named.isInteger ? uint16_t(toInteger) : 0);
  instruction.variant |= (form.has("ftz") ? flushes : 0) |
                         (form.has("sat") ? saturates : 0) |
                         (form.has("satfinite") ? clampsFinite : 0) |
                         (form.has("relu") ? relu : 0);
}

/// The fast handler of a plain conversion; it needs registers exactly as wide
/// as the types, which is only known when operands are: see selectFastForm.
Handler findFast(ScalarType to, ScalarType from) {
  using T = ScalarType;
  auto is = [&](T t, T f) { return to == t && from == f; };
  if (is(T::F32, T::F16))
    return unaryHandler<HalfToFloat>;
  if (is(T::F32, T::BF16))
    return unaryHandler<BfloatToFloat>;
  if (is(T::F16, T::F32))
    return unaryHandler<FloatToHalf>;
  if (is(T::BF16, T::F32))
    return unaryHandler<FloatToBfloat>;
  if (is(T::F32, T::U32))
    return unaryHandler<U32ToFloat>;
  if (is(T::F32, T::S32))
    return unaryHandler<S32ToFloat>;
  if (is(T::U64, T::U32) || is(T::S64, T::U32))
    return unaryHandler<Extend<uint64_t, uint32_t>>;
  if (is(T::S64, T::S32) || is(T::U64, T::S32))
    return unaryHandler<Extend<int64_t, int32_t>>;
  if ((to == T::U32 || to == T::S32) && (from == T::U64 || from == T::S64))
    return unaryHandler<Extend<uint32_t, uint64_t>>;
  if ((to == T::U32 || to == T::S32) && from == T::U16)
    return unaryHandler<Extend<uint32_t, uint16_t>>;
  if ((to == T::U32 || to == T::S32) && from == T::S16)
    return unaryHandler<Extend<int32_t, int16_t>>;
  if ((to == T::U16 || to == T::S16) && (from == T::U32 || from == T::S32))
    return unaryHandler<Extend<uint16_t, uint32_t>>;
  return nullptr;
}

/// At its first execution a conversion whose registers fit takes the fast way.
template <bool canBeFast>
Outcome convertGeneral(ExecutionState &state, const Instruction &instruction) {
  if constexpr (canBeFast) {
    auto from = static_cast<ScalarType>(instruction.elementBytes);
    auto to = static_cast<ScalarType>(instruction.vectorSize);
    if (instruction.sourceBytes == sizeBytes(from) &&
        instruction.resultBytes == sizeBytes(to))
      return findFast(to, from)(state, instruction);
  }
  return convertLanes(state, instruction);
}

Handler selectConvert(const Form &form, Instruction &instruction) {
  ScalarType to = form.resultType(), from = form.type();
  setModifiers(form, instruction);
  instruction.elementBytes = static_cast<uint8_t>(from);
  instruction.vectorSize = static_cast<uint8_t>(to);
  // Rounding forms: an integer result needs rni..rpi, a narrower float rn..rp.
  bool roundsToInteger = instruction.variant & toInteger;
  bool toFloat = isFloat(to) || to == ScalarType::TF32;
  if (isFloat(from) && !toFloat && !roundsToInteger)
    return nullptr;
  if (!isFloat(from) && roundsToInteger)
    return nullptr;
  bool isPlain = (instruction.variant & ~toInteger) == 0 && !roundsToInteger;
  return isPlain && findFast(to, from) ? convertGeneral<true>
                                       : convertGeneral<false>;
}

Handler selectPack(const Form &form, Instruction &instruction) {
  setModifiers(form, instruction);
  bool isF16 = form.resultType() == ScalarType::F16x2;
  instruction.vectorSize =
      static_cast<uint8_t>(isF16 ? ScalarType::F16 : ScalarType::BF16);
  if (instruction.variant == 0)
    return isF16 ? binaryHandler<PackPair<floatToHalf>>
                 : binaryHandler<PackPair<floatToBfloat>>;
  return packPairs;
}

Handler selectPackEight(const Form &form, Instruction &instruction) {
  setModifiers(form, instruction);
  bool isE4M3 = form.resultType() == ScalarType::E4M3x2;
  if (form.type() == ScalarType::F16x2)
    return isE4M3 ? packEightBits<true, true> : packEightBits<false, true>;
  return isE4M3 ? packEightBits<true, false> : packEightBits<false, false>;
}

Handler selectUnpackEight(const Form &form, Instruction &instruction) {
  setModifiers(form, instruction);
  return form.type() == ScalarType::E4M3x2 ? unpackEightBits<true>
                                           : unpackEightBits<false>;
}

#define MIRAGE_INTEGERS "u8|s8|u16|s16|u32|s32|u64|s64"
#define MIRAGE_FLOATS "f16|bf16|f32|f64"

const Row rows[] = {
    {"cvt.rn|rz[.relu][.satfinite].f16x2|bf16x2.f32", "=D T T",
     InstructionClass::Convert, selectPack},
    {"cvt.rn.satfinite[.relu].e4m3x2|e5m2x2.f32", "=D T T",
     InstructionClass::Convert, selectPackEight},
    {"cvt.rn.satfinite[.relu].e4m3x2|e5m2x2.f16x2", "=D T",
     InstructionClass::Convert, selectPackEight},
    {"cvt.rn[.relu].f16x2.e4m3x2|e5m2x2", "=D T", InstructionClass::Convert,
     selectUnpackEight},
    {"cvt.rna|rn|rz[.relu][.satfinite].tf32.f32", "=D T",
     InstructionClass::Convert,
     [](const Form &form, Instruction &instruction) -> Handler {
       instruction.resultBytes = instruction.sourceBytes = 4;
       return selectConvert(form, instruction);
     }},
    {"cvt[.rn|rz|rm|rp|rni|rzi|rmi|rpi][.relu][.satfinite][.ftz][.sat]"
     "." MIRAGE_FLOATS "|" MIRAGE_INTEGERS "." MIRAGE_FLOATS
     "|" MIRAGE_INTEGERS,
     "=D+ T+", InstructionClass::Convert, selectConvert},
};

} // namespace

llvm::ArrayRef<Row> mlir::mirage::emulator::convertRows() { return rows; }
