//===- HandlersInteger.cpp - Integer arithmetic ---------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IntegerTypes.h"
#include "OpcodeTable.h"

using namespace mlir::mirage::emulator;
using llvm::StringRef;

namespace {

/// The type of twice the width.
template <typename T>
struct WideOf;
template <>
struct WideOf<uint16_t> {
  using Type = uint32_t;
};
template <>
struct WideOf<int16_t> {
  using Type = int32_t;
};
template <>
struct WideOf<uint32_t> {
  using Type = uint64_t;
};
template <>
struct WideOf<int32_t> {
  using Type = int64_t;
};
template <>
struct WideOf<uint64_t> {
  using Type = unsigned __int128;
};
template <>
struct WideOf<int64_t> {
  using Type = __int128;
};
template <typename T>
using Wide = typename WideOf<T>::Type;

template <typename T>
struct Add : Same<T> {
  static T apply(T a, T b) { return T(uint64_t(a) + uint64_t(b)); }
};
template <typename T>
struct Sub : Same<T> {
  static T apply(T a, T b) { return T(uint64_t(a) - uint64_t(b)); }
};
template <typename T>
struct MulLow : Same<T> {
  static T apply(T a, T b) { return T(uint64_t(a) * uint64_t(b)); }
};
template <typename T>
struct MulHigh : Same<T> {
  static T apply(T a, T b) { return T((Wide<T>(a) * Wide<T>(b)) >> bitsOf<T>); }
};
template <typename T>
struct MulWide {
  using Result = Wide<T>;
  using Source = T;
  static Result apply(T a, T b) { return Result(a) * Result(b); }
};
template <typename T>
struct MadLow : Same<T> {
  static T apply(T a, T b, T c) {
    return T(uint64_t(a) * uint64_t(b) + uint64_t(c));
  }
};
template <typename T>
struct MadHigh : Same<T> {
  static T apply(T a, T b, T c) {
    return T(uint64_t(MulHigh<T>::apply(a, b)) + uint64_t(c));
  }
};
template <typename T>
struct Min : Same<T> {
  static T apply(T a, T b) { return a < b ? a : b; }
};
template <typename T>
struct Max : Same<T> {
  static T apply(T a, T b) { return a > b ? a : b; }
};
template <typename T>
struct Neg : Same<T> {
  static T apply(T a) { return T(0 - uint64_t(a)); }
};
template <typename T>
struct Abs : Same<T> {
  static T apply(T a) { return a < 0 ? T(0 - uint64_t(a)) : a; }
};
template <typename T>
struct Sad : Same<T> {
  static T apply(T a, T b, T c) {
    uint64_t difference =
        a < b ? uint64_t(b) - uint64_t(a) : uint64_t(a) - uint64_t(b);
    return T(difference + uint64_t(c));
  }
};
/// The low 24 bits of both, multiplied.
template <typename T>
struct Mul24 : Same<T> {
  static T low(T a) { return T(uint32_t(a) << 8) >> 8; }
  static T apply(T a, T b) { return T(uint32_t(low(a)) * uint32_t(low(b))); }
};

/// mad.wide: the product of twice the width, and an addend of that width.
template <typename T>
Outcome madWideLanes(ExecutionState &state, const Instruction &instruction) {
  using W = Wide<T>;
  mapLanes(
      state.active, state.lanes<W>(instruction.slots[0]),
      [](T a, T b, W c) { return W(uint64_t(W(a) * W(b)) + uint64_t(c)); },
      state.lanes<T>(instruction.slots[1]),
      state.lanes<T>(instruction.slots[2]),
      state.lanes<W>(instruction.slots[3]));
  return Outcome::Next;
}

//===----------------------------------------------------------------------===//
// Division: lanes that divide by zero are reported and get all ones
//===----------------------------------------------------------------------===//

template <typename T>
T divide(T a, T b) {
  if (std::is_signed_v<T> && b == T(-1))
    return T(0 - uint64_t(a));
  return a / b;
}

template <typename T, bool isRemainder>
Outcome divideLanes(ExecutionState &state, const Instruction &instruction) {
  T *result = state.lanes<T>(instruction.slots[0]);
  const T *a = state.lanes<T>(instruction.slots[1]);
  const T *b = state.lanes<T>(instruction.slots[2]);
  for (uint32_t rest = state.active; rest; rest &= rest - 1) {
    unsigned lane = llvm::countr_zero(rest);
    if (b[lane] == 0) {
      state.report(FindingKind::DivisionByZero, lane,
                   [] { return std::string("integer division by zero"); });
      result[lane] = T(~T(0));
      continue;
    }
    T quotient = divide(a[lane], b[lane]);
    result[lane] =
        isRemainder
            ? T(uint64_t(a[lane]) - uint64_t(quotient) * uint64_t(b[lane]))
            : quotient;
  }
  return Outcome::Next;
}

//===----------------------------------------------------------------------===//
// Selection
//===----------------------------------------------------------------------===//

Handler selectBinary(const Form &form, Instruction &) {
  StringRef name = form.mnemonic();
  ScalarType type = form.type();
  if (name == "add")
    return integerHandler<Add, 2>(type);
  if (name == "sub")
    return integerHandler<Sub, 2>(type);
  if (name == "min")
    return integerHandler<Min, 2>(type);
  return integerHandler<Max, 2>(type);
}

Handler selectUnary(const Form &form, Instruction &) {
  return form.mnemonic() == "neg" ? integerHandler<Neg, 1>(form.type())
                                  : integerHandler<Abs, 1>(form.type());
}

Handler selectMultiply(const Form &form, Instruction &) {
  ScalarType type = form.type();
  if (form.mnemonic() == "mul")
    return form.has("hi") ? integerHandler<MulHigh, 2>(type)
                          : integerHandler<MulLow, 2>(type);
  return form.has("hi") ? integerHandler<MadHigh, 3>(type)
                        : integerHandler<MadLow, 3>(type);
}

Handler selectMultiply24(const Form &form, Instruction &) {
  return isSigned(form.type()) ? binaryHandler<Mul24<int32_t>>
                               : binaryHandler<Mul24<uint32_t>>;
}

Handler selectWide(const Form &form, Instruction &) {
  bool adds = form.mnemonic() == "mad";
  return selectByInteger(form.type(), [&](auto zero) -> Handler {
    using T = decltype(zero);
    if constexpr (sizeof(T) == 8)
      return nullptr;
    else
      return adds ? madWideLanes<T> : binaryHandler<MulWide<T>>;
  });
}

Handler selectDivision(const Form &form, Instruction &) {
  bool isRemainder = form.mnemonic() == "rem";
  return selectByInteger(form.type(), [&](auto zero) -> Handler {
    using T = decltype(zero);
    return isRemainder ? divideLanes<T, true> : divideLanes<T, false>;
  });
}

Handler selectSad(const Form &form, Instruction &) {
  return integerHandler<Sad, 3>(form.type());
}

Handler selectPair(const Form &form, Instruction &) {
  StringRef name = form.mnemonic();
  bool isSigned = form.type() == ScalarType::S16x2;
  if (name == "add")
    return binaryHandler<Paired<Add<uint16_t>>>;
  if (name == "min")
    return isSigned ? binaryHandler<Paired<Min<int16_t>>>
                    : binaryHandler<Paired<Min<uint16_t>>>;
  return isSigned ? binaryHandler<Paired<Max<int16_t>>>
                  : binaryHandler<Paired<Max<uint16_t>>>;
}

const Row rows[] = {
    {"add|sub|min|max.u16|s16|u32|s32|u64|s64", "=T T T",
     InstructionClass::Integer, selectBinary},
    {"mul.lo|hi.u16|s16|u32|s32|u64|s64", "=T T T", InstructionClass::Integer,
     selectMultiply},
    {"mad.lo|hi.u16|s16|u32|s32|u64|s64", "=T T T T", InstructionClass::Integer,
     selectMultiply},
    {"mul.wide.u16|s16", "=b32 T T", InstructionClass::Integer, selectWide},
    {"mul.wide.u32|s32", "=b64 T T", InstructionClass::Integer, selectWide},
    {"mad.wide.u16|s16", "=b32 T T b32", InstructionClass::Integer, selectWide},
    {"mad.wide.u32|s32", "=b64 T T b64", InstructionClass::Integer, selectWide},
    {"mul24.lo.u32|s32", "=T T T", InstructionClass::Integer, selectMultiply24},
    {"div|rem.u16|s16|u32|s32|u64|s64", "=T T T", InstructionClass::Sequence,
     selectDivision},
    {"neg|abs.s16|s32|s64", "=T T", InstructionClass::Integer, selectUnary},
    {"sad.u16|s16|u32|s32|u64|s64", "=T T T T", InstructionClass::Integer,
     selectSad},
    {"add|min|max.u16x2|s16x2", "=T T T", InstructionClass::Integer, selectPair,
     "sm_90 8.0"},
};

} // namespace

llvm::ArrayRef<Row> mlir::mirage::emulator::integerRows() { return rows; }
