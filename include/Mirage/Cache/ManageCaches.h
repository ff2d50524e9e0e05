//===- ManageCaches.h - Caches as a whole -----------------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_CACHE_MANAGECACHES_H
#define MIRAGE_CACHE_MANAGECACHES_H

#include "Mirage/Cache/Record.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

namespace mlir::mirage::cache {

/// What became of the records of the caches that were merged.
struct MergeCounts {
  uint64_t added = 0;
  uint64_t alreadyThere = 0; ///< with the same value; of a time, with any
  /// With another value, which stays: somebody's search was not repeatable, or
  /// a program changed without its version.
  uint64_t different = 0;
  uint64_t damaged = 0; ///< left out: the checksum does not hold
};

/// Adds the records of other caches, by their folders, to that of `output`,
/// which is made if it is missing. An input is only read. Fails, with the
/// folder's name, where one cannot be, or is no cache; `output` then has either
/// all records of an input or none.
llvm::Expected<MergeCounts> mergeCaches(llvm::StringRef output,
                                        llvm::ArrayRef<std::string> inputs);

/// A measured time, as a line of times.jsonl.
struct MeasuredRecord {
  TimeKey key;
  std::string line;
};
struct ImportCounts {
  uint64_t added = 0;
  uint64_t replaced = 0; ///< what the same kernels took there before
};

/// Puts measured times into the cache in a folder, which is made if it is
/// missing. Fails, with the folder's name, where it is no cache or cannot be
/// written; then none is there that was not before.
llvm::Expected<ImportCounts> importTimes(llvm::StringRef directory,
                                         llvm::ArrayRef<MeasuredRecord> times);

/// Writes all records whose checksum holds, ordered by key, one at a time:
///
///   {"format": 2, "structures": [{"program": "<hash>", "sized_program": "",
///     "target": "", "options": "...", "version": "...", "value": ...}],
///    "results": [...], "times": [...]}
///
/// Fails, with the folder's name, where it is no cache or cannot be read; then
/// what was written is not all of it.
llvm::Error exportCache(llvm::StringRef directory, llvm::raw_ostream &os);

} // namespace mlir::mirage::cache

#endif // MIRAGE_CACHE_MANAGECACHES_H
