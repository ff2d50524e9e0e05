//===- ItemRecords.h - What was enumerated, item by item --------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each item of a walk (Explorer.h) that is done its counts and the kernels
// that it brought. An item is named by what its result depends on: the program
// without sizes, what the kernel is given, its axes, the number of operators;
// and by nothing of how the walk came to it, or of what it left out. So a walk
// with records does all that one without does, but for enumerating what is
// there, and its result is the same, whoever made the records.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_SEARCH_ITEMRECORDS_H
#define MIRAGE_SEARCH_ITEMRECORDS_H

#include "Mirage/Search/EnumerationCounts.h"
#include "Mirage/Search/Structure.h"
#include "llvm/ADT/StringRef.h"
#include <map>
#include <mutex>

namespace mlir::mirage::search {

/// What enumerating one item brought.
struct ItemRecord {
  EnumerationCounts counts;
  std::vector<KernelStructure> found;

  bool operator==(const ItemRecord &other) const;
};

/// Records by name. Any thread may look one up and add one.
class ItemRecords {
public:
  struct Entry {
    ItemRecord record;
    bool isRead = false; ///< somebody else made it
    std::string line;    ///< the record as text; empty until a file is written
  };

  /// A kernel is read and retraced in the time of some hundred trials.
  static constexpr uint64_t kTrialsPerKernel = 128;

  /// \param minTrials  items with fewer trials than this, and as many for each
  ///                   kernel, take less time to enumerate than to read, and
  ///                   are left out.
  explicit ItemRecords(uint64_t minTrials = kTrialsPerKernel)
      : minTrials(minTrials) {}

  /// What is known of an item; null if it is not there. It stays where it is.
  const Entry *find(llvm::StringRef item);
  /// In the place of what was known of the item, which nobody uses any more.
  /// Does nothing if the record is not worth it.
  void add(llvm::StringRef item, ItemRecord record);

  /// Notes that an entry was found and is of use: not by any thread, so that
  /// the number is the same for all numbers of threads.
  void countUse(const Entry &entry) {
    ++numUsed;
    numUsedOfOthers += entry.isRead;
  }
  uint64_t getNumUsed() const { return numUsed; }
  /// Of what somebody else made.
  uint64_t getNumUsedOfOthers() const { return numUsedOfOthers; }
  uint64_t getNumRecords() const { return records.size(); }

protected:
  uint64_t minTrials;
  std::mutex mutex;
  std::map<std::string, Entry, std::less<>> records;
  uint64_t numUsed = 0, numUsedOfOthers = 0;
  bool isChanged = true; ///< something was added that nobody has kept
};

} // namespace mlir::mirage::search

#endif // MIRAGE_SEARCH_ITEMRECORDS_H
