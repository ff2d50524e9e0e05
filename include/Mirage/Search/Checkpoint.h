//===- Checkpoint.h - What a stopped search goes on from --------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file of what has been enumerated (ItemRecords.h): its result is that of a
// search without one, whatever stopped the search before, and whoever wrote
// which part of the file.
//
// The first line of a file is an object in JSON: the format, the version of the
// search, a hash of the program, the options that say what is enumerated, the
// shard, how many records follow, and their hash. Then follow the records, a
// line each.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_SEARCH_CHECKPOINT_H
#define MIRAGE_SEARCH_CHECKPOINT_H

#include "Mirage/Search/ItemRecords.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace mlir::mirage::search {

struct SearchOptions;

/// 128 bits of a hash, in hexadecimal.
std::string hashToText(llvm::StringRef text);

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

class Checkpoint : public ItemRecords {
public:
  /// Reads the file, if there is one. \returns an error if it cannot be read,
  /// is no complete checkpoint, or is one of something else; nothing is written
  /// then. A file that is not there is written, with no records.
  static llvm::Expected<std::unique_ptr<Checkpoint>>
  open(llvm::StringRef path, const CheckpointHeader &header);

  /// Replaces the file by what is known now, as a whole: whoever reads it finds
  /// the old one or the new one. Does nothing where nothing was added.
  llvm::Error write();
  /// The same, if the last time is some seconds ago.
  llvm::Error writeIfDue();
  void setWriteInterval(double seconds) { writeIntervalS = seconds; }

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
  double writtenAt = 0; ///< seconds of the steady clock
  double writeIntervalS = 5;
};

/// Adds the records of all inputs to one checkpoint, of the whole search.
/// \returns the number that it has then, or an error if inputs, or the output
/// where there is one, cannot be read, are of different searches or disagree on
/// an item; nothing is written then.
llvm::Expected<uint64_t> mergeCheckpoints(llvm::StringRef output,
                                          llvm::ArrayRef<std::string> inputs);

} // namespace mlir::mirage::search

#endif // MIRAGE_SEARCH_CHECKPOINT_H
