//===- HeldItems.cpp - Thread graphs on tiles in registers ----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Analysis/HeldItems.h"
#include "Mirage/Layout/HeldTiles.h"

using namespace mlir;
using namespace mlir::mirage;

static std::optional<ShareDeal> findDeal(thread::GraphOp graph) {
  for (Type type : llvm::concat<const Type>(graph->getOperandTypes(),
                                            graph->getResultTypes()))
    if (thread::getFragmentLayout(type))
      return thread::getShareDeal(cast<RankedTensorType>(type));
  return std::nullopt;
}

/// Where items are shares, those that nobody has are none.
std::optional<HeldItems> mlir::mirage::findHeldItems(thread::GraphOp graph) {
  std::optional<ShareDeal> deal = findDeal(graph);
  if (!deal)
    return std::nullopt;
  TileGraph items =
      cast<TileGraphOpInterface>(graph.getOperation()).getHeader();
  if (!deal->isOneEach())
    if (auto extents = findExtents(graph.getGrid(), *deal))
      llvm::copy(*extents, items.grid.begin());
  return HeldItems{*deal, std::move(items)};
}
