//===- DeviceTraffic.h - What maps imply of device memory -------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How many bytes pass between device memory and the blocks of a kernel follows
// from its maps alone, whatever its code is:
//
//   grid(x = 128) loop(8)
//     %x imap() fmap(1)        8x4096 f16     64 KiB    128 blocks read all
//     %w imap(x -> 1) fmap(0)  4096x6144 f16  48 MiB    each reads its columns
//     omap(x -> 1)             8x6144 f16     96 KiB    each writes its columns
//
// so 8 MiB and 48 MiB are read and 96 KiB written. Code that moves more loads a
// tile twice, or sectors of which it needs a part.
//
// Some sectors cannot be had in part, whatever the code is: where rows begin
// anywhere, or where a block leaves one number. So the same is counted in
// sectors, each once for each tile that has a part of it.
//
// Blocks that end their loops early read the tiles of the iterations that they
// carry out.
//
// What several blocks read comes from L2 but for the first time. The count is
// of what blocks ask for, as the emulator's counters of global memory are.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_GRAPH_DEVICETRAFFIC_H
#define MIRAGE_GRAPH_DEVICETRAFFIC_H

#include "Mirage/Graph/Graph.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir::mirage {

/// How many iterations of its loop a block carries out, the first ones, by its
/// coordinates along the axes of the grid. Null: all.
using BlockIterations = llvm::function_ref<int64_t(llvm::ArrayRef<int64_t>)>;

/// Bytes that all blocks together read of an operand: the tiles of the axes
/// that cut it are each element once, less what lies beyond the tensor, and
/// blocks along every other axis of the grid read the same again. Where the
/// loop does not cut it, a block keeps its tile. Nothing of an input that
/// nobody reads. (A double, since extents multiply.)
double countReadBytes(const TileGraph &kernel, unsigned input,
                      const TensorSpec &operand,
                      BlockIterations iterations = nullptr);

/// Bytes that all blocks together write of a result: each element once, and of
/// one that is summed over axes of the grid as many parts as these have blocks.
double countWrittenBytes(const TileGraph &kernel, unsigned output,
                         const TensorSpec &result);

/// What device memory is read and written by, at multiples of its size.
constexpr int64_t kSectorBytes = 32;

/// Sectors that hold what `countReadBytes` counts: those of each tile, once for
/// each time that blocks read it.
/// \param strides, offset  where the tensor lies (Mirage/Graph/Strides.h), in
///                         elements; its buffer begins with a sector.
double countReadSectors(const TileGraph &kernel, unsigned input,
                        const TensorSpec &operand,
                        llvm::ArrayRef<int64_t> strides, int64_t offset,
                        BlockIterations iterations = nullptr);

/// The same of what `countWrittenBytes` counts.
double countWrittenSectors(const TileGraph &kernel, unsigned output,
                           const TensorSpec &result,
                           llvm::ArrayRef<int64_t> strides, int64_t offset);

/// Bytes of the widest access that can move a tile: 16, or the largest power of
/// two below it such that each access is aligned to its size and lies in one
/// run of consecutive elements, in every tile, also one that the tensor's end
/// cuts off.
/// \param strides, offset  where the tensor lies (Mirage/Graph/Strides.h), in
///                         elements; its buffer is aligned to 16 bytes.
int64_t getWidestAccessBytes(const TensorSpec &tile, const TensorSpec &tensor,
                             llvm::ArrayRef<int64_t> strides, int64_t offset);

} // namespace mlir::mirage

#endif // MIRAGE_GRAPH_DEVICETRAFFIC_H
