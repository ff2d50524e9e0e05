//===- BankTraffic.h - Passes through shared memory's banks -----*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a block's warps take of the banks of shared memory to read and write one
// of its tiles, by how that tile lies (TileForms.h): *wavefronts*
// (Mirage/Layout/MemoryTraffic.h) of all iterations. Which lane touches which
// element follows from layouts of fragments, from how threads share out a tile
// that they copy (Mirage/Layout/AccessPatterns.h), and from the order of
// elements, where each thread takes one.
//
// It is what --mirage-plan-shared-memory goes by when it chooses forms, and no
// count of what the code does: the first item of a step stands for all, and the
// first warps of a copy for the others; steps that take elements one by one
// move theirs as if operands lay like the result. `mirage-run` counts all.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_ANALYSIS_BANKTRAFFIC_H
#define MIRAGE_ANALYSIS_BANKTRAFFIC_H

#include "Mirage/Analysis/BlockSteps.h"
#include "Mirage/Dialect/Thread/IR/Thread.h"
#include "Mirage/Layout/AccessPatterns.h"
#include "Mirage/Layout/LinearLayout.h"
#include "Mirage/Layout/MemoryTraffic.h"
#include <vector>

namespace mlir::mirage {

class BankTraffic {
public:
  /// \param steps  of a graph whose steps are shared out over threads already;
  ///               they must outlive this.
  explicit BankTraffic(const BlockSteps &steps);

  /// Wavefronts of a tile that lies so, of a block. Those of the copy engine
  /// are not among them.
  int64_t count(unsigned tile, TileForm form) const;
  /// Bytes that threads bring into an input's tile.
  int64_t getCopiedBytes(unsigned tile) const {
    return tiles[tile].copiedBytes;
  }

private:
  /// One access of a warp, and others like it.
  struct Access {
    SharedAccess kind;
    unsigned bytes; ///< of a lane
    uint32_t mask;  ///< lanes that take part
    int64_t times;
    /// Elements that lanes begin at, by their number in the tile, free bytes
    /// aside.
    SmallVector<int64_t, 32> elements;
  };
  /// A copy, whose order depends on what is between rows.
  struct Copy {
    SharedAccess kind;
    CopiedTile tile; ///< the pitch apart
    int64_t times;
  };
  struct Tile {
    RankedTensorType type;
    std::vector<Access> accesses;
    std::vector<Copy> copies;
    int64_t copiedBytes = 0;
  };

  void addStep(const BlockStep &step);
  void addInput(BlockArgument argument);
  void addOutputs(Operation *yield);
  void addItems(thread::GraphOp graph, int64_t times);
  void addWindows(thread::GraphOp graph, int64_t times);
  void addResults(thread::GraphOp graph, int64_t times);
  void addCarriedSum(block::AccumulateOp sum);
  void addFragment(Value value, const LinearLayout &fragment,
                   ArrayRef<bool> overhangs, SharedAccess kind, int64_t times);
  void addMatrices(Value value, const LinearLayout &fragment, int64_t times);
  void addAccumulation(const BlockStep &step, int64_t times);
  void addOperands(Operation *op, int64_t times);
  /// \param summed  which dimension of a product's operand is summed over, from
  ///                the last one; or 0.
  void addElements(Operation *op, Value value, SharedAccess kind, int64_t times,
                   size_t summed = 0);
  void addCopy(Value tile, Value tensor, SharedAccess kind, int64_t times);
  int64_t countCopy(const Copy &copy, const Tile &tile, TileForm form) const;

  const BlockSteps &steps;
  std::vector<Tile> tiles;
};

} // namespace mlir::mirage

#endif // MIRAGE_ANALYSIS_BANKTRAFFIC_H
