//===- HandlersWarpgroup.cpp - wgmma --------------------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handlers.h"
#include "MemoryAccess.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir::mirage;
using namespace mlir::mirage::emulator;
using llvm::formatv;

namespace {

/// The warp's warpgroup; null after a report.
MatrixGroup *findGroup(ExecutionState &state) {
  Block &block = *state.block;
  unsigned first = state.warp->index / warpsPerGroup * warpsPerGroup;
  bool isWhole = first + warpsPerGroup <= block.warps.size() &&
                 block.warps[first + warpsPerGroup - 1].lanes == allLanes;
  if (!isWhole) {
    state.report(FindingKind::MatrixMisuse, 0, [&] {
      return formatv("expected wgmma in a warpgroup of four whole warps, found "
                     "a block of {0} threads",
                     state.worker->launch.threadsPerBlock)
          .str();
    });
    return nullptr;
  }
  if (block.matrixGroups.empty())
    block.matrixGroups.resize(block.warps.size() / warpsPerGroup);
  return &block.matrixGroups[state.warp->index / warpsPerGroup];
}

/// Everything up to an operation, and so many groups, are done for a warp.
void finishWait(ExecutionState &state, MatrixGroup &group, Warp &warp,
                uint32_t upTo, uint32_t groups) {
  group.carryOut(*state.block, firstWarpOf(state), upTo);
  WarpMatrices &matrices = warp.matrices;
  matrices.waited = upTo;
  while (matrices.groupsBefore < groups) {
    matrices.groupEnds.pop_front();
    ++matrices.groupsBefore;
  }
  storeFinished(warp);
  warp.clock.raise(state.block->number,
                   agents::matrices + warp.index / warpsPerGroup, groups);
}

/// Lets warps go on whose operations are now issued by all.
void wake(ExecutionState &state, MatrixGroup &group) {
  llvm::erase_if(group.waiters, [&](const MatrixGroup::Waiter &waiter) {
    if (!group.isComplete(waiter.upTo))
      return false;
    finishWait(state, group, *waiter.warp, waiter.upTo, waiter.groups);
    for (Split &split : waiter.warp->splits)
      if (split.state == Split::State::AtMatrices && (split.mask & waiter.mask))
        split.state = Split::State::Runnable;
    return true;
  });
}

Outcome multiply(ExecutionState &state, const Instruction &instruction) {
  Outcome outcome = Outcome::Next;
  if (!requireWholeWarp(state, "wgmma.mma_async", outcome))
    return outcome;
  MatrixGroup *group = findGroup(state);
  if (!group)
    return Outcome::Stopped;
  state.warp->clock.meetLanes();
  if (!issueProduct(state, instruction, *group))
    return Outcome::Stopped;
  wake(state, *group);
  noteProgress(state);
  return Outcome::Next;
}

Outcome fence(ExecutionState &state, const Instruction &) {
  Outcome outcome = Outcome::Next;
  if (requireWholeWarp(state, "wgmma.fence", outcome))
    ++state.warp->matrices.fences;
  return outcome;
}

Outcome commit(ExecutionState &state, const Instruction &) {
  Outcome outcome = Outcome::Next;
  WarpMatrices &matrices = state.warp->matrices;
  if (requireWholeWarp(state, "wgmma.commit_group", outcome))
    matrices.groupEnds.push_back(matrices.issued);
  return outcome;
}

Outcome wait(ExecutionState &state, const Instruction &instruction) {
  Outcome outcome = Outcome::Next;
  if (!requireWholeWarp(state, "wgmma.wait_group", outcome))
    return outcome;
  WarpMatrices &matrices = state.warp->matrices;
  uint32_t pending = state.lanes<uint32_t>(instruction.slots[0])[0];
  uint32_t listed = matrices.groupEnds.size();
  if (pending >= listed)
    return outcome;
  uint32_t upTo = matrices.groupEnds[listed - pending - 1];
  uint32_t groups = matrices.groupsBefore + listed - pending;
  MatrixGroup *group = findGroup(state);
  if (!group)
    return Outcome::Stopped;
  if (group->isComplete(upTo)) {
    finishWait(state, *group, *state.warp, upTo, groups);
    return outcome;
  }
  group->waiters.push_back({state.warp, state.active, upTo, groups});
  state.currentSplit().pc = state.pc + 1;
  for (Split &split : state.warp->splits)
    if (split.mask & state.active)
      split.state = Split::State::AtMatrices;
  return Outcome::Parked;
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

MatrixElement elementOf(llvm::StringRef name) {
  return llvm::StringSwitch<MatrixElement>(name)
      .Case("bf16", MatrixElement::BF16)
      .Case("tf32", MatrixElement::TF32)
      .Case("e4m3", MatrixElement::E4M3)
      .Case("e5m2", MatrixElement::E5M2)
      .Case("s8", MatrixElement::S8)
      .Case("u8", MatrixElement::U8)
      .Default(MatrixElement::F16);
}

/// Beside MatrixShape in Instruction::variant: the left operand is in
/// registers.
constexpr uint16_t hasFragments = 1 << 14;

Handler selectMultiply(const Form &form, Instruction &instruction) {
  MatrixShape shape;
  llvm::ArrayRef<llvm::StringRef> types =
      llvm::ArrayRef(form.pieces).take_back(3);
  shape.sum = types[0] == "f16"   ? MatrixSum::F16
              : types[0] == "s32" ? MatrixSum::S32
                                  : MatrixSum::F32;
  shape.a = elementOf(types[1]);
  shape.b = elementOf(types[2]);
  shape.saturates = form.has("satfinite");
  // m64n128k16
  form.pieces[4].drop_front(4).split('k').first.getAsInteger(10, shape.columns);
  bool isInRegisters = form.mnemonic() == "wgmma%registers";
  instruction.variant = shape.pack() | (isInRegisters ? hasFragments : 0);
  instruction.vectorSize = shape.numRegisters();
  return multiply;
}
Handler selectFence(const Form &, Instruction &) { return fence; }
Handler selectCommit(const Form &, Instruction &) { return commit; }
Handler selectWait(const Form &, Instruction &) { return wait; }

/// Rows of wgmma.mma_async: one for each kind of operands, with the left one in
/// shared memory and in registers.
class RowMaker {
public:
  RowMaker() {
    for (bool isF16 : {false, true}) {
      std::string sum = isF16 ? ".f16" : ".f32", d = isF16 ? "=b32*" : "=f32*";
      addBoth(shapes(16, false) + sum + ".f16.f16", d, " #b32 #b32", true);
      addBoth(shapes(32, false) + sum + ".e4m3|e5m2.e4m3|e5m2", d, " #b32 #b32",
              false);
    }
    addBoth(shapes(16, false) + ".f32.bf16.bf16", "=f32*", " #b32 #b32", true);
    addBoth(shapes(8, false) + ".f32.tf32.tf32", "=f32*", " #b32 #b32", false);
    addBoth(shapes(32, true) + "[.satfinite].s32.s8|u8.s8|u8", "=b32*", "",
            false);
    rows.push_back({"wgmma.fence.sync.aligned", "", InstructionClass::Fence,
                    selectFence, needs});
    rows.push_back({"wgmma.commit_group.sync.aligned", "",
                    InstructionClass::Matrix, selectCommit, needs});
    rows.push_back({"wgmma.wait_group.sync.aligned", "#b32",
                    InstructionClass::Matrix, selectWait, needs});
  }

  std::vector<Row> rows;

private:
  static constexpr const char *needs = "sm_90a 8.0";

  /// All n, as alternatives: multiples of 8, of integers beyond 32 of 16.
  static std::string shapes(unsigned k, bool isInteger) {
    std::string text;
    for (unsigned n = 8; n <= 256; n += isInteger && n >= 32 ? 16 : 8)
      text += formatv("{0}m64n{1}k{2}", n > 8 ? "|" : "", n, k);
    return text;
  }

  /// \param major  both operands may be transposed where they lie in shared
  ///               memory.
  void addBoth(const std::string &form, const std::string &result,
               const std::string &scales, bool major) {
    add("wgmma.mma_async.sync.aligned." + form,
        result + " b64 b64 pred" + scales + (major ? " #b32 #b32" : ""));
    add("wgmma%registers.mma_async.sync.aligned." + form,
        result + " b32*4 b64 pred" + scales + (major ? " #b32" : ""));
  }
  void add(std::string form, std::string operands) {
    texts.push_back(std::move(form));
    const char *kept = texts.back().c_str();
    texts.push_back(std::move(operands));
    rows.push_back({kept, texts.back().c_str(), InstructionClass::Matrix,
                    selectMultiply, needs});
  }

  std::deque<std::string> texts;
};

} // namespace

bool mlir::mirage::emulator::isWarpgroupProduct(
    const Instruction &instruction) {
  return instruction.handler == multiply;
}

unsigned
mlir::mirage::emulator::countFragments(const Instruction &instruction) {
  return instruction.variant & hasFragments ? 4 : 0;
}

llvm::ArrayRef<Row> mlir::mirage::emulator::warpgroupRows() {
  static const RowMaker maker;
  return maker.rows;
}
