//===- StartProductsAhead.cpp - Products of the next iteration ------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Analysis/AheadProducts.h"
#include "Mirage/Analysis/HeldTiles.h"
#include "Mirage/Analysis/TileForms.h"
#include "Mirage/Planning/RegisterBudget.h"
#include "Mirage/Planning/RingPlaces.h"
#include "Mirage/Transforms/Passes.h"

namespace mlir::mirage {
#define GEN_PASS_DEF_STARTPRODUCTSAHEADPASS
#include "Mirage/Transforms/Passes.h.inc"
} // namespace mlir::mirage

using namespace mlir;
using namespace mlir::mirage;

/// \param taken  registers of a thread that rows have.
static void startAhead(block::GraphOp block, int64_t taken) {
  int64_t numFree =
      RegisterBudget(block.getThreads()).getForRowsAndProductsAhead() - taken;
  UnitAttr ahead = UnitAttr::get(block.getContext());
  for (auto graph : block.getBody().getOps<thread::GraphOp>()) {
    if (llvm::errorToBool(verifyStartsAhead(graph)))
      continue;
    int64_t needed = thread::countRegisters(getHeldType(graph.getResult(0)));
    if (needed > numFree)
      continue;
    numFree -= needed;
    graph->setAttr(kStartsAheadAttr, ahead);
  }
}

/// How far behind the iteration is whose place the present one refills: as was
/// planned, or further where a product in places need not be waited for then.
static int64_t handBackLater(block::GraphOp block, IntegerAttr planned) {
  int64_t later = chooseLateHandBack(block.getStages());
  if (later <= planned.getInt())
    return planned.getInt();
  block->setAttr(kHandsBackPlacesAttr,
                 Builder(block.getContext()).getI64IntegerAttr(later));
  for (auto graph : block.getBody().getOps<thread::GraphOp>())
    if (readsPlacesAlone(graph) && !llvm::errorToBool(verifyWaitsLate(graph)))
      return later;
  block->setAttr(kHandsBackPlacesAttr, planned);
  return planned.getInt();
}

static void startProductsAhead(block::GraphOp block) {
  for (auto graph : block.getBody().getOps<thread::GraphOp>()) {
    graph->removeAttr(kStartsAheadAttr);
    graph->removeAttr(kWaitsLateAttr);
  }
  auto taken = block->getAttrOfType<IntegerAttr>(kRowRegistersAttr);
  auto planned = block->getAttrOfType<IntegerAttr>(kHandsBackPlacesAttr);
  if (!taken || !planned)
    return;
  int64_t behind = handBackLater(block, planned);
  bool areTilesThere =
      canStartAhead(block.getLoop(), block.getStages(), behind);
  if (areTilesThere)
    startAhead(block, taken.getInt());
  for (auto graph : block.getBody().getOps<thread::GraphOp>())
    if ((areTilesThere || readsPlacesAlone(graph)) &&
        !llvm::errorToBool(verifyWaitsLate(graph)))
      graph->setAttr(kWaitsLateAttr, UnitAttr::get(block.getContext()));
}

namespace {
struct StartProductsAheadPass
    : mirage::impl::StartProductsAheadPassBase<StartProductsAheadPass> {
  void runOnOperation() override {
    getOperation()->walk(
        [](block::GraphOp block) { startProductsAhead(block); });
  }
};
} // namespace
