//===- ReadAnew.cpp - What steps read that were before --------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two products of one left operand, which warps hold, are code without a loop:
//
//   items of the first read windows of the operand, of all steps
//   items of the second read the same ones
//
// LLVM, and behind it ptxas, have the second use what the first has loaded, and
// keep all of it until then, whether there are registers or not.
//
//===----------------------------------------------------------------------===//

#include "Mirage/Analysis/HeldItems.h"
#include "Mirage/Analysis/WarpWindows.h"
#include "Mirage/Dialect/Block/IR/Block.h"
#include "Mirage/Planning/RegisterBudget.h"
#include "Mirage/Transforms/Passes.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace mlir::mirage {
#define GEN_PASS_DEF_READANEWPASS
#include "Mirage/Transforms/Passes.h.inc"
} // namespace mlir::mirage

using namespace mlir;
using namespace mlir::mirage;

static bool isInSharedMemory(Value tile) {
  auto type = dyn_cast<MemRefType>(tile.getType());
  return type && nvgpu::NVGPUDialect::hasSharedMemoryAddressSpace(type);
}

/// Of what the steps beside one leave in registers.
static int64_t countHeldRegisters(Block &block) {
  int64_t registers = 0;
  for (auto graph : block.getOps<thread::GraphOp>())
    for (Type type : graph->getResultTypes())
      if (thread::getFragmentLayout(type))
        registers += thread::countRegisters(cast<RankedTensorType>(type));
  return registers;
}

/// Fragments of a step that an item computes with at a time, those of f32 once
/// more as tensor cores take them.
static int64_t countFragmentRegisters(thread::GraphOp graph) {
  int64_t registers = 0;
  for (Operation &op : graph.getBody().front()) {
    if (!isa<thread::LoadOp, thread::LdmatrixOp>(op))
      continue;
    auto fragment = cast<RankedTensorType>(op.getResult(0).getType());
    bool isRounded = fragment.getElementType().isF32() &&
                     llvm::any_of(op.getUsers(), llvm::IsaPred<thread::MmaOp>);
    registers += thread::countRegisters(fragment) * (isRounded ? 2 : 1);
  }
  return registers;
}

namespace {
/// The steps of a block of code, one after the other.
class ReadTiles {
public:
  explicit ReadTiles(Block &block) : heldRegisters(countHeldRegisters(block)) {}

  void forget() { tiles.clear(); }
  void add(thread::GraphOp graph) {
    for (Value input : graph.getInputs())
      if (isInSharedMemory(input))
        tiles.insert(input);
  }
  /// Whether a thread has registers for what a step reads again.
  bool hasRoom(thread::GraphOp graph) const {
    std::optional<HeldItems> held = findHeldItems(graph);
    if (!held)
      return true; // a loop over items keeps nothing
    int64_t numWarps = held->deal.numWarps, registers = 0;
    for (auto [input, tile] : llvm::enumerate(graph.getInputs()))
      if (tiles.contains(tile))
        registers += countWindowRegisters(graph, held->items, input, numWarps);
    return registers == 0 ||
           RegisterBudget(numWarps << kLaneBits)
               .hasRoomForReads(registers, heldRegisters,
                                countFragmentRegisters(graph));
  }

private:
  int64_t heldRegisters;
  llvm::SmallPtrSet<Value, 8> tiles; ///< since memory may have changed
};
} // namespace

static void readAnew(Block &block) {
  ReadTiles read(block);
  for (Operation &op : block) {
    auto graph = dyn_cast<thread::GraphOp>(op);
    if (!graph) {
      if (!isMemoryEffectFree(&op))
        read.forget();
      continue;
    }
    graph->removeAttr(kReadsAnewAttr);
    if (!read.hasRoom(graph)) {
      graph->setAttr(kReadsAnewAttr, UnitAttr::get(graph.getContext()));
      read.forget();
    }
    read.add(graph);
  }
}

namespace {
struct ReadAnewPass : mirage::impl::ReadAnewPassBase<ReadAnewPass> {
  void runOnOperation() override {
    llvm::SmallPtrSet<Block *, 8> seen;
    getOperation()->walk([&](thread::GraphOp graph) {
      Block *block = graph->getBlock();
      if (!isa<block::GraphOp>(graph->getParentOp()) &&
          seen.insert(block).second)
        readAnew(*block);
    });
  }
};
} // namespace
