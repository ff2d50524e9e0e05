//===- CacheStore.cpp - Results that outlive a run ------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Cache/CacheStore.h"
#include "Database.h"
#include "OpenDatabase.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"

using namespace mlir::mirage::cache;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

static std::string getEnvironment() {
  return llvm::sys::Process::GetEnv("MIRAGE_CACHE_DIR").value_or("off");
}

Expected<CacheMode> mlir::mirage::cache::parseCacheMode(StringRef text) {
  bool isReadOnly = text == "readonly";
  std::string environment;
  if (text.empty() || isReadOnly) {
    environment = getEnvironment();
    text = environment;
  }
  bool isOff = text.empty() || text == "off";
  if (isOff && isReadOnly)
    return llvm::createStringError("expects MIRAGE_CACHE_DIR to be a folder "
                                   "for a cache of the form readonly");
  if (isOff)
    return CacheMode();
  isReadOnly |= text.consume_front("readonly:");
  if (text.empty())
    return llvm::createStringError(
        "expects a cache of the form off, DIR, readonly or readonly:DIR, got "
        "'readonly:'");
  return CacheMode{isReadOnly ? Access::ReadOnly : Access::ReadWrite,
                   text.str()};
}

std::string mlir::mirage::cache::toString(const CacheMode &mode) {
  switch (mode.access) {
  case Access::None:
    return "off";
  case Access::ReadOnly:
    return "readonly:" + mode.directory;
  case Access::ReadWrite:
    return mode.directory;
  }
  llvm_unreachable("no such access");
}

std::string mlir::mirage::cache::getCacheFile(StringRef directory) {
  llvm::SmallString<128> path(directory);
  llvm::sys::path::append(path, "mirage-cache.sqlite");
  return path.str().str();
}

CacheStore::CacheStore(CacheMode mode, WarningHandler warn)
    : mode(std::move(mode)), warn(std::move(warn)) {
  if (this->mode.access != Access::None)
    open();
}

CacheStore::~CacheStore() = default;

void CacheStore::open() {
  database = nullptr;
  auto opened = mode.access == Access::ReadOnly
                    ? Database::open(getCacheFile(mode.directory),
                                     /*isWritable=*/false)
                    : openOrCreate(mode.directory, warn);
  if (!opened)
    return giveUp(opened.takeError());
  database = std::move(*opened);
}

void CacheStore::giveUp(Error error) {
  database = nullptr;
  warn("going on without the cache '" + getCacheFile(mode.directory) +
       "': " + llvm::toString(std::move(error)));
}

/// After an operation on the file has failed. A broken file is set aside, once
/// nobody has it open here, and a new one begun.
void CacheStore::recover(Error error) {
  if (mode.access != Access::ReadWrite ||
      getKind(error) != DatabaseError::Broken)
    return giveUp(std::move(error));
  llvm::consumeError(std::move(error));
  database = nullptr;
  auto opened = replaceBroken(mode.directory, warn);
  if (!opened)
    return giveUp(opened.takeError());
  database = std::move(*opened);
}

bool CacheStore::isOpen() {
  std::lock_guard<std::mutex> lock(mutex);
  return database != nullptr;
}

std::optional<std::string> CacheStore::lookup(RecordKind kind,
                                              const RecordKey &key) {
  std::lock_guard<std::mutex> lock(mutex);
  if (!database)
    return std::nullopt;
  bool isDamaged = false;
  auto value = database->lookup(kind, key, isDamaged);
  if (!value) {
    recover(value.takeError());
    return std::nullopt;
  }
  if (isDamaged)
    dropDamaged(kind, key);
  return std::move(*value);
}

void CacheStore::dropDamaged(RecordKind kind, const RecordKey &key) {
  warn("a record of the cache '" + getCacheFile(mode.directory) +
       "' is damaged, and is not used");
  if (mode.access == Access::ReadWrite)
    if (Error error = database->remove(kind, key))
      recover(std::move(error));
}

Error CacheStore::storeOnce(RecordKind kind, const RecordKey &key,
                            StringRef value) {
  return database->transact([&] { return database->store(kind, key, value); });
}

void CacheStore::store(RecordKind kind, const RecordKey &key, StringRef value) {
  std::lock_guard<std::mutex> lock(mutex);
  if (!database || mode.access != Access::ReadWrite)
    return;
  Error error = storeOnce(kind, key, value);
  if (!error)
    return;
  recover(std::move(error));
  if (database)
    if (Error again = storeOnce(kind, key, value))
      giveUp(std::move(again));
}

std::vector<std::string> CacheStore::lookupTimes(StringRef program) {
  std::lock_guard<std::mutex> lock(mutex);
  std::vector<std::string> values;
  std::vector<RecordKey> damaged;
  if (!database)
    return values;
  Error error =
      database->forEachTime(program, [&](const Record &record, bool isDamaged) {
        if (isDamaged)
          damaged.push_back(record.key);
        else
          values.push_back(record.value);
        return Error::success();
      });
  if (error) {
    recover(std::move(error));
    return {};
  }
  for (const RecordKey &key : damaged)
    if (database)
      dropDamaged(RecordKind::Times, key);
  return values;
}
