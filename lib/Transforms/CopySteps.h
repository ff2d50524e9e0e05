//===- CopySteps.h - Steps that move a tile, no more ------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a value stays in the registers of a block's warps, steps of their own
// bring it there and away: one loads what several steps read, another one
// stores what is an output and is read on.
//
//   %y = mirage_thread.graph ... {mirage.held} {  exp  }
//   %o = mirage_thread.graph ins(%y) ... {  load, cast to f16, store  }
//   %z = mirage_thread.graph ins(%y) ... {  tanh  }
//   mirage_block.yield %o, %z
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_TRANSFORMS_COPYSTEPS_H
#define MIRAGE_LIB_TRANSFORMS_COPYSTEPS_H

#include "Mirage/Dialect/Block/IR/Block.h"
#include "Mirage/Dialect/Thread/IR/Thread.h"
#include "Mirage/Layout/LinearLayout.h"

namespace mlir::mirage {

/// How the items of a step cut a tile into windows, and lanes hold one.
struct ItemWindows {
  thread::GraphOp items; ///< a step that has the same
  Attribute map;         ///< the dimension that each of its axes cuts
  LinearLayout fragment;
};

/// A step that loads windows of a tile and stores them as they are.
/// \param isMatrixLoad  whether by ldmatrix.
/// \param elementType   of the result.
thread::GraphOp createCopyStep(OpBuilder &builder, Value tile,
                               const ItemWindows &windows, bool isMatrixLoad,
                               Type elementType);

/// Has no ldmatrix read a tile, which lies in registers or in device memory.
void loadPlainly(Value tile);

/// A step that stores what others read on, for one output of the block.
struct StoredCopy {
  thread::GraphOp step;
  unsigned output;

  Value getSource() { return step.getInputs().front(); }
  /// The output is what it was again.
  void takeBack();
};

/// Adds such steps, right behind what they store, for all outputs that can then
/// be held: what the items of a thread graph leave, or a sum over the loop or a
/// mask of that, and which has another user; and sums that nobody reads on,
/// where lanes then store no sector in parts. What an output has fewer bits for
/// they round.
SmallVector<StoredCopy> addStoredCopies(block::GraphOp graph);

} // namespace mlir::mirage

#endif // MIRAGE_LIB_TRANSFORMS_COPYSTEPS_H
