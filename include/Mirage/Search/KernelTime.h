//===- KernelTime.h - The parts of a kernel's predicted time ----*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the cost model adds up. A kernel takes
//
//   launch + join + overlap(blocks, device memory, L2)
//
// of which the last three run at the same time, so that about the largest of
// them counts. Blocks wait for latencies, for the way of their SM to L2, or for
// its units (BlockTime.h). An example, RMSNorm and a linear layer of 8 rows, a
// 4096x6144 matrix, on an H200, in us (--mirage-explain prints it):
//
//   launch  join  blocks  device memory    L2    in all
//     2.35     0   11.35          11.56  8.40     16.44
//
// Blocks spend their time on latency, and device memory is what there is most
// of: it bounds the kernel.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_SEARCH_KERNELTIME_H
#define MIRAGE_SEARCH_KERNELTIME_H

#include "Mirage/Search/BlockTime.h"
#include "llvm/ADT/StringRef.h"

namespace mlir::mirage::search {

/// What a kernel can wait for most.
enum class KernelBound : uint8_t {
  Launch,
  Join,
  DeviceMemory,
  Cache,
  Latency,
  Loads,
  Arithmetic,
};

/// In words, as "device memory".
llvm::StringRef getKernelBoundName(KernelBound bound);

/// What three things take that run at the same time: the largest, a little more
/// where they are close.
double getOverlappedUs(double a, double b, double c);
/// By which `a` all three take `leastUs`, no less than two of them take: `a`
/// itself where they take more anyway.
double raiseToOverlap(double a, double b, double c, double leastUs);

/// All in us.
struct KernelTime {
  double launchUs = 0; ///< launch, first latency and tail
  double joinUs = 0;   ///< what joins blocks, ahead of a loop or behind it
  double blocksUs = 0; ///< all waves of blocks, on the SMs
  double memoryUs = 0; ///< device memory alone
  double cacheUs = 0;  ///< L2 alone
  BlockTimeShares blockShares; ///< of `blocksUs`

  double getUs() const;
  KernelBound getBound() const;
};

} // namespace mlir::mirage::search

#endif // MIRAGE_SEARCH_KERNELTIME_H
