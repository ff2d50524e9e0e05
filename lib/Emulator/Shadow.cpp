//===- Shadow.cpp - What is known about each byte of memory ---------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Shadow.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir::mirage::emulator;

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

/// Lanes of one warp mostly execute a fence together: what is known of one is
/// asked for all.
bool ShadowAccess::findFence(const ShadowEntry &before) const {
  uint64_t moment = before.epoch.moment();
  if (moment != lastFenced) {
    uint32_t numKnown = clock->countFences(before.epoch.block(),
                                           warpOfAgent(before.epoch.agent()));
    lastFencedLanes =
        fences->findFencedLanes(before.epoch, numKnown, fenceTarget);
    lastFenced = moment;
  }
  return (before.lanesOf(before.mask & entry.mask) & ~lastFencedLanes) == 0;
}

//===----------------------------------------------------------------------===//
// Pages and lists
//===----------------------------------------------------------------------===//

void Shadow::touch(uint64_t page) {
  std::fill_n(dense.begin() + page * pageGranules, pageGranules,
              ShadowGranule());
  isTouched[page] = true;
  touchedPages.push_back(page);
}

ShadowGranule *Shadow::findSparsePage(uint64_t page) {
  ShadowGranule *&place = sparsePages[page];
  if (place)
    return place;
  if (numUsed == storage.size())
    storage.push_back(std::make_unique<Page>());
  else
    *storage[numUsed] = Page();
  return place = storage[numUsed++]->data();
}

void Shadow::clear() {
  for (uint64_t page : touchedPages)
    isTouched[page] = false;
  touchedPages.clear();
  sparsePages.clear();
  numUsed = 0;
  lastPage = ~uint64_t(0);
  lists.clear();
  freeLists.clear();
}

void Shadow::addEntry(ShadowGranule &granule, const ShadowEntry &entry) {
  if (granule.more == 0) {
    if (freeLists.empty()) {
      lists.emplace_back();
      freeLists.push_back(lists.size());
    }
    granule.more = freeLists.back();
    freeLists.pop_back();
  }
  Entries &entries = lists[granule.more - 1];
  for (ShadowEntry &other : entries)
    if (other.kind == entry.kind && other.isOfSame(entry)) {
      other.mask |= entry.mask;
      other.pc = entry.pc;
      return;
    }
  if (entries.size() == mostEntries)
    entries.erase(entries.begin());
  entries.push_back(entry);
}

void Shadow::dropEmptyEntries(ShadowGranule &granule) {
  if (granule.more == 0)
    return;
  Entries &entries = lists[granule.more - 1];
  llvm::erase_if(entries,
                 [](const ShadowEntry &entry) { return entry.mask == 0; });
  if (!entries.empty())
    return;
  freeLists.push_back(granule.more);
  granule.more = 0;
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// Whether two accesses to one place must be ordered.
static bool mustBeOrdered(AccessKind before, AccessKind now) {
  if (isRead(before))
    return !isRead(now);
  return !(before == AccessKind::Atomic && isAtomic(now));
}

static ShadowVerdict judge(const ShadowEntry &before,
                           const ShadowAccess &access) {
  using Kind = ShadowVerdict::Kind;
  ByteMask shared = before.mask & access.entry.mask;
  if (!shared || !mustBeOrdered(before.kind, access.entry.kind))
    return {};
  if (ByteMask bytes = access.unsyncedBytes(before))
    return {Kind::IntraWarp, bytes, before};
  if (!access.isOrdered(before))
    return {Kind::Race, shared, before};
  if (!access.isFenced(before))
    return {Kind::Unfenced, shared, before};
  return {};
}

/// Calls `visit` with what each of the granule's readers did, of those that the
/// granule itself names.
template <typename Visitor>
static void forEachReader(const ShadowGranule &granule, Visitor visit) {
  if (granule.read.mask == 0)
    return;
  visit(granule.read);
  for (uint32_t rest = granule.otherReaders; rest; rest &= rest - 1)
    visit(granule.otherReader(llvm::countr_zero(rest)));
}

ShadowVerdict Shadow::checkEntries(const ShadowGranule &granule,
                                   const ShadowAccess &access) const {
  ShadowVerdict verdict = judge(granule.write, access);
  auto add = [&](const ShadowEntry &before) {
    if (verdict.kind == ShadowVerdict::Kind::None)
      verdict = judge(before, access);
  };
  llvm::for_each(furtherEntries(granule), add);
  forEachReader(granule, add);
  return verdict;
}

//===----------------------------------------------------------------------===//
// Writing down
//===----------------------------------------------------------------------===//

void Shadow::unpackReaders(ShadowGranule &granule) {
  ShadowGranule before = granule;
  granule.otherReaders = 0;
  forEachReader(before, [&](const ShadowEntry &reader) {
    if (!(reader.epoch == granule.read.epoch))
      addEntry(granule, reader);
  });
}

void Shadow::recordRead(ShadowGranule &granule, const ShadowAccess &access) {
  if (granule.more == 0 && tryRecordRead(granule, access))
    return;
  const ShadowEntry &mine = access.entry;
  // A write that is ordered after this read is ordered after those, too.
  auto forget = [&](ShadowEntry &before) {
    bool isMyOwn =
        before.epoch.isOfAgent(mine.epoch) &&
        (before.epoch.clock() < mine.epoch.clock() || before.step != mine.step);
    if (isRead(before.kind) && (before.mask & mine.mask) &&
        (isMyOwn || access.isBehind(before)))
      before.mask &= ~mine.mask;
  };
  if (granule.otherReaders != 0 && (granule.read.mask & mine.mask) &&
      !areReadersBehind(granule, access))
    unpackReaders(granule);
  forget(granule.read);
  if (granule.more != 0) {
    llvm::for_each(lists[granule.more - 1], forget);
    dropEmptyEntries(granule);
  }
  if (tryRecordRead(granule, access))
    return;
  // Two lanes of one warp at one time: remember that there were several.
  ShadowEntry &read = granule.read;
  if (granule.otherReaders == 0 && read.mask == mine.mask &&
      read.epoch.moment() == mine.epoch.moment()) {
    read.epoch = read.epoch.withLane(severalLanes);
    read.laneShift = ShadowEntry::oneLane;
    return;
  }
  addEntry(granule, mine);
}

void Shadow::recordWrite(ShadowGranule &granule, const ShadowAccess &access) {
  const ShadowEntry &mine = access.entry;
  // Updates do not order one another: whoever comes next is judged by all.
  auto replace = [&](ShadowEntry &before) {
    bool bothUpdate =
        mine.kind == AccessKind::Atomic && before.kind == AccessKind::Atomic;
    if (!bothUpdate || access.isOrdered(before))
      before.mask &= ~mine.mask;
  };
  if (granule.more != 0) {
    llvm::for_each(lists[granule.more - 1], replace);
    dropEmptyEntries(granule);
  }
  replace(granule.read);
  ShadowEntry &write = granule.write;
  replace(write);
  if (write.mask != 0 && write.kind == mine.kind && write.isOfSame(mine)) {
    write.mask |= mine.mask;
    write.pc = mine.pc;
    return;
  }
  if (write.mask != 0)
    addEntry(granule, write);
  write = mine;
}

void Shadow::record(uint64_t index, const ShadowAccess &access) {
  ShadowGranule &granule = at(index);
  const ByteMask mask = access.entry.mask;
  switch (access.entry.kind) {
  case AccessKind::Read:
    granule.everRead |= mask;
    return recordRead(granule, access);
  case AccessKind::AtomicRead:
    granule.everRead |= mask;
    return;
  case AccessKind::Atomic:
    granule.everAtomic |= mask;
    [[fallthrough]];
  case AccessKind::Write:
    granule.everWritten |= mask;
    return recordWrite(granule, access);
  }
}
