//===- ControlFlow.cpp - Where diverged lanes meet again ------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decoder.h"
#include "Handlers.h"

using namespace mlir::mirage::emulator;

namespace {

/// Immediate post-dominators of single instructions, by the iterative method of
/// Cooper, Harvey and Kennedy ("A Simple, Fast Dominance Algorithm") on the
/// reversed graph. The exit is the node behind the last instruction.
class PostDominators {
public:
  explicit PostDominators(const Kernel &kernel)
      : kernel(kernel), exit(kernel.code.size()), predecessors(exit + 1),
        order(exit + 1, noPc), parent(exit + 1, noPc) {
    for (uint32_t pc = 0; pc < exit; ++pc)
      for (uint32_t next : successors(pc))
        predecessors[next].push_back(pc);
    number();
    solve();
  }

  /// Whether there is a way from here to the end of the kernel.
  bool canEnd(uint32_t pc) const { return order[pc] != noPc; }

  /// noPc if only the exit is common, or no exit can be reached.
  uint32_t of(uint32_t pc) const {
    return parent[pc] == exit ? noPc : parent[pc];
  }

private:
  llvm::SmallVector<uint32_t, 2> successors(uint32_t pc) const {
    const Instruction &instruction = kernel.code[pc];
    llvm::SmallVector<uint32_t, 2> next;
    if (instruction.instructionClass != InstructionClass::Branch)
      return {pc + 1};
    bool isGuarded = instruction.guard != noSlot;
    if (instruction.target != noPc)
      next.push_back(instruction.target);
    else if (instruction.numSlots > 1) // brx.idx
      next.append(instruction.slots + 1,
                  instruction.slots + instruction.numSlots);
    else
      next.push_back(exit);
    if (isGuarded)
      next.push_back(pc + 1);
    return next;
  }

  /// Post-order of a walk from the exit against the edges.
  void number() {
    std::vector<std::pair<uint32_t, size_t>> stack = {{exit, 0}};
    std::vector<bool> seen(exit + 1);
    seen[exit] = true;
    while (!stack.empty()) {
      auto &[node, next] = stack.back();
      if (next == predecessors[node].size()) {
        order[node] = sequence.size();
        sequence.push_back(node);
        stack.pop_back();
        continue;
      }
      uint32_t child = predecessors[node][next++];
      if (!seen[child]) {
        seen[child] = true;
        stack.push_back({child, 0});
      }
    }
  }

  uint32_t intersect(uint32_t a, uint32_t b) const {
    while (a != b) {
      while (order[a] < order[b])
        a = parent[a];
      while (order[b] < order[a])
        b = parent[b];
    }
    return a;
  }

  void solve() {
    parent[exit] = exit;
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t i = sequence.size() - 1; i-- > 0;) {
        uint32_t node = sequence[i], meet = noPc;
        for (uint32_t next : successors(node))
          if (parent[next] != noPc)
            meet = meet == noPc ? next : intersect(next, meet);
        if (meet != parent[node]) {
          parent[node] = meet;
          changed = true;
        }
      }
    }
  }

  const Kernel &kernel;
  uint32_t exit;
  std::vector<std::vector<uint32_t>> predecessors;
  std::vector<uint32_t> order, parent, sequence;
};

} // namespace

void mlir::mirage::emulator::findReconvergence(Kernel &kernel) {
  PostDominators postDominators(kernel);
  for (uint32_t pc = 0; pc < kernel.code.size(); ++pc)
    if (kernel.code[pc].instructionClass == InstructionClass::Branch) {
      kernel.code[pc].reconvergence = postDominators.of(pc);
      if (!postDominators.canEnd(pc))
        kernel.code[pc].handler = branchWithoutEnd;
    }
}
