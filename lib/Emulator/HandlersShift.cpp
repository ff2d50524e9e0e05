//===- HandlersShift.cpp - Shifts and bit fields --------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IntegerTypes.h"
#include "OpcodeTable.h"

using namespace mlir::mirage::emulator;

namespace {

//===----------------------------------------------------------------------===//
// Shifts clamp their amount, which is always u32
//===----------------------------------------------------------------------===//

template <typename T>
T shiftLeft(T value, uint32_t amount) {
  return amount >= bitsOf<T> ? T(0) : T(uint64_t(value) << (amount & 63));
}
template <typename T>
T shiftRight(T value, uint32_t amount) {
  uint32_t most = bitsOf<T> - 1;
  if (std::is_signed_v<T>)
    return T(value >> (amount < most ? amount : most));
  return amount > most ? T(0) : T(value >> (amount & most));
}

template <typename T, bool isLeft>
Outcome shiftLanes(ExecutionState &state, const Instruction &instruction) {
  mapLanes(
      state.active, state.lanes<T>(instruction.slots[0]),
      [](T value, uint32_t amount) {
        return isLeft ? shiftLeft(value, amount) : shiftRight(value, amount);
      },
      state.lanes<T>(instruction.slots[1]),
      state.lanes<uint32_t>(instruction.slots[2]));
  return Outcome::Next;
}

/// shf: 32 bits out of the 64 of (b:a), shifted.
template <bool isLeft, bool wraps>
struct FunnelShift : Same<uint32_t> {
  static uint32_t apply(uint32_t a, uint32_t b, uint32_t amount) {
    uint64_t both = uint64_t(b) << 32 | a;
    uint32_t by = wraps ? amount & 31 : std::min(amount, 32u);
    return isLeft ? uint32_t((both << by) >> 32) : uint32_t(both >> by);
  }
};

//===----------------------------------------------------------------------===//
// Bit fields
//===----------------------------------------------------------------------===//

/// bfe (9.7.1): position and length are bytes; above the value the sign
/// continues.
template <typename T>
T extractField(T value, uint32_t position, uint32_t length) {
  position &= 0xff;
  length &= 0xff;
  constexpr unsigned most = bitsOf<T> - 1;
  using U = Unsigned<T>;
  bool sign = false;
  if (std::is_signed_v<T> && length != 0)
    sign = (U(value) >> std::min(position + length - 1, most)) & 1;
  U result = 0;
  for (unsigned bit = 0; bit <= most; ++bit) {
    bool isSet = bit < length && position + bit <= most
                     ? (U(value) >> (position + bit)) & 1
                     : sign;
    result |= U(isSet) << bit;
  }
  return T(result);
}

template <typename T>
Outcome extractLanes(ExecutionState &state, const Instruction &instruction) {
  mapLanes(state.active, state.lanes<T>(instruction.slots[0]), extractField<T>,
           state.lanes<T>(instruction.slots[1]),
           state.lanes<uint32_t>(instruction.slots[2]),
           state.lanes<uint32_t>(instruction.slots[3]));
  return Outcome::Next;
}

/// bfi: the low bits of a put into b.
template <typename T>
T insertField(T field, T value, uint32_t position, uint32_t length) {
  position &= 0xff;
  length &= 0xff;
  for (unsigned bit = 0; bit < length && position + bit < bitsOf<T>; ++bit) {
    T place = T(1) << (position + bit);
    value = (field >> bit & 1) ? value | place : value & T(~place);
  }
  return value;
}

template <typename T>
Outcome insertLanes(ExecutionState &state, const Instruction &instruction) {
  mapLanes(state.active, state.lanes<T>(instruction.slots[0]), insertField<T>,
           state.lanes<T>(instruction.slots[1]),
           state.lanes<T>(instruction.slots[2]),
           state.lanes<uint32_t>(instruction.slots[3]),
           state.lanes<uint32_t>(instruction.slots[4]));
  return Outcome::Next;
}

/// bmsk: ones from a position on, with wrapping or clamping.
template <bool wraps>
struct BitMask : Same<uint32_t> {
  static uint32_t apply(uint32_t position, uint32_t width) {
    if (wraps) {
      position &= 31;
      width &= 31;
    }
    if (position >= 32 || width == 0)
      return 0;
    uint64_t ones = width >= 32 ? ~0ull : (1ull << width) - 1;
    return uint32_t(ones << position);
  }
};

//===----------------------------------------------------------------------===//
// Selection
//===----------------------------------------------------------------------===//

Handler selectShift(const Form &form, Instruction &) {
  bool isLeft = form.mnemonic() == "shl";
  return selectByInteger(form.type(), [&](auto zero) -> Handler {
    using T = decltype(zero);
    return isLeft ? shiftLanes<T, true> : shiftLanes<T, false>;
  });
}

Handler selectFunnel(const Form &form, Instruction &) {
  bool wraps = form.has("wrap");
  if (form.has("l"))
    return wraps ? ternaryHandler<FunnelShift<true, true>>
                 : ternaryHandler<FunnelShift<true, false>>;
  return wraps ? ternaryHandler<FunnelShift<false, true>>
               : ternaryHandler<FunnelShift<false, false>>;
}

Handler selectField(const Form &form, Instruction &) {
  bool inserts = form.mnemonic() == "bfi";
  return selectByInteger(form.type(), [&](auto zero) -> Handler {
    using T = decltype(zero);
    return inserts ? insertLanes<T> : extractLanes<T>;
  });
}

Handler selectMask(const Form &form, Instruction &) {
  return form.has("wrap") ? binaryHandler<BitMask<true>>
                          : binaryHandler<BitMask<false>>;
}
const Row rows[] = {
    {"shl.b16|b32|b64", "=T T b32", InstructionClass::Integer, selectShift},
    {"shr.b16|b32|b64|u16|u32|u64|s16|s32|s64", "=T T b32",
     InstructionClass::Integer, selectShift},
    {"shf.l|r.wrap|clamp.b32", "=T T T T", InstructionClass::Integer,
     selectFunnel},
    {"bfe.u32|s32|u64|s64", "=T T b32 b32", InstructionClass::Integer,
     selectField},
    {"bfi.b32|b64", "=T T T b32 b32", InstructionClass::Integer, selectField},
    {"bmsk.wrap|clamp.b32", "=T T T", InstructionClass::Integer, selectMask,
     "sm_70 7.6"},
};

} // namespace

llvm::ArrayRef<Row> mlir::mirage::emulator::shiftRows() { return rows; }
