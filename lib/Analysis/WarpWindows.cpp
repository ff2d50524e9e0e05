//===- WarpWindows.cpp - What several items of a warp read ----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Analysis/WarpWindows.h"
#include "Mirage/Planning/Target.h"
#include "mlir/IR/TypeUtilities.h"
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
                                         int64_t numWarps) {
  std::set<SmallVector<int64_t>> windows;
  for (int64_t item = 0; item < items.getNumBlocks(); item += numWarps)
    windows.insert(getWindow(items, input, item));
  return windows.size();
}

bool mlir::mirage::hasRoomForShared(thread::GraphOp graph,
                                    const TileGraph &items, int64_t numWarps) {
  constexpr int64_t kRegisterBits = 32;
  int64_t numItems = llvm::divideCeil(items.getNumBlocks(), numWarps), bits = 0;
  for (Operation &op : graph.getBody().front()) {
    if (!isa<thread::LoadOp, thread::LdmatrixOp>(op))
      continue;
    auto window = dyn_cast<BlockArgument>(op.getOperand(0));
    if (!window || items.tileInputs[window.getArgNumber()].loopMap < 0)
      continue;
    int64_t windows =
        countWindowsOfWarp(items, window.getArgNumber(), numWarps);
    Type fragment = op.getResult(0).getType();
    if (windows < numItems)
      bits += windows * items.loop *
              thread::getFragmentLayout(fragment)->getNumRegisters() *
              getElementTypeOrSelf(fragment).getIntOrFloatBitWidth();
  }
  return bits <= Target().registersPerThread * kRegisterBits;
}
