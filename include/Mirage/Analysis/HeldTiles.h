//===- HeldTiles.h - Values that a block holds in registers -----*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value of a block graph has a tile of shared memory, or is held in the
// registers of the warps that compute it (Mirage/Layout/HeldTiles.h), which
// `mirage.held` on its op says: on a thread graph, or a mask of what is held,
// of its result, and on an accumulation over the loop, of what it has come to.
// An accumulation whose operand is held carries its sum in registers from one
// iteration to the next; if it is not held itself, that is brought to shared
// memory once, behind the loop.
//
//   %p = mirage_thread.graph ... {mirage.held} ...       in registers
//   %s = mirage_block.accumulate %p over loop sum        carried in registers,
//                                                        then a tile
//
// What a thread graph leaves is read by others that deal their items to the
// same warps and whose fragments are spread over lanes alike. These are rules
// for whoever decides, and are held against what attributes say before code is
// made.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_ANALYSIS_HELDTILES_H
#define MIRAGE_ANALYSIS_HELDTILES_H

#include "Mirage/Dialect/Block/IR/Block.h"
#include "Mirage/Dialect/Thread/IR/Thread.h"
#include "Mirage/Layout/LinearLayout.h"
#include "llvm/Support/Error.h"

namespace mlir::mirage {

/// How a result of a thread graph leaves its items; null where a window of an
/// operand is handed on as it is.
thread::StoreOp getStore(thread::GraphOp graph, unsigned result = 0);

inline constexpr llvm::StringLiteral kHeldAttr = "mirage.held";
/// Of a thread graph whose result is held, or that reads what is: each item is
/// a share (Mirage/Layout/HeldTiles.h), though the warps are a power of two.
inline constexpr llvm::StringLiteral kHeldSharesAttr = "mirage.held_shares";
/// Of an op of a block graph: its step is shared out by whole rows
/// (Mirage/Graph/WarpRows.h). --mirage-give-rows-to-warps decides it.
inline constexpr llvm::StringLiteral kWholeRowsAttr = "mirage.whole_rows";
/// The same of whole columns, where rows have been transposed.
inline constexpr llvm::StringLiteral kWholeColumnsAttr = "mirage.whole_columns";
/// Whether an op's step is shared out by either.
bool isSharedByRows(mlir::Operation *op);
/// Of a block graph: the registers of a thread that such rows take.
inline constexpr llvm::StringLiteral kRowRegistersAttr = "mirage.row_registers";

/// Whether an op of a block graph says that its result is held in registers,
/// and is one that may: a thread graph, a mask of what one leaves so, or an
/// accumulation of what is held.
bool isHeld(Value value);

/// Whether an op is a mask of what is held, and leaves it in the same
/// registers.
bool isHeldMask(mlir::Operation *op);

/// Whether a value is a sum over the loop that grows in registers: what it adds
/// up is held.
bool isCarriedSum(Value value);

/// The type of a value as the block's warps hold it: rounded up to what their
/// windows cover, with a layout of as many warp bits, or of shares
/// (Mirage/Layout/HeldTiles.h).
/// \returns null where nothing is held so: of values that are neither a thread
/// graph's only result nor an accumulation or a mask of one, and items that are
/// no linear layout, or more than a thread has registers for.
RankedTensorType getHeldType(Value value);

/// Items of a step that holds tiles, or reads some that are held: extents that
/// are no powers of two count as the next one, unless items are shares.
SmallVector<int64_t> getHeldExtents(thread::GraphOp graph);

/// Whether an accumulation over the loop joins f32 element by element, with
/// nothing to be done behind the loop.
bool joinsElements(block::AccumulateOp op);

/// Whether an accumulation over the loop can carry its sum in registers: it
/// joins elements, and its parts are the result of a thread graph. What
/// rescales it, and the maximum that it is relative to, are tiles of shared
/// memory, or held by the lanes that need them. A maximum that sums are
/// relative to is carried if all of these are.
bool canCarry(block::AccumulateOp op);

/// Whether the thread graph that computes the parts of a carried sum adds them
/// up, too: nobody else reads them, nothing corrects them, and nothing reads
/// the sum while it grows. Others grow in a step of their own.
bool growsWithParts(block::AccumulateOp op);

/// How items read a value whose dimensions of size 1 stretch along those of
/// what the same items leave.
struct StretchedWindow {
  LinearLayout fragment;
  SmallVector<int64_t> imap; ///< by axis of the items

  /// \param fragment, omap  of what they leave.
  /// \param shape           of the value.
  StretchedWindow(const LinearLayout &fragment, ArrayRef<int64_t> omap,
                  ArrayRef<int64_t> shape);
};

/// The registers of each window of a step that a thread graph reads of a held
/// operand, as `findHeldWindow` gives them.
/// \param step  of the items' steps.
std::optional<SmallVector<unsigned>> findHeldWindow(thread::GraphOp reader,
                                                    unsigned input,
                                                    RankedTensorType held,
                                                    int64_t step);

/// Whether a thread graph can read an operand that is held.
bool canReadHeld(thread::GraphOp reader, unsigned input, RankedTensorType held);

/// Fails if a held value cannot be, or something reads it that cannot.
llvm::Error verifyHeld(Value value);

} // namespace mlir::mirage

#endif // MIRAGE_ANALYSIS_HELDTILES_H
