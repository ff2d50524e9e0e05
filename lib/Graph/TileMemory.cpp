//===- TileMemory.cpp - What a block's tiles take -------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Graph/TileMemory.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir::mirage;

bool mlir::mirage::isLoadedInLoop(const TileGraph &graph, unsigned input) {
  return graph.tileInputs[input].loopMap != kReplicated;
}

int64_t mlir::mirage::getNumPlaces(const TileGraph &graph, unsigned input) {
  return isLoadedInLoop(graph, input) ? graph.stages : 1;
}

int64_t mlir::mirage::getRingStride(int64_t tileBytes) {
  return llvm::alignTo(tileBytes, kTileAlignment);
}

int64_t mlir::mirage::getSharedBytes(const TileGraph &graph) {
  int64_t bytes = (graph.stages - 1) * getStageBytes(graph);
  for (unsigned input = 0; input < graph.getNumInputs(); ++input)
    bytes += getRingStride(graph.getType(input).getSizeBytes());
  for (const Node &operation : graph.getNodes())
    for (ValueId result : operation.results)
      bytes += getRingStride(operation.getNumCarried() *
                             graph.getType(result).getSizeBytes());
  return bytes;
}

int64_t mlir::mirage::getStageBytes(const TileGraph &graph) {
  int64_t bytes = 0;
  for (unsigned input = 0; input < graph.getNumInputs(); ++input)
    if (isLoadedInLoop(graph, input))
      bytes += getRingStride(graph.getType(input).getSizeBytes());
  return bytes;
}
