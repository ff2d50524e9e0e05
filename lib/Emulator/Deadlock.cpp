//===- Deadlock.cpp - Says why a block cannot go on -----------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir::mirage::emulator;
using llvm::formatv;

static std::string describeMBarrierWait(const Block &block, const Warp &warp,
                                        const Split &split) {
  const MBarrier *barrier = block.mbarriers.find(split.mbarrier);
  if (!barrier)
    return formatv("warp {0} waits for an mbarrier that was made invalid",
                   warp.index);
  std::string text =
      formatv("warp {0} waits for phase {1} of the mbarrier at shared address "
              "{2}, which misses {3} of {4} arrivals",
              warp.index, barrier->completed, barrier->address,
              barrier->pending, barrier->expected);
  if (barrier->bytes != 0)
    text += formatv(" and {0} bytes", barrier->bytes);
  return text;
}

static std::string describeMatrixWait(const Block &block, const Warp &warp) {
  const MatrixGroup &group = block.matrixGroups[warp.index / warpsPerGroup];
  std::string text =
      formatv("warp {0} waits for a wgmma that was not issued by", warp.index);
  const MatrixOperation *missing = group.findIncomplete();
  for (unsigned i = 0; missing && i < warpsPerGroup; ++i)
    if (!(missing->issuedBy >> i & 1))
      text +=
          formatv(" warp {0}", warp.index / warpsPerGroup * warpsPerGroup + i);
  return text;
}

static std::string describeWait(const Block &block, const Warp &warp,
                                const Split &split) {
  switch (split.state) {
  case Split::State::AtBarrier: {
    const Barrier &barrier = block.barriers[split.barrier];
    return formatv("warp {0} waits at barrier {1}, where {2} of {3} threads "
                   "have arrived",
                   warp.index, split.barrier, barrier.arrived,
                   barrier.expected);
  }
  case Split::State::AtClusterBarrier:
    return formatv("warp {0} waits at the barrier of its cluster, where {1} of "
                   "{2} threads have arrived",
                   warp.index, block.cluster->arrived,
                   block.cluster->countThreads());
  case Split::State::AtMBarrier:
    return describeMBarrierWait(block, warp, split);
  case Split::State::AtMatrices:
    return describeMatrixWait(block, warp);
  case Split::State::AtRegisters:
    return formatv("warp {0} waits for registers, of which its threads have "
                   "{1} each, that other warps have to give up",
                   warp.index, warp.numRegisters);
  case Split::State::AtWarpSync:
    return formatv("lanes {0:x} of warp {1} wait for others of their warp",
                   split.waitingLanes, warp.index);
  case Split::State::Polling:
    return formatv("warp {0} polls memory that nobody changes", warp.index);
  case Split::State::Runnable:
    break;
  }
  return formatv("warp {0} could run", warp.index);
}

void mlir::mirage::emulator::reportDeadlock(Block &block, Worker &worker) {
  constexpr unsigned mostShown = 8;
  std::string message = "no thread of the block can go on";
  llvm::raw_string_ostream os(message);
  const Warp *first = nullptr;
  unsigned shown = 0;
  for (const Warp &warp : block.warps)
    for (const Split &split : warp.splits) {
      if (!first)
        first = &warp;
      if (shown++ < mostShown)
        os << "; " << describeWait(block, warp, split);
    }
  if (shown > mostShown)
    os << "; and " << shown - mostShown << " more";
  unsigned ended = 0;
  for (const Warp &warp : block.warps)
    ended += warp.hasEnded();
  if (ended)
    os << "; " << ended << " warps have ended";
  const Split *split = first ? &first->splits.front() : nullptr;
  // The instruction that waits is the pc itself, where it is repeated, or the
  // one before the pc to go on from.
  bool isRepeated = split && (split->state == Split::State::AtWarpSync ||
                              split->state == Split::State::AtRegisters ||
                              split->state == Split::State::AtMBarrier);
  uint32_t pc = !split                         ? noPc
                : isRepeated || split->pc == 0 ? split->pc
                                               : split->pc - 1;
  worker.findings.add(
      FindingKind::Deadlock, pc, noPc, block.number, first ? first->index : 0,
      split ? llvm::countr_zero(split->mask) : 0, [&] { return message; });
  stopBlock(block);
}
