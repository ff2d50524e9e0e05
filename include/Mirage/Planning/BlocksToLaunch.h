//===- BlocksToLaunch.h - How many blocks of a grid start -------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_PLANNING_BLOCKSTOLAUNCH_H
#define MIRAGE_PLANNING_BLOCKSTOLAUNCH_H

#include "Mirage/Planning/Target.h"
#include <optional>

namespace mlir::mirage {

/// How many blocks are launched of a grid whose blocks have an SM each and
/// warps that load, where each of them goes on with others
/// (Mirage/Analysis/PersistentBlocks.h); none where all blocks run at a time,
/// or it takes longer.
///
/// Measured on two H200s, cold, in us, with every block launched and with as
/// many as there are SMs: products 4096x4096x4096 by tiles of 128x256 and 256
/// threads 216.8 and 213.0, 222.2 and 220.5; of 256x128 and 512 threads 220.9
/// and 222.4, 230.3 and 223.2; of 128x128, 6 stages 236.9 and 229.0. Attention
/// of 4096 rows, 32 heads, 128 rows and 64 keys a tile: 453 and 478, 464 and
/// 493, of which 10 are other code. There warpgroups compute best when one of
/// them multiplies while another one does not, and each time a block is done
/// they begin together.
/// \param onlyMultiplies  whether products are all that the loop computes.
std::optional<int64_t> choosePersistentBlocks(int64_t numBlocks,
                                              bool onlyMultiplies,
                                              const Target &target);

} // namespace mlir::mirage

#endif // MIRAGE_PLANNING_BLOCKSTOLAUNCH_H
