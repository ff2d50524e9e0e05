//===- GridJoinCut.h - Where joins of blocks cut a graph --------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block graph whose blocks are joined along an axis as two: which of its ops
// belong to the second one, what that reads, and how this lies in device
// memory between them. --mirage-split-grid-joins writes both.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_TRANSFORMS_GRIDJOINCUT_H
#define MIRAGE_LIB_TRANSFORMS_GRIDJOINCUT_H

#include "Mirage/Dialect/Block/IR/Block.h"
#include "Mirage/Graph/Graph.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::mirage {

/// Whether an op is an accumulation over a grid axis.
bool joinsBlocks(Operation *op);

/// By grid axis the dimension of an input that it cuts.
ArrayRef<int64_t> getImap(block::GraphOp graph, BlockArgument tile);

/// What the second kernel reads for a value of the first.
struct Carried {
  Value value;
  /// Part by part in its loop, or the block's own alone.
  bool isJoined;
  /// An input whose tiles along the axis the loop walks through as they are:
  /// no block has to leave them.
  bool isInput;
};

class GridJoinCut {
public:
  /// \param join   the first accumulation over a grid axis.
  /// \param tiles  what `graph` is.
  GridJoinCut(block::GraphOp graph, block::AccumulateOp join,
              const TileGraph &tiles);

  block::GraphOp getGraph() const { return graph; }
  unsigned getAxis() const { return static_cast<unsigned>(axis); }
  int64_t getExtent() const { return getGraph().getGrid()[getAxis()]; }
  /// Whether an op belongs to the second kernel.
  bool isLate(Operation *op) const;
  /// Whether a late op is what the second kernel's loop does.
  bool isJoin(Operation *op) const;
  /// What was computed, and inputs that are joined.
  ArrayRef<Carried> getCarried() const { return carried; }
  /// Inputs that are read as the first kernel would.
  ArrayRef<Value> getReadAgain() const { return readAgain.getArrayRef(); }

private:
  bool isLate(Value value) const;
  void collect(Operation *op);
  void carry(Value value, bool isJoined);

  block::GraphOp graph;
  AxisKind axis;
  DenseMap<Operation *, Phase> phases;
  SmallVector<Carried> carried;
  llvm::SetVector<Value> readAgain;
};

/// How what is carried lies in device memory: [grid][tile], but that of an axis
/// along which blocks share it there is one.
class CarriedStorage {
public:
  explicit CarriedStorage(const GridJoinCut &cut);

  /// Whether all blocks along some axis have the same of a value: then one of
  /// them writes it, and all read that. Along the axis that is split, only of
  /// what is carried along; and where somebody joins it as well, so that all of
  /// them write it anyway, or along other axes, only where some result must not
  /// differ: what blocks write for themselves may be read in the launch that
  /// writes it.
  bool isShared(const Carried &entry, unsigned along) const;
  /// Every axis along a dimension of its own, but those of what is shared.
  SmallVector<int64_t> getOwnMap(const Carried &entry) const;
  /// How a carried value lies, be it an input or written.
  SmallVector<int64_t> getStoredMap(const Carried &entry) const;
  /// Extents of the dimensions before those of the tile.
  SmallVector<int64_t> getLeading(const Carried &entry) const;
  /// What the first kernel writes: values, each once, or once for all blocks
  /// along the axis and once for each.
  ArrayRef<Carried> getWritten() const { return written; }
  /// The number among these of what is no input.
  size_t findWritten(const Carried &entry) const;

private:
  bool isReplicated(unsigned along) const;

  const GridJoinCut &cut;
  DenseMap<Value, AxisSet> varying;
  SmallVector<Carried> written;
};

} // namespace mlir::mirage

#endif // MIRAGE_LIB_TRANSFORMS_GRIDJOINCUT_H
