//===- RepeatedReads.cpp - What steps read that were before ---------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RepeatedReads.h"
#include "HeldItems.h"
#include "Mirage/Analysis/WarpWindows.h"
#include "Mirage/Planning/RegisterBudget.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "llvm/ADT/SmallPtrSet.h"

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

/// Of what an item computes with at a time: fragments of a step, those of f32
/// once more as tensor cores take them, addresses and counters.
static int64_t countWorkingRegisters(thread::GraphOp graph) {
  int64_t registers = 16;
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
    int64_t all = RegisterBudget(numWarps << kLaneBits).getAll();
    return registers == 0 ||
           registers + heldRegisters + countWorkingRegisters(graph) <= all;
  }

private:
  int64_t heldRegisters;
  llvm::SmallPtrSet<Value, 8> tiles; ///< since memory may have changed
};
} // namespace

static void separateRepeatedReads(Block &block) {
  ReadTiles read(block);
  for (Operation &op : block) {
    auto graph = dyn_cast<thread::GraphOp>(op);
    if (!graph) {
      if (!isMemoryEffectFree(&op))
        read.forget();
      continue;
    }
    if (!read.hasRoom(graph)) {
      OpBuilder builder(graph);
      Value all = arith::ConstantIntOp::create(builder, graph.getLoc(), -1, 32);
      NVVM::SyncWarpOp::create(builder, graph.getLoc(), all);
      read.forget();
    }
    read.add(graph);
  }
}

void mlir::mirage::separateRepeatedReads(ArrayRef<thread::GraphOp> graphs) {
  llvm::SmallPtrSet<Block *, 8> seen;
  for (thread::GraphOp graph : graphs)
    if (seen.insert(graph->getBlock()).second)
      ::separateRepeatedReads(*graph->getBlock());
}
