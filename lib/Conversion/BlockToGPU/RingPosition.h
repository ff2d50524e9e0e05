//===- RingPosition.h - Where an iteration is in its rings ------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_CONVERSION_BLOCKTOGPU_RINGPOSITION_H
#define MIRAGE_LIB_CONVERSION_BLOCKTOGPU_RINGPOSITION_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::mirage {

/// The place that the tiles of an iteration have in the rings of a block.
/// Places follow each other, and behind the last one the ring begins anew;
/// where boxes come, mbarriers of places count phases (BoxCopies.h), and the
/// parity of the phase changes there. Nothing is divided: no number of places
/// is a power of two for certain.
struct RingPosition {
  Value number; ///< of the place, of type index
  Value parity; ///< i32, of the iteration's phase of the place; null without
                ///< boxes

  /// Of the next iteration.
  RingPosition emitNext(ImplicitLocOpBuilder &builder, int64_t numPlaces) const;
  /// Of the iteration `numAhead` further on, at most as many as there are
  /// places.
  RingPosition emitAhead(ImplicitLocOpBuilder &builder, int64_t numPlaces,
                         int64_t numAhead) const;
  /// The number of the place before.
  Value emitNumberBefore(ImplicitLocOpBuilder &builder,
                         int64_t numPlaces) const;

private:
  /// The parity, or the other one where the ring has begun anew.
  Value emitParity(ImplicitLocOpBuilder &builder, Value beginsAnew) const;
};

} // namespace mlir::mirage

#endif // MIRAGE_LIB_CONVERSION_BLOCKTOGPU_RINGPOSITION_H
