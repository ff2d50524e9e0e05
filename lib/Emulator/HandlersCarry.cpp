//===- HandlersCarry.cpp - Sums of several words: add.cc, addc ------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaneLoop.h"
#include "OpcodeTable.h"

using namespace mlir::mirage::emulator;

namespace {

/// Bits of Instruction::variant.
enum : uint16_t { isSub = 1, takesCarry = 2, leavesCarry = 4 };

/// The carry of a difference is set where nothing was borrowed, as in a + ~b
/// + 1.
template <typename T>
Outcome addWithCarry(ExecutionState &state, const Instruction &instruction) {
  T *result = state.lanes<T>(instruction.slots[0]);
  const T *a = state.lanes<T>(instruction.slots[1]);
  const T *b = state.lanes<T>(instruction.slots[2]);
  bool subtracts = instruction.variant & isSub;
  uint32_t carries = instruction.variant & takesCarry ? state.warp->carries
                     : subtracts                      ? allLanes
                                                      : 0;
  uint32_t left = 0;
  for (uint32_t rest = state.active; rest; rest &= rest - 1) {
    unsigned lane = llvm::countr_zero(rest);
    T second = subtracts ? T(~b[lane]) : b[lane];
    T partial = a[lane] + second, sum = partial + (carries >> lane & 1);
    left |= uint32_t(partial < second || sum < partial) << lane;
    result[lane] = sum;
  }
  if (instruction.variant & leavesCarry)
    state.warp->carries = (state.warp->carries & ~state.active) | left;
  return Outcome::Next;
}

Handler select(const Form &form, Instruction &instruction) {
  llvm::StringRef name = form.mnemonic();
  instruction.variant = (name.starts_with("sub") ? isSub : 0) |
                        (name.ends_with("c") ? takesCarry : 0) |
                        (form.has("cc") ? leavesCarry : 0);
  return sizeBytes(form.type()) == 4 ? addWithCarry<uint32_t>
                                     : addWithCarry<uint64_t>;
}

const Row rows[] = {
    {"add|sub.cc.u32|s32|u64|s64", "=T T T", InstructionClass::Integer, select,
     "u64|s64: any 4.3"},
    {"addc|subc[.cc].u32|s32|u64|s64", "=T T T", InstructionClass::Integer,
     select, "u64|s64: any 4.3"},
};

} // namespace

llvm::ArrayRef<Row> mlir::mirage::emulator::carryRows() { return rows; }
