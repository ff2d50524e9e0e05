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
bool ShadowAccess::findFence(ShadowEntry before, ShadowEntry mine) const {
  uint64_t moment = before.epoch.moment();
  if (moment != lastFenced) {
    uint32_t numKnown = clock->countFences(before.epoch.block(),
                                           warpOfAgent(before.epoch.agent()));
    lastFencedLanes =
        fences->findFencedLanes(before.epoch, numKnown, fenceTarget);
    lastFenced = moment;
  }
  uint32_t lanes = before.lanesOf(before.mask() & mine.mask(), *laneSets);
  // Of lanes that were not kept, one that has executed the fence will do.
  return lanes ? (lanes & ~lastFencedLanes) == 0 : lastFencedLanes != 0;
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

void Shadow::addEntry(ShadowGranule &granule, ShadowEntry entry) {
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
    if (other.kind() == entry.kind() && other.isOfSame(entry)) {
      entry.addEarlier(other);
      other = entry;
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
  llvm::erase_if(entries, [](ShadowEntry entry) { return entry.mask() == 0; });
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

static ShadowVerdict judge(ShadowEntry before, const ShadowAccess &access,
                           ShadowEntry mine) {
  using Kind = ShadowVerdict::Kind;
  ByteMask shared = before.mask() & mine.mask();
  if (!shared || !mustBeOrdered(before.kind(), mine.kind()))
    return {};
  if (ByteMask bytes = ShadowAccess::findUnsyncedBytes(before, mine))
    return {Kind::IntraWarp, bytes, before};
  if (!access.isOrdered(before))
    return {Kind::Race, shared, before};
  if (!access.isFenced(before, mine))
    return {Kind::Unfenced, access.findUnfencedBytes(before, mine), before};
  return {};
}

/// Calls `visit` with what each of the granule's readers did, of those that the
/// granule itself names.
template <typename Visitor>
static void forEachReader(const ShadowGranule &granule, Visitor visit) {
  if (granule.read.mask() == 0)
    return;
  visit(granule.read);
  for (uint32_t rest = granule.otherReaders; rest; rest &= rest - 1)
    visit(granule.otherReader(llvm::countr_zero(rest)));
}

ShadowVerdict Shadow::checkEntries(const ShadowGranule &granule,
                                   const ShadowAccess &access,
                                   ShadowEntry mine) const {
  ShadowVerdict worst = judge(granule.write, access, mine);
  auto add = [&](ShadowEntry before) {
    ShadowVerdict verdict = judge(before, access, mine);
    if (verdict.kind > worst.kind)
      worst = verdict;
  };
  llvm::for_each(furtherEntries(granule), add);
  forEachReader(granule, add);
  return worst;
}

//===----------------------------------------------------------------------===//
// Writing down
//===----------------------------------------------------------------------===//

void Shadow::unpackReaders(ShadowGranule &granule) {
  ShadowGranule before = granule;
  granule.otherReaders = 0;
  forEachReader(before, [&](ShadowEntry reader) {
    if (!(reader.epoch == granule.read.epoch))
      addEntry(granule, reader);
  });
}

void Shadow::recordRead(ShadowGranule &granule, const ShadowAccess &access,
                        ShadowEntry mine) {
  if (granule.more == 0 && tryRecordRead(granule, access, mine))
    return;
  // A write that is ordered after this read is ordered after those, too.
  auto forget = [&](ShadowEntry &before) {
    if (!isRead(before.kind()) || !(before.mask() & mine.mask()))
      return;
    bool isMyOwn = before.epoch.isOfAgent(mine.epoch) &&
                   (before.epoch.clock() < mine.epoch.clock() ||
                    before.step() != mine.step()) &&
                   (!access.keepsReaders || access.isOfItsLanes(before, mine));
    if (isMyOwn || access.standsFor(before, mine))
      before.setMask(before.mask() & ~mine.mask());
  };
  ShadowEntry &read = granule.read;
  if (granule.otherReaders != 0 && (read.mask() & mine.mask()) &&
      !allReaders(granule, [&](ShadowEntry reader) {
        return access.standsFor(reader, mine);
      }))
    unpackReaders(granule);
  forget(read);
  if (granule.more != 0) {
    llvm::for_each(lists[granule.more - 1], forget);
    dropEmptyEntries(granule);
  }
  if (tryRecordRead(granule, access, mine))
    return;
  // Two lanes of one warp at one time: remember that there were several.
  if (granule.otherReaders == 0 && read.mask() == mine.mask() &&
      read.epoch.moment() == mine.epoch.moment() &&
      read.step() == mine.step()) {
    const uint32_t before = access.lanesOf(read), now = access.lanesOf(mine);
    mine.addEarlier(read);
    mine.setLanes(before && now ? before | now : 0, *access.laneSets);
    read = mine;
    return;
  }
  addEntry(granule, mine);
}

void Shadow::recordWrite(ShadowGranule &granule, const ShadowAccess &access,
                         ShadowEntry mine) {
  // Updates do not order one another, and are no race: whoever updates next is
  // judged by what is no update and came before this one.
  auto replace = [&](ShadowEntry &before) {
    bool isKept =
        mine.kind() == AccessKind::Atomic &&
        (before.kind() != AccessKind::Atomic || !access.isOrdered(before));
    if (!isKept)
      before.setMask(before.mask() & ~mine.mask());
  };
  if (granule.more != 0) {
    llvm::for_each(lists[granule.more - 1], replace);
    dropEmptyEntries(granule);
  }
  replace(granule.read);
  ShadowEntry &write = granule.write;
  replace(write);
  if (write.mask() != 0) {
    if (write.kind() == mine.kind() && write.isOfSame(mine))
      mine.addEarlier(write);
    else
      addEntry(granule, write);
  }
  write = mine;
}

void Shadow::record(uint64_t index, const ShadowAccess &access,
                    ShadowEntry mine) {
  ShadowGranule &granule = at(index);
  const ByteMask mask = mine.mask();
  switch (mine.kind()) {
  case AccessKind::Read:
    granule.everRead |= mask;
    return recordRead(granule, access, mine);
  case AccessKind::AtomicRead:
    granule.everRead |= mask;
    return;
  case AccessKind::Atomic:
    granule.everAtomic |= mask;
    [[fallthrough]];
  case AccessKind::Write:
    granule.everWritten |= mask;
    return recordWrite(granule, access, mine);
  }
}
