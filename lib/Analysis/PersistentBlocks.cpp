//===- PersistentBlocks.cpp - Blocks that go on with others ---------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Analysis/PersistentBlocks.h"
#include "Mirage/Analysis/LoadingWarps.h"

using namespace mlir;
using namespace mlir::mirage;

std::optional<int64_t> mlir::mirage::getPersistentBlocks(block::GraphOp graph) {
  auto stated = graph->getAttrOfType<IntegerAttr>(kPersistentBlocksAttr);
  return stated ? std::optional(stated.getInt()) : std::nullopt;
}

llvm::Expected<std::optional<int64_t>>
mlir::mirage::readPersistentBlocks(block::GraphOp graph) {
  std::optional<int64_t> stated = getPersistentBlocks(graph);
  if (!stated)
    return std::nullopt;
  if (!graph->hasAttr(kLoadingWarpsAttr))
    return llvm::createStringError("expects warps that load ('" +
                                   kLoadingWarpsAttr + "') where '" +
                                   kPersistentBlocksAttr + "' is stated");
  int64_t numBlocks = ShapedType::getNumElements(graph.getGrid());
  if (*stated >= 1 && *stated <= numBlocks)
    return stated;
  return llvm::createStringError(
      "expects 1 to the " + Twine(numBlocks) + " blocks of the grid as '" +
      kPersistentBlocksAttr + "', got " + Twine(*stated));
}
