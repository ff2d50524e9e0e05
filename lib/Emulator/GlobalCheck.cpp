//===- GlobalCheck.cpp - Global memory at the end of a launch -------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GlobalCheck.h"
#include "MemoryAccess.h"

#include "llvm/ADT/STLExtras.h"
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

  /// Bytes of the granule that begins at `address`.
  void add(uint64_t address, ByteMask mask, uint32_t pc) {
    if (mask == allBytes)
      return addRange(address, address + granuleBytes, pc);
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
      uint64_t begin = address + llvm::countr_zero(rest);
      addRange(begin, begin + 1, pc);
    }
  }
  void finish() {
    if (current.begin != current.end)
      intervals.push_back(current);
    current.begin = current.end = 0;
  }

private:
  void addRange(uint64_t begin, uint64_t end, uint32_t pc) {
    if (begin != current.end || pc != current.pc) {
      finish();
      current.begin = begin;
      current.pc = pc;
    }
    current.end = end;
  }

  std::vector<GlobalInterval> &intervals;
  GlobalInterval current;
};

/// The intervals of one instruction that a sweep by address has passed. Two are
/// enough to find, for any block, whether another one reaches some address: the
/// one that reaches farthest, and the farthest of the other blocks.
class OpenAccesses {
public:
  explicit OpenAccesses(const GlobalInterval &first) : farthest(first) {}

  bool isLike(const GlobalInterval &interval) const {
    return interval.pc == farthest.pc && interval.isWrite == farthest.isWrite &&
           interval.isAtomic == farthest.isAtomic;
  }
  bool reaches(uint64_t address) const { return farthest.end > address; }

  /// \param interval  is like the others and begins no earlier.
  void add(const GlobalInterval &interval) {
    bool isOtherBlock = interval.block != farthest.block;
    if (interval.end > farthest.end) {
      if (isOtherBlock)
        second = farthest;
      farthest = interval;
    } else if (isOtherBlock && interval.end > second.end) {
      second = interval;
    }
  }

  /// The interval of another block that overlaps one that begins here and may
  /// not; null if none does.
  const GlobalInterval *findConflict(const GlobalInterval &interval) const {
    bool isHarmless = (!farthest.isWrite && !interval.isWrite) ||
                      (farthest.isAtomic && interval.isAtomic);
    const GlobalInterval &other =
        farthest.block != interval.block ? farthest : second;
    return !isHarmless && other.end > interval.begin ? &other : nullptr;
  }

private:
  GlobalInterval farthest;
  GlobalInterval second; ///< empty while all are of one block
};

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
        const Region *region = findGlobalRegion(launch, address);
        return formatv("blocks number {0} and {1} {2} and {3} byte {4} "
                       "of {5}, with no synchronization between them",
                       first.block, second.block, verb(first), verb(second),
                       region ? address - region->base : address,
                       region ? describeBuffer(launch, *region) : "memory")
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
  shadow.forEachGranule([&](uint64_t index, const ShadowGranule &granule,
                            llvm::ArrayRef<ShadowEntry> more) {
    const uint64_t address = index * granuleBytes;
    reads.add(address, granule.everRead, granule.read.pc());
    // Each byte once: updates that nothing orders share it, and some entries
    // are forgotten.
    ByteMask missing = granule.everWritten;
    auto add = [&](ShadowEntry entry) {
      ByteMask mask = isRead(entry.kind()) ? 0 : entry.mask() & missing;
      missing &= ~mask;
      writes.add(address, mask & ~granule.everAtomic, entry.pc());
      atomics.add(address, mask & granule.everAtomic, entry.pc());
    };
    add(granule.write);
    llvm::for_each(more, add);
    ShadowEntry forgotten = granule.write;
    forgotten.setMask(missing);
    add(forgotten);
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
  // A sweep by address: what is open reaches up to here.
  std::vector<OpenAccesses> open;
  for (const GlobalInterval &interval : intervals) {
    llvm::erase_if(open, [&](const OpenAccesses &accesses) {
      return !accesses.reaches(interval.begin);
    });
    for (const OpenAccesses &accesses : open)
      if (const GlobalInterval *other = accesses.findConflict(interval))
        reportPair(launch, *other, interval, findings);
    auto same = llvm::find_if(open, [&](const OpenAccesses &accesses) {
      return accesses.isLike(interval);
    });
    if (same != open.end())
      same->add(interval);
    else
      open.emplace_back(interval);
  }
}

/// What was written of a region, by address, from its start.
static std::vector<ByteRange>
listWrites(const Region &region, const std::vector<GlobalInterval> &intervals) {
  std::vector<ByteRange> writes;
  for (const GlobalInterval &interval : intervals)
    if (interval.isWrite && interval.end > region.base &&
        interval.begin < region.base + region.sizeBytes)
      writes.push_back(
          {interval.begin - region.base, interval.end - region.base});
  return writes;
}

/// \param accounted  ranges that need not or have been written, by address.
static void checkWritten(const LaunchContext &launch, const Region &region,
                         llvm::ArrayRef<ByteRange> accounted,
                         FindingSet &findings) {
  uint64_t next = 0, missing = 0, firstMissing = 0;
  auto skipTo = [&](uint64_t offset) {
    if (offset <= next)
      return;
    if (missing == 0)
      firstMissing = next;
    missing += offset - next;
  };
  for (const ByteRange &range : accounted) {
    skipTo(range.begin);
    next = std::max(next, range.end);
  }
  skipTo(region.sizeBytes);
  if (missing)
    findings.add(FindingKind::UnwrittenOutput, noPc, noPc - 1 - region.buffer,
                 0, 0, 0, [&] {
                   return formatv("{0} of {1} bytes of output {2} were never "
                                  "written, the first at offset {3}",
                                  missing, region.sizeBytes,
                                  describeBuffer(launch, region), firstMissing)
                       .str();
                 });
}

/// Gaps that somebody wrote to. Both lists are ordered.
static void checkGaps(const LaunchContext &launch, const Region &region,
                      const std::vector<GlobalInterval> &intervals,
                      FindingSet &findings) {
  const std::vector<ByteRange> &gaps =
      launch.config.buffers[region.buffer].gaps;
  for (const GlobalInterval &interval : intervals) {
    if (!interval.isWrite || interval.end <= region.base ||
        interval.begin >= region.base + region.sizeBytes)
      continue;
    uint64_t begin = interval.begin - region.base;
    auto gap = llvm::partition_point(
        gaps, [&](const ByteRange &range) { return range.end <= begin; });
    if (gap == gaps.end() || gap->begin >= interval.end - region.base)
      continue;
    findings.add(FindingKind::OutOfBounds, interval.pc, noPc, interval.block, 0,
                 0, [&] {
                   return formatv("byte {0} of {1}, which lies between "
                                  "elements, is written",
                                  std::max(begin, gap->begin),
                                  describeBuffer(launch, region))
                       .str();
                 });
  }
}

void mlir::mirage::emulator::checkOutputsWritten(
    const LaunchContext &launch, const std::vector<GlobalInterval> &intervals,
    FindingSet &findings) {
  for (const Region &region : launch.regions) {
    if (region.buffer < 0)
      continue;
    const Buffer &buffer = launch.config.buffers[region.buffer];
    if (!buffer.gaps.empty())
      checkGaps(launch, region, intervals, findings);
    if (buffer.kind != BufferKind::Output)
      continue;
    std::vector<ByteRange> accounted = listWrites(region, intervals);
    llvm::append_range(accounted, buffer.gaps);
    llvm::append_range(accounted, buffer.written);
    llvm::sort(accounted, [](const ByteRange &a, const ByteRange &b) {
      return a.begin < b.begin;
    });
    checkWritten(launch, region, accounted, findings);
  }
}
