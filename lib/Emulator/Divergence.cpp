//===- Divergence.cpp - Splits of a warp: how they part, meet and end -----===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Divergence.h"
#include "Handlers.h"

using namespace mlir::mirage::emulator;

static int32_t newJoin(Warp &warp, const Join &join) {
  if (warp.freeJoins.empty()) {
    warp.joins.push_back(join);
    return warp.joins.size() - 1;
  }
  int32_t index = warp.freeJoins.back();
  warp.freeJoins.pop_back();
  warp.joins[index] = join;
  return index;
}

/// One of those a join waits for will not come any more, or has come. When none
/// is left, those that arrived go on together.
static void settleJoin(Warp &warp, int32_t index) {
  while (index >= 0) {
    Join &join = warp.joins[index];
    assert(join.pending > 0 && "a join settled more often than it was opened");
    if (--join.pending > 0)
      return;
    Join done = join;
    warp.freeJoins.push_back(index);
    if (done.arrived) {
      Split split;
      split.pc = done.pc;
      split.mask = done.arrived;
      split.reconvergence = done.outerReconvergence;
      split.join = done.outerJoin;
      warp.splits.push_back(std::move(split));
      return;
    }
    index = done.outerJoin;
  }
}

void mlir::mirage::emulator::removeSplit(Warp &warp, uint32_t index) {
  int32_t join = warp.splits[index].join;
  warp.splits.erase(warp.splits.begin() + index);
  settleJoin(warp, join);
}

void mlir::mirage::emulator::arriveAtJoin(Warp &warp, uint32_t index) {
  const Split &split = warp.splits[index];
  assert(split.join >= 0 && "a split with a place to meet has a join");
  warp.joins[split.join].arrived |= split.mask;
  removeSplit(warp, index);
}

bool mlir::mirage::emulator::releaseEarly(Warp &warp) {
  bool any = false;
  for (size_t index = 0; index < warp.joins.size(); ++index) {
    Join &join = warp.joins[index];
    if (join.pending == 0 || join.arrived == 0)
      continue;
    Split split;
    split.pc = join.pc;
    split.mask = join.arrived;
    split.reconvergence = join.outerReconvergence;
    split.join = join.outerJoin;
    join.arrived = 0;
    if (split.join >= 0)
      ++warp.joins[split.join].pending;
    warp.splits.push_back(std::move(split));
    warp.releasedEarly = any = true;
  }
  return any;
}

void mlir::mirage::emulator::branchLanes(ExecutionState &state,
                                         uint32_t takenLanes, uint32_t takenPc,
                                         uint32_t reconvergence) {
  Warp &warp = *state.warp;
  Split &split = state.currentSplit();
  uint32_t others = split.mask & ~takenLanes;
  if (!others || !takenLanes) {
    split.pc = takenLanes ? takenPc : state.pc + 1;
    return;
  }
  ++state.worker->counters.divergentBranches;
  // Lanes that go on to a place where they meet anyway open no new join.
  if (reconvergence != noPc && reconvergence != split.reconvergence) {
    Join join;
    join.pc = reconvergence;
    join.pending = 1;
    join.outerReconvergence = split.reconvergence;
    join.outerJoin = split.join;
    split.join = newJoin(warp, join);
    split.reconvergence = reconvergence;
  }
  if (split.join >= 0)
    ++warp.joins[split.join].pending;
  split.mask = others;
  split.pc = state.pc + 1;
  Split taken;
  taken.pc = takenPc;
  taken.mask = takenLanes;
  taken.reconvergence = split.reconvergence;
  taken.join = split.join;
  warp.splits.push_back(std::move(taken));
}

void mlir::mirage::emulator::exitLanes(ExecutionState &state, uint32_t lanes) {
  Warp &warp = *state.warp;
  leaveClusterBarrier(*state.block->cluster, warp, lanes);
  Split &split = state.currentSplit();
  split.mask &= ~lanes;
  split.pc = state.pc + 1;
  if (split.mask == 0)
    removeSplit(warp, state.split);
}

bool mlir::mirage::emulator::gatherLanes(ExecutionState &state,
                                         uint32_t members, Outcome &outcome) {
  Warp &warp = *state.warp;
  if (state.active & ~members) {
    state.report(FindingKind::WarpSyncMisuse,
                 llvm::countr_zero(state.active & ~members), [] {
                   return std::string("expected the member mask to name every "
                                      "lane that executes this");
                 });
    members |= state.active;
  }
  if (uint32_t gone = members & ~warp.alive()) {
    state.report(FindingKind::WarpSyncMisuse, llvm::countr_zero(gone), [] {
      return std::string("expected lanes of the member mask that still run, "
                         "found one that has ended or never existed");
    });
    members &= warp.alive();
  }
  uint32_t here = state.active;
  for (const Split &other : warp.splits)
    if (other.state == Split::State::AtWarpSync && other.pc == state.pc)
      here |= other.waitingLanes;
  Split &split = state.currentSplit();
  if (members & ~here) {
    split.state = Split::State::AtWarpSync;
    split.waitingLanes = state.active;
    outcome = Outcome::Parked;
    return false;
  }
  // Those that waited execute it now, with this split, and go on by themselves.
  for (Split &other : warp.splits)
    if (&other != &split && other.state == Split::State::AtWarpSync &&
        other.pc == state.pc) {
      state.active |= other.waitingLanes;
      other.state = Split::State::Runnable;
      ++other.pc;
    }
  return true;
}

bool mlir::mirage::emulator::requireWholeWarp(ExecutionState &state,
                                              const char *what,
                                              Outcome &outcome) {
  uint32_t missing = state.warp->alive() & ~state.active;
  if (!missing)
    return true;
  if (state.warp->releasedEarly)
    return gatherLanes(state, state.warp->alive(), outcome);
  state.report(FindingKind::DivergentAligned, llvm::countr_zero(missing), [&] {
    return std::string(what) +
           " must be executed by all lanes of the warp together, and some are "
           "elsewhere";
  });
  outcome = Outcome::Stopped;
  return false;
}
