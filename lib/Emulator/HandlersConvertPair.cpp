//===- HandlersConvertPair.cpp - cvt of two values in one register --------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conversion.h"
#include "HostKernels.h"
#include "LaneLoop.h"
#include "Numbers.h"

using namespace mlir::mirage::emulator;

namespace {

/// cvt.rn.f16x2.f32 and the same of bf16: the first source is the upper half.
template <void (*pack)(uint32_t *, const float *, const float *)>
Outcome packWarp(ExecutionState &state, const Instruction &instruction) {
  computeLanes(state.active, state.lanes<uint32_t>(instruction.slots[0]),
               [upper = state.lanes<float>(instruction.slots[1]),
                lower = state.lanes<float>(instruction.slots[2])](
                   uint32_t *result) { pack(result, upper, lower); });
  return Outcome::Next;
}

Outcome packPairs(ExecutionState &state, const Instruction &instruction) {
  auto element = static_cast<ScalarType>(instruction.vectorSize);
  uint32_t *result = state.lanes<uint32_t>(instruction.slots[0]);
  const uint32_t *upper = state.lanes<uint32_t>(instruction.slots[1]);
  const uint32_t *lower = state.lanes<uint32_t>(instruction.slots[2]);
  for (uint32_t rest = state.active; rest; rest &= rest - 1) {
    unsigned lane = llvm::countr_zero(rest);
    auto one = [&](uint32_t bits) {
      return uint32_t(
          convertScalar(bits, ScalarType::F32, element, instruction.variant));
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

Handler selectPack(const Form &form, Instruction &instruction) {
  setModifiers(form, instruction);
  bool isF16 = form.resultType() == ScalarType::F16x2;
  instruction.vectorSize =
      static_cast<uint8_t>(isF16 ? ScalarType::F16 : ScalarType::BF16);
  if (instruction.variant == 0)
    return isF16 ? packWarp<host::packHalves> : packWarp<host::packBfloats>;
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

const Row rows[] = {
    {"cvt.rn|rz[.relu][.satfinite].f16x2|bf16x2.f32", "=D T T",
     InstructionClass::Convert, selectPack, "sm_80 7.0; satfinite: any 8.1"},
    {"cvt.rn.satfinite[.relu].e4m3x2|e5m2x2.f32", "=D T T",
     InstructionClass::Convert, selectPackEight, "sm_89 7.8"},
    {"cvt.rn.satfinite[.relu].e4m3x2|e5m2x2.f16x2", "=D T",
     InstructionClass::Convert, selectPackEight, "sm_89 7.8"},
    {"cvt.rn[.relu].f16x2.e4m3x2|e5m2x2", "=D T", InstructionClass::Convert,
     selectUnpackEight, "sm_89 7.8"},
};

} // namespace

llvm::ArrayRef<Row> mlir::mirage::emulator::convertPairRows() { return rows; }
