//===- HandlersControl.cpp - Branches and the end of threads --------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handlers.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir::mirage::emulator;

namespace {

Outcome branch(ExecutionState &state, const Instruction &instruction) {
  branchLanes(state, state.active, instruction.target,
              instruction.reconvergence);
  return Outcome::Jumped;
}
Handler selectBranch(const Form &, Instruction &) { return branch; }

/// brx.idx: lanes part by their index; each group is one step of a chain of
/// two-way branches.
Outcome branchIndexed(ExecutionState &state, const Instruction &instruction) {
  uint32_t index =
      state.lanes<uint32_t>(instruction.slots[0])[state.firstLane()];
  uint32_t numTargets = instruction.numSlots - 1;
  if (index >= numTargets) {
    state.report(FindingKind::OutOfBounds, state.firstLane(), [&] {
      return llvm::formatv("expected a branch index below {0}, found {1}",
                           numTargets, index)
          .str();
    });
    return Outcome::Stopped;
  }
  uint32_t same = 0;
  for (uint32_t rest = state.active; rest; rest &= rest - 1) {
    unsigned lane = llvm::countr_zero(rest);
    if (state.lanes<uint32_t>(instruction.slots[0])[lane] == index)
      same |= 1u << lane;
  }
  branchLanes(state, same, instruction.slots[1 + index],
              instruction.reconvergence);
  // The others come back to this instruction.
  Split &split = state.currentSplit();
  if (split.mask & ~same)
    split.pc = state.pc;
  return Outcome::Jumped;
}
Handler selectIndexed(const Form &, Instruction &) { return branchIndexed; }

Outcome exitThreads(ExecutionState &state, const Instruction &) {
  exitLanes(state, state.active);
  return Outcome::Parked; // the split may be gone
}
Handler selectExit(const Form &, Instruction &) { return exitThreads; }

Outcome trap(ExecutionState &state, const Instruction &) {
  state.report(FindingKind::Trap, state.firstLane(),
               [] { return std::string("the kernel executed a trap"); });
  return Outcome::Stopped;
}
Handler selectTrap(const Form &, Instruction &) { return trap; }

Outcome pause(ExecutionState &state, const Instruction &) {
  state.currentSplit().pc = state.pc + 1;
  return Outcome::Parked;
}
Handler selectPause(const Form &, Instruction &) { return pause; }

/// All that earlier grids did is ordered before what comes now.
Outcome waitForGrids(ExecutionState &state, const Instruction &) {
  state.warp->clock.raise(state.block->number, agents::grids, 1);
  if (!state.block->waitedForEarlierGrids)
    ++state.worker->numBlocksThatWaited;
  state.block->waitedForEarlierGrids = true;
  return Outcome::Next;
}
Handler selectGrids(const Form &, Instruction &) { return waitForGrids; }

Outcome nothing(ExecutionState &, const Instruction &) { return Outcome::Next; }
Handler selectNothing(const Form &, Instruction &) { return nothing; }

const Row rows[] = {
    {"bra[.uni]", "l", InstructionClass::Branch, selectBranch},
    {"brx.idx[.uni]", "b32 t", InstructionClass::Branch, selectIndexed,
     "any 6.0"},
    {"ret|exit[.uni]", "", InstructionClass::Branch, selectExit},
    {"trap", "", InstructionClass::Branch, selectTrap},
    {"griddepcontrol.wait", "", InstructionClass::Barrier, selectGrids,
     "sm_90 7.8"},
    // When the next grid starts is for its own launch to be careful about.
    {"griddepcontrol.launch_dependents", "", InstructionClass::Barrier,
     selectNothing, "sm_90 7.8"},
    {"brkpt", "", InstructionClass::Move, selectNothing},
    {"nanosleep.u32", "b32", InstructionClass::Move, selectPause, "sm_70 6.2"},
    {"pmevent", "#b32", InstructionClass::Move, selectNothing},
};

} // namespace

Outcome mlir::mirage::emulator::branchWithoutEnd(ExecutionState &state,
                                                 const Instruction &) {
  state.report(FindingKind::EndlessLoop, state.firstLane(), [] {
    return std::string("no way leads from here to the end of the kernel");
  });
  return Outcome::Stopped;
}

llvm::ArrayRef<Row> mlir::mirage::emulator::controlRows() { return rows; }
