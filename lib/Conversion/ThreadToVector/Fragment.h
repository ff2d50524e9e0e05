//===- Fragment.h - A fragment as the registers of a lane -------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_CONVERSION_THREADTOVECTOR_FRAGMENT_H
#define MIRAGE_LIB_CONVERSION_THREADTOVECTOR_FRAGMENT_H

#include "Mirage/Layout/LinearLayout.h"
#include "mlir/IR/Builders.h"

namespace mlir::mirage {

/// What one lane holds of a fragment: a scalar for each register number.
struct Fragment {
  LinearLayout layout;
  SmallVector<Value> registers;

  Type getElementType() const { return registers.front().getType(); }
};

/// Where the code that is being built runs. Numbers are of type index.
struct LanePosition {
  Value warp;     ///< of the thread in its block
  Value lane;     ///< of the thread in its warp, 0 to 31
  Value numWarps; ///< of the block
};

/// The part of a coordinate along `dim` that the lane number decides: the
/// exclusive or of the images of its set bits. Null where that is 0 for all
/// lanes.
Value emitLaneCoordinate(OpBuilder &builder, Location location,
                         const LinearLayout &layout, unsigned dim, Value lane);

/// `base` and the lane's part and the register's part, along one dimension.
/// Null parts count 0. Where lanes and registers have bits in common the parts
/// are joined by exclusive or, else by addition.
Value emitCoordinate(OpBuilder &builder, Location location,
                     const LinearLayout &layout, unsigned dim, Value base,
                     Value lanePart, int64_t registerPart);

/// The same numbers in another float type, rounded to nearest: a scalar, or a
/// vector to a vector type.
Value emitFloatCast(OpBuilder &builder, Location location, Value value,
                    Type type);

/// The same of many, which need not be converted one at a time.
SmallVector<Value> emitFloatCasts(OpBuilder &builder, Location location,
                                  ValueRange values, Type type);

/// A constant of type index.
Value emitIndex(OpBuilder &builder, Location location, int64_t value);

} // namespace mlir::mirage

#endif // MIRAGE_LIB_CONVERSION_THREADTOVECTOR_FRAGMENT_H
