//===- Shadow.cpp - What is known about each word of memory ---------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Shadow.h"

using namespace mlir::mirage::emulator;

void Shadow::findPage(uint64_t page) {
  uint32_t &index =
      page < densePages.size() ? densePages[page] : sparsePages[page];
  if (index == 0) {
    if (numPages == storage.size()) {
      storage.push_back(std::make_unique<Page>());
      pageNumbers.push_back(page);
    } else {
      *storage[numPages] = Page();
      pageNumbers[numPages] = page;
    }
    index = ++numPages;
  }
  lastPage = page;
  last = storage[index - 1].get();
}

void Shadow::clear() {
  for (uint32_t i = 0; i < numPages; ++i)
    if (pageNumbers[i] < densePages.size())
      densePages[pageNumbers[i]] = 0;
  sparsePages.clear();
  numPages = 0;
  lastPage = ~uint64_t(0);
  expanded.clear();
  readerPool.clear();
  freeReaders.clear();
}

/// True if both are of the same warp, or of copies of the same warp.
static bool isSameReader(Epoch a, Epoch b) {
  return a.block() == b.block() && a.agent() == b.agent();
}

bool Shadow::tryRead(uint64_t wordIndex, const ShadowAccess &access,
                     bool mustBeDefined) {
  ShadowWord &word = at(wordIndex);
  if (word.isExpanded || (mustBeDefined && (access.mask & ~word.everWritten)))
    return false;
  if (word.writeMask & access.mask)
    if (word.updaters != 0 || !access.clock->isOrdered(word.write) ||
        access.clock->isUnsyncedLane(word.write, access.epoch.lane()) ||
        !isFenced(word.write, access))
      return false;
  Epoch *mine = nullptr;
  if (word.readers == 0) {
    if (!word.readMask || isSameReader(word.read, access.epoch))
      mine = &word.read;
  } else if (word.readMask == access.mask) {
    for (Epoch &reader : readerPool[word.readers - 1])
      if (isSameReader(reader, access.epoch)) {
        mine = &reader;
        break;
      }
  }
  if (!mine && word.readMask == access.mask) {
    // One reader more. Some that are ordered before may stay: who is ordered
    // after this one is ordered after them.
    if (word.readers == 0) {
      word.readers = newPoolEntry();
      readerPool[word.readers - 1].push_back(word.read);
    }
    readerPool[word.readers - 1].push_back(access.epoch);
    word.readPc = access.pc;
    return true;
  }
  if (!mine)
    return false;
  bool isOtherLane = word.readMask && mine->clock() == access.epoch.clock() &&
                     mine->lane() != access.epoch.lane();
  *mine = isOtherLane ? Epoch(access.epoch.block(), access.epoch.agent(),
                              severalLanes, access.epoch.clock())
                      : access.epoch;
  word.readMask |= access.mask;
  word.everRead |= access.mask;
  word.readPc = access.pc;
  return true;
}

/// Whether the access, if it is of the asynchronous proxy, may know of an
/// earlier one that is ordered before it.
bool Shadow::isFenced(Epoch before, const ShadowAccess &access) {
  if (!access.fences || !before.happened() || !isGenericAgent(before.agent()) ||
      before == access.lastFenced)
    return true;
  uint32_t numKnown =
      access.clock->countFences(before.block(), warpOfAgent(before.agent()));
  if (!access.fences->cover(before, numKnown, access.fenceTarget))
    return false;
  access.lastFenced = before;
  return true;
}

bool Shadow::conflicts(Epoch before, const ShadowAccess &access,
                       ShadowVerdict &verdict) const {
  if (access.clock->isUnsyncedLane(before, access.epoch.lane()) &&
      before.agent() == access.epoch.agent())
    verdict.kind = ShadowVerdict::Kind::IntraWarp;
  else if (!access.clock->isOrdered(before))
    verdict.kind = ShadowVerdict::Kind::Race;
  else if (!isFenced(before, access))
    verdict.kind = ShadowVerdict::Kind::Unfenced;
  else
    return false;
  verdict.other = before;
  return true;
}

ShadowVerdict Shadow::checkWord(const ShadowWord &word,
                                const ShadowAccess &access) {
  ShadowVerdict verdict;
  bool bothAtomic = isAtomic(access.kind) && word.wasAtomic;
  if ((word.writeMask & access.mask) && !bothAtomic) {
    bool found = conflicts(word.write, access, verdict);
    if (!found && word.updaters != 0)
      for (Epoch updater : readerPool[word.updaters - 1])
        if ((found = conflicts(updater, access, verdict)))
          break;
    verdict.otherWasWrite = found;
    verdict.otherPc = word.writePc;
    if (found)
      return verdict;
  }
  if (isRead(access.kind) || !(word.readMask & access.mask))
    return verdict;
  verdict.otherPc = word.readPc;
  if (word.readers == 0) {
    conflicts(word.read, access, verdict);
    return verdict;
  }
  for (Epoch reader : readerPool[word.readers - 1])
    if (conflicts(reader, access, verdict))
      break;
  return verdict;
}

ShadowVerdict Shadow::checkExpanded(uint64_t wordIndex,
                                    const ShadowAccess &access) {
  Bytes &bytes = expanded.find(wordIndex)->second;
  for (unsigned byte = 0; byte < 4; ++byte) {
    if (!(access.mask >> byte & 1))
      continue;
    ShadowVerdict verdict = checkWord(bytes[byte], access);
    if (verdict.kind != ShadowVerdict::Kind::None)
      return verdict;
  }
  return {};
}

/// True if one record cannot say the truth about all four bytes: others, with
/// whom this access is not ordered, own some of them.
bool Shadow::needsBytes(const ShadowWord &word,
                        const ShadowAccess &access) const {
  auto isForeign = [&](uint8_t mask, Epoch epoch) {
    return mask && mask != access.mask && !(epoch == access.epoch) &&
           !access.clock->isOrdered(epoch);
  };
  return isForeign(word.writeMask, word.write) ||
         isForeign(word.readMask, word.read) ||
         (word.readers != 0 && word.readMask != access.mask);
}

void Shadow::expand(uint64_t wordIndex, ShadowWord &word) {
  Bytes &bytes = expanded[wordIndex];
  for (unsigned byte = 0; byte < 4; ++byte) {
    bytes[byte] = word;
    bytes[byte].writeMask &= 1 << byte;
    bytes[byte].readMask &= 1 << byte;
    for (uint32_t *index : {&bytes[byte].readers, &bytes[byte].updaters})
      if (*index != 0) {
        llvm::SmallVector<Epoch, 8> copy = readerPool[*index - 1];
        *index = newPoolEntry();
        readerPool[*index - 1] = std::move(copy);
      }
  }
  freePoolEntry(word.readers);
  freePoolEntry(word.updaters);
  word.isExpanded = true;
}

/// \returns 1 + the index of an empty list.
uint32_t Shadow::newPoolEntry() {
  if (freeReaders.empty()) {
    readerPool.emplace_back();
    return readerPool.size();
  }
  uint32_t index = freeReaders.back();
  freeReaders.pop_back();
  readerPool[index].clear();
  return index + 1;
}

void Shadow::freePoolEntry(uint32_t &index) {
  if (index != 0)
    freeReaders.push_back(index - 1);
  index = 0;
}

void Shadow::recordRead(ShadowWord &word, const ShadowAccess &access) {
  auto supersedes = [&](Epoch before) {
    return before.block() == access.epoch.block() &&
           before.agent() == access.epoch.agent() &&
           (before.clock() < access.epoch.clock() ||
            before.lane() == access.epoch.lane());
  };
  word.readPc = access.pc;
  if (word.readers == 0) {
    if (!word.read.happened() || supersedes(word.read) ||
        access.clock->isOrdered(word.read)) {
      // Two lanes of one warp in one epoch: remember that there were several.
      bool isSameAgent = word.read.happened() &&
                         word.read.agent() == access.epoch.agent() &&
                         word.read.block() == access.epoch.block();
      bool isSameTime = isSameAgent && word.readMask &&
                        word.read.clock() == access.epoch.clock() &&
                        word.read.lane() != access.epoch.lane();
      word.read = isSameTime ? Epoch(access.epoch.block(), access.epoch.agent(),
                                     severalLanes, access.epoch.clock())
                             : access.epoch;
      word.readMask = isSameAgent ? word.readMask | access.mask : access.mask;
      return;
    }
    word.readers = newPoolEntry();
    readerPool[word.readers - 1].push_back(word.read);
  }
  word.readMask |= access.mask;
  word.read = access.epoch;
  for (Epoch &reader : readerPool[word.readers - 1])
    if (reader.block() == access.epoch.block() &&
        reader.agent() == access.epoch.agent()) {
      if (reader.clock() == access.epoch.clock() &&
          reader.lane() != access.epoch.lane())
        reader = Epoch(access.epoch.block(), access.epoch.agent(), severalLanes,
                       access.epoch.clock());
      else
        reader = access.epoch;
      return;
    }
  readerPool[word.readers - 1].push_back(access.epoch);
}

void Shadow::recordWrite(ShadowWord &word, const ShadowAccess &access) {
  bool isSame = word.write == access.epoch;
  bool isUpdate = access.kind == AccessKind::Atomic;
  if (!isUpdate) {
    freePoolEntry(word.updaters);
  } else if (word.wasAtomic && !isSame &&
             !access.clock->isOrdered(word.write)) {
    // Updates do not order one another: whoever comes next is judged by all. A
    // few dozen suffice to find one that is not ordered.
    constexpr size_t mostKept = 64;
    if (word.updaters == 0)
      word.updaters = newPoolEntry();
    if (readerPool[word.updaters - 1].size() < mostKept)
      readerPool[word.updaters - 1].push_back(word.write);
  }
  word.writeMask = isSame ? word.writeMask | access.mask : access.mask;
  word.write = access.epoch;
  word.writePc = access.pc;
  word.wasAtomic = isUpdate;
  word.readMask &= ~access.mask;
  if (word.readMask)
    return;
  freePoolEntry(word.readers);
  word.read = Epoch();
}

void Shadow::record(uint64_t wordIndex, const ShadowAccess &access) {
  ShadowWord &word = at(wordIndex);
  bool isPlainRead = access.kind == AccessKind::Read;
  if (isRead(access.kind))
    word.everRead |= access.mask;
  else
    word.everWritten |= access.mask;
  if (access.kind == AccessKind::AtomicRead)
    return;
  if (access.kind == AccessKind::Atomic)
    word.everAtomic |= access.mask;
  if (!word.isExpanded) {
    if (needsBytes(word, access)) {
      expand(wordIndex, word);
    } else {
      isPlainRead ? recordRead(word, access) : recordWrite(word, access);
      return;
    }
  }
  (isPlainRead ? word.readPc : word.writePc) = access.pc;
  Bytes &bytes = expanded.find(wordIndex)->second;
  for (unsigned byte = 0; byte < 4; ++byte) {
    if (!(access.mask >> byte & 1))
      continue;
    ShadowAccess one = access;
    one.mask = 1 << byte;
    isPlainRead ? recordRead(bytes[byte], one) : recordWrite(bytes[byte], one);
  }
}
