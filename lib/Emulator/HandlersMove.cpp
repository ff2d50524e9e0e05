//===- HandlersMove.cpp - mov, cvta, and reading clocks -------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handlers.h"
#include "IntegerTypes.h"
#include "MemoryAccess.h"
#include "OpcodeTable.h"

using namespace mlir::mirage::emulator;
using llvm::StringRef;

namespace {

template <typename T>
struct Copy {
  using Result = T;
  using Source = T;
  static T apply(T a) { return a; }
};

struct Bytes16 {
  uint64_t low, high;
};

Handler selectMove(const Form &form, Instruction &) {
  if (sizeBytes(form.type()) == 16)
    return unaryHandler<Copy<Bytes16>>;
  return selectByWidth(form.type(), [](auto zero) -> Handler {
    return unaryHandler<Copy<decltype(zero)>>;
  });
}

/// `mov.b64 %rd, {%r1, %r2}`: registers of 1/n of the width, lowest first. The
/// byte widths are template arguments so that loops are plain.
template <typename Whole, typename Part>
Outcome pack(ExecutionState &state, const Instruction &instruction) {
  constexpr unsigned count = sizeof(Whole) / sizeof(Part);
  auto *result = state.lanes<uint8_t>(instruction.slots[0]);
  for (uint32_t rest = state.active; rest; rest &= rest - 1) {
    unsigned lane = llvm::countr_zero(rest);
    Part parts[count];
    for (unsigned i = 0; i < count; ++i)
      parts[i] = state.lanes<Part>(instruction.slots[1 + i])[lane];
    std::memcpy(result + lane * sizeof(Whole), parts, sizeof(Whole));
  }
  return Outcome::Next;
}

template <typename Whole, typename Part>
Outcome unpack(ExecutionState &state, const Instruction &instruction) {
  constexpr unsigned count = sizeof(Whole) / sizeof(Part);
  const auto *source = state.lanes<uint8_t>(instruction.slots[count]);
  for (uint32_t rest = state.active; rest; rest &= rest - 1) {
    unsigned lane = llvm::countr_zero(rest);
    Part parts[count];
    std::memcpy(parts, source + lane * sizeof(Whole), sizeof(Whole));
    for (unsigned i = 0; i < count; ++i)
      state.lanes<Part>(instruction.slots[i])[lane] = parts[i];
  }
  return Outcome::Next;
}

/// The decoder calls a mov with braces `mov%pack` or `mov%unpack` and sets the
/// number of parts.
Handler selectPack(const Form &form, Instruction &instruction) {
  bool unpacks = form.mnemonic() == "mov%unpack";
  switch (sizeBytes(form.type()) * 4 + instruction.vectorSize) {
  case 4 * 4 + 2:
    return unpacks ? unpack<uint32_t, uint16_t> : pack<uint32_t, uint16_t>;
  case 8 * 4 + 2:
    return unpacks ? unpack<uint64_t, uint32_t> : pack<uint64_t, uint32_t>;
  case 8 * 4 + 4:
    return unpacks ? unpack<uint64_t, uint16_t> : pack<uint64_t, uint16_t>;
  case 16 * 4 + 2:
    return unpacks ? unpack<Bytes16, uint64_t> : pack<Bytes16, uint64_t>;
  default:
    return nullptr;
  }
}

/// cvta adds the start of a space's window, cvta.to takes it away.
Outcome convertAddress(ExecutionState &state, const Instruction &instruction) {
  uint64_t offset = window::of(instruction.space);
  if (instruction.variant)
    offset = 0 - offset;
  mapLanes(
      state.active, state.lanes<uint64_t>(instruction.slots[0]),
      [offset](uint64_t address) { return address + offset; },
      state.lanes<uint64_t>(instruction.slots[1]));
  return Outcome::Next;
}

Handler selectConvertAddress(const Form &form, Instruction &instruction) {
  instruction.space = spaceOf(form);
  instruction.variant = form.has("to");
  return convertAddress;
}

Outcome isInSpace(ExecutionState &state, const Instruction &instruction) {
  Space space = instruction.space;
  const Block *block = state.block;
  uint32_t bits = testLanes(
      [space, block](uint64_t address) {
        if (space == Space::Shared) {
          uint64_t place = address - window::shared;
          return place < window::sizeBytes &&
                 findSharedOwner(*block, place) == block;
        }
        if (space == Space::Global)
          return address - window::shared >=
                 window::moduleGlobal - window::shared;
        return address - window::of(space) < window::sizeBytes;
      },
      state.lanes<uint64_t>(instruction.slots[1]));
  setPredicate(state, instruction.slots[0], bits);
  return Outcome::Next;
}

Handler selectIsSpace(const Form &form, Instruction &instruction) {
  instruction.space = spaceOf(form);
  return isInSpace;
}

const Row rows[] = {
    {"mov.b16|u16|s16|f16|bf16|b32|u32|s32|f32|b64|u64|s64|f64|b128", "=T T",
     InstructionClass::Move, selectMove},
    {"mov%pack.b32|b64|b128", "=T P*", InstructionClass::Move, selectPack},
    {"mov%unpack.b32|b64|b128", "=P* T", InstructionClass::Move, selectPack},
    {"cvta[.to].global|shared|shared::cta|shared::cluster|local|param|const."
     "u64",
     "=T T", InstructionClass::Integer, selectConvertAddress,
     "param: sm_70 7.7"},
    {"isspacep.global|shared|shared::cta|shared::cluster|local|param|const",
     "=pred b64", InstructionClass::Integer, selectIsSpace, "param: sm_70 7.7"},
};

} // namespace

/// Clocks count what the warp has executed: they grow, and repeat from run to
/// run.
Outcome mlir::mirage::emulator::readClock(ExecutionState &state,
                                          const Instruction &instruction) {
  state.warp->readsClock = true;
  uint64_t now = state.warp->steps;
  if (instruction.resultBytes == 4)
    mapLanes(
        state.active, state.lanes<uint32_t>(instruction.slots[0]),
        [now](uint32_t) { return uint32_t(now); },
        state.lanes<uint32_t>(instruction.slots[0]));
  else
    mapLanes(
        state.active, state.lanes<uint64_t>(instruction.slots[0]),
        [now](uint64_t) { return now; },
        state.lanes<uint64_t>(instruction.slots[0]));
  return Outcome::Next;
}

llvm::ArrayRef<Row> mlir::mirage::emulator::moveRows() { return rows; }
