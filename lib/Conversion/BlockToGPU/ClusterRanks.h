//===- ClusterRanks.h - Blocks of a cluster by number -----------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block of a cluster is known to others by its rank (PTX ISA,
// "%cluster_ctarank"), which counts along the axes of the grid in the order in
// which blocks start:
//
//   cluster x = 2, y = 2, order y, x        rank = y + 2 x
//
// Boxes that blocks load alike are loaded by all of them together: of a tile
// that is the same along x, by ranks 0 and 2, and by ranks 1 and 3. Who is
// there is a mask, bit r for rank r: 0101 here, or that one place further on.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_CONVERSION_BLOCKTOGPU_CLUSTERRANKS_H
#define MIRAGE_LIB_CONVERSION_BLOCKTOGPU_CLUSTERRANKS_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::mirage {

/// Which axes of the grid are meant, by number.
using AxisFlags = SmallVector<bool, 3>;

class ClusterRanks {
public:
  /// Of blocks that are none.
  ClusterRanks() = default;
  /// \param cluster  extents by grid axis.
  /// \param order    of the axes, the fastest one first.
  ClusterRanks(ArrayRef<int64_t> cluster, ArrayRef<int64_t> order);

  bool empty() const { return extents.empty(); }
  ArrayRef<int64_t> getExtents() const { return extents; }
  int64_t getNumBlocks() const;
  int64_t getExtent(unsigned axis) const { return extents[axis]; }
  int64_t getStride(unsigned axis) const { return strides[axis]; }
  /// The coordinate of a rank along an axis.
  int64_t getCoordinate(int64_t rank, unsigned axis) const {
    return rank / strides[axis] % extents[axis];
  }

  /// Whether two blocks differ along these axes at the most.
  bool differAlong(const AxisFlags &axes, int64_t rank, int64_t other) const;

  /// This block's, an i32.
  static Value emitRank(ImplicitLocOpBuilder &builder);
  /// The number of a block among those that differ from it along these axes at
  /// the most, an i32.
  Value emitNumberAlong(ImplicitLocOpBuilder &builder, const AxisFlags &axes,
                        Value rank) const;
  /// The mask of those, an i16.
  Value emitMaskAlong(ImplicitLocOpBuilder &builder, const AxisFlags &axes,
                      Value rank) const;
  /// `differAlong`, of values of type i32: an i1, or null where that is always
  /// so.
  Value emitDifferAlong(ImplicitLocOpBuilder &builder, const AxisFlags &axes,
                        Value rank, Value other) const;

private:
  Value emitCoordinate(ImplicitLocOpBuilder &builder, unsigned axis,
                       Value rank) const;

  SmallVector<int64_t, 3> extents, strides; ///< by grid axis
};

} // namespace mlir::mirage

#endif // MIRAGE_LIB_CONVERSION_BLOCKTOGPU_CLUSTERRANKS_H
