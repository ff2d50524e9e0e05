//===- LaneSets.h - Sets of lanes by number ---------------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_EMULATOR_LANESETS_H
#define MIRAGE_LIB_EMULATOR_LANESETS_H

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>

namespace mlir::mirage::emulator {

/// Sets of lanes that accessed the same bytes, by numbers that have room in an
/// entry of the shadow. A kernel has few that are neither one lane, nor the
/// first so many, nor all.
class LaneSets {
public:
  static constexpr unsigned numBits = 6; ///< of a number
  static constexpr unsigned unknown = 0;

  /// \returns the set's number; `unknown` once there are too many, and for the
  /// empty set.
  unsigned add(uint32_t lanes) {
    if (lanes == 0)
      return unknown;
    auto found = llvm::find(sets, lanes);
    if (found == sets.end()) {
      if (sets.size() + 1 == 1u << numBits)
        return unknown;
      sets.push_back(lanes);
      found = sets.end() - 1;
    }
    return unsigned(found - sets.begin()) + 1;
  }
  /// No lanes of `unknown`.
  uint32_t get(unsigned number) const {
    return number == unknown ? 0 : sets[number - 1];
  }

  /// Once no entry names one any more.
  void clear() { sets.clear(); }

private:
  llvm::SmallVector<uint32_t, 4> sets; ///< from number 1 on
};

} // namespace mlir::mirage::emulator

#endif // MIRAGE_LIB_EMULATOR_LANESETS_H
