//===- HandlersConvert.cpp - cvt of one value per register ----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conversion.h"
#include "LaneLoop.h"
#include "Numbers.h"

using namespace mlir::mirage::emulator;

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
MIRAGE_CONVERSION(BfloatToFloat, float, uint16_t, bfloatToFloat(a))
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
// The general way
//===----------------------------------------------------------------------===//

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
    uint64_t bits =
        convertScalar(loadLane(source, instruction.sourceBytes, lane), from, to,
                      instruction.variant);
    // A result register that is wider holds the value extended.
    if (!isFloat(to) && to != ScalarType::TF32)
      bits = uint64_t(loadInteger(to, bits));
    storeLane(result, instruction.resultBytes, lane, bits);
  }
  return Outcome::Next;
}

//===----------------------------------------------------------------------===//
// Selection
//===----------------------------------------------------------------------===//

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

Handler selectTF32(const Form &form, Instruction &instruction) {
  instruction.resultBytes = instruction.sourceBytes = 4;
  return selectConvert(form, instruction);
}

#define MIRAGE_INTEGERS "u8|s8|u16|s16|u32|s32|u64|s64"
#define MIRAGE_FLOATS "f16|bf16|f32|f64"

const Row rows[] = {
    {"cvt.rn|rz[.relu][.satfinite].tf32.f32", "=D T", InstructionClass::Convert,
     selectTF32, "sm_90 7.8; satfinite: sm_100 8.6"},
    {"cvt.rn|rz.satfinite.relu.tf32.f32", "=D T", InstructionClass::Convert,
     selectTF32, "sm_100 8.6"},
    {"cvt.rna[.satfinite].tf32.f32", "=D T", InstructionClass::Convert,
     selectTF32, "sm_80 7.0; satfinite: any 8.1"},
    {"cvt[.rn|rz|rm|rp|rni|rzi|rmi|rpi][.relu][.satfinite][.ftz][.sat]"
     "." MIRAGE_FLOATS "|" MIRAGE_INTEGERS "." MIRAGE_FLOATS
     "|" MIRAGE_INTEGERS,
     "=D+ T+", InstructionClass::Convert, selectConvert,
     "bf16+f32: sm_80 7.0; bf16+u8|s8|u16|s16|u32|s32|u64|s64|f16|f64: sm_90 "
     "7.8"},
};

} // namespace

llvm::ArrayRef<Row> mlir::mirage::emulator::convertRows() { return rows; }
