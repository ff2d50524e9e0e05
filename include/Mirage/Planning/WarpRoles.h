//===- WarpRoles.h - Warps that load, and warps that compute ----*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block whose loop loads by the copy engine alone may have warps beside those
// that compute. The first lane of these waits for places of rings and starts
// the copies of all iterations; the others have nothing to do.
//
//   warps that compute     wait for tile 0, compute, hand back; tile 1, ..
//   the loading one        copy into place 0, 1, ..; wait for place 0, copy, ..
//
// Then no warp that computes waits for a place that another one still reads,
// nor has the instructions of copies among its own, and every place is on its
// way that nobody reads.
//
// Elsewhere this is known as warp specialization, the loading warps as producer
// warps and those that compute as consumers.
//
// All threads of a kernel start with as many registers. Four loading warps, a
// warpgroup, may leave most of theirs to the others (PTX ISA, "setmaxnreg").
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_PLANNING_WARPROLES_H
#define MIRAGE_PLANNING_WARPROLES_H

#include "Mirage/Planning/LaunchBarrier.h"
#include "llvm/Support/Error.h"

namespace mlir::mirage {

/// Registers of a thread, once warps have parted.
struct RegisterShares {
  int64_t ofLoading = 0, ofComputing = 0;
};

struct LoadingWarps {
  int64_t number = 0; ///< 0 to 4
  std::optional<RegisterShares> shares;
};

/// What a block is best loaded by whose warps hand places back.
///
/// Measured on an H200, cold, in µs, without and with loading warps: attention
/// of 128 rows and 64 keys 510 and 490, 16.3 and 15.1; products of tiles of
/// 128x64 22.2 and 19.7, of 256x128 249 and 235. Several blocks on an SM load
/// and compute beside each other, and are in the way of more warps: five of 128
/// threads took 61.1, and with a warp more in each 65.3; of 128 rows, 64 keys
/// and 3 stages an SM holds two blocks, and with four warps more one: 304 and
/// 368.
///
/// Where each warp multiplies by itself, hot, in µs: linear layers of 4096 x
/// 4096 with 8, 16 and 32 rows by 64 threads 11.6 and 6.9, 11.8 and 7.3, 15.1
/// and 8.9; by 512 threads 9.3 and 7.1, 9.7 and 7.3, 13.7 and 9.8; RMSNorm +
/// linear 15.3 and 14.6, a gated MLP 18.1 and 18.0. A warp that also computes
/// starts the copies of the next tile, of which there are several, before it
/// goes on with this one, and the others wait for it. The worst of 49 kernels,
/// a gated MLP of two iterations, takes 7 % longer hot and 2 % less cold.
/// \param numBlocks  of the grid.
LoadingWarps chooseLoadingWarps(const BlockResources &block, int64_t numBlocks,
                                const Target &target);

/// Fails unless a block of so many computing threads can have them.
/// \param residentBlocks  that an SM is to hold at a time, all of which start
///                        with an equal share of its registers. Threads wait
///                        for ever for more than there are.
llvm::Error verify(const LoadingWarps &warps, int64_t threads,
                   int64_t residentBlocks);

} // namespace mlir::mirage

#endif // MIRAGE_PLANNING_WARPROLES_H
