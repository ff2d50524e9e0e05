//===- HandlersInteger.cpp - Integer and bit arithmetic -------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaneLoop.h"
#include "OpcodeTable.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir::mirage::emulator;
using llvm::StringRef;

namespace {

/// Signed arithmetic wraps in PTX and may not in C++: compute unsigned.
template <typename T>
using Unsigned = std::make_unsigned_t<T>;
template <typename T>
constexpr unsigned bitsOf = sizeof(T) * 8;

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
struct Same {
  using Result = T;
  using Source = T;
};
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
template <typename T>
struct And : Same<T> {
  static T apply(T a, T b) { return a & b; }
};
template <typename T>
struct Or : Same<T> {
  static T apply(T a, T b) { return a | b; }
};
template <typename T>
struct Xor : Same<T> {
  static T apply(T a, T b) { return a ^ b; }
};
template <typename T>
struct Not : Same<T> {
  static T apply(T a) { return T(~a); }
};
template <typename T>
struct Cnot : Same<T> {
  static T apply(T a) { return a == 0 ? 1 : 0; }
};
template <typename T>
struct Popc {
  using Result = uint32_t;
  using Source = T;
  static uint32_t apply(T a) { return llvm::popcount(a); }
};
template <typename T>
struct Clz {
  using Result = uint32_t;
  using Source = T;
  static uint32_t apply(T a) { return llvm::countl_zero(a); }
};
template <typename T>
struct Brev : Same<T> {
  static T apply(T a) { return llvm::reverseBits(a); }
};
/// The position of the highest bit that is not a copy of the sign; ~0 if none.
template <typename T, bool asShift>
struct Bfind {
  using Result = uint32_t;
  using Source = T;
  static uint32_t apply(T a) {
    using U = Unsigned<T>;
    U bits = std::is_signed_v<T> && a < 0 ? U(~U(a)) : U(a);
    if (bits == 0)
      return ~0u;
    uint32_t zeros = llvm::countl_zero(bits);
    return asShift ? zeros : bitsOf<T> - 1 - zeros;
  }
};

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

/// prmt in its default mode: each nibble of the selector picks one byte of
/// (b:a); its bit 3 copies that byte's sign instead.
struct Permute : Same<uint32_t> {
  static uint32_t apply(uint32_t a, uint32_t b, uint32_t selector) {
    uint64_t both = uint64_t(b) << 32 | a;
    uint32_t result = 0;
    for (unsigned i = 0; i < 4; ++i) {
      uint32_t choice = selector >> (4 * i);
      uint8_t byte = both >> (8 * (choice & 7));
      if (choice & 8)
        byte = byte & 0x80 ? 0xff : 0;
      result |= uint32_t(byte) << (8 * i);
    }
    return result;
  }
};

/// lop3: any function of three bits, by its truth table.
Outcome logicLanes(ExecutionState &state, const Instruction &instruction) {
  uint32_t table = state.lanes<uint32_t>(instruction.slots[4])[0];
  mapLanes(
      state.active, state.lanes<uint32_t>(instruction.slots[0]),
      [table](uint32_t a, uint32_t b, uint32_t c) {
        uint32_t result = 0;
        for (unsigned row = 0; row < 8; ++row)
          if (table >> row & 1)
            result |=
                (row & 4 ? a : ~a) & (row & 2 ? b : ~b) & (row & 1 ? c : ~c);
        return result;
      },
      state.lanes<uint32_t>(instruction.slots[1]),
      state.lanes<uint32_t>(instruction.slots[2]),
      state.lanes<uint32_t>(instruction.slots[3]));
  return Outcome::Next;
}

/// dp4a: four products of bytes, added.
template <bool aIsSigned, bool bIsSigned>
struct DotProduct4 : Same<uint32_t> {
  static uint32_t apply(uint32_t a, uint32_t b, uint32_t c) {
    for (unsigned i = 0; i < 4; ++i) {
      uint8_t x = a >> (8 * i), y = b >> (8 * i);
      c += uint32_t((aIsSigned ? int8_t(x) : int(x)) *
                    (bIsSigned ? int8_t(y) : int(y)));
    }
    return c;
  }
};

/// Two 16-bit numbers in a register.
template <typename Operation, typename T>
struct PairOf16 : Same<uint32_t> {
  static uint32_t apply(uint32_t a, uint32_t b) {
    uint32_t low = uint16_t(Operation::apply(T(a), T(b)));
    uint32_t high = uint16_t(Operation::apply(T(a >> 16), T(b >> 16)));
    return low | high << 16;
  }
};

//===----------------------------------------------------------------------===//
// Selection
//===----------------------------------------------------------------------===//

/// The handler for an integer type, signed where the suffix says so.
template <template <typename> class Operation>
Handler binaryOf(ScalarType type) {
  switch (type) {
  case ScalarType::U16:
    return binaryHandler<Operation<uint16_t>>;
  case ScalarType::S16:
    return binaryHandler<Operation<int16_t>>;
  case ScalarType::U32:
    return binaryHandler<Operation<uint32_t>>;
  case ScalarType::S32:
    return binaryHandler<Operation<int32_t>>;
  case ScalarType::U64:
    return binaryHandler<Operation<uint64_t>>;
  case ScalarType::S64:
    return binaryHandler<Operation<int64_t>>;
  default:
    return nullptr;
  }
}
template <template <typename> class Operation>
Handler ternaryOf(ScalarType type) {
  switch (type) {
  case ScalarType::U16:
    return ternaryHandler<Operation<uint16_t>>;
  case ScalarType::S16:
    return ternaryHandler<Operation<int16_t>>;
  case ScalarType::U32:
    return ternaryHandler<Operation<uint32_t>>;
  case ScalarType::S32:
    return ternaryHandler<Operation<int32_t>>;
  case ScalarType::U64:
    return ternaryHandler<Operation<uint64_t>>;
  case ScalarType::S64:
    return ternaryHandler<Operation<int64_t>>;
  default:
    return nullptr;
  }
}
/// The same for bits, which have no sign.
template <template <typename> class Operation>
Handler bitwiseOf(ScalarType type) {
  switch (sizeBytes(type)) {
  case 2:
    return binaryHandler<Operation<uint16_t>>;
  case 4:
    return binaryHandler<Operation<uint32_t>>;
  case 8:
    return binaryHandler<Operation<uint64_t>>;
  default:
    return nullptr;
  }
}
template <template <typename> class Operation>
Handler unaryOf(ScalarType type) {
  switch (type) {
  case ScalarType::S16:
    return unaryHandler<Operation<int16_t>>;
  case ScalarType::S32:
    return unaryHandler<Operation<int32_t>>;
  case ScalarType::S64:
    return unaryHandler<Operation<int64_t>>;
  case ScalarType::B16:
    return unaryHandler<Operation<uint16_t>>;
  case ScalarType::B32:
    return unaryHandler<Operation<uint32_t>>;
  case ScalarType::B64:
    return unaryHandler<Operation<uint64_t>>;
  default:
    return nullptr;
  }
}
template <template <typename> class Operation>
Handler count32Or64(ScalarType type) {
  return sizeBytes(type) == 4 ? unaryHandler<Operation<uint32_t>>
                              : unaryHandler<Operation<uint64_t>>;
}

Handler selectBinary(const Form &form, Instruction &) {
  StringRef name = form.mnemonic();
  ScalarType type = form.type();
  if (name == "add")
    return binaryOf<Add>(type);
  if (name == "sub")
    return binaryOf<Sub>(type);
  if (name == "min")
    return binaryOf<Min>(type);
  return binaryOf<Max>(type);
}

Handler selectPair(const Form &form, Instruction &) {
  bool isSigned = form.type() == ScalarType::S16x2;
  if (form.mnemonic() == "add")
    return binaryHandler<PairOf16<Add<uint16_t>, uint16_t>>;
  if (form.mnemonic() == "min")
    return isSigned ? binaryHandler<PairOf16<Min<int16_t>, int16_t>>
                    : binaryHandler<PairOf16<Min<uint16_t>, uint16_t>>;
  return isSigned ? binaryHandler<PairOf16<Max<int16_t>, int16_t>>
                  : binaryHandler<PairOf16<Max<uint16_t>, uint16_t>>;
}

Handler selectMultiply(const Form &form, Instruction &) {
  ScalarType type = form.type();
  if (form.mnemonic() == "mul")
    return form.has("hi") ? binaryOf<MulHigh>(type) : binaryOf<MulLow>(type);
  return form.has("hi") ? ternaryOf<MadHigh>(type) : ternaryOf<MadLow>(type);
}

Handler selectMultiply24(const Form &form, Instruction &) {
  struct Signed : Same<int32_t> {
    static int32_t apply(int32_t a, int32_t b) {
      return int32_t(uint32_t((int32_t(uint32_t(a) << 8) >> 8)) *
                     uint32_t((int32_t(uint32_t(b) << 8) >> 8)));
    }
  };
  struct Plain : Same<uint32_t> {
    static uint32_t apply(uint32_t a, uint32_t b) {
      return (a & 0xffffff) * (b & 0xffffff);
    }
  };
  return isSigned(form.type()) ? binaryHandler<Signed> : binaryHandler<Plain>;
}

Handler selectWide(const Form &form, Instruction &) {
  switch (form.type()) {
  case ScalarType::U16:
    return binaryHandler<MulWide<uint16_t>>;
  case ScalarType::S16:
    return binaryHandler<MulWide<int16_t>>;
  case ScalarType::U32:
    return binaryHandler<MulWide<uint32_t>>;
  case ScalarType::S32:
    return binaryHandler<MulWide<int32_t>>;
  default:
    return nullptr;
  }
}

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
Handler selectMadWide(const Form &form, Instruction &) {
  switch (form.type()) {
  case ScalarType::U16:
    return madWideLanes<uint16_t>;
  case ScalarType::S16:
    return madWideLanes<int16_t>;
  case ScalarType::U32:
    return madWideLanes<uint32_t>;
  case ScalarType::S32:
    return madWideLanes<int32_t>;
  default:
    return nullptr;
  }
}

template <bool isRemainder>
Handler divisionOf(ScalarType type) {
  switch (type) {
  case ScalarType::U16:
    return divideLanes<uint16_t, isRemainder>;
  case ScalarType::S16:
    return divideLanes<int16_t, isRemainder>;
  case ScalarType::U32:
    return divideLanes<uint32_t, isRemainder>;
  case ScalarType::S32:
    return divideLanes<int32_t, isRemainder>;
  case ScalarType::U64:
    return divideLanes<uint64_t, isRemainder>;
  case ScalarType::S64:
    return divideLanes<int64_t, isRemainder>;
  default:
    return nullptr;
  }
}
Handler selectDivision(const Form &form, Instruction &) {
  return form.mnemonic() == "div" ? divisionOf<false>(form.type())
                                  : divisionOf<true>(form.type());
}

Handler selectUnary(const Form &form, Instruction &) {
  StringRef name = form.mnemonic();
  if (name == "neg")
    return unaryOf<Neg>(form.type());
  if (name == "abs")
    return unaryOf<Abs>(form.type());
  if (name == "not")
    return unaryOf<Not>(form.type());
  return unaryOf<Cnot>(form.type());
}

Handler selectCount(const Form &form, Instruction &) {
  StringRef name = form.mnemonic();
  if (name == "popc")
    return count32Or64<Popc>(form.type());
  if (name == "clz")
    return count32Or64<Clz>(form.type());
  return count32Or64<Brev>(form.type());
}

template <bool asShift>
Handler findOf(ScalarType type) {
  switch (type) {
  case ScalarType::U32:
    return unaryHandler<Bfind<uint32_t, asShift>>;
  case ScalarType::S32:
    return unaryHandler<Bfind<int32_t, asShift>>;
  case ScalarType::U64:
    return unaryHandler<Bfind<uint64_t, asShift>>;
  default:
    return unaryHandler<Bfind<int64_t, asShift>>;
  }
}
Handler selectFind(const Form &form, Instruction &) {
  return form.has("shiftamt") ? findOf<true>(form.type())
                              : findOf<false>(form.type());
}

Handler selectLogic(const Form &form, Instruction &) {
  StringRef name = form.mnemonic();
  if (name == "and")
    return bitwiseOf<And>(form.type());
  if (name == "or")
    return bitwiseOf<Or>(form.type());
  return bitwiseOf<Xor>(form.type());
}

Handler selectShift(const Form &form, Instruction &) {
  bool isLeft = form.mnemonic() == "shl";
  switch (form.type()) {
  case ScalarType::B16:
    return isLeft ? shiftLanes<uint16_t, true> : shiftLanes<uint16_t, false>;
  case ScalarType::B32:
    return isLeft ? shiftLanes<uint32_t, true> : shiftLanes<uint32_t, false>;
  case ScalarType::B64:
    return isLeft ? shiftLanes<uint64_t, true> : shiftLanes<uint64_t, false>;
  case ScalarType::U16:
    return shiftLanes<uint16_t, false>;
  case ScalarType::U32:
    return shiftLanes<uint32_t, false>;
  case ScalarType::U64:
    return shiftLanes<uint64_t, false>;
  case ScalarType::S16:
    return shiftLanes<int16_t, false>;
  case ScalarType::S32:
    return shiftLanes<int32_t, false>;
  case ScalarType::S64:
    return shiftLanes<int64_t, false>;
  default:
    return nullptr;
  }
}

Handler selectFunnel(const Form &form, Instruction &) {
  bool wraps = form.has("wrap");
  if (form.has("l"))
    return wraps ? ternaryHandler<FunnelShift<true, true>>
                 : ternaryHandler<FunnelShift<true, false>>;
  return wraps ? ternaryHandler<FunnelShift<false, true>>
               : ternaryHandler<FunnelShift<false, false>>;
}

Handler selectExtract(const Form &form, Instruction &) {
  switch (form.type()) {
  case ScalarType::U32:
    return extractLanes<uint32_t>;
  case ScalarType::S32:
    return extractLanes<int32_t>;
  case ScalarType::U64:
    return extractLanes<uint64_t>;
  default:
    return extractLanes<int64_t>;
  }
}
Handler selectInsert(const Form &form, Instruction &) {
  return form.type() == ScalarType::B32 ? insertLanes<uint32_t>
                                        : insertLanes<uint64_t>;
}
Handler selectMask(const Form &form, Instruction &) {
  return form.has("wrap") ? binaryHandler<BitMask<true>>
                          : binaryHandler<BitMask<false>>;
}
Handler selectPermute(const Form &, Instruction &) {
  return ternaryHandler<Permute>;
}
Handler selectLop3(const Form &, Instruction &) { return logicLanes; }
Handler selectSad(const Form &form, Instruction &) {
  return ternaryOf<Sad>(form.type());
}
Handler selectDot(const Form &form, Instruction &) {
  bool a = isSigned(form.types[0]), b = isSigned(form.types[1]);
  if (a)
    return b ? ternaryHandler<DotProduct4<true, true>>
             : ternaryHandler<DotProduct4<true, false>>;
  return b ? ternaryHandler<DotProduct4<false, true>>
           : ternaryHandler<DotProduct4<false, false>>;
}

//===----------------------------------------------------------------------===//
// Logic of predicates: lane masks
//===----------------------------------------------------------------------===//

template <unsigned operation>
Outcome predicateLogic(ExecutionState &state, const Instruction &instruction) {
  uint32_t a = state.predicate(instruction.slots[1]);
  uint32_t b = operation < 3 ? state.predicate(instruction.slots[2]) : 0;
  uint32_t results[] = {a & b, a | b, a ^ b, ~a, a};
  setPredicate(state, instruction.slots[0], results[operation]);
  return Outcome::Next;
}

Handler selectPredicateLogic(const Form &form, Instruction &) {
  return llvm::StringSwitch<Handler>(form.mnemonic())
      .Case("and", predicateLogic<0>)
      .Case("or", predicateLogic<1>)
      .Case("xor", predicateLogic<2>)
      .Case("not", predicateLogic<3>)
      .Default(predicateLogic<4>);
}

const Row rows[] = {
    {"add|sub|min|max.u16|s16|u32|s32|u64|s64", "=T T T",
     InstructionClass::Integer, selectBinary},
    {"add.u16x2|s16x2", "=T T T", InstructionClass::Integer, selectPair},
    {"min|max.u16x2|s16x2", "=T T T", InstructionClass::Integer, selectPair},
    {"mul.lo|hi.u16|s16|u32|s32|u64|s64", "=T T T", InstructionClass::Integer,
     selectMultiply},
    {"mad.lo|hi.u16|s16|u32|s32|u64|s64", "=T T T T", InstructionClass::Integer,
     selectMultiply},
    {"mul.wide.u16|s16", "=b32 T T", InstructionClass::Integer, selectWide},
    {"mul.wide.u32|s32", "=b64 T T", InstructionClass::Integer, selectWide},
    {"mad.wide.u16|s16", "=b32 T T b32", InstructionClass::Integer,
     selectMadWide},
    {"mad.wide.u32|s32", "=b64 T T b64", InstructionClass::Integer,
     selectMadWide},
    {"mul24.lo.u32|s32", "=T T T", InstructionClass::Integer, selectMultiply24},
    {"div|rem.u16|s16|u32|s32|u64|s64", "=T T T", InstructionClass::Sequence,
     selectDivision},
    {"neg|abs.s16|s32|s64", "=T T", InstructionClass::Integer, selectUnary},
    {"not|cnot.b16|b32|b64", "=T T", InstructionClass::Integer, selectUnary},
    {"sad.u16|s16|u32|s32|u64|s64", "=T T T T", InstructionClass::Integer,
     selectSad},
    {"popc|clz.b32|b64", "=b32 T", InstructionClass::Integer, selectCount},
    {"brev.b32|b64", "=T T", InstructionClass::Integer, selectCount},
    {"bfind[.shiftamt].u32|s32|u64|s64", "=b32 T", InstructionClass::Integer,
     selectFind},
    {"and|or|xor.b16|b32|b64", "=T T T", InstructionClass::Integer,
     selectLogic},
    {"shl.b16|b32|b64", "=T T b32", InstructionClass::Integer, selectShift},
    {"shr.b16|b32|b64|u16|u32|u64|s16|s32|s64", "=T T b32",
     InstructionClass::Integer, selectShift},
    {"shf.l|r.wrap|clamp.b32", "=T T T T", InstructionClass::Integer,
     selectFunnel},
    {"bfe.u32|s32|u64|s64", "=T T b32 b32", InstructionClass::Integer,
     selectExtract},
    {"bfi.b32|b64", "=T T T b32 b32", InstructionClass::Integer, selectInsert},
    {"bmsk.wrap|clamp.b32", "=T T T", InstructionClass::Integer, selectMask},
    {"prmt.b32", "=T T T T", InstructionClass::Integer, selectPermute},
    {"lop3.b32", "=T T T T T", InstructionClass::Integer, selectLop3},
    {"dp4a.u32|s32.u32|s32", "=b32 b32 b32 b32", InstructionClass::Integer,
     selectDot},
    {"and|or|xor.pred", "=pred pred pred", InstructionClass::Move,
     selectPredicateLogic},
    {"not|mov.pred", "=pred pred", InstructionClass::Move,
     selectPredicateLogic},
};

} // namespace

llvm::ArrayRef<Row> mlir::mirage::emulator::integerRows() { return rows; }
