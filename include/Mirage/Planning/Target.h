//===- Target.h - What a GPU can do -----------------------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One table of GPUs, which everything reads that asks how much fits and how
// long it takes: the planner, the default block graphs, the search and its
// cost model.
//
// A target names an instruction set ("sm_90a"), and limits of blocks and SMs
// follow from it. How many SMs there are and how fast memory is differs between
// GPUs of one set; the table has one GPU for each:
//
//   sm_80   A100 SXM 80 GB   sm_90, 90a              H200
//   sm_86   RTX A6000        sm_100, 100a, 100f,
//   sm_87   Jetson AGX Orin  sm_103, 103a, 103f      B200
//   sm_89   RTX 6000 Ada     sm_120, 120a, 120f      RTX 5090
//                            sm_121, 121a, 121f      GB10 (DGX Spark)
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_PLANNING_TARGET_H
#define MIRAGE_PLANNING_TARGET_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

namespace mlir::mirage {

/// What a GPU can do. Rates are per µs; those of one SM are of one SM.
///
/// Limits are those of "CUDA C++ Programming Guide", compute capabilities. Of
/// the H200 the rate of device memory, launches, barriers, latency and the SMs
/// that clusters fill were measured; nothing was measured on the others. Their
/// rates are NVIDIA's published figures (Target.cpp names the document of
/// each), and what nobody publishes is the H200's: latencies and launches as
/// they are, rates of L2 and loads per clock and SM.
struct Target {
  std::string name;    ///< "sm_90a"
  llvm::StringRef gpu; ///< whose figures these are: "H200"

  int64_t numSMs = 0;
  int64_t sharedBytesPerBlock = 0; ///< largest dynamic shared memory
  int64_t sharedBytesPerSM = 0;
  int64_t threadsPerSM = 0;
  int64_t threadsPerBlock = 1024; ///< the most, on all of them
  int64_t blocksPerSM = 0;        ///< resident at a time
  int64_t registersPerSM = 65536; ///< of 32 bits; of one block as well
  int64_t registersPerThread = 255;
  int64_t blocksPerCluster = 1; ///< 16 takes an attribute of the launch
  /// SMs that clusters of 2, 4, 8 and 16 blocks fill, one block on each: others
  /// have too few neighbours.
  std::array<int64_t, 4> clusteredSMs = {};
  int64_t cacheBytes = 0; ///< L2
  /// Copies boxes of tensors (PTX ISA, "cp.async.bulk.tensor").
  bool hasCopyEngine = false;
  /// A launch can begin before the one before it has ended (PTX ISA,
  /// "griddepcontrol").
  bool hasDependentLaunches = false;
  /// Four warps can multiply together (PTX ISA, "wgmma").
  bool hasWarpgroupProducts = false;
  /// Warpgroups of a block can leave registers to others (PTX ISA,
  /// "setmaxnreg").
  bool hasRegisterShares = false;

  double clockMHz = 0;
  double memoryBytesPerUs = 0; ///< device memory, all SMs together
  double cacheBytesPerUs = 0;  ///< L2, all SMs together
  double loadBytesPerUsSM = 0; ///< what one SM can draw
  double sharedBytesPerUsSM = 0;
  double tensorFlopsPerUsSM = 0; ///< dense f16, summed in f32
  double scalarOpsPerUsSM = 0;   ///< f32 multiply-adds
  double specialOpsPerUsSM = 0;  ///< exp2, sqrt, reciprocal
  double launchUs = 0;     ///< a kernel alone: launch, first latency and tail
  double nextLaunchUs = 0; ///< each further kernel
  double barrierUs = 0;    ///< of one block
  double clusterBarrierUs = 0; ///< of the blocks of a cluster
  double lastArrivalUs = 0; ///< to learn in L2 that other blocks have written
  double loadLatencyUs = 0;

  /// The most registers that each of so many threads of a block can have, as
  /// ptxas gives them: warps get registers four at a time, in multiples of 8 of
  /// a thread (CUDA C++ Programming Guide, compute capabilities).
  int64_t getRegistersPerThread(int64_t threads) const;
  /// The SMs that clusters of so many blocks fill, one block on each; 0 where
  /// there are none so large. Sizes between powers of two are taken for the
  /// larger one.
  int64_t getClusteredSMs(int64_t clusterBlocks) const;
};

/// \returns an error that lists the targets there are if the name is none.
llvm::Expected<Target> getTarget(llvm::StringRef name);

/// All names, in ascending order of instruction sets.
llvm::SmallVector<llvm::StringRef> getTargetNames();

} // namespace mlir::mirage

#endif // MIRAGE_PLANNING_TARGET_H
