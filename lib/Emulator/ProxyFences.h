//===- ProxyFences.h - What the asynchronous proxy may know -----*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bulk copies, TMA and wgmma reach shared and global memory through another
// proxy than loads, stores and cp.async do (PTX ISA, "Proxies" in chapter 8).
// That an access of a warp is ordered before theirs is not enough: the thread
// that made it must have executed fence.proxy.async after it and before
// whatever orders the two. So there are two relations. Which access comes
// before which say the clocks (Clocks.h); which the asynchronous proxy may know
// of says this log of all proxy fences, of which a clock tells how many it has
// heard of:
//
//   warp 1                          warp 0, lane 0
//   st.shared  (at its clock 5)
//   fence.proxy.async   its fence number 3, lanes 0-31, clock 5
//   bar.sync ------------------->   bar.sync, knows 3 fences of warp 1
//                                   TMA store: fence 3 covers clock 5
//
// Completed copies and wgmma need no fence the other way (9.7.9.25.2, 9.7.15).
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_EMULATOR_PROXYFENCES_H
#define MIRAGE_LIB_EMULATOR_PROXYFENCES_H

#include "Clocks.h"

#include <vector>

namespace mlir::mirage::emulator {

/// Sets of memory that a proxy fence is about; bits.
enum FenceTarget : uint8_t {
  fencesShared = 1,
  fencesGlobal = 2,
  fencesMBarrierInit = 4, ///< fence.mbarrier_init: of that alone
  fencesTensorMap = 8,    ///< fence.proxy.tensormap::generic.release
};

class ProxyFences {
public:
  /// \param lanes   that execute the fence; \param warpLanes  those there are.
  /// \param clock   of the warp; \param copies  up to which cp.async group it
  ///                has waited.
  /// \returns how many fences the warp has executed now.
  uint32_t add(uint32_t block, unsigned warp, uint32_t lanes,
               uint32_t warpLanes, uint32_t clock, uint32_t copies,
               uint8_t targets);

  /// Of the accesses at `moment` (by a warp or its cp.async, of the generic
  /// proxy): the lanes that executed one of the first `numKnown` fences of
  /// their warp afterwards, and those that the warp does not have.
  uint32_t findFencedLanes(Epoch moment, uint32_t numKnown,
                           uint8_t target) const;

  void clear() { logs.clear(); }

private:
  struct Fence {
    uint32_t lanes, clock, copies;
    uint8_t targets;
  };
  struct Log {
    uint32_t warpLanes = 0;
    std::vector<Fence> fences;
  };
  /// By block and warp.
  std::map<std::pair<uint32_t, unsigned>, Log> logs;
};

} // namespace mlir::mirage::emulator

#endif // MIRAGE_LIB_EMULATOR_PROXYFENCES_H
