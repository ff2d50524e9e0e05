//===- EarlierWrites.h - What was written before a launch ------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A buffer that starts undefined is not so where launches before this one have
// written it (Region::written). Accesses that lie there altogether, as nearly
// all do, need not be looked at byte by byte.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_EMULATOR_EARLIERWRITES_H
#define MIRAGE_LIB_EMULATOR_EARLIERWRITES_H

#include "MemoryAccess.h"

namespace mlir::mirage::emulator {

/// Whether all of these bytes of a region were written before.
bool wereWrittenBefore(const Region &region, uint64_t address, uint64_t bytes);

/// The same of the bytes of all lanes, in a region with some that were.
bool wereLanesWrittenBefore(const MemoryAccess &access);
/// The same, of any memory: most has none.
inline bool wereWrittenBefore(const MemoryAccess &access) {
  return !access.region->written.empty() && wereLanesWrittenBefore(access);
}

/// Which bytes of a granule were.
ByteMask findWrittenBefore(const Region &region, uint64_t granule);

} // namespace mlir::mirage::emulator

#endif // MIRAGE_LIB_EMULATOR_EARLIERWRITES_H
