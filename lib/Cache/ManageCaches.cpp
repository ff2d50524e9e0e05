//===- ManageCaches.cpp - Caches as a whole -------------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Cache/ManageCaches.h"
#include "Database.h"
#include "Mirage/Cache/CacheStore.h"
#include "Mirage/Cache/ItemList.h"
#include "Mirage/Graph/JSONCursor.h"
#include "OpenDatabase.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <map>

using namespace mlir::mirage;
using namespace mlir::mirage::cache;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::json::Object;
using llvm::json::Value;

static Error prefixFile(StringRef directory, Error error) {
  return llvm::createStringError("'" + getCacheFile(directory) +
                                 "': " + llvm::toString(std::move(error)));
}

/// A cache that somebody names: if there is none, that is an error.
static Expected<std::unique_ptr<Database>> openInput(StringRef directory) {
  auto database = Database::open(getCacheFile(directory), /*isWritable=*/false);
  if (!database)
    return prefixFile(directory, database.takeError());
  return database;
}

/// By name, the items of a record of structures; none if it is no such record.
/// Each is parsed by itself, and kept as its text.
static std::optional<std::map<std::string, StringRef>>
readItems(StringRef text) {
  auto lines = splitItemList(text);
  if (!lines)
    return std::nullopt;
  std::map<std::string, StringRef> items;
  for (StringRef line : *lines) {
    Expected<Value> value = parseJSON(line);
    if (!value) {
      llvm::consumeError(value.takeError());
      return std::nullopt;
    }
    const Object *members = value->getAsObject();
    std::optional<StringRef> name =
        members ? members->getString("item") : std::nullopt;
    if (!name || !items.insert({name->str(), line}).second)
      return std::nullopt;
  }
  return items;
}

/// The items of both; none if they disagree on one. Searches at other sizes
/// enumerate others.
static std::optional<std::string> joinItems(StringRef there, StringRef more) {
  auto items = readItems(there), others = readItems(more);
  if (!items || !others)
    return std::nullopt;
  for (auto &[name, item] : *others)
    if (items->insert({name, item}).first->second != item)
      return std::nullopt;
  ItemListWriter joined;
  for (auto &[name, item] : *items)
    joined.add(item);
  return std::move(joined).finish();
}

/// Adds a record if its key is new, or what it has more than the one there.
static Error addRecord(Database &output, const Record &record,
                       MergeCounts &counts) {
  bool isDamaged = false;
  auto there = output.lookup(record.kind, record.key, isDamaged);
  if (!there)
    return there.takeError();
  if (!*there) {
    ++counts.added;
    return output.store(record.kind, record.key, record.value);
  }
  // Who measures twice gets two times.
  if (record.kind == RecordKind::Times) {
    ++counts.alreadyThere;
    return Error::success();
  }
  std::optional<std::string> joined;
  if (record.kind == RecordKind::Structures)
    joined = joinItems(**there, record.value);
  if (**there == (joined ? *joined : record.value)) {
    ++counts.alreadyThere;
    return Error::success();
  }
  ++(joined ? counts.added : counts.different);
  return joined ? output.store(record.kind, record.key, *joined)
                : Error::success();
}

static Error addAll(Database &output, Database &input, MergeCounts &counts) {
  for (RecordKind kind : kRecordKinds)
    if (Error error = input.forEachRecord(
            kind, [&](const Record &record, bool isDamaged) {
              counts.damaged += isDamaged;
              return isDamaged ? Error::success()
                               : addRecord(output, record, counts);
            }))
      return error;
  return Error::success();
}

/// A broken output is not set aside: whoever merges knows what should be there.
static Expected<std::unique_ptr<Database>> openOutput(StringRef directory) {
  auto database = Database::open(getCacheFile(directory), /*isWritable=*/true);
  if (database)
    return database;
  Error error = database.takeError();
  if (getKind(error) != DatabaseError::Missing)
    return prefixFile(directory, std::move(error));
  llvm::consumeError(std::move(error));
  auto created = openOrCreate(directory, [](const llvm::Twine &) {});
  if (!created)
    return prefixFile(directory, created.takeError());
  return created;
}

Expected<MergeCounts>
mlir::mirage::cache::mergeCaches(StringRef output,
                                 llvm::ArrayRef<std::string> inputs) {
  auto to = openOutput(output);
  if (!to)
    return to.takeError();
  MergeCounts counts;
  for (const std::string &input : inputs) {
    auto from = openInput(input);
    if (!from)
      return from.takeError();
    if (Error error =
            (*to)->transact([&] { return addAll(**to, **from, counts); }))
      return prefixFile(input, std::move(error));
  }
  return counts;
}

static Error importTime(Database &database, const MeasuredRecord &time,
                        ImportCounts &counts) {
  RecordKey key = makeRecordKey(time.key);
  bool isDamaged = false;
  auto there = database.lookup(RecordKind::Times, key, isDamaged);
  if (!there)
    return there.takeError();
  ++(*there ? counts.replaced : counts.added);
  return database.store(RecordKind::Times, key, time.line);
}

Expected<ImportCounts>
mlir::mirage::cache::importTimes(StringRef directory,
                                 llvm::ArrayRef<MeasuredRecord> times) {
  auto database = openOutput(directory);
  if (!database)
    return database.takeError();
  ImportCounts counts;
  Error error = (*database)->transact([&]() -> Error {
    for (const MeasuredRecord &time : times)
      if (Error failed = importTime(**database, time, counts))
        return failed;
    return Error::success();
  });
  if (error)
    return prefixFile(directory, std::move(error));
  return counts;
}

/// Writes a record's value: a list of items item by item.
static Error writeValue(llvm::json::OStream &json, StringRef text) {
  auto write = [&](StringRef part) -> Error {
    Expected<Value> value = parseJSON(part);
    json.value(value ? std::move(*value) : Value(nullptr));
    return value ? Error::success() : value.takeError();
  };
  auto items = splitItemList(text);
  if (!items)
    return write(text);
  Error error = Error::success();
  json.object([&] {
    json.attributeArray("items", [&] {
      for (StringRef item : *items)
        if (!error)
          error = write(item);
    });
  });
  return error;
}

Error mlir::mirage::cache::exportCache(StringRef directory,
                                       llvm::raw_ostream &os) {
  auto database = openInput(directory);
  if (!database)
    return database.takeError();
  llvm::json::OStream json(os, /*IndentSize=*/2);
  auto write = [&](const Record &record, bool isDamaged) -> Error {
    if (isDamaged)
      return Error::success();
    Error error = Error::success();
    json.object([&] {
      for (auto [name, text] :
           llvm::zip_equal(kKeyColumns, getColumns(record.key)))
        json.attribute(name, text);
      json.attributeBegin("value");
      error = writeValue(json, record.value);
      json.attributeEnd();
    });
    return error;
  };
  Error error = Error::success();
  json.object([&] {
    json.attribute("format", kFormatVersion);
    for (RecordKind kind : kRecordKinds)
      json.attributeArray(getTableName(kind), [&] {
        if (!error)
          error = (*database)->forEachRecord(kind, write);
      });
  });
  os << '\n';
  return error ? prefixFile(directory, std::move(error)) : Error::success();
}
