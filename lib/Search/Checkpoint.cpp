//===- Checkpoint.cpp - What a stopped search goes on from ----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Search/Checkpoint.h"
#include "CheckpointRecords.h"
#include "FileContent.h"
#include "Mirage/Algebra/Random.h"
#include "Mirage/Graph/JSONCursor.h"
#include "Mirage/Graph/WholeFiles.h"
#include "Mirage/Search/SearchOptions.h"
#include "SearchCache.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
namespace fs = llvm::sys::fs;

static constexpr int64_t kFormatVersion = 2;

std::string mlir::mirage::search::hashToText(StringRef text) {
  Seed hash = hashToSeed(text);
  std::string hex;
  for (uint32_t word : llvm::ArrayRef(hash).take_front(4))
    hex += llvm::formatv("{0:x-8}", word).str();
  return hex;
}

static double getNow() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

static Error makeError(StringRef path, const llvm::Twine &message) {
  return llvm::createStringError("checkpoint '" + path + "': " + message);
}

//===----------------------------------------------------------------------===//
// Shards and headers
//===----------------------------------------------------------------------===//

Expected<Shard> mlir::mirage::search::parseShard(StringRef text) {
  constexpr unsigned kMaxShards = 1000000;
  Shard shard;
  if (text.empty())
    return shard;
  auto [index, count] = text.split('/');
  if (index.getAsInteger(10, shard.index) ||
      count.getAsInteger(10, shard.count) || shard.index >= shard.count ||
      shard.count < 2 || shard.count > kMaxShards)
    return llvm::createStringError(
        "expects shard=i/n with i less than n and n of 2 to 1000000, got '" +
        text + "'");
  return shard;
}

std::string mlir::mirage::search::toString(const Shard &shard) {
  if (shard.isWhole())
    return "";
  return llvm::formatv("{0}/{1}", shard.index, shard.count);
}

CheckpointHeader::CheckpointHeader(StringRef programText,
                                   const SearchOptions &search)
    : version(getSearchVersion()), program(hashToText(programText)),
      shard(toString(search.shard)) {
  options = getExplorationText(search);
}

/// Compares members that must be the same.
static Error expectSame(StringRef path, const CheckpointHeader &expected,
                        const CheckpointHeader &found, bool withShard) {
  auto compare = [&](StringRef what, StringRef wanted, StringRef got) -> Error {
    if (wanted == got)
      return Error::success();
    return makeError(path, "expects " + what + " '" + wanted + "', got '" +
                               got + "'");
  };
  if (Error error = compare("one of version", expected.version, found.version))
    return error;
  if (Error error = compare("one of a program with hash", expected.program,
                            found.program))
    return error;
  if (Error error =
          compare("one of a search with", expected.options, found.options))
    return error;
  return withShard ? compare("one of shard", expected.shard, found.shard)
                   : Error::success();
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

Error Checkpoint::readRecord(StringRef line) {
  auto record = parseLine(line, /*program=*/nullptr);
  if (!record)
    return makeError(path, "a record is damaged: " +
                               llvm::toString(record.takeError()));
  records.insert({std::move(record->first),
                  {std::move(record->second), /*isRead=*/true, line.str()}});
  return Error::success();
}

static constexpr llvm::StringLiteral kFormat = "mirage-checkpoint";

/// Fails, for no stated reason, if it is not that of a checkpoint.
static Expected<llvm::json::Value> parseFirstLine(StringRef line) {
  Expected<llvm::json::Value> value = parseJSON(line);
  if (!value)
    return value;
  const llvm::json::Object *object = value->getAsObject();
  if (object && object->getString("format") == kFormat)
    return value;
  return llvm::createStringError("no checkpoint");
}

Expected<std::unique_ptr<Checkpoint>> Checkpoint::read(StringRef path) {
  llvm::sys::fs::file_status status;
  if (!llvm::sys::fs::status(path, status) &&
      status.type() == llvm::sys::fs::file_type::character_file)
    return makeError(path, "expects a file, got a device"); // without an end
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return makeError(path, "cannot be read: " + buffer.getError().message());
  StringRef text = (*buffer)->getBuffer();
  auto [first, body] = text.split('\n');
  Expected<llvm::json::Value> value = parseFirstLine(first);
  if (!value) {
    llvm::consumeError(value.takeError());
    return makeError(path, "expects a checkpoint of a search, got " +
                               describeContent(text) + "; it is left as it is");
  }
  std::string error;
  std::unique_ptr<Checkpoint> checkpoint(new Checkpoint(path, {}));
  JSONCursor cursor(*value, error);
  cursor["formatVersion"].integer(kFormatVersion, kFormatVersion);
  CheckpointHeader &header = checkpoint->header;
  header.version = cursor["version"].string();
  header.program = cursor["program"].string();
  header.options = cursor["options"].string();
  header.shard = cursor["shard"].string();
  uint64_t numRecords = cursor["records"].integer(0);
  std::string hash = cursor["hash"].string();
  if (!error.empty())
    return makeError(path, "expects a checkpoint of a search: " + error);
  if (hash != hashToText(body))
    return makeError(path, "is truncated or damaged: its records do not have "
                           "the hash that its first line gives");
  for (StringRef rest = body; !rest.empty();) {
    auto [line, after] = rest.split('\n');
    if (Error problem = checkpoint->readRecord(line))
      return std::move(problem);
    rest = after;
  }
  if (checkpoint->records.size() != numRecords)
    return makeError(path,
                     llvm::formatv("expects {0} records, got {1}", numRecords,
                                   checkpoint->records.size()));
  checkpoint->isChanged = false;
  return std::move(checkpoint);
}

Expected<std::unique_ptr<Checkpoint>>
Checkpoint::open(StringRef path, const CheckpointHeader &header) {
  std::unique_ptr<Checkpoint> checkpoint(new Checkpoint(path, header));
  if (fs::exists(path)) {
    Expected<std::unique_ptr<Checkpoint>> there = read(path);
    if (!there)
      return there.takeError();
    if (Error error = expectSame(path, header, (*there)->header, true))
      return std::move(error);
    checkpoint = std::move(*there);
  }
  // Whether it can be written shows now, and not after hours.
  if (Error error = checkpoint->write())
    return std::move(error);
  return std::move(checkpoint);
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

Error Checkpoint::writeLocked() {
  std::string body;
  for (auto &[item, entry] : records) {
    if (entry.line.empty())
      entry.line = toLine(item, entry.record);
    body += entry.line;
    body += '\n';
  }
  llvm::json::Value first =
      llvm::json::Object{{"format", kFormat},
                         {"formatVersion", kFormatVersion},
                         {"version", header.version},
                         {"program", header.program},
                         {"options", header.options},
                         {"shard", header.shard},
                         {"records", int64_t(records.size())},
                         {"hash", hashToText(body)}};
  std::string head = llvm::formatv("{0}\n", first);
  if (Error error = replaceWholeFile(path, {head, body}))
    return makeError(path,
                     "cannot be written: " +
                         llvm::errorToErrorCode(std::move(error)).message());
  isChanged = false;
  return Error::success();
}

Error Checkpoint::write() {
  std::lock_guard<std::mutex> lock(mutex);
  writtenAt = getNow();
  return isChanged ? writeLocked() : Error::success();
}

Error Checkpoint::writeIfDue() {
  std::lock_guard<std::mutex> lock(mutex);
  double now = getNow();
  if (!isChanged || now < writtenAt + writeIntervalS)
    return Error::success();
  Error error = writeLocked();
  writtenAt = getNow();
  return error;
}

Expected<uint64_t>
mlir::mirage::search::mergeCheckpoints(StringRef output,
                                       llvm::ArrayRef<std::string> inputs) {
  // What the output has stays; so it has to be of the same search.
  std::vector<std::string> files(inputs);
  if (fs::exists(output))
    files.push_back(output.str());
  std::unique_ptr<Checkpoint> merged;
  for (const std::string &input : files) {
    Expected<std::unique_ptr<Checkpoint>> next = Checkpoint::read(input);
    if (!next)
      return next.takeError();
    if (!merged)
      merged.reset(new Checkpoint(output, (*next)->header));
    if (Error error = expectSame(input, merged->header, (*next)->header, false))
      return std::move(error);
    for (auto &[item, entry] : (*next)->records) {
      auto [there, isNew] = merged->records.try_emplace(item, std::move(entry));
      if (!isNew && !(there->second.record == entry.record))
        return makeError(input, "disagrees with another on item " + item);
    }
  }
  merged->header.shard = "";
  if (Error error = merged->write())
    return std::move(error);
  return merged->records.size();
}
