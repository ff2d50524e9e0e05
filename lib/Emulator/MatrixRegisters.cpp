//===- MatrixRegisters.cpp - Registers that wgmma works on ----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decoder.h"
#include "Handlers.h"
#include "MatrixGroups.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir::mirage::emulator;
using llvm::DenseMap;

/// Runs an instruction that names registers of a wgmma.
static Outcome touchRegisters(ExecutionState &state,
                              const Instruction &instruction) {
  const MatrixRegisters &all = state.worker->launch.kernel.matrixRegisters;
  const MatrixRegisters::Use &use = all.uses.find(state.pc)->second;
  WarpMatrices &matrices = state.warp->matrices;
  if (!state.worker->watchesRaces())
    return use.handler(state, instruction);
  for (uint32_t number : use.numbers) {
    MatrixRegister &entry = matrices.registers[number];
    entry.touched = matrices.fences + 1;
    if (!matrices.isPending(entry))
      continue;
    state.report(
        FindingKind::MatrixMisuse, state.firstLane(),
        [&] {
          return llvm::formatv("use of {0}, {1} of a wgmma that was not waited "
                               "for",
                               all.names[number],
                               entry.accumulator >= 0 ? "an accumulator"
                                                      : "a left operand")
              .str();
        },
        entry.pc);
  }
  return use.handler(state, instruction);
}

namespace {

/// Gives the registers of all wgmma numbers.
class RegisterFinder {
public:
  explicit RegisterFinder(Kernel &kernel) : kernel(kernel) {}

  DenseMap<uint32_t, uint32_t> run() {
    for (auto [pc, instruction] : llvm::enumerate(kernel.code))
      if (isWarpgroupProduct(instruction))
        addProduct(pc, instruction);
    if (!numbers.empty())
      for (auto [pc, instruction] : llvm::enumerate(kernel.code))
        if (!isWarpgroupProduct(instruction))
          addOther(pc, instruction);
    return std::move(numbers);
  }

private:
  uint32_t numberOf(uint32_t slot) {
    return numbers.try_emplace(slot, numbers.size()).first->second;
  }

  void addProduct(uint32_t pc, const Instruction &instruction) {
    MatrixRegisters::Use &use = kernel.matrixRegisters.uses[pc];
    unsigned count = instruction.vectorSize;
    for (unsigned i = 0; i < count; ++i)
      use.numbers.push_back(numberOf(instruction.slots[i]));
    for (unsigned i = 0; i < countFragments(instruction); ++i)
      use.fragments.push_back(numberOf(instruction.slots[count + i]));
  }

  void addOther(uint32_t pc, Instruction &instruction) {
    // Behind the first slot of a branch there are labels.
    unsigned count = instruction.numSlots;
    if (instruction.instructionClass == InstructionClass::Branch)
      count = std::min(count, 1u);
    MatrixRegisters::Use use;
    for (uint32_t slot : llvm::ArrayRef(instruction.slots, count)) {
      auto found = slot == noSlot ? numbers.end() : numbers.find(slot);
      if (found != numbers.end())
        use.numbers.push_back(found->second);
    }
    if (use.numbers.empty())
      return;
    use.handler = instruction.handler;
    instruction.handler = touchRegisters;
    kernel.matrixRegisters.uses[pc] = std::move(use);
  }

  Kernel &kernel;
  DenseMap<uint32_t, uint32_t> numbers;
};

} // namespace

DenseMap<uint32_t, uint32_t>
mlir::mirage::emulator::findMatrixRegisters(Kernel &kernel) {
  return RegisterFinder(kernel).run();
}
