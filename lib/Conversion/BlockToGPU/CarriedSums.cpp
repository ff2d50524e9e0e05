//===- CarriedSums.cpp - Sums that grow in registers ----------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CarriedSums.h"
#include "Mirage/Analysis/BlockSteps.h"
#include "Mirage/Analysis/HeldTiles.h"
#include "Mirage/Analysis/RunningScale.h"
#include "Mirage/Dialect/Thread/IR/Thread.h"

using namespace mlir;
using namespace mlir::mirage;

Combiner mlir::mirage::getCombiner(block::AccumulateOp sum) {
  return getOperatorInfo(readOperatorAttributes(sum).reduction).combiner;
}

CarriedSums::CarriedSums(BlockEmitter &emitter, block::GraphOp graph,
                         HeldValues &held)
    : emitter(emitter), held(held) {
  for (auto sum : graph.getBody().getOps<block::AccumulateOp>()) {
    if (!isCarriedSum(sum.getResult()))
      continue;
    sums.push_back(sum);
    if (hasRunningScale(sum))
      scaledBy[sum.getOperand()] = sum;
    const HeldTile &parts = held.tiles.at(sum.getOperand());
    if (Value scale = sum.getRescale())
      scaleWindows.try_emplace(
          sum, *thread::getFragmentLayout(parts.fragment), parts.omap,
          cast<RankedTensorType>(scale.getType()).getShape());
  }
}

void CarriedSums::emitInit(block::AccumulateOp sum) {
  held.current[sum.getResult()] = emitNeutralTile(
      emitter, held.tiles.at(sum.getOperand()), getCombiner(sum));
}

Value CarriedSums::getCurrent(Value value) {
  return isHeld(value) || isCarriedSum(value) ? held.current.at(value)
                                              : emitter.getTile(value);
}

void CarriedSums::emitUpdate(block::AccumulateOp sum) {
  if (growsWithParts(sum))
    return;
  if (hasRunningScale(sum)) {
    held.current[sum.getResult()] = runningScales.at(sum).maximum;
    return;
  }
  const HeldTile &tile = held.tiles.at(sum.getOperand());
  Value part = held.current.at(sum.getOperand());
  Value before = emitSumSoFar(sum);
  if (!sum.getRescale() || hasRunningScale(findRunningMaximum(sum))) {
    held.current[sum.getResult()] =
        placeJoin(emitter, tile, getCombiner(sum), before, part);
    return;
  }
  Maxima maxima{getCurrent(findRunningMaximum(sum).getResult()),
                getCurrent(sum.getRescale())};
  held.current[sum.getResult()] = placeRescaledJoin(
      emitter, tile, scaleWindows.at(sum), maxima, before, part);
}

Value CarriedSums::emitSumSoFar(block::AccumulateOp sum) {
  Value before = held.current.at(sum.getResult());
  block::AccumulateOp maximum = findRunningMaximum(sum);
  if (!hasRunningScale(maximum))
    return before;
  return placeScaled(emitter, held.tiles.at(sum.getOperand()),
                     scaleWindows.at(sum), before,
                     runningScales.at(maximum).factor);
}

void CarriedSums::emitRunningScale(Value maximumOfTile) {
  block::AccumulateOp maximum = scaledBy.lookup(maximumOfTile);
  if (!maximum)
    return;
  RunningScale scale = placeRunningScale(emitter, held.tiles.at(maximumOfTile),
                                         held.current.at(maximum.getResult()),
                                         held.current.at(maximumOfTile));
  held.current[maximumOfTile] = scale.base;
  runningScales[maximum] = scale;
}
