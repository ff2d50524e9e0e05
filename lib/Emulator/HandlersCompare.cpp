//===- HandlersCompare.cpp - setp, set, selp, slct ------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IntegerTypes.h"
#include "Numbers.h"
#include "OpcodeTable.h"

using namespace mlir::mirage::emulator;
using llvm::StringRef;

namespace {

/// The comparisons; the unordered ones are true when an operand is NaN.
enum class Relation : uint8_t {
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  Equ,
  Neu,
  Ltu,
  Leu,
  Gtu,
  Geu,
  Num,
  Nan,
};
constexpr StringRef relationNames[] = {"eq",  "ne",  "lt",  "le",  "gt",
                                       "ge",  "equ", "neu", "ltu", "leu",
                                       "gtu", "geu", "num", "nan"};
#define MIRAGE_RELATIONS                                                       \
  "eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan|lo|ls|hi|hs"

Relation parseRelation(const Form &form) {
  // Names of unsigned comparisons; the type says that already.
  StringRef name = form.pieces[1];
  name = llvm::StringSwitch<StringRef>(name)
             .Case("lo", "lt")
             .Case("ls", "le")
             .Case("hi", "gt")
             .Case("hs", "ge")
             .Default(name);
  for (unsigned i = 0; i < std::size(relationNames); ++i)
    if (name == relationNames[i])
      return static_cast<Relation>(i);
  return Relation::Eq;
}

template <Relation relation, typename T>
bool compare(T a, T b) {
  bool unordered = a != a || b != b;
  switch (relation) {
  case Relation::Eq:
    return a == b;
  case Relation::Ne:
    return !unordered && a != b;
  case Relation::Lt:
    return a < b;
  case Relation::Le:
    return a <= b;
  case Relation::Gt:
    return a > b;
  case Relation::Ge:
    return a >= b;
  case Relation::Equ:
    return unordered || a == b;
  case Relation::Neu:
    return a != b;
  case Relation::Ltu:
    return unordered || a < b;
  case Relation::Leu:
    return unordered || a <= b;
  case Relation::Gtu:
    return unordered || a > b;
  case Relation::Geu:
    return unordered || a >= b;
  case Relation::Num:
    return !unordered;
  case Relation::Nan:
    return unordered;
  }
  return false;
}

/// How a register is read for comparing.
template <typename T>
struct Plain {
  using Storage = T;
  static T load(T value) { return value; }
};
struct Flushed {
  using Storage = float;
  static float load(float value) { return flush(value); }
};
struct Half {
  using Storage = uint16_t;
  static float load(uint16_t value) { return halfToFloat(value); }
};
struct Bfloat {
  using Storage = uint16_t;
  static float load(uint16_t value) { return bfloatToFloat(value); }
};

/// p = result of the comparison, q = its opposite, each combined with the
/// optional predicate c by and, or, xor (9.7.6, setp).
void writePredicates(ExecutionState &state, const Instruction &instruction,
                     uint32_t bits, uint32_t p, uint32_t q) {
  uint32_t opposite = ~bits;
  if (instruction.variant != 0) {
    uint32_t c = state.predicate(instruction.slots[4]);
    auto combine = [&](uint32_t value) {
      return instruction.variant == 1   ? value & c
             : instruction.variant == 2 ? value | c
                                        : value ^ c;
    };
    bits = combine(bits);
    opposite = combine(opposite);
  }
  setPredicate(state, p, bits);
  setPredicate(state, q, opposite);
}

template <typename Format, Relation relation>
Outcome compareLanes(ExecutionState &state, const Instruction &instruction) {
  using T = typename Format::Storage;
  uint32_t bits = testLanes(
      [](T a, T b) {
        return compare<relation>(Format::load(a), Format::load(b));
      },
      state.lanes<T>(instruction.slots[2]),
      state.lanes<T>(instruction.slots[3]));
  writePredicates(state, instruction, bits, instruction.slots[0],
                  instruction.slots[1]);
  return Outcome::Next;
}

/// Packed: p is the comparison of the lower halves, q of the upper ones.
template <typename Format, Relation relation>
Outcome comparePairs(ExecutionState &state, const Instruction &instruction) {
  const uint32_t *a = state.lanes<uint32_t>(instruction.slots[2]);
  const uint32_t *b = state.lanes<uint32_t>(instruction.slots[3]);
  auto half = [](unsigned shift) {
    return [shift](uint32_t x, uint32_t y) {
      return compare<relation>(Format::load(uint16_t(x >> shift)),
                               Format::load(uint16_t(y >> shift)));
    };
  };
  uint32_t low = testLanes(half(0), a, b), high = testLanes(half(16), a, b);
  setPredicate(state, instruction.slots[0], low);
  setPredicate(state, instruction.slots[1], high);
  return Outcome::Next;
}

template <typename Format, bool isPair, Relation relation>
constexpr Handler compareHandler() {
  if constexpr (isPair)
    return comparePairs<Format, relation>;
  else
    return compareLanes<Format, relation>;
}

/// All relations of a type.
template <typename Format, bool isPair = false>
Handler byRelation(Relation relation) {
  using R = Relation;
  constexpr Handler handlers[] = {compareHandler<Format, isPair, R::Eq>(),
                                  compareHandler<Format, isPair, R::Ne>(),
                                  compareHandler<Format, isPair, R::Lt>(),
                                  compareHandler<Format, isPair, R::Le>(),
                                  compareHandler<Format, isPair, R::Gt>(),
                                  compareHandler<Format, isPair, R::Ge>(),
                                  compareHandler<Format, isPair, R::Equ>(),
                                  compareHandler<Format, isPair, R::Neu>(),
                                  compareHandler<Format, isPair, R::Ltu>(),
                                  compareHandler<Format, isPair, R::Leu>(),
                                  compareHandler<Format, isPair, R::Gtu>(),
                                  compareHandler<Format, isPair, R::Geu>(),
                                  compareHandler<Format, isPair, R::Num>(),
                                  compareHandler<Format, isPair, R::Nan>()};
  return handlers[static_cast<unsigned>(relation)];
}

Handler selectCompare(const Form &form, Instruction &instruction) {
  Relation relation = parseRelation(form);
  instruction.variant = form.has("and")   ? 1
                        : form.has("or")  ? 2
                        : form.has("xor") ? 3
                                          : 0;
  bool isInteger = !isFloat(form.type()) && form.type() != ScalarType::F16x2 &&
                   form.type() != ScalarType::BF16x2;
  if (isInteger && relation > Relation::Ge)
    return nullptr;
  if (isInteger)
    return selectByInteger(form.type(), [&](auto zero) {
      return byRelation<Plain<decltype(zero)>>(relation);
    });
  switch (form.type()) {
  case ScalarType::F32:
    return form.has("ftz") ? byRelation<Flushed>(relation)
                           : byRelation<Plain<float>>(relation);
  case ScalarType::F64:
    return byRelation<Plain<double>>(relation);
  case ScalarType::F16:
    return byRelation<Half>(relation);
  case ScalarType::BF16:
    return byRelation<Bfloat>(relation);
  case ScalarType::F16x2:
    return byRelation<Half, true>(relation);
  case ScalarType::BF16x2:
    return byRelation<Bfloat, true>(relation);
  default:
    return nullptr;
  }
}

/// selp: one of two registers, by a predicate.
template <typename T>
Outcome selectLanes(ExecutionState &state, const Instruction &instruction) {
  uint32_t chosen = state.predicate(instruction.slots[3]);
  T *result = state.lanes<T>(instruction.slots[0]);
  const T *a = state.lanes<T>(instruction.slots[1]);
  const T *b = state.lanes<T>(instruction.slots[2]);
  uint32_t active = state.active;
  MIRAGE_LANE_LOOP
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    T value = (chosen >> lane & 1) ? a[lane] : b[lane];
    result[lane] = (active >> lane & 1) ? value : result[lane];
  }
  return Outcome::Next;
}

Handler selectSelp(const Form &form, Instruction &) {
  return selectByWidth(form.type(), [](auto zero) -> Handler {
    return selectLanes<decltype(zero)>;
  });
}

/// slct d, a, b, c: a where c >= 0.
template <typename T, typename C>
Outcome selectBySign(ExecutionState &state, const Instruction &instruction) {
  mapLanes(
      state.active, state.lanes<T>(instruction.slots[0]),
      [](T a, T b, C c) { return c >= 0 ? a : b; },
      state.lanes<T>(instruction.slots[1]),
      state.lanes<T>(instruction.slots[2]),
      state.lanes<C>(instruction.slots[3]));
  return Outcome::Next;
}

Handler selectSlct(const Form &form, Instruction &) {
  bool isWide = sizeBytes(form.resultType()) == 8;
  if (form.type() == ScalarType::F32)
    return isWide ? selectBySign<uint64_t, float>
                  : selectBySign<uint32_t, float>;
  return isWide ? selectBySign<uint64_t, int32_t>
                : selectBySign<uint32_t, int32_t>;
}

const Row rows[] = {
    {"setp." MIRAGE_RELATIONS ".and|or|xor[.ftz]"
     ".b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64|f16|bf16",
     "=pred| T T pred", InstructionClass::Move, selectCompare,
     "f16: sm_53 4.2; bf16: sm_90 7.8"},
    {"setp." MIRAGE_RELATIONS "[.ftz]"
     ".b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64|f16|bf16|f16x2|bf16x2",
     "=pred| T T", InstructionClass::Move, selectCompare,
     "f16|f16x2: sm_53 4.2; bf16|bf16x2: sm_90 7.8"},
    {"selp.b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64|f16|bf16", "=T T T pred",
     InstructionClass::Move, selectSelp},
    {"slct.b32|b64|u32|u64|s32|s64|f32|f64.s32|f32", "=D D D T",
     InstructionClass::Move, selectSlct},
};

} // namespace

llvm::ArrayRef<Row> mlir::mirage::emulator::compareRows() { return rows; }
