//===- Divergence.h - How lanes of a warp part and meet ---------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_EMULATOR_DIVERGENCE_H
#define MIRAGE_LIB_EMULATOR_DIVERGENCE_H

#include "State.h"

namespace mlir::mirage::emulator {

/// Takes a split out of its warp; if its join waited for it alone, the lanes
/// that have arrived there become a split.
void removeSplit(Warp &warp, uint32_t index);

/// A split has come to the place where it meets the others of its branch.
void arriveAtJoin(Warp &warp, uint32_t index);

/// Lets lanes that wait to meet others go on without them: a lane may wait for
/// what its own warp does behind the meeting point, and threads make progress
/// one by one. \returns false if there were none.
bool releaseEarly(Warp &warp);

} // namespace mlir::mirage::emulator

#endif // MIRAGE_LIB_EMULATOR_DIVERGENCE_H
