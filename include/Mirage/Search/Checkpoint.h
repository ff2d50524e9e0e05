//===- Checkpoint.h - What a stopped search goes on from --------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file of what has been enumerated: for each item of a walk (Explorer.h) that
// is done its counts and the kernels that it brought. An item is named by what
// its result depends on (the program, what the kernel is given, its axes, the
// number of operators) and by nothing of how the walk came to it. So a walk
// with a checkpoint does all that one without does, but for enumerating what is
// there: its result is the same, whatever stopped the walk before, and whoever
// wrote which part of the file.
//
// The first line of a file is an object in JSON: the format, the version of the
// search, a hash of the program, the options that say what is enumerated, the
// shard, how many records follow, and their hash. Then follow the records, a
// line each.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_SEARCH_CHECKPOINT_H
#define MIRAGE_SEARCH_CHECKPOINT_H

#include "Mirage/Search/EnumerationCounts.h"
#include "Mirage/Search/Structure.h"
#include "llvm/Support/Error.h"
#include <map>
#include <memory>
#include <mutex>

namespace mlir::mirage::search {

struct SearchOptions;

/// 128 bits of a hash, in hexadecimal.
std::string hashToText(llvm::StringRef text);

/// What enumerating one item brought.
struct ItemRecord {
  EnumerationCounts counts;
  std::vector<KernelStructure> found;

  bool operator==(const ItemRecord &other) const;
};

/// A part of the items of last kernels: those whose number is `index` modulo
/// `count`.
struct Shard {
  unsigned index = 0, count = 1;

  bool isWhole() const { return count == 1; }
  bool has(uint64_t number) const { return number % count == index; }
};
/// Reads "i/n", with i < n and n > 1; "" is the whole.
llvm::Expected<Shard> parseShard(llvm::StringRef text);
std::string toString(const Shard &shard);

/// What checkpoints must agree in to be of use to one another.
struct CheckpointHeader {
  std::string version; ///< of the search
  std::string program; ///< a hash
  std::string options; ///< those that say what is enumerated
  std::string shard;   ///< "" for the whole

  /// The header of a search. Limits on states, time and threads are no part of
  /// it: a search that such a limit stopped goes on with another.
  CheckpointHeader(llvm::StringRef programText, const SearchOptions &options);
  CheckpointHeader() = default;
};

class Checkpoint {
public:
  /// Items with fewer trials are enumerated in less time than read.
  static constexpr uint64_t kMinTrials = 256;

  /// Reads the file, if there is one. \returns an error if it cannot be read,
  /// is no complete checkpoint, or is one of something else; nothing is written
  /// then. A file that is not there is written, with no records.
  static llvm::Expected<std::unique_ptr<Checkpoint>>
  open(llvm::StringRef path, const CheckpointHeader &header);

  /// What is known of an item; null if it is not there. Any thread may ask and
  /// add.
  const ItemRecord *find(llvm::StringRef item);
  void add(llvm::StringRef item, ItemRecord record);

  /// Replaces the file by what is known now, as a whole: whoever reads it finds
  /// the old one or the new one. Does nothing where nothing was added.
  llvm::Error write();
  /// The same, if the last time is some seconds ago.
  llvm::Error writeIfDue();

  /// Records that came from the file and were made use of.
  uint64_t getNumUsed() const { return numUsed; }
  uint64_t getNumRecords() const { return records.size(); }

private:
  friend llvm::Expected<uint64_t>
  mergeCheckpoints(llvm::StringRef output, llvm::ArrayRef<std::string> inputs);
  Checkpoint(llvm::StringRef path, const CheckpointHeader &header)
      : path(path), header(header) {}
  static llvm::Expected<std::unique_ptr<Checkpoint>> read(llvm::StringRef path);
  llvm::Error readRecord(llvm::StringRef line);
  llvm::Error writeLocked();

  std::string path;
  CheckpointHeader header;
  std::mutex mutex;
  struct Entry {
    ItemRecord record;
    bool isRead = false; ///< from the file
  };
  /// Never erased from, so that what find returns stays.
  std::map<std::string, Entry, std::less<>> records;
  uint64_t numUsed = 0;
  bool isChanged = true;
  double writtenAt = 0; ///< seconds of the steady clock
};

/// Writes the records of all inputs to one checkpoint, of the whole search.
/// \returns their number, or an error if inputs cannot be read, are of
/// different searches or disagree on an item.
llvm::Expected<uint64_t> mergeCheckpoints(llvm::StringRef output,
                                          llvm::ArrayRef<std::string> inputs);

} // namespace mlir::mirage::search

#endif // MIRAGE_SEARCH_CHECKPOINT_H
