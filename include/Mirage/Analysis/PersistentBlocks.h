//===- PersistentBlocks.h - Blocks that go on with others -------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch has as many blocks as its grid, or fewer, which are *persistent*:
// each computes one block of the grid after the other, as far apart as blocks
// are launched. How many are wanted is stated; how many there are is for
// clusters to say as well (Multicast.h).
//
//   grid of 512, 132 launched     block 5 computes 5, 137, 269, 401
//
// Warps that do nothing but load (LoadingWarps.h) go on with the next block of
// the grid while the others still compute and store the one before, so that its
// first tiles are there in time. So rings share their bytes with nothing, and
// are not set up anew.
//
//   loading warps   tiles of 5    tiles of 137         tiles of 269
//   the others           loop of 5    store, loop of 137    store, loop of 269
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_ANALYSIS_PERSISTENTBLOCKS_H
#define MIRAGE_ANALYSIS_PERSISTENTBLOCKS_H

#include "Mirage/Dialect/Block/IR/Block.h"
#include "llvm/Support/Error.h"
#include <optional>

namespace mlir::mirage {

/// Of a block graph with loading warps that is alone in its launch: how many
/// blocks are wanted, an i64. --mirage-make-blocks-persistent decides it.
inline constexpr llvm::StringLiteral kPersistentBlocksAttr =
    "mirage.persistent_blocks";

/// What that attribute states, as it stands; none where it is not there.
std::optional<int64_t> getPersistentBlocks(block::GraphOp graph);

/// The same, or an error that says what it expects.
llvm::Expected<std::optional<int64_t>>
readPersistentBlocks(block::GraphOp graph);

} // namespace mlir::mirage

#endif // MIRAGE_ANALYSIS_PERSISTENTBLOCKS_H
