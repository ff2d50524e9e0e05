//===- CacheStore.h - Results that outlive a run ----------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A folder in which results of searches are kept, so that the next one need not
// be made, and times that were measured: JSON texts by key, in an SQLite file.
// Several processes and threads may use one folder at once.
//
// A cache is a convenience, and nothing that happens to it is an error of whom
// it serves: what cannot be read is not there, what cannot be written is not
// kept, and a warning says so. A file that is no cache, or one of a later
// format, or damaged, is renamed to mirage-cache.sqlite.broken-1, -2, ... and
// begun anew. Each record carries a checksum; where it does not hold, there is
// no record.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_CACHE_CACHESTORE_H
#define MIRAGE_CACHE_CACHESTORE_H

#include "Mirage/Cache/ResultCache.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace mlir::mirage::cache {

enum class Access : uint8_t { None, ReadOnly, ReadWrite };

/// Whether there is a cache, where, and what may be done to it.
struct CacheMode {
  Access access = Access::None;
  std::string directory;
};

/// Reads "off", "DIR" or "readonly:DIR". An empty text means what the
/// environment variable MIRAGE_CACHE_DIR says in the same words, and without it
/// "off"; "readonly" means the folder that it says. Fails where there is no
/// folder to read.
llvm::Expected<CacheMode> parseCacheMode(llvm::StringRef text);
/// What parseCacheMode reads as the mode.
std::string toString(const CacheMode &mode);

/// The file in a cache's folder.
std::string getCacheFile(llvm::StringRef directory);

class Database;

class CacheStore : public ResultCache {
public:
  using WarningHandler = std::function<void(const llvm::Twine &)>;

  /// Opens a cache; ReadWrite makes folder and file where they are missing.
  /// What goes wrong, now or later, is told to `warn`, and there is no cache
  /// from then on.
  CacheStore(CacheMode mode, WarningHandler warn);
  ~CacheStore() override;

  /// Whether records can be looked up.
  bool isOpen();
  std::optional<std::string> lookup(RecordKind kind,
                                    const RecordKey &key) override;
  void store(RecordKind kind, const RecordKey &key,
             llvm::StringRef value) override;

  /// The measured times of a program, by its hash with sizes: the values of all
  /// its records of times, ordered by key.
  std::vector<std::string> lookupTimes(llvm::StringRef program);

private:
  void open();
  void recover(llvm::Error error);
  void giveUp(llvm::Error error);
  void dropDamaged(RecordKind kind, const RecordKey &key);
  llvm::Error storeOnce(RecordKind kind, const RecordKey &key,
                        llvm::StringRef value);

  CacheMode mode;
  WarningHandler warn;
  std::mutex mutex;
  std::unique_ptr<Database> database; ///< null where there is no cache
};

} // namespace mlir::mirage::cache

#endif // MIRAGE_CACHE_CACHESTORE_H
