//===- OpenDatabase.cpp - Opening caches that may be broken ---------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Files are opened, made and renamed under a lock, a file beside them. Who
// comes second finds what the first one made, and leaves it. Who opened a file
// while somebody else renames it would have the old file with the new one's
// log, which has its name, and take both for one database.
//
//===----------------------------------------------------------------------===//

#include "OpenDatabase.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Process.h"

using namespace mlir::mirage::cache;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using DatabaseOr = Expected<std::unique_ptr<Database>>;

/// How long to wait for somebody who makes or renames files.
static constexpr std::chrono::seconds kLockTimeout(10);

static Error makeFailed(const llvm::Twine &what, std::error_code code) {
  return llvm::make_error<DatabaseError>(DatabaseError::Failed,
                                         (what + ": " + code.message()).str());
}

/// The file with what SQLite keeps beside it: a log without its file would be
/// read as that of the next one. \returns the new name.
static Expected<std::string> setAside(const std::string &path) {
  for (unsigned number = 1;; ++number) {
    std::string aside = path + ".broken-" + std::to_string(number);
    if (llvm::sys::fs::exists(aside))
      continue;
    if (auto code = llvm::sys::fs::rename(path, aside))
      return makeFailed("cannot rename it to '" + llvm::Twine(aside) + "'",
                        code);
    // There may be none of these.
    (void)llvm::sys::fs::rename(path + "-wal", aside + "-wal");
    (void)llvm::sys::fs::remove(path + "-shm");
    return aside;
  }
}

/// Every record, whether its checksum holds or not.
static Error readThrough(Database &database) {
  for (RecordKind kind : kRecordKinds)
    if (Error error = database.forEachRecord(
            kind, [](const Record &, bool) { return Error::success(); }))
      return error;
  return Error::success();
}

static DatabaseOr open(const std::string &path, bool readsThrough) {
  DatabaseOr database = Database::open(path, /*isWritable=*/true);
  if (!database || !readsThrough)
    return database;
  if (Error error = readThrough(**database))
    return std::move(error);
  return database;
}

/// Whoever holds the lock may make and rename the file.
static DatabaseOr openLocked(const std::string &path, bool readsThrough,
                             const CacheStore::WarningHandler &warn) {
  DatabaseOr database = open(path, readsThrough);
  if (database)
    return database;
  Error error = database.takeError();
  if (getKind(error) == DatabaseError::Failed)
    return std::move(error);
  if (getKind(error) == DatabaseError::Broken) {
    Expected<std::string> aside = setAside(path);
    if (!aside)
      return llvm::joinErrors(std::move(error), aside.takeError());
    warn("the cache '" + path + "' is set aside as '" + *aside +
         "': " + llvm::toString(std::move(error)));
  } else {
    llvm::consumeError(std::move(error));
  }
  return Database::create(path);
}

static DatabaseOr openUnderLock(StringRef directory, bool readsThrough,
                                const CacheStore::WarningHandler &warn) {
  // The lock on the file is the process's.
  static std::mutex mutex;
  std::lock_guard<std::mutex> threads(mutex);
  std::string path = getCacheFile(directory), lockPath = path + ".lock";
  int lock = -1;
  if (auto code = llvm::sys::fs::openFileForReadWrite(
          lockPath, lock, llvm::sys::fs::CD_OpenAlways, llvm::sys::fs::OF_None))
    return makeFailed("cannot open '" + lockPath + "'", code);
  auto close = llvm::scope_exit(
      [&] { llvm::sys::Process::SafelyCloseFileDescriptor(lock); });
  if (auto code = llvm::sys::fs::tryLockFile(lock, kLockTimeout))
    return makeFailed("cannot lock '" + lockPath + "'", code);
  auto unlock =
      llvm::scope_exit([&] { (void)llvm::sys::fs::unlockFile(lock); });
  return openLocked(path, readsThrough, warn);
}

DatabaseOr
mlir::mirage::cache::openOrCreate(StringRef directory,
                                  const CacheStore::WarningHandler &warn) {
  if (auto code = llvm::sys::fs::create_directories(directory))
    return makeFailed("cannot make the folder", code);
  return openUnderLock(directory, /*readsThrough=*/false, warn);
}

DatabaseOr
mlir::mirage::cache::replaceBroken(StringRef directory,
                                   const CacheStore::WarningHandler &warn) {
  return openUnderLock(directory, /*readsThrough=*/true, warn);
}
