//===- PlaceThreadGraphs.h - Steps of warps on placed tiles -----*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The thread graphs of a block read and write tiles, which are memrefs where
// they lie in shared memory, and tensors with a layout where the block's warps
// hold them (Mirage/Analysis/HeldTiles.h). A sum that grows in registers is one
// more operand of the graph that computes its next part:
//
//   %p = mirage_thread.graph ins(%a, %b) {  }      of the block graph
//   %s = mirage_block.accumulate %p over loop sum
//
//   scf.for ... iter_args(%sum = zeros) {          becomes
//     %next = mirage_thread.graph ins(%A, %B, %sum) {
//       ...
//       %so_far = mirage_thread.load %w
//       %joined = mirage_thread.add %part, %so_far
//     }
//     scf.yield %next
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_CONVERSION_BLOCKTOGPU_PLACETHREADGRAPHS_H
#define MIRAGE_LIB_CONVERSION_BLOCKTOGPU_PLACETHREADGRAPHS_H

#include "BlockEmitter.h"
#include "Mirage/Analysis/HeldTiles.h"
#include "Mirage/Dialect/Thread/IR/Thread.h"

namespace mlir::mirage {

/// A value that a block holds, and the windows that its thread graph leaves.
struct HeldTile {
  RankedTensorType type;     ///< of all warps together
  RankedTensorType fragment; ///< of one item
  DenseI64ArrayAttr grid;    ///< extents of the items
  DenseI64ArrayAttr omap;

  /// \param graph  whose result `getHeldType` accepts.
  explicit HeldTile(thread::GraphOp graph);
};

/// Places a thread graph whose result goes to shared memory. Its region moves
/// along.
/// \param inputs  memrefs, and tensors that the block holds.
void placeThreadGraph(BlockEmitter &emitter, thread::GraphOp graph,
                      ValueRange inputs, ValueRange memrefs);

/// Places a thread graph whose result stays in registers.
/// \returns the tensor.
Value placeHeldGraph(BlockEmitter &emitter, thread::GraphOp graph,
                     ValueRange inputs, const HeldTile &result);

/// The same, with a copy of the region.
Value placeHeldCopy(BlockEmitter &emitter, thread::GraphOp graph,
                    ValueRange inputs, const HeldTile &result);

/// The same, of a result that is joined with what came before.
Value placeCarriedGraph(BlockEmitter &emitter, thread::GraphOp graph,
                        ValueRange inputs, const HeldTile &result,
                        Combiner combiner, Value before);

/// A sum, or a maximum, and its next part, element by element.
Value placeJoin(BlockEmitter &emitter, const HeldTile &tile, Combiner combiner,
                Value before, Value part);

/// What a rescaled sum was relative to, and what its next part is: tensors that
/// are held, or memrefs.
struct Maxima {
  Value running, own;
};
/// The sum of what came before and the next part, both brought to what is the
/// larger of their maxima:
/// \code
///   larger = max(running, own)
///   sum · exp(running - larger) + part · exp(own - larger)
/// \endcode
/// but nothing of what is relative to minus infinity.
/// \param window  of the maxima.
Value placeRescaledJoin(BlockEmitter &emitter, const HeldTile &tile,
                        const StretchedWindow &window, Maxima maxima,
                        Value before, Value part);

/// What a part is relative to whose maximum is known before it is computed
/// (Mirage/Analysis/RunningScale.h).
struct RunningScale {
  Value maximum; ///< so far, this part's included
  /// What the part is relative to: the same, or 0 for minus infinity, from
  /// which nothing has a difference.
  Value base;
  Value factor; ///< of the sum so far: exp(maximum before - base)
};
/// \param tile     of the maxima.
/// \param running  before this part.
/// \param own      of this part.
RunningScale placeRunningScale(BlockEmitter &emitter, const HeldTile &tile,
                               Value running, Value own);

/// A sum times such a factor.
/// \param window  of the factor.
Value placeScaled(BlockEmitter &emitter, const HeldTile &tile,
                  const StretchedWindow &window, Value sum, Value factor);

/// What changes nothing, in every register.
Value emitNeutralTile(BlockEmitter &emitter, const HeldTile &tile,
                      Combiner combiner);

/// Brings a tile to shared memory.
void emitStoreHeld(BlockEmitter &emitter, const HeldTile &tile, Value value,
                   Value memref);

} // namespace mlir::mirage

#endif // MIRAGE_LIB_CONVERSION_BLOCKTOGPU_PLACETHREADGRAPHS_H
