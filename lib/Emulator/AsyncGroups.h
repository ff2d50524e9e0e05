//===- AsyncGroups.h - Groups of cp.async of a warp's lanes -----*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Groups are a lane's own: each commits and waits for itself, and some lanes
// may do so where others copy nothing. Clocks know warps. So what a warp copies
// is cut into stretches, each of which ends when some lane closes a group, and
// is done once every lane that copied in it has waited for its own group there:
//
//   lanes 0-31   cp.async                stretch 1, group 1 of each lane
//   lane 0       commit_group            stretch 1 ends
//   lanes 0-31   cp.async                stretch 2, group 2 of lane 0 or 1
//   lane 0       commit, wait_group 0    waits for both; neither is done
//   lanes 1-31   commit, wait_group 0    stretches 1 and 2 are done
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_EMULATOR_ASYNCGROUPS_H
#define MIRAGE_LIB_EMULATOR_ASYNCGROUPS_H

#include "llvm/ADT/SmallVector.h"

#include <array>
#include <cstdint>

namespace mlir::mirage::emulator {

class AsyncGroups {
public:
  using Numbers = std::array<uint32_t, 32>; ///< of groups, by lane

  /// These lanes copy. \returns the stretch, as the clock of the warp's copies
  /// counts. \param known  up to which that clock is known to the warp.
  uint32_t add(uint32_t lanes, uint32_t known);
  /// Closes the open group of each of these lanes.
  void commit(uint32_t lanes);
  /// These lanes have waited for all but their youngest `pending` groups.
  void wait(uint32_t lanes, uint32_t pending);
  /// An mbarrier is told once what these lanes have copied is there; what they
  /// copy later is no part of that.
  /// \returns up to which stretch mbarriers are told of all lanes.
  uint32_t tell(uint32_t lanes);

  /// The group that a lane's next copy belongs to, counted from 1.
  uint32_t openGroup(unsigned lane) const { return committed[lane] + 1; }
  const Numbers &waitedGroups() const { return waited; }
  /// Up to which stretch all copies have been waited for.
  uint32_t findDone() const;

private:
  struct Stretch {
    uint32_t number = 0;
    uint32_t lanes = 0; ///< that copied, and have not waited
    uint32_t told = 0;  ///< of which an mbarrier is told
    Numbers groups;     ///< that their copies belong to
  };

  Numbers committed = {}, waited = {};
  uint32_t numEnded = 0; ///< stretches
  llvm::SmallVector<Stretch, 0> stretches;
};

} // namespace mlir::mirage::emulator

#endif // MIRAGE_LIB_EMULATOR_ASYNCGROUPS_H
