//===- HandlersBits.cpp - Logic of bits, and counting them ----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IntegerTypes.h"
#include "OpcodeTable.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir::mirage::emulator;
using llvm::StringRef;

namespace {

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

//===----------------------------------------------------------------------===//
// Selection
//===----------------------------------------------------------------------===//

Handler selectLogic(const Form &form, Instruction &) {
  StringRef name = form.mnemonic();
  if (name == "and")
    return integerHandler<And, 2>(form.type());
  if (name == "or")
    return integerHandler<Or, 2>(form.type());
  return integerHandler<Xor, 2>(form.type());
}

Handler selectNot(const Form &form, Instruction &) {
  return form.mnemonic() == "not" ? integerHandler<Not, 1>(form.type())
                                  : integerHandler<Cnot, 1>(form.type());
}

/// Of 32 or 64 bits.
template <template <typename> class Operation>
Handler countHandler(ScalarType type) {
  return sizeBytes(type) == 4 ? unaryHandler<Operation<uint32_t>>
                              : unaryHandler<Operation<uint64_t>>;
}

Handler selectCount(const Form &form, Instruction &) {
  StringRef name = form.mnemonic();
  if (name == "popc")
    return countHandler<Popc>(form.type());
  if (name == "clz")
    return countHandler<Clz>(form.type());
  return countHandler<Brev>(form.type());
}

Handler selectFind(const Form &form, Instruction &) {
  bool asShift = form.has("shiftamt");
  return selectByInteger(form.type(), [&](auto zero) -> Handler {
    using T = decltype(zero);
    return asShift ? unaryHandler<Bfind<T, true>>
                   : unaryHandler<Bfind<T, false>>;
  });
}

Handler selectLop3(const Form &, Instruction &) { return logicLanes; }

const Row rows[] = {
    {"and|or|xor.b16|b32|b64", "=T T T", InstructionClass::Integer,
     selectLogic},
    {"not|cnot.b16|b32|b64", "=T T", InstructionClass::Integer, selectNot},
    {"lop3.b32", "=T T T T #T", InstructionClass::Integer, selectLop3,
     "any 4.3"},
    {"popc|clz.b32|b64", "=b32 T", InstructionClass::Integer, selectCount},
    {"brev.b32|b64", "=T T", InstructionClass::Integer, selectCount},
    {"bfind[.shiftamt].u32|s32|u64|s64", "=b32 T", InstructionClass::Integer,
     selectFind},
    {"and|or|xor.pred", "=pred pred pred", InstructionClass::Move,
     selectPredicateLogic},
    {"not|mov.pred", "=pred pred", InstructionClass::Move,
     selectPredicateLogic},
};

} // namespace

llvm::ArrayRef<Row> mlir::mirage::emulator::bitRows() { return rows; }
