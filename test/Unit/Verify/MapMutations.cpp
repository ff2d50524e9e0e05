//===- MapMutations.cpp - Tiles cut and put together wrongly --------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mutants.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::mirage;
using namespace mlir::mirage::test;

static void change(const Draft &draft, KeepDraft keep,
                   llvm::function_ref<void(TileGraph &)> mutate) {
  Draft changed = draft;
  mutate(changed.tiles);
  keep(changed);
}

static void useAnotherInputMap(const Draft &draft, unsigned, KeepDraft keep) {
  for (unsigned i = 0; i < draft.tiles.tileInputs.size(); ++i)
    for (unsigned axis = 0; axis < draft.tiles.grid.size(); ++axis)
      for (int dim = kReplicated; dim < int(draft.getShape(i).size()); ++dim)
        change(draft, keep,
               [&](TileGraph &t) { t.tileInputs[i].gridMap[axis] = dim; });
}

static void useAnotherLoopMap(const Draft &draft, unsigned, KeepDraft keep) {
  for (unsigned i = 0; i < draft.tiles.tileInputs.size(); ++i)
    for (int dim = kReplicated; dim < int(draft.getShape(i).size()); ++dim)
      change(draft, keep, [&](TileGraph &t) { t.tileInputs[i].loopMap = dim; });
}

static void useAnotherOutputMap(const Draft &draft, unsigned, KeepDraft keep) {
  for (unsigned i = 0; i < draft.tiles.tileOutputs.size(); ++i)
    for (unsigned axis = 0; axis < draft.tiles.grid.size(); ++axis)
      for (int dim = kReplicated;
           dim < int(draft.getShape(draft.outputs[i]).size()); ++dim)
        change(draft, keep,
               [&](TileGraph &t) { t.tileOutputs[i].gridMap[axis] = dim; });
}

static void sumOutputs(const Draft &draft, unsigned, KeepDraft keep) {
  for (unsigned i = 0; i < draft.tiles.tileOutputs.size(); ++i)
    for (unsigned axis = 0; axis < draft.tiles.grid.size(); ++axis)
      change(draft, keep,
             [&](TileGraph &t) { t.tileOutputs[i].gridMap[axis] = kSummed; });
}

/// Calls `swap(tiles, a, b)` for all pairs of grid axes.
template <typename Swap>
static void forAxisPairs(const Draft &draft, KeepDraft keep, Swap swap) {
  for (unsigned b = 0; b < draft.tiles.grid.size(); ++b)
    for (unsigned a = 0; a < b; ++a)
      change(draft, keep, [&](TileGraph &t) { swap(t, a, b); });
}

static void swapInputAxes(const Draft &draft, unsigned, KeepDraft keep) {
  for (unsigned i = 0; i < draft.tiles.tileInputs.size(); ++i)
    forAxisPairs(draft, keep, [&](TileGraph &t, unsigned a, unsigned b) {
      std::swap(t.tileInputs[i].gridMap[a], t.tileInputs[i].gridMap[b]);
    });
}

static void swapOutputAxes(const Draft &draft, unsigned, KeepDraft keep) {
  for (unsigned i = 0; i < draft.tiles.tileOutputs.size(); ++i)
    forAxisPairs(draft, keep, [&](TileGraph &t, unsigned a, unsigned b) {
      std::swap(t.tileOutputs[i].gridMap[a], t.tileOutputs[i].gridMap[b]);
    });
}

static void swapLoopAndGrid(const Draft &draft, unsigned, KeepDraft keep) {
  for (unsigned i = 0; i < draft.tiles.tileInputs.size(); ++i)
    for (unsigned axis = 0; axis < draft.tiles.grid.size(); ++axis)
      change(draft, keep, [&](TileGraph &t) {
        std::swap(t.tileInputs[i].loopMap, t.tileInputs[i].gridMap[axis]);
      });
}

static void addIteration(const Draft &draft, unsigned, KeepDraft keep) {
  if (draft.isTileGraph)
    for (int64_t delta : {-1, 1})
      if (draft.tiles.loop + delta > 0)
        change(draft, keep, [&](TileGraph &t) { t.loop += delta; });
}

static void addBlock(const Draft &draft, unsigned, KeepDraft keep) {
  for (unsigned axis = 0; axis < draft.tiles.grid.size(); ++axis)
    for (int64_t delta : {-1, 1})
      if (draft.tiles.grid[axis] + delta > 0)
        change(draft, keep, [&](TileGraph &t) { t.grid[axis] += delta; });
}

static void swapOutputs(const Draft &draft, unsigned, KeepDraft keep) {
  for (unsigned b = 0; b < draft.outputs.size(); ++b)
    for (unsigned a = 0; a < b; ++a) {
      Draft changed = draft;
      std::swap(changed.outputs[a], changed.outputs[b]);
      keep(changed);
    }
}

static void duplicateOutput(const Draft &draft, unsigned, KeepDraft keep) {
  for (unsigned a = 0; a < draft.outputs.size(); ++a)
    for (unsigned b = 0; b < draft.outputs.size(); ++b) {
      Draft changed = draft;
      changed.outputs[a] = draft.outputs[b];
      if (a != b)
        keep(changed);
    }
}

static void useAnotherOutput(const Draft &draft, unsigned, KeepDraft keep) {
  for (unsigned i = 0; i < draft.outputs.size(); ++i)
    for (ValueId value = 0; value < draft.types.size(); ++value)
      if (value != draft.outputs[i] &&
          draft.haveSameShape(value, draft.outputs[i])) {
        Draft changed = draft;
        changed.outputs[i] = value;
        keep(changed);
      }
}

llvm::ArrayRef<Mutation> mlir::mirage::test::getMapMutations() {
  static const Mutation kMutations[] = {
      {"axes of an input swapped", swapInputAxes, true},
      {"axes of an output swapped", swapOutputAxes, true},
      {"loop and axis of an input swapped", swapLoopAndGrid, true},
      {"another input map", useAnotherInputMap, true},
      {"another loop map", useAnotherLoopMap, true},
      {"outputs of blocks summed", sumOutputs, true},
      {"another output map", useAnotherOutputMap, true},
      {"iterations off by one", addIteration, true},
      {"blocks off by one", addBlock, true},
      {"outputs swapped", swapOutputs, true},
      {"output duplicated", duplicateOutput, true},
      {"output from another value", useAnotherOutput, true},
  };
  return kMutations;
}
