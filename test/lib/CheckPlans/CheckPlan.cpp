//===- CheckPlan.cpp - Whether a plan of shared memory holds --------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckPlan.h"
#include "LeastBytes.h"
#include "Mirage/Graph/TileMemory.h"
#include "PlayPlan.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <set>

using namespace mlir;
using namespace mlir::mirage;
using namespace mlir::mirage::test;

static bool haveCommonBytes(const Touched &left, const Touched &right) {
  return left.begin < right.end && right.begin < left.end;
}

/// What one thread owns of a tile no other one touches.
static bool areBothOwn(const Touched &left, const Touched &right) {
  return left.tile == right.tile && left.isOwn && right.isOwn;
}

namespace {
class PlanCheck {
public:
  explicit PlanCheck(const PlayedPlan &plan)
      : plan(plan), writes(plan.tiles.size()) {
    for (const PlannedTile &tile : plan.tiles)
      placed.tiles.push_back(
          {int64_t(llvm::alignTo(tile.getBytes(), kTileAlignment)),
           tile.alignment});
    placed.keptApart.assign(plan.tiles.size(),
                            SmallVector<bool>(plan.tiles.size(), false));
    for (const Access &access : plan.timeline.getAccesses())
      if (access.writes)
        writes[access.tile].push_back(access);
  }

  PlanReport run() {
    report.findings = plan.problems;
    for (const PlannedTile &tile : plan.tiles)
      checkPlace(tile);
    for (const Access &access : plan.timeline.getAccesses())
      if (!access.writes)
        checkRead(access);
    if (!plan.timeline.listUnfinished().empty())
      report.findings.push_back(
          "what goes on by itself is not waited for before the block ends");
    checkSize();
    return std::move(report);
  }

private:
  void checkPlace(const PlannedTile &tile) {
    if (tile.offset < 0 || tile.offset % tile.alignment != 0)
      report.findings.push_back(
          llvm::formatv("the tile of {0} is at {1}, no multiple of {2}",
                        tile.name, tile.offset, tile.alignment));
    if (tile.getEnd() > plan.statedBytes)
      report.findings.push_back(
          llvm::formatv("the tile of {0} ends at {1}, beyond the plan's {2}",
                        tile.name, tile.getEnd(), plan.statedBytes));
  }

  bool isBefore(const Access &first, const Access &second) const {
    if (areBothOwn(first, second))
      return first.step < second.step;
    return plan.timeline.isBefore(first, second);
  }

  /// The last write before a read that is of what it reads: one of each thread,
  /// or of each that copies.
  SmallVector<const Access *> findSources(const Access &read) const {
    SmallVector<const Access *> sources;
    for (const Access &write : writes[read.tile]) {
      if (write.version != read.version || write.step >= read.step)
        continue;
      if (!sources.empty() && sources.back()->step != write.step)
        sources.clear();
      sources.push_back(&write);
    }
    return sources;
  }

  void checkRead(const Access &read) {
    SmallVector<const Access *> sources = findSources(read);
    if (sources.empty())
      return add(read, read, "which nothing has written");
    for (const Access *source : sources)
      if (!isBefore(*source, read))
        add(read, *source, "no barrier between the write and the read");
    for (ArrayRef<Access> ofTile : writes)
      for (const Access &write : ofTile)
        if (write.step != sources.front()->step || write.tile != read.tile)
          checkAgainst(read, sources, write);
  }

  /// A write to the same bytes, if the plan has it so, is over before what is
  /// read is written, or comes behind the read.
  void checkAgainst(const Access &read, ArrayRef<const Access *> sources,
                    const Access &write) {
    bool isSameTile = write.tile == read.tile;
    if (areBothOwn(read, write) ||
        (isSameTile && !haveCommonBytes(read, write)) ||
        isBefore(read, write) ||
        llvm::all_of(sources, [&](const Access *source) {
          return isBefore(write, *source);
        }))
      return;
    placed.keptApart[read.tile][write.tile] = true;
    placed.keptApart[write.tile][read.tile] = true;
    if (haveCommonBytes(read, write))
      add(read, write, explain(read, *sources.front(), write));
  }

  static StringRef explain(const Access &read, const Access &source,
                           const Access &write) {
    if (write.step == read.step)
      return "one step does both";
    if (write.step > read.step)
      return "no barrier between the read and the write";
    if (write.step > source.step)
      return "it is written between the write and the read of the other";
    return "no barrier between the writes";
  }

  /// Of two tiles each kind once.
  void add(const Access &read, const Access &write, StringRef why) {
    if (!isFound.insert({read.tile, write.tile, why}).second)
      return;
    const PlannedTile &left = plan.tiles[read.tile];
    const PlannedTile &right = plan.tiles[write.tile];
    report.findings.push_back(llvm::formatv(
        "{0} reads the tile of {1}, bytes [{2}, {3}), and {4} writes that of "
        "{5}, bytes [{6}, {7}): {8}",
        plan.timeline.getStepName(read.step), left.name, read.begin, read.end,
        plan.timeline.getStepName(write.step), right.name, write.begin,
        write.end, why));
  }

  void checkSize() {
    report.numTiles = plan.tiles.size();
    report.statedBytes = plan.statedBytes;
    report.liveBytes = findLiveBytes(placed);
    report.leastBytes = plan.statedBytes == report.liveBytes
                            ? report.liveBytes
                            : findLeastBytes(placed, report.liveBytes);
    if (report.leastBytes && plan.statedBytes > *report.leastBytes)
      report.findings.push_back(
          llvm::formatv("the plan takes {0} bytes where {1} would do",
                        plan.statedBytes, *report.leastBytes));
  }

  const PlayedPlan &plan;
  std::vector<std::vector<Access>> writes; ///< by tile
  PlacedTiles placed;
  std::set<std::tuple<unsigned, unsigned, StringRef>> isFound;
  PlanReport report;
};
} // namespace

static std::string compareWithLeast(const PlanReport &report) {
  if (!report.leastBytes)
    return "whether that is the least is not known";
  if (report.statedBytes == *report.leastBytes)
    return "the least";
  return llvm::formatv("{0} than the least, {1}",
                       report.statedBytes > *report.leastBytes ? "more"
                                                               : "less",
                       *report.leastBytes);
}

std::string mlir::mirage::test::toString(const PlanReport &report) {
  return llvm::formatv("{0} tiles in {1} bytes, {2} live at once: {3}",
                       report.numTiles, report.statedBytes, report.liveBytes,
                       compareWithLeast(report));
}

llvm::Expected<PlanReport> mlir::mirage::test::checkPlan(block::GraphOp graph) {
  llvm::Expected<PlayedPlan> plan = playPlan(graph);
  if (!plan)
    return plan.takeError();
  return PlanCheck(*plan).run();
}
