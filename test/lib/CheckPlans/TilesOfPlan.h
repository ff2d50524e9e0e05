//===- TilesOfPlan.h - Where a plan has tiles -------------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TEST_LIB_CHECKPLANS_TILESOFPLAN_H
#define MIRAGE_TEST_LIB_CHECKPLANS_TILESOFPLAN_H

#include "Mirage/Dialect/Block/IR/Block.h"
#include "Timeline.h"
#include "llvm/Support/Error.h"

namespace mlir::mirage::test {

/// A tile, or a ring of places, as the plan has it.
struct PlannedTile {
  std::string name;
  int64_t offset = 0;
  int64_t placeBytes = 0;
  int64_t numPlaces = 1;
  int64_t stride = 0; ///< bytes from one place to the next
  int64_t alignment = 1;

  int64_t getBytes() const { return (numPlaces - 1) * stride + placeBytes; }
  int64_t getEnd() const { return offset + getBytes(); }
};

/// "step 4 (mirage_block.exp)"
std::string getStepName(Operation *op);

/// What attributes of a block graph say of its tiles. The barriers by which the
/// copy engine says that boxes are there, and threads that they are done with
/// them, are one tile behind all others: that of the null value.
class TilesOfPlan {
public:
  /// \returns an error for a graph that has no plan.
  static llvm::Expected<TilesOfPlan> read(block::GraphOp graph);

  llvm::ArrayRef<PlannedTile> getTiles() const { return tiles; }
  /// Whether each iteration loads another tile, into another place.
  bool isRing(BlockArgument input) const;
  /// Whether the copy engine loads it.
  bool isBoxed(BlockArgument input) const;
  bool hasBoxes() const { return tileOf.count(Value()); }
  /// Whether it lies in shared memory.
  bool hasTile(Value value) const;

  /// The bytes that hold a value.
  /// \param iteration  of a ring: whose place.
  Touched touch(Value value, int64_t iteration) const;

private:
  explicit TilesOfPlan(block::GraphOp graph);
  llvm::Error addInput(BlockArgument input);
  llvm::Error addResult(OpResult result);
  llvm::Error addBarriers();
  void add(Value value, PlannedTile tile);

  block::GraphOp graph;
  DenseMap<Value, Phase> phases;
  std::vector<PlannedTile> tiles;
  DenseMap<Value, unsigned> tileOf;
};

} // namespace mlir::mirage::test

#endif // MIRAGE_TEST_LIB_CHECKPLANS_TILESOFPLAN_H
