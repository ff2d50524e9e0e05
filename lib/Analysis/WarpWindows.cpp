//===- WarpWindows.cpp - What several items of a warp read ----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Analysis/WarpWindows.h"
#include "Mirage/Analysis/HeldTiles.h"
#include "Mirage/Planning/RegisterBudget.h"
#include "llvm/Support/MathExtras.h"
#include <set>

using namespace mlir;
using namespace mlir::mirage;

/// Where an item's window is, among those of other items: its coordinates along
/// the axes that cut the input.
static SmallVector<int64_t> getWindow(const TileGraph &items, unsigned input,
                                      int64_t item) {
  SmallVector<int64_t> window;
  for (size_t axis = items.grid.size(); axis-- > 0;) {
    if (items.tileInputs[input].gridMap[axis] != kReplicated)
      window.push_back(item % items.grid[axis]);
    item /= items.grid[axis];
  }
  return window;
}

int64_t mlir::mirage::countWindowsOfWarp(const TileGraph &items, unsigned input,
                                         int64_t numWarps, int64_t warp) {
  std::set<SmallVector<int64_t>> windows;
  for (int64_t item = warp; item < items.getNumBlocks(); item += numWarps)
    windows.insert(getWindow(items, input, item));
  return windows.size();
}

int64_t mlir::mirage::countWindowRegisters(thread::GraphOp graph,
                                           const TileGraph &items,
                                           unsigned input, int64_t numWarps) {
  int64_t numSteps = items.tileInputs[input].loopMap >= 0 ? items.loop : 1;
  int64_t numWindows =
      numSteps * countWindowsOfWarp(items, input, numWarps, /*warp=*/0);
  int64_t registers = 0;
  for (Operation *user : graph.getBody().getArgument(input).getUsers())
    if (isa<thread::LoadOp, thread::LdmatrixOp>(user))
      registers += numWindows * thread::countRegisters(cast<RankedTensorType>(
                                    user->getResult(0).getType()));
  return registers;
}

/// Of a step in its block, or of one that has been placed.
static bool isInRegisters(Value tile) {
  return isHeld(tile) || thread::getFragmentLayout(tile.getType());
}

static int64_t countItemsOfWarp(const TileGraph &items, int64_t numWarps) {
  return llvm::divideCeil(items.getNumBlocks(), numWarps);
}

/// Registers for the windows of all steps that several items of a warp share.
/// \param countRegisters  of a fragment.
static int64_t countSharedRegisters(
    thread::GraphOp graph, const TileGraph &items, int64_t numWarps,
    llvm::function_ref<int64_t(RankedTensorType)> countRegisters) {
  int64_t registers = 0;
  for (Operation &op : graph.getBody().front()) {
    if (!isa<thread::LoadOp, thread::LdmatrixOp>(op))
      continue;
    auto window = dyn_cast<BlockArgument>(op.getOperand(0));
    if (!window || items.tileInputs[window.getArgNumber()].loopMap < 0 ||
        isInRegisters(graph.getInputs()[window.getArgNumber()]))
      continue;
    int64_t windows =
        countWindowsOfWarp(items, window.getArgNumber(), numWarps, /*warp=*/0);
    auto fragment = cast<RankedTensorType>(op.getResult(0).getType());
    if (windows < countItemsOfWarp(items, numWarps))
      registers += windows * items.loop * countRegisters(fragment);
  }
  return registers;
}

bool mlir::mirage::hasRoomForShared(thread::GraphOp graph,
                                    const TileGraph &items, int64_t numWarps) {
  return countSharedRegisters(graph, items, numWarps, thread::countRegisters) <=
         RegisterBudget(numWarps << kLaneBits).getAll();
}

bool mlir::mirage::keepsSharedOfProduct(thread::GraphOp graph,
                                        const TileGraph &items,
                                        int64_t numWarps) {
  Block &body = graph.getBody().front();
  if (body.getOps<thread::MatmulOp>().empty())
    return false;
  // Products are taken of f32, whatever is loaded.
  int64_t shared = countSharedRegisters(
      graph, items, numWarps, [](RankedTensorType fragment) -> int64_t {
        return thread::getFragmentLayout(fragment)->getNumRegisters();
      });
  int64_t sums = 0;
  for (auto sum : body.getOps<thread::AccumulateOp>())
    sums += countItemsOfWarp(items, numWarps) *
            thread::countRegisters(sum.getType());
  return shared > 0 &&
         shared + sums <= RegisterBudget(numWarps << kLaneBits).getBesideCode();
}
