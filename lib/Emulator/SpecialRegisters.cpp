//===- SpecialRegisters.cpp - %tid, %ctaid and their like -----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SpecialRegisters.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir::mirage::emulator;
using llvm::StringRef;

std::optional<SpecialRegister>
mlir::mirage::emulator::findSpecialRegister(StringRef name) {
  using R = SpecialRegister;
  int index = llvm::StringSwitch<int>(name)
                  .Case("%tid.x", int(R::TidX))
                  .Case("%tid.y", int(R::TidY))
                  .Case("%tid.z", int(R::TidZ))
                  .Case("%ntid.x", int(R::NtidX))
                  .Case("%ntid.y", int(R::NtidY))
                  .Case("%ntid.z", int(R::NtidZ))
                  .Case("%ctaid.x", int(R::CtaidX))
                  .Case("%ctaid.y", int(R::CtaidY))
                  .Case("%ctaid.z", int(R::CtaidZ))
                  .Case("%nctaid.x", int(R::NctaidX))
                  .Case("%nctaid.y", int(R::NctaidY))
                  .Case("%nctaid.z", int(R::NctaidZ))
                  .Case("%laneid", int(R::LaneId))
                  .Case("%warpid", int(R::WarpId))
                  .Case("%nwarpid", int(R::NumWarps))
                  .Case("%smid", int(R::SmId))
                  .Case("%nsmid", int(R::NumSms))
                  .Case("%gridid", int(R::GridId))
                  .Case("%lanemask_eq", int(R::LaneMaskEq))
                  .Case("%lanemask_le", int(R::LaneMaskLe))
                  .Case("%lanemask_lt", int(R::LaneMaskLt))
                  .Case("%lanemask_ge", int(R::LaneMaskGe))
                  .Case("%lanemask_gt", int(R::LaneMaskGt))
                  .Case("%clusterid.x", int(R::ClusterIdX))
                  .Case("%clusterid.y", int(R::ClusterIdY))
                  .Case("%clusterid.z", int(R::ClusterIdZ))
                  .Case("%nclusterid.x", int(R::NumClusterX))
                  .Case("%nclusterid.y", int(R::NumClusterY))
                  .Case("%nclusterid.z", int(R::NumClusterZ))
                  .Case("%cluster_ctaid.x", int(R::ClusterCtaidX))
                  .Case("%cluster_ctaid.y", int(R::ClusterCtaidY))
                  .Case("%cluster_ctaid.z", int(R::ClusterCtaidZ))
                  .Case("%cluster_nctaid.x", int(R::ClusterNctaidX))
                  .Case("%cluster_nctaid.y", int(R::ClusterNctaidY))
                  .Case("%cluster_nctaid.z", int(R::ClusterNctaidZ))
                  .Case("%cluster_ctarank", int(R::ClusterCtarank))
                  .Case("%cluster_nctarank", int(R::ClusterNctarank))
                  .Case("%is_explicit_cluster", int(R::IsExplicitCluster))
                  .Case("%dynamic_smem_size", int(R::DynamicSharedSize))
                  .Case("%total_smem_size", int(R::TotalSharedSize))
                  .Case("%clock", int(R::Clock))
                  .Case("%clock64", int(R::Clock64))
                  .Case("%globaltimer", int(R::GlobalTimer))
                  .Default(-1);
  if (index < 0)
    return std::nullopt;
  return static_cast<SpecialRegister>(index);
}

uint64_t mlir::mirage::emulator::specialValue(SpecialRegister which,
                                              const Block &block,
                                              const Warp &warp, unsigned lane,
                                              const LaunchContext &launch) {
  using R = SpecialRegister;
  const auto &shape = launch.config.block;
  const auto &grid = launch.config.grid;
  const auto &cluster = launch.config.cluster;
  const auto &place = block.coordinates;
  uint32_t thread = warp.index * warpSize + lane;
  switch (which) {
  case R::TidX:
    return thread % shape[0];
  case R::TidY:
    return thread / shape[0] % shape[1];
  case R::TidZ:
    return thread / shape[0] / shape[1];
  case R::NtidX:
    return shape[0];
  case R::NtidY:
    return shape[1];
  case R::NtidZ:
    return shape[2];
  case R::CtaidX:
    return place[0];
  case R::CtaidY:
    return place[1];
  case R::CtaidZ:
    return place[2];
  case R::NctaidX:
    return grid[0];
  case R::NctaidY:
    return grid[1];
  case R::NctaidZ:
    return grid[2];
  case R::ClusterIdX:
    return place[0] / cluster[0];
  case R::ClusterIdY:
    return place[1] / cluster[1];
  case R::ClusterIdZ:
    return place[2] / cluster[2];
  case R::NumClusterX:
    return grid[0] / cluster[0];
  case R::NumClusterY:
    return grid[1] / cluster[1];
  case R::NumClusterZ:
    return grid[2] / cluster[2];
  case R::ClusterCtaidX:
    return place[0] % cluster[0];
  case R::ClusterCtaidY:
    return place[1] % cluster[1];
  case R::ClusterCtaidZ:
    return place[2] % cluster[2];
  case R::ClusterCtarank:
    return place[0] % cluster[0] +
           cluster[0] *
               (place[1] % cluster[1] + cluster[1] * (place[2] % cluster[2]));
  case R::LaneId:
    return lane;
  case R::WarpId:
    return warp.index;
  case R::NumWarps:
    return launch.warpsPerBlock;
  case R::SmId:
    return block.number % launch.config.numSMs;
  case R::NumSms:
    return launch.config.numSMs;
  case R::LaneMaskEq:
    return 1u << lane;
  case R::LaneMaskLt:
    return (1u << lane) - 1;
  case R::LaneMaskLe:
    return (2ull << lane) - 1;
  case R::LaneMaskGe:
    return uint32_t(~0u << lane);
  case R::LaneMaskGt:
    return uint32_t(~((2ull << lane) - 1));
  case R::ClusterNctaidX:
    return cluster[0];
  case R::ClusterNctaidY:
    return cluster[1];
  case R::ClusterNctaidZ:
    return cluster[2];
  case R::ClusterNctarank:
    return launch.blocksPerCluster;
  case R::IsExplicitCluster:
    return launch.blocksPerCluster > 1 || launch.info.requiredCluster[0] != 0;
  case R::DynamicSharedSize:
    return launch.config.dynamicSharedBytes;
  case R::TotalSharedSize:
    return launch.sharedBytes;
  default:
    return 0;
  }
}
