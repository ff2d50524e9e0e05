//===- Fragments.h - Where values of a thread graph lie ---------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tensor with a #mirage_thread.layout is a *fragment*: spread over the
// registers of a warp, or of a warpgroup. One without is a *window*: a part of
// a tile, which stays where the tile is. Loads, stores and copies lead from one
// to the other; all else works on fragments. Outside of a thread graph a tensor
// with a layout is a tile that the warps of a block hold in registers.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_DIALECT_THREAD_IR_FRAGMENTS_H
#define MIRAGE_DIALECT_THREAD_IR_FRAGMENTS_H

#include "Mirage/Layout/HeldTiles.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"

namespace mlir::mirage::thread {

/// Of the number of a warp in a block of 1024 threads.
constexpr unsigned kMostWarpBits = 5;
/// Of the number of a share of a held tile: as many as such a block has
/// registers for.
constexpr unsigned kMostShareBits = kMostWarpBits + kMaxRegisterBits;

/// The layout of a fragment; none if the type is that of a window, or no
/// tensor.
std::optional<LinearLayout> getFragmentLayout(Type type);

/// How a fragment, or a tile that is held, comes to warps.
ShareDeal getShareDeal(RankedTensorType fragment);

/// Elements that a thread holds of a fragment, of all of its shares.
int64_t countElements(RankedTensorType fragment);

/// Registers of 32 bits that a thread needs for a fragment.
int64_t countRegisters(RankedTensorType fragment);

RankedTensorType getFragmentType(const LinearLayout &layout, Type elementType);
/// The same of a tile whose warp bits count shares.
RankedTensorType getFragmentType(const LinearLayout &layout, Type elementType,
                                 const ShareDeal &deal);

namespace detail {
/// What an operator asks of the layouts of its operands and result, by its row
/// of the table (`Mirage/Layout/FragmentRules.h`).
LogicalResult verifyFragments(Operation *op);
} // namespace detail

template <typename ConcreteOp>
class FragmentLayouts : public OpTrait::TraitBase<ConcreteOp, FragmentLayouts> {
public:
  static LogicalResult verifyTrait(Operation *op) {
    return detail::verifyFragments(op);
  }
};

} // namespace mlir::mirage::thread

#endif // MIRAGE_DIALECT_THREAD_IR_FRAGMENTS_H
