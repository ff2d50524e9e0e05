//===- GlobalCheck.cpp - Global memory at the end of a launch -------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GlobalCheck.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir::mirage::emulator;
using llvm::formatv;

namespace {

/// Joins bytes that lie side by side into intervals, one kind of access at a
/// time.
class IntervalBuilder {
public:
  IntervalBuilder(uint64_t block, bool isWrite, bool isAtomic,
                  std::vector<GlobalInterval> &intervals)
      : intervals(intervals) {
    current.block = block;
    current.isWrite = isWrite;
    current.isAtomic = isAtomic;
  }

  void addWord(uint64_t address, uint8_t mask, uint32_t pc) {
    for (unsigned byte = 0; byte < 4; ++byte)
      if (mask >> byte & 1)
        addByte(address + byte, pc);
  }
  void finish() {
    if (current.begin != current.end)
      intervals.push_back(current);
    current.begin = current.end = 0;
  }

private:
  void addByte(uint64_t address, uint32_t pc) {
    if (address != current.end || pc != current.pc) {
      finish();
      current.begin = address;
      current.pc = pc;
    }
    current.end = address + 1;
  }

  std::vector<GlobalInterval> &intervals;
  GlobalInterval current;
};

std::string bufferName(const LaunchContext &launch, const Region &region) {
  return region.buffer < 0
             ? std::string("a module variable")
             : "buffer '" + launch.config.buffers[region.buffer].name + "'";
}

const Region *regionAt(const LaunchContext &launch, uint64_t address) {
  for (const Region &region : launch.regions)
    if (address - region.base < region.sizeBytes)
      return &region;
  return nullptr;
}

void reportPair(const LaunchContext &launch, const GlobalInterval &a,
                const GlobalInterval &b, FindingSet &findings) {
  const GlobalInterval &first = a.block < b.block ? a : b;
  const GlobalInterval &second = a.block < b.block ? b : a;
  auto verb = [](const GlobalInterval &interval) {
    return interval.isAtomic  ? "update atomically"
           : interval.isWrite ? "write"
                              : "read";
  };
  findings.add(
      FindingKind::GlobalRace, second.pc, first.pc, second.block, 0, 0, [&] {
        uint64_t address = std::max(a.begin, b.begin);
        const Region *region = regionAt(launch, address);
        return formatv("blocks number {0} and {1} {2} and {3} byte {4} "
                       "of {5}, with no synchronization between them",
                       first.block, second.block, verb(first), verb(second),
                       region ? address - region->base : address,
                       region ? bufferName(launch, *region) : "memory")
            .str();
      });
}

} // namespace

void mlir::mirage::emulator::collectIntervals(
    const Shadow &shadow, uint64_t block,
    std::vector<GlobalInterval> &intervals) {
  IntervalBuilder reads(block, false, false, intervals);
  IntervalBuilder writes(block, true, false, intervals);
  IntervalBuilder atomics(block, true, true, intervals);
  shadow.forEachWord([&](uint64_t index, const ShadowWord &word) {
    uint8_t plainWrites = word.everWritten & ~word.everAtomic;
    reads.addWord(index * 4, word.everRead, word.readPc);
    writes.addWord(index * 4, plainWrites, word.writePc);
    atomics.addWord(index * 4, word.everAtomic, word.writePc);
  });
  reads.finish();
  writes.finish();
  atomics.finish();
}

void mlir::mirage::emulator::checkBlocksAgainstEachOther(
    const LaunchContext &launch, std::vector<GlobalInterval> &intervals,
    FindingSet &findings) {
  auto key = [](const GlobalInterval &interval) {
    return std::make_tuple(interval.begin, interval.block, interval.isWrite,
                           interval.isAtomic, interval.end, interval.pc);
  };
  std::sort(intervals.begin(), intervals.end(),
            [&](const GlobalInterval &a, const GlobalInterval &b) {
              return key(a) < key(b);
            });
  // A sweep by address. Of the intervals that reach up to here it suffices to
  // keep few: the findings name pairs of instructions, not all pairs of blocks.
  constexpr size_t mostKept = 64;
  std::vector<GlobalInterval> open;
  for (const GlobalInterval &interval : intervals) {
    open.erase(std::remove_if(open.begin(), open.end(),
                              [&](const GlobalInterval &other) {
                                return other.end <= interval.begin;
                              }),
               open.end());
    for (const GlobalInterval &other : open) {
      bool isHarmless = other.block == interval.block ||
                        (!other.isWrite && !interval.isWrite) ||
                        (other.isAtomic && interval.isAtomic);
      if (!isHarmless)
        reportPair(launch, other, interval, findings);
    }
    // Readers crowd; writers that overlap are rare or already reported.
    if (open.size() < mostKept || interval.isWrite)
      open.push_back(interval);
  }
}

void mlir::mirage::emulator::checkOutputsWritten(
    const LaunchContext &launch, const std::vector<GlobalInterval> &intervals,
    FindingSet &findings) {
  for (const Region &region : launch.regions) {
    if (region.buffer < 0 ||
        launch.config.buffers[region.buffer].kind != BufferKind::Output)
      continue;
    uint64_t next = region.base, missing = 0, firstMissing = 0;
    auto skipTo = [&](uint64_t address) {
      if (address <= next)
        return;
      if (missing == 0)
        firstMissing = next - region.base;
      missing += address - next;
    };
    for (const GlobalInterval &interval : intervals) {
      if (!interval.isWrite || interval.end <= region.base ||
          interval.begin >= region.base + region.sizeBytes)
        continue;
      skipTo(interval.begin);
      next = std::max(next, interval.end);
    }
    skipTo(region.base + region.sizeBytes);
    if (missing)
      findings.add(FindingKind::UnwrittenOutput, noPc, noPc - 1 - region.buffer,
                   0, 0, 0, [&] {
                     return formatv("{0} of {1} bytes of output {2} were never "
                                    "written, the first at offset {3}",
                                    missing, region.sizeBytes,
                                    bufferName(launch, region), firstMissing)
                         .str();
                   });
  }
}
