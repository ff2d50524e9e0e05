//===- Shadow.h - What is known about each word of memory -------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_EMULATOR_SHADOW_H
#define MIRAGE_LIB_EMULATOR_SHADOW_H

#include "ProxyFences.h"

#include "llvm/ADT/SmallVector.h"

#include <memory>
#include <vector>

namespace mlir::mirage::emulator {

/// An atomic read is a relaxed, acquiring or volatile load; Atomic is
/// everything of this kind that writes.
enum class AccessKind : uint8_t { Read, AtomicRead, Write, Atomic };

inline bool isRead(AccessKind kind) { return kind <= AccessKind::AtomicRead; }
inline bool isAtomic(AccessKind kind) {
  return kind == AccessKind::AtomicRead || kind == AccessKind::Atomic;
}

/// Four bytes of memory: who wrote and read them last, and which bytes were
/// ever touched. Masks have a bit per byte. All zero is "never touched".
struct ShadowWord {
  Epoch write, read;
  uint32_t writePc = 0, readPc = 0;
  uint32_t readers = 0; ///< several agents read it: 1 + index into the pool
  uint32_t updaters =
      0; ///< atomic updates before the last: 1 + index, likewise
  uint8_t writeMask = 0, readMask = 0;
  uint8_t everWritten : 4, everRead : 4;
  uint8_t everAtomic : 4, wasAtomic : 1, isExpanded : 1;

  ShadowWord()
      : everWritten(0), everRead(0), everAtomic(0), wasAtomic(0),
        isExpanded(0) {}
};

/// One access of one lane, or of several to one word.
struct ShadowAccess {
  const WarpClock *clock = nullptr;
  Epoch epoch; ///< when it counts as done: the warp's, or a copy's
  uint32_t pc = 0;
  AccessKind kind = AccessKind::Read;
  uint8_t mask = 0;
  /// Of an access through the asynchronous proxy, the fences so far, and which
  /// of them it takes: accesses of the generic proxy before it need one.
  const ProxyFences *fences = nullptr;
  uint8_t fenceTarget = 0;
  /// The last one that was found to be known: neighbours are often of one.
  mutable Epoch lastFenced = {};
};

struct ShadowVerdict {
  /// Unfenced: ordered, but unknown to the asynchronous proxy.
  enum class Kind : uint8_t { None, Race, IntraWarp, Unfenced };
  Kind kind = Kind::None;
  bool otherWasWrite = false;
  uint32_t otherPc = 0;
  Epoch other;
};

/// Shadow words of an address range, in pages made when they are first
/// touched. `clear` costs what was touched, not what there is.
class Shadow {
public:
  /// Words below this index are found through a table rather than a hash map.
  void setDenseWords(uint64_t count) {
    densePages.assign((count + pageWords - 1) / pageWords, 0);
  }

  /// Checks and records a plain read, if that is a matter of a few comparisons:
  /// the bytes were written, the write is ordered before it, and earlier reads
  /// were of the same bytes or by the same reader. \returns false if not, and
  /// nothing has changed then.
  bool tryRead(uint64_t wordIndex, const ShadowAccess &access,
               bool mustBeDefined);

  /// Judges an access against what happened before; changes nothing.
  ShadowVerdict check(uint64_t wordIndex, const ShadowAccess &access) {
    const ShadowWord &word = at(wordIndex);
    // Most words belong to whoever comes back.
    if (!word.isExpanded && !word.write.happened() &&
        (isRead(access.kind) || !word.readMask))
      return {};
    return word.isExpanded ? checkExpanded(wordIndex, access)
                           : checkWord(word, access);
  }

  /// Writes it down. Atomic reads are not kept: they only race with plain
  /// writes, and are judged when they come second.
  void record(uint64_t wordIndex, const ShadowAccess &access);

  /// Bytes of the word that nobody has written.
  uint8_t unwritten(uint64_t wordIndex) {
    return 0xf & ~at(wordIndex).everWritten;
  }

  void clear();

  /// Visits all words of touched pages in the order of addresses.
  template <typename Visitor>
  void forEachWord(Visitor visit) const {
    std::vector<std::pair<uint64_t, uint32_t>> order;
    for (uint32_t i = 0; i < numPages; ++i)
      order.push_back({pageNumbers[i], i});
    std::sort(order.begin(), order.end());
    for (auto [number, index] : order)
      for (unsigned i = 0; i < pageWords; ++i)
        visit(number * pageWords + i, (*storage[index])[i]);
  }

private:
  static constexpr unsigned pageWords = 64;
  using Page = std::array<ShadowWord, pageWords>;
  using Bytes = std::array<ShadowWord, 4>;

  ShadowWord &at(uint64_t wordIndex) {
    uint64_t page = wordIndex / pageWords;
    if (page != lastPage)
      findPage(page);
    return (*last)[wordIndex % pageWords];
  }
  void findPage(uint64_t page);
  ShadowVerdict checkWord(const ShadowWord &word, const ShadowAccess &access);
  ShadowVerdict checkExpanded(uint64_t wordIndex, const ShadowAccess &access);
  static bool isFenced(Epoch before, const ShadowAccess &access);
  bool conflicts(Epoch before, const ShadowAccess &access,
                 ShadowVerdict &verdict) const;
  bool needsBytes(const ShadowWord &word, const ShadowAccess &access) const;
  void expand(uint64_t wordIndex, ShadowWord &word);
  uint32_t newPoolEntry();
  void freePoolEntry(uint32_t &index);
  void recordRead(ShadowWord &word, const ShadowAccess &access);
  void recordWrite(ShadowWord &word, const ShadowAccess &access);

  /// Page numbers to 1 + an index into storage.
  std::vector<uint32_t> densePages;
  llvm::DenseMap<uint64_t, uint32_t> sparsePages;
  std::vector<std::unique_ptr<Page>> storage;
  std::vector<uint64_t> pageNumbers; ///< parallel to storage
  uint32_t numPages = 0;             ///< of storage, in use
  uint64_t lastPage = ~uint64_t(0);
  Page *last = nullptr;
  /// Words whose bytes belong to different agents.
  llvm::DenseMap<uint64_t, Bytes> expanded;
  /// Agents that have read a word since it was written, or updated it
  /// atomically.
  std::vector<llvm::SmallVector<Epoch, 8>> readerPool;
  std::vector<uint32_t> freeReaders;
};

} // namespace mlir::mirage::emulator

#endif // MIRAGE_LIB_EMULATOR_SHADOW_H
