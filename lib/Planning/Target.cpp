//===- Target.cpp - What a GPU can do -------------------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Planning/Target.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir::mirage;

namespace {
/// Published figures of one GPU.
struct GPU {
  llvm::StringLiteral name;
  int64_t numSMs;
  double clockMHz;
  double memoryGBPerS;
  double cacheMiB;
  int64_t tensorFlopsPerClockSM; ///< dense f16, summed in f32
  int64_t scalarLanesPerSM;
  // By compute capability:
  int64_t sharedKiBPerSM; ///< of which one block can have all but 1 KiB
  int64_t threadsPerSM;
  int64_t blocksPerSM;
  int64_t blocksPerCluster;
};

struct Chip {
  llvm::StringLiteral name;
  const GPU &gpu;
};
} // namespace

/// "NVIDIA A100 Tensor Core GPU Architecture" (SMs, clock, L2, rates per SM);
/// data sheet of the 80 GB version (memory).
static constexpr GPU kA100 = {"A100", 108, 1410, 2039, 40, 2048,
                              64,     164, 2048, 32,   1};
/// "NVIDIA Ampere GA102 GPU Architecture", table of the RTX A6000; 154.8
/// TFLOP/s.
static constexpr GPU kA6000 = {"RTX A6000", 84,  1800, 768, 6, 1024,
                               128,         100, 1536, 16,  1};
/// "NVIDIA Jetson AGX Orin Series Technical Brief", 64 GB; 42.6 TFLOP/s.
static constexpr GPU kOrin = {
    "Jetson AGX Orin", 16, 1300, 204.8, 4, 2048, 128, 164, 1536, 16, 1};
/// "NVIDIA Ada GPU Architecture", table of the RTX 6000 Ada; 364.2 TFLOP/s.
static constexpr GPU kAda = {"RTX 6000 Ada", 142, 2505, 960, 96, 1024, 128, 100,
                             1536,           24,  1};
/// SMs, L2 and clock as a device reports them; memory as measured (4.8 TB/s in
/// the data sheet). "NVIDIA H100 Tensor Core GPU Architecture" (rates per SM).
static constexpr GPU kH200 = {"H200", 132, 1755, 4370, 60, 4096,
                              128,    228, 2048, 32,   16};
/// Data sheet of the DGX B200, which has eight: 64 TB/s, 75 TFLOP/s of f32 and
/// 2.25 PFLOP/s of dense f16 each; 148 SMs and 126 MB of L2 as a device reports
/// them. The B300 has other rates in formats below 16 bits.
static constexpr GPU kB200 = {"B200", 148, 1965, 8000, 126, 8192,
                              128,    228, 2048, 32,   16};
/// "NVIDIA RTX Blackwell GPU Architecture", table of the RTX 5090; 209.5
/// TFLOP/s.
static constexpr GPU kRTX5090 = {"RTX 5090", 170, 2407, 1792, 96, 512,
                                 128,        100, 1536, 24,   8};
/// "NVIDIA DGX Spark" data sheet: 6144 lanes, 273 GB/s, 1 PFLOP/s of sparse
/// 4-bit floats, which is 125 TFLOP/s of dense f16; 31 TFLOP/s of f32 give the
/// clock. L2 as a device reports it.
static constexpr GPU kGB10 = {"GB10", 48,  2520, 273, 24, 1024,
                              128,    100, 1536, 24,  8};

static constexpr Chip kChips[] = {
    {"sm_80", kA100},     {"sm_86", kA6000},     {"sm_87", kOrin},
    {"sm_89", kAda},      {"sm_90", kH200},      {"sm_90a", kH200},
    {"sm_100", kB200},    {"sm_100a", kB200},    {"sm_100f", kB200},
    {"sm_103", kB200},    {"sm_103a", kB200},    {"sm_103f", kB200},
    {"sm_120", kRTX5090}, {"sm_120a", kRTX5090}, {"sm_120f", kRTX5090},
    {"sm_121", kGB10},    {"sm_121a", kGB10},    {"sm_121f", kGB10},
};

/// Clusters lie within GPCs, not all of which have the same SMs. Of an H200 66
/// clusters of 2 blocks are there at a time, 30 of 4, 15 of 8 and 7 of 16
/// (cuOccupancyMaxActiveClusters, one block per SM). Of other GPUs the same
/// share of SMs is taken.
static std::array<int64_t, 4> getClusteredSMs(const GPU &gpu) {
  constexpr int64_t kClustersOfH200[] = {66, 30, 15, 7};
  std::array<int64_t, 4> SMs = {};
  for (auto [number, clusters] : llvm::enumerate(kClustersOfH200))
    if (int64_t blocks = int64_t(2) << number; blocks <= gpu.blocksPerCluster)
      SMs[number] = clusters * gpu.numSMs / kH200.numSMs * blocks;
  return SMs;
}

int64_t Target::getRegistersPerThread(int64_t threads) const {
  constexpr int64_t kTogether = 4 * 32, kUnit = 8;
  int64_t share = registersPerSM / int64_t(llvm::alignTo(threads, kTogether));
  return std::min(registersPerThread, share / kUnit * kUnit);
}

int64_t Target::getClusteredSMs(int64_t clusterBlocks) const {
  if (clusterBlocks <= 1)
    return numSMs;
  unsigned number = llvm::Log2_64_Ceil(clusterBlocks) - 1;
  return number < clusteredSMs.size() ? clusteredSMs[number] : 0;
}

/// Launches, barriers and the latency were measured on an H200. So was what one
/// SM draws, 80 GB/ms by boxes (products of 64 and 128 rows and 6144 columns,
/// docs/Search.md), where all together drew 7.7 TB/s of L2; that this is all
/// that it gives is an estimate. Here both are by clock and SM.
/// Shared memory gives 128 bytes, and special functions 16 results, per clock
/// and SM on all of them (CUDA C++ Programming Guide, throughput of
/// arithmetic instructions).
static Target makeTarget(const Chip &chip) {
  constexpr double kCacheBytesPerClockSM = 7.7e6 / (132 * 1755.0);
  constexpr double kLoadBytesPerClockSM = 8.0e4 / 1755.0;
  const GPU &gpu = chip.gpu;
  Target target;
  target.name = chip.name;
  target.gpu = gpu.name;
  target.numSMs = gpu.numSMs;
  target.sharedBytesPerSM = gpu.sharedKiBPerSM * 1024;
  target.sharedBytesPerBlock = (gpu.sharedKiBPerSM - 1) * 1024;
  target.threadsPerSM = gpu.threadsPerSM;
  target.blocksPerSM = gpu.blocksPerSM;
  target.blocksPerCluster = gpu.blocksPerCluster;
  target.clusteredSMs = getClusteredSMs(gpu);
  target.cacheBytes = static_cast<int64_t>(gpu.cacheMiB * 1024 * 1024);
  // Both came with clusters.
  target.hasCopyEngine = gpu.blocksPerCluster > 1;
  target.hasDependentLaunches = gpu.blocksPerCluster > 1;
  target.hasWarpgroupProducts = chip.name == "sm_90a";
  // Of instruction sets that are one GPU's or one family's, all since have it.
  target.hasRegisterShares =
      chip.name.ends_with("a") || chip.name.ends_with("f");
  target.clockMHz = gpu.clockMHz;
  target.memoryBytesPerUs = gpu.memoryGBPerS * 1e3;
  target.cacheBytesPerUs = kCacheBytesPerClockSM * gpu.clockMHz * gpu.numSMs;
  target.loadBytesPerUsSM = kLoadBytesPerClockSM * gpu.clockMHz;
  target.sharedBytesPerUsSM = 128 * gpu.clockMHz;
  target.tensorFlopsPerUsSM = gpu.tensorFlopsPerClockSM * gpu.clockMHz;
  target.scalarOpsPerUsSM = gpu.scalarLanesPerSM * gpu.clockMHz;
  target.specialOpsPerUsSM = 16 * gpu.clockMHz;
  target.launchUs = 2.35;
  target.nextLaunchUs = 1.0;
  target.barrierUs = 0.02;
  target.clusterBarrierUs = 0.45;
  target.lastArrivalUs = 0.85;
  target.loadLatencyUs = 0.57;
  return target;
}

llvm::Expected<Target> mlir::mirage::getTarget(llvm::StringRef name) {
  for (const Chip &chip : kChips)
    if (chip.name == name)
      return makeTarget(chip);
  return llvm::createStringError("expects one of the targets " +
                                 llvm::join(getTargetNames(), ", ") +
                                 ", got '" + name + "'");
}

llvm::SmallVector<llvm::StringRef> mlir::mirage::getTargetNames() {
  return llvm::map_to_vector(
      kChips, [](const Chip &chip) -> llvm::StringRef { return chip.name; });
}
