//===- EarlierGrids.h - What grids before this one may still do -*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_EMULATOR_EARLIERGRIDS_H
#define MIRAGE_LIB_EMULATOR_EARLIERGRIDS_H

#include <cstdint>
#include <vector>

namespace mlir::mirage::emulator {

/// Global memory that grids use which were launched earlier and may not have
/// ended (programmatic dependent launch). What they do is ordered before what
/// comes behind griddepcontrol.wait, if it is at all.
class EarlierGrids {
public:
  struct Use {
    uint64_t begin = 0, end = 0; ///< device addresses
    bool isWrite = false;
    bool endsAtWait = true;
  };

  void add(Use use) { uses.push_back(use); }
  /// Once all are added.
  void finish();
  bool empty() const { return uses.empty(); }

  /// A use that an access of these bytes is in conflict with; null if there is
  /// none.
  /// \param hasWaited  griddepcontrol.wait is ordered before the access.
  const Use *findConflict(uint64_t begin, uint64_t end, bool isWrite,
                          bool hasWaited) const;

private:
  std::vector<Use> uses; ///< by `begin`
  /// Of each use and those before it, how far they reach.
  std::vector<uint64_t> reach;
};

} // namespace mlir::mirage::emulator

#endif // MIRAGE_LIB_EMULATOR_EARLIERGRIDS_H
