//===- ManageCaches.h - Caches as a whole -----------------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_CACHE_MANAGECACHES_H
#define MIRAGE_CACHE_MANAGECACHES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

namespace mlir::mirage::cache {

/// What became of the records of the caches that were merged.
struct MergeCounts {
  uint64_t added = 0;
  uint64_t alreadyThere = 0; ///< with the same value
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

/// Writes all records whose checksum holds, ordered by key, one at a time:
///
///   {"format": 1, "structures": [{"program": "<hash>", "sized_program": "",
///     "target": "", "options": "...", "version": "...", "value": ...}],
///    "results": [...]}
///
/// Fails, with the folder's name, where it is no cache or cannot be read; then
/// what was written is not all of it.
llvm::Error exportCache(llvm::StringRef directory, llvm::raw_ostream &os);

} // namespace mlir::mirage::cache

#endif // MIRAGE_CACHE_MANAGECACHES_H
