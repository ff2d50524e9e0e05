//===- HandlersAtomic.cpp - atom and red ----------------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AtomicUpdates.h"
#include "Handlers.h"
#include "IntegerTypes.h"
#include "MemoryAccess.h"

using namespace mlir::mirage::emulator;
using namespace mlir::mirage::emulator::updates;
using llvm::StringRef;

namespace {

/// Lanes go one after the other, in their order. Variant: the memory order, and
/// above it whether there is a result (atom) or not (red).
enum : uint16_t {
  hasResult = 1 << MemoryOrder::numBits,
  replacesOld = hasResult << 1, ///< whatever was there: exch
};

template <typename T, Update<T> update>
Outcome atomic(ExecutionState &state, const Instruction &instruction) {
  const uint32_t *slots = instruction.slots;
  T *result =
      instruction.variant & hasResult ? state.lanes<T>(*slots++) : nullptr;
  const T *b = state.lanes<T>(slots[1]);
  // Only compare-and-swap has a third operand.
  bool hasThird = slots + 2 < instruction.slots + instruction.numSlots;
  const T *c = hasThird ? state.lanes<T>(slots[2]) : b;
  MemoryOrder order = MemoryOrder::unpack(instruction.variant);
  AccessRequest request;
  request.slot = slots[0];
  request.space = instruction.space;
  request.bytes = sizeof(T);
  request.kind = AccessKind::Atomic;
  request.readsOld = !(instruction.variant & replacesOld);
  bool changes = false;
  llvm::SmallVector<const uint8_t *, 32> places;
  accessMemory(state, instruction, request, [&](const MemoryAccess &access) {
    for (uint32_t rest = access.mask; rest; rest &= rest - 1) {
      unsigned lane = llvm::countr_zero(rest);
      T old;
      std::memcpy(&old, access.host(lane), sizeof(T));
      T value = update(old, b[lane], c[lane]);
      std::memcpy(access.host(lane), &value, sizeof(T));
      changes |= value != old;
      if (result)
        result[lane] = old;
      places.push_back(access.host(lane));
      synchronizeRead(state, access, lane, order);
      synchronizeWrite(state, access, lane, order, true);
    }
  });
  if (order.releases())
    state.warp->clock.tick();
  if (changes || !result) {
    noteProgress(state);
    return Outcome::Next;
  }
  return notePolling(state, sizeof(T), hashPlaces(sizeof(T), places), places);
}

Handler selectInteger(StringRef name, ScalarType type) {
  return selectByInteger(type, [&](auto zero) {
    using T = decltype(zero);
    return llvm::StringSwitch<Handler>(name)
        .Case("add", atomic<T, add<T>>)
        .Case("min", atomic<T, lesser<T>>)
        .Case("max", atomic<T, greater<T>>)
        .Case("inc", atomic<T, increment<T>>)
        .Case("dec", atomic<T, decrement<T>>)
        .Case("and", atomic<T, bitAnd<T>>)
        .Case("or", atomic<T, bitOr<T>>)
        .Case("xor", atomic<T, bitXor<T>>)
        .Case("exch", atomic<T, exchange<T>>)
        .Case("cas", atomic<T, compareAndSwap<T>>)
        .Default(nullptr);
  });
}

Handler selectOperation(StringRef name, ScalarType type) {
  switch (type) {
  case ScalarType::F32:
    return atomic<uint32_t, addFloat>;
  case ScalarType::F64:
    return atomic<uint64_t, addDouble>;
  case ScalarType::F16:
    return atomic<uint16_t, addHalf>;
  case ScalarType::BF16:
    return atomic<uint16_t, addBfloat>;
  case ScalarType::F16x2:
    return atomic<uint32_t, addPair<addHalf>>;
  case ScalarType::BF16x2:
    return atomic<uint32_t, addPair<addBfloat>>;
  default:
    return selectInteger(name, type);
  }
}

/// Without a word about order an atomic is relaxed and at the scope of the
/// device (9.7.13.5): so LLVM prints `atomicrmw`, whatever order it was given.
Handler select(const Form &form, Instruction &instruction) {
  static constexpr StringRef names[] = {"add", "min", "max", "and",  "or",
                                        "xor", "inc", "dec", "exch", "cas"};
  instruction.space = spaceOf(form);
  MemoryOrder order = orderOf(form);
  if (order.ordering == Ordering::Weak)
    order.ordering = Ordering::Relaxed;
  instruction.variant = order.pack() |
                        (form.mnemonic() == "atom" ? hasResult : 0) |
                        (form.has("exch") ? replacesOld : 0);
  instruction.communicates =
      instruction.space != Space::Shared && instruction.space != Space::Cluster;
  for (StringRef name : names)
    if (form.has(name))
      return selectOperation(name, form.type());
  return nullptr;
}

#define MIRAGE_ATOMIC_HEAD                                                     \
  "[.relaxed|acquire|release|acq_rel][.cta|cluster|gpu|sys]"                   \
  "[.global|shared|shared::cta|shared::cluster]"

const Row rows[] = {
    {"atom" MIRAGE_ATOMIC_HEAD ".cas.b16|b32|b64", "=T m T T",
     InstructionClass::Atomic, select,
     "cta|gpu|sys: sm_60 5.0; b16: sm_70 6.3"},
    {"atom" MIRAGE_ATOMIC_HEAD ".exch.b32|b64", "=T m T",
     InstructionClass::Atomic, select, "cta|gpu|sys: sm_60 5.0"},
    {"atom" MIRAGE_ATOMIC_HEAD ".and|or|xor.b32|b64", "=T m T",
     InstructionClass::Atomic, select, "cta|gpu|sys: sm_60 5.0"},
    {"red" MIRAGE_ATOMIC_HEAD ".and|or|xor.b32|b64", "m T",
     InstructionClass::Atomic, select, "cta|gpu|sys: sm_60 5.0"},
    {"atom" MIRAGE_ATOMIC_HEAD ".add|min|max.u32|s32|u64|s64", "=T m T",
     InstructionClass::Atomic, select, "cta|gpu|sys: sm_60 5.0"},
    {"red" MIRAGE_ATOMIC_HEAD ".add|min|max.u32|s32|u64|s64", "m T",
     InstructionClass::Atomic, select, "cta|gpu|sys: sm_60 5.0"},
    {"atom" MIRAGE_ATOMIC_HEAD ".inc|dec.u32", "=T m T",
     InstructionClass::Atomic, select, "cta|gpu|sys: sm_60 5.0"},
    {"red" MIRAGE_ATOMIC_HEAD ".inc|dec.u32", "m T", InstructionClass::Atomic,
     select, "cta|gpu|sys: sm_60 5.0"},
    {"atom" MIRAGE_ATOMIC_HEAD ".add[.noftz].f32|f64|f16|bf16|f16x2|bf16x2",
     "=T m T", InstructionClass::Atomic, select,
     "cta|gpu|sys: sm_60 5.0; f64: sm_60 5.0; f16x2: sm_60 6.2; f16: sm_70 "
     "6.3; bf16|bf16x2: sm_90 7.8"},
    {"red" MIRAGE_ATOMIC_HEAD ".add[.noftz].f32|f64|f16|bf16|f16x2|bf16x2",
     "m T", InstructionClass::Atomic, select,
     "cta|gpu|sys: sm_60 5.0; f64: sm_60 5.0; f16x2: sm_60 6.2; f16: sm_70 "
     "6.3; bf16|bf16x2: sm_90 7.8"},
};

} // namespace

llvm::ArrayRef<Row> mlir::mirage::emulator::atomicRows() { return rows; }
