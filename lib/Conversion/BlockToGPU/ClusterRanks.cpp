//===- ClusterRanks.cpp - Blocks of a cluster by number -------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ClusterRanks.h"
#include "BlockEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace mlir::mirage;

ClusterRanks::ClusterRanks(ArrayRef<int64_t> cluster, ArrayRef<int64_t> order)
    : extents(cluster), strides(cluster.size(), 1) {
  int64_t stride = 1;
  for (int64_t axis : order) {
    strides[axis] = stride;
    stride *= extents[axis];
  }
}

int64_t ClusterRanks::getNumBlocks() const {
  return ShapedType::getNumElements(extents);
}

bool ClusterRanks::differAlong(const AxisFlags &axes, int64_t rank,
                               int64_t other) const {
  return llvm::all_of(llvm::enumerate(axes), [&](auto axis) {
    return axis.value() || getCoordinate(rank, axis.index()) ==
                               getCoordinate(other, axis.index());
  });
}

Value ClusterRanks::emitRank(ImplicitLocOpBuilder &builder) {
  return NVVM::ClusterId::create(builder, builder.getI32Type());
}

/// Extents are powers of two as a rule: then LLVM shifts and masks.
Value ClusterRanks::emitCoordinate(ImplicitLocOpBuilder &builder, unsigned axis,
                                   Value rank) const {
  Value slower =
      arith::DivUIOp::create(builder, rank, emitI32(builder, strides[axis]));
  return arith::RemUIOp::create(builder, slower,
                                emitI32(builder, extents[axis]));
}

Value ClusterRanks::emitNumberAlong(ImplicitLocOpBuilder &builder,
                                    const AxisFlags &axes, Value rank) const {
  Value number = emitI32(builder, 0);
  int64_t stride = 1;
  for (auto [axis, isMeant] : llvm::enumerate(axes)) {
    if (!isMeant || extents[axis] == 1)
      continue;
    Value distance = arith::MulIOp::create(
        builder, emitCoordinate(builder, axis, rank), emitI32(builder, stride));
    number = arith::AddIOp::create(builder, number, distance);
    stride *= extents[axis];
  }
  return number;
}

/// That of those with coordinate 0 along all other axes, moved to where the
/// block is.
Value ClusterRanks::emitMaskAlong(ImplicitLocOpBuilder &builder,
                                  const AxisFlags &axes, Value rank) const {
  uint16_t first = 0;
  for (int64_t other : llvm::seq(getNumBlocks()))
    if (differAlong(axes, 0, other))
      first |= 1 << other;
  Value mask = emitI32(builder, first);
  for (auto [axis, isMeant] : llvm::enumerate(axes)) {
    if (isMeant || extents[axis] == 1)
      continue;
    Value distance =
        arith::MulIOp::create(builder, emitCoordinate(builder, axis, rank),
                              emitI32(builder, strides[axis]));
    mask = arith::ShLIOp::create(builder, mask, distance);
  }
  return arith::TruncIOp::create(builder, builder.getI16Type(), mask);
}

Value ClusterRanks::emitDifferAlong(ImplicitLocOpBuilder &builder,
                                    const AxisFlags &axes, Value rank,
                                    Value other) const {
  Value result;
  for (auto [axis, isMeant] : llvm::enumerate(axes)) {
    if (isMeant || extents[axis] == 1)
      continue;
    Value isSame = arith::CmpIOp::create(builder, arith::CmpIPredicate::eq,
                                         emitCoordinate(builder, axis, rank),
                                         emitCoordinate(builder, axis, other));
    result = result ? arith::AndIOp::create(builder, result, isSame) : isSame;
  }
  return result;
}
