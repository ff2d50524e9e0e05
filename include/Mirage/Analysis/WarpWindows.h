//===- WarpWindows.h - What several items of a warp read --------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where tiles are held in registers, the items of a warp follow each other in
// its code, and LLVM has a later one use what an earlier one has read of the
// same window. Who makes the code and who reckons what it takes
// (Mirage/Analysis/BankTraffic.h) share these rules.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_ANALYSIS_WARPWINDOWS_H
#define MIRAGE_ANALYSIS_WARPWINDOWS_H

#include "Mirage/Dialect/Thread/IR/Thread.h"

namespace mlir::mirage {

/// Windows of an input in one step, each counted once, of the items of a warp:
/// every `numWarps`-th from that of its number.
int64_t countWindowsOfWarp(const TileGraph &items, unsigned input,
                           int64_t numWarps, int64_t warp);

/// Registers of a thread for what the items of a warp load of an input, in all
/// steps.
int64_t countWindowRegisters(thread::GraphOp graph, const TileGraph &items,
                             unsigned input, int64_t numWarps);

/// Whether a thread has registers for the windows of all steps that several
/// items share. Where it has not, each item reads its own: products of 2000 x
/// 2000 x 2040 in tiles of 128 x 128 x 128, two items of a warp, took 62.4 µs
/// so on an H200, 65.0 where the second one used what the first one had read,
/// and 74.3 where steps were kept from following each other.
/// \param items  of the graph, with the extents that its code goes by.
bool hasRoomForShared(thread::GraphOp graph, const TileGraph &items,
                      int64_t numWarps);

/// Whether the steps of an exact product have to follow each other in its code
/// for that: they are long, so that LLVM would leave them a loop, of which a
/// later item reads all again. They do if several items share windows for which
/// there are registers, in f32, beside the sums of all items and what all code
/// is reckoned to take.
bool keepsSharedOfProduct(thread::GraphOp graph, const TileGraph &items,
                          int64_t numWarps);

} // namespace mlir::mirage

#endif // MIRAGE_ANALYSIS_WARPWINDOWS_H
