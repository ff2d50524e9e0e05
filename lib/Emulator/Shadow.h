//===- Shadow.h - What is known about each byte of memory -------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_EMULATOR_SHADOW_H
#define MIRAGE_LIB_EMULATOR_SHADOW_H

#include "ShadowGranule.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <memory>
#include <vector>

namespace mlir::mirage::emulator {

struct ShadowVerdict {
  /// The worse, the greater. Unfenced: ordered, but unknown to the asynchronous
  /// proxy.
  enum class Kind : uint8_t { None, IntraWarp, Unfenced, Race };
  Kind kind = Kind::None;
  ByteMask bytes = 0; ///< which of the granule it is about
  ShadowEntry other;  ///< the earlier access
};

/// Shadow granules of an address range, which starts with so many bytes that
/// are all there and goes on with pages that are made when they are touched.
/// `clear` costs what was touched, not what there is.
class Shadow {
public:
  /// For an empty shadow.
  void setDenseBytes(uint64_t bytes) {
    size_t numPages = (bytes + pageBytes - 1) / pageBytes;
    dense.resize(numPages * pageGranules);
    isTouched.assign(numPages, false);
  }

  /// Checks and records a plain read, if that is a matter of a few comparisons:
  /// the bytes were written, the write is behind it, and earlier reads are, or
  /// were alike. \returns false if not, and nothing has changed then.
  bool tryRead(uint64_t index, const ShadowAccess &access, ShadowEntry mine,
               bool mustBeDefined) {
    return tryRead(at(index), access, mine, mustBeDefined);
  }
  /// The same of a plain write.
  bool tryWrite(uint64_t index, const ShadowAccess &access, ShadowEntry mine) {
    return tryWrite(at(index), access, mine);
  }

  /// The same of `count` granules from `first` on, one after the other, up to
  /// the first of which it is more: the lanes of each are `lanesApart` behind
  /// those of the one before. \returns how many they were.
  unsigned tryReads(uint64_t first, unsigned count, const ShadowAccess &access,
                    ShadowEntry mine, unsigned lanesApart, bool mustBeDefined) {
    return tryEach(first, count, mine, lanesApart,
                   [&](ShadowGranule &granule, ShadowEntry entry)
                       __attribute__((always_inline)) {
                         return tryRead(granule, access, entry, mustBeDefined);
                       });
  }
  unsigned tryWrites(uint64_t first, unsigned count, const ShadowAccess &access,
                     ShadowEntry mine, unsigned lanesApart) {
    return tryEach(first, count, mine, lanesApart,
                   [&](ShadowGranule &granule, ShadowEntry entry)
                       __attribute__((always_inline)) {
                         return tryWrite(granule, access, entry);
                       });
  }

  /// Judges an access against what happened before; changes nothing.
  ShadowVerdict check(uint64_t index, const ShadowAccess &access,
                      ShadowEntry mine) {
    const ShadowGranule &granule = at(index);
    return isQuiet(granule, access, mine) ? ShadowVerdict()
                                          : checkEntries(granule, access, mine);
  }

  /// Writes it down. Atomic reads are not kept: they only race with plain
  /// writes, and are judged when they come second.
  void record(uint64_t index, const ShadowAccess &access, ShadowEntry mine);

  /// Bytes of the granule that nobody has written.
  ByteMask unwritten(uint64_t index) { return ~at(index).everWritten; }

  void clear();

  /// Visits all granules of touched pages in the order of addresses:
  /// `visit(index, granule, further entries)`.
  template <typename Visitor>
  void forEachGranule(Visitor visit) const {
    std::vector<std::pair<uint64_t, const ShadowGranule *>> order;
    for (uint64_t page : touchedPages)
      order.push_back({page, &dense[page * pageGranules]});
    for (auto [page, granules] : sparsePages)
      order.push_back({page, granules});
    std::sort(order.begin(), order.end());
    for (auto [page, granules] : order)
      for (unsigned i = 0; i < pageGranules; ++i)
        visit(page * pageGranules + i, granules[i],
              furtherEntries(granules[i]));
  }

private:
  static constexpr unsigned pageGranules = 64;
  static constexpr unsigned pageBytes = pageGranules * granuleBytes;
  using Page = std::array<ShadowGranule, pageGranules>;
  using Entries = llvm::SmallVector<ShadowEntry, 4>;
  /// Entries of a granule beside the last ones: updates of one counter by so
  /// many blocks. What more there are, the oldest are forgotten for.
  static constexpr size_t mostEntries = 1024;

  ShadowGranule &at(uint64_t index) {
    uint64_t page = index / pageGranules;
    if (page < isTouched.size()) {
      if (!isTouched[page])
        touch(page);
      return dense[index];
    }
    if (page != lastPage) {
      last = findSparsePage(page);
      lastPage = page;
    }
    return last[index % pageGranules];
  }
  void touch(uint64_t page);
  ShadowGranule *findSparsePage(uint64_t page);

  llvm::ArrayRef<ShadowEntry>
  furtherEntries(const ShadowGranule &granule) const {
    return granule.more == 0 ? llvm::ArrayRef<ShadowEntry>()
                             : lists[granule.more - 1];
  }
  /// Calls `tries(granule, what its lanes do)` of each while it is true.
  template <typename Tries>
  unsigned tryEach(uint64_t first, unsigned count, ShadowEntry mine,
                   unsigned lanesApart, Tries tries) {
    for (unsigned i = 0; i < count;) {
      // Granules of a page lie side by side.
      ShadowGranule *granules = &at(first + i);
      const unsigned left = pageGranules - (first + i) % pageGranules,
                     end = std::min(count, i + left);
      for (; i < end; ++i, ++granules) {
        if (!tries(*granules, mine))
          return i;
        mine.epoch = mine.epoch.withLane(mine.epoch.lane() + lanesApart);
      }
    }
    return count;
  }
  LLVM_ATTRIBUTE_ALWAYS_INLINE static bool tryRead(ShadowGranule &granule,
                                                   const ShadowAccess &access,
                                                   ShadowEntry mine,
                                                   bool mustBeDefined);
  LLVM_ATTRIBUTE_ALWAYS_INLINE static bool tryWrite(ShadowGranule &granule,
                                                    const ShadowAccess &access,
                                                    ShadowEntry mine);
  LLVM_ATTRIBUTE_ALWAYS_INLINE static bool isQuiet(const ShadowGranule &granule,
                                                   const ShadowAccess &access,
                                                   ShadowEntry mine);
  LLVM_ATTRIBUTE_ALWAYS_INLINE static bool
  tryRecordRead(ShadowGranule &granule, const ShadowAccess &access,
                ShadowEntry mine);
  ShadowVerdict checkEntries(const ShadowGranule &granule,
                             const ShadowAccess &access,
                             ShadowEntry mine) const;
  void addEntry(ShadowGranule &granule, ShadowEntry entry);
  void dropEmptyEntries(ShadowGranule &granule);
  void unpackReaders(ShadowGranule &granule);
  void recordRead(ShadowGranule &granule, const ShadowAccess &access,
                  ShadowEntry mine);
  void recordWrite(ShadowGranule &granule, const ShadowAccess &access,
                   ShadowEntry mine);

  std::vector<ShadowGranule> dense; ///< of pages that are touched
  std::vector<uint8_t> isTouched;   ///< by page of `dense`
  std::vector<uint64_t> touchedPages;
  llvm::DenseMap<uint64_t, ShadowGranule *> sparsePages;
  std::vector<std::unique_ptr<Page>> storage; ///< of the sparse ones
  size_t numUsed = 0;                         ///< of `storage`
  uint64_t lastPage = ~uint64_t(0);           ///< of the sparse ones
  ShadowGranule *last = nullptr;
  std::vector<Entries> lists; ///< what `more` of granules names
  std::vector<uint32_t> freeLists;
};

/// True if `holds` does of all readers that the granule itself names.
template <typename Predicate>
inline bool allReaders(const ShadowGranule &granule, Predicate holds) {
  if (!holds(granule.read))
    return false;
  for (uint32_t rest = granule.otherReaders; rest; rest &= rest - 1)
    if (!holds(granule.otherReader(llvm::countr_zero(rest))))
      return false;
  return true;
}

inline bool Shadow::isQuiet(const ShadowGranule &granule,
                            const ShadowAccess &access, ShadowEntry mine) {
  const ByteMask mask = mine.mask();
  if (granule.more != 0 ||
      ((granule.write.mask() & mask) && !access.isBehind(granule.write, mine)))
    return false;
  return isRead(mine.kind()) || !(granule.read.mask() & mask) ||
         allReaders(granule, [&](ShadowEntry reader) {
           return access.isBehind(reader, mine);
         });
}

inline bool Shadow::tryRecordRead(ShadowGranule &granule,
                                  const ShadowAccess &access,
                                  ShadowEntry mine) {
  const ShadowEntry read = granule.read;
  if (read.mask() == 0) {
    granule.otherReaders = 0;
  } else if (granule.otherReaders == 0 && read.isOfSame(mine)) {
    mine.addEarlier(read);
  } else if (read.isAlike(mine)) {
    granule.otherReaders |= 1u << (read.epoch.agent() & 31);
    granule.otherReaders &= ~(1u << (mine.epoch.agent() & 31));
  } else {
    if ((read.mask() & ~mine.mask()) ||
        !allReaders(granule, [&](ShadowEntry reader) {
          return access.standsFor(reader, mine);
        }))
      return false;
    granule.otherReaders = 0;
  }
  granule.read = mine;
  return true;
}

inline bool Shadow::tryRead(ShadowGranule &granule, const ShadowAccess &access,
                            ShadowEntry mine, bool mustBeDefined) {
  const ByteMask mask = mine.mask();
  if (granule.more != 0 || (mustBeDefined && (mask & ~granule.everWritten)) ||
      ((granule.write.mask() & mask) &&
       !access.isBehind(granule.write, mine)) ||
      !tryRecordRead(granule, access, mine))
    return false;
  granule.everRead |= mask;
  return true;
}

inline bool Shadow::tryWrite(ShadowGranule &granule, const ShadowAccess &access,
                             ShadowEntry mine) {
  const ByteMask mask = mine.mask();
  if ((granule.write.mask() & ~mask) || !isQuiet(granule, access, mine))
    return false;
  granule.write = mine;
  granule.read.setMask(granule.read.mask() & ~mask);
  granule.everWritten |= mask;
  return true;
}

} // namespace mlir::mirage::emulator

#endif // MIRAGE_LIB_EMULATOR_SHADOW_H
