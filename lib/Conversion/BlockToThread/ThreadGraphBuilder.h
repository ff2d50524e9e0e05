//===- ThreadGraphBuilder.h - Builds a step of a block -------- -*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_CONVERSION_BLOCKTOTHREAD_THREADGRAPHBUILDER_H
#define MIRAGE_LIB_CONVERSION_BLOCKTOTHREAD_THREADGRAPHBUILDER_H

#include "Mirage/Dialect/Thread/IR/Thread.h"
#include "Mirage/Layout/LinearLayout.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OperationSupport.h"

namespace mlir::mirage {

/// How the index space of a step is cut: fragments of one size along each
/// dimension, counted by the axes of the work items or by the steps.
class WorkSplit {
public:
  /// \param sizes      of the index space: of the result for an elementwise
  /// step,
  ///                   batch, m, n, k for a matrix product.
  /// \param fragment   of the same rank, powers of two; may overhang.
  /// \param loopDim    the dimension that one item walks through, or -1.
  /// \param numParts   how many items share that walk.
  WorkSplit(ArrayRef<int64_t> sizes, ArrayRef<int64_t> fragment, int loopDim,
            int64_t numParts = 1);

  /// Axes of the items, one for each dimension of which an item does not do the
  /// whole; that of the walk first.
  ArrayRef<int> getAxes() const { return axes; }
  /// Whether a thread graph has as many axes.
  bool isShareable() const { return axes.size() <= 3; }
  /// Of the items along an axis.
  int64_t getExtent(int dim) const;
  int64_t countItems() const;
  int getLoopDim() const { return loopDim; }
  int64_t getNumSteps() const;

private:
  int64_t countFragments(int dim) const;

  SmallVector<int64_t> sizes, fragment;
  SmallVector<int> axes; ///< dimensions
  int loopDim;
  int64_t numParts;
};

/// Builds a `mirage_thread.graph` on tiles. Operands and the result say which
/// dimension of the index space each of their dimensions is; the maps follow.
class ThreadGraphBuilder {
public:
  ThreadGraphBuilder(OpBuilder &builder, Location location, WorkSplit split);

  /// \param dims    the dimension of the index space by dimension of the tile,
  ///                -1 where the tile has size 1 and the index space is larger.
  /// \param layout  of the tile's fragment.
  /// \returns the fragment, which a load has brought into registers.
  Value addOperand(Value tile, ArrayRef<int> dims, const LinearLayout &layout);

  /// An operation of the table on fragments.
  Value addRow(Opcode opcode, ValueRange operands, const Attributes &attributes,
               const LinearLayout &layout, Type elementType);
  /// A product by mma.sync.m16n8k16.
  Value addMma(Value lhs, Value rhs, const LinearLayout &layout);
  /// A fragment in another element type; the fragment itself if it has it.
  Value addCast(Value fragment, Type elementType);

  /// Stores the fragment and completes the graph with this one result.
  /// \returns the tile.
  Value finish(Value fragment, ArrayRef<int> dims, RankedTensorType tile);

private:
  SmallVector<int, 3> mapAxes(ArrayRef<int> dims) const;

  OpBuilder &builder;
  Location location;
  WorkSplit split;
  OperationState state;
  Block *body;
  OpBuilder bodyBuilder;
  TileGraph header;
  SmallVector<Value> tiles;
};

} // namespace mlir::mirage

#endif // MIRAGE_LIB_CONVERSION_BLOCKTOTHREAD_THREADGRAPHBUILDER_H
