//===- OrderGrid.cpp - Which blocks start side by side --------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Analysis/LaunchSequence.h"
#include "Mirage/Transforms/Passes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

namespace mlir::mirage {
#define GEN_PASS_DEF_ORDERGRIDPASS
#include "Mirage/Transforms/Passes.h.inc"
} // namespace mlir::mirage

using namespace mlir;
using namespace mlir::mirage;

/// Bytes of the operands that blocks along an axis share: none of them cuts
/// these.
static int64_t countSharedBytes(block::GraphOp kernel, unsigned axis) {
  TileGraph header =
      cast<TileGraphOpInterface>(kernel.getOperation()).getHeader();
  int64_t bytes = 0;
  for (auto [map, tensor] :
       llvm::zip_equal(header.tileInputs, kernel.getInputs()))
    if (map.gridMap[axis] == kReplicated)
      bytes += convertTensor(tensor.getType()).getSizeBytes();
  return bytes;
}

/// An axis with one block comes last, and says nothing.
static void orderGrid(Launch &launch) {
  block::GraphOp kernel = launch.kernels.front();
  ArrayRef<int64_t> grid = launch.getGrid();
  if (launch.has(LaunchBarrier::Cluster))
    return;
  auto getShared = [&](int64_t axis) {
    return grid[axis] == 1 ? -1 : countSharedBytes(kernel, axis);
  };
  auto order = llvm::to_vector<3>(llvm::seq<int64_t>(0, grid.size()));
  llvm::sort(order, [&](int64_t lhs, int64_t rhs) {
    return std::pair(-getShared(lhs), lhs) < std::pair(-getShared(rhs), rhs);
  });
  bool fits = llvm::all_of(llvm::enumerate(order), [&](auto placed) {
    return grid[placed.value()] <= kMaxGridExtents[placed.index()];
  });
  if (fits && !llvm::is_sorted(order))
    kernel->setAttr(kGridOrderAttr,
                    DenseI64ArrayAttr::get(kernel.getContext(), order));
}

namespace {
struct OrderGridPass : mirage::impl::OrderGridPassBase<OrderGridPass> {
  void runOnOperation() override {
    getOperation()->walk(
        [](block::GraphOp kernel) { kernel->removeAttr(kGridOrderAttr); });
    for (Operation *program : findPrograms(getOperation())) {
      FailureOr<LaunchSequence> sequence = LaunchSequence::read(program);
      if (failed(sequence))
        return signalPassFailure();
      for (Launch launch : sequence->getLaunches())
        orderGrid(launch);
    }
  }
};
} // namespace
