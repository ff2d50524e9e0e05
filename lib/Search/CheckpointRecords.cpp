//===- CheckpointRecords.cpp - Items of a walk as lines of text -----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckpointRecords.h"
#include "Mirage/Graph/JSONCursor.h"
#include "Mirage/Search/StructureJSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir::mirage;
using namespace mlir::mirage::search;

/// Kernel by kernel: as one value of llvm::json a record is a hundred times as
/// large as its line.
std::string mlir::mirage::search::toLine(llvm::StringRef item,
                                         const ItemRecord &record) {
  std::string line;
  llvm::raw_string_ostream os(line);
  llvm::json::OStream json(os);
  json.object([&] {
    json.attribute("item", item);
    json.attribute("counts", toJSON(record.counts));
    json.attributeArray("found", [&] {
      for (const KernelStructure &kernel : record.found)
        json.value(toJSON(kernel));
    });
  });
  return line;
}

llvm::Expected<std::pair<std::string, ItemRecord>>
mlir::mirage::search::parseLine(llvm::StringRef line,
                                const TargetProgram *program) {
  llvm::Expected<llvm::json::Value> value = parseJSON(line);
  if (!value)
    return value.takeError();
  std::string error;
  JSONCursor cursor(*value, error);
  cursor.allow({"item", "counts", "found"});
  ItemRecord record;
  record.counts = readCounts(cursor["counts"]);
  for (const JSONCursor &kernel : cursor["found"].array())
    record.found.push_back(readKernel(kernel, program));
  std::string item = cursor["item"].string();
  if (!error.empty())
    return llvm::createStringError(error);
  return std::pair(std::move(item), std::move(record));
}
