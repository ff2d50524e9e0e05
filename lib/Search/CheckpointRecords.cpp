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
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

Value mlir::mirage::search::toJSON(llvm::StringRef item,
                                   const ItemRecord &record) {
  Array found;
  for (const KernelStructure &kernel : record.found)
    found.push_back(toJSON(kernel));
  return Object{{"item", item},
                {"counts", toJSON(record.counts)},
                {"found", std::move(found)}};
}

std::string mlir::mirage::search::toLine(llvm::StringRef item,
                                         const ItemRecord &record) {
  return llvm::formatv("{0}", toJSON(item, record)).str();
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

std::pair<std::string, ItemRecord>
mlir::mirage::search::readItem(const JSONCursor &cursor,
                               const TargetProgram *program) {
  cursor.allow({"item", "counts", "found"});
  ItemRecord record;
  record.counts = readCounts(cursor["counts"]);
  for (const JSONCursor &kernel : cursor["found"].array())
    record.found.push_back(readKernel(kernel, program));
  return {cursor["item"].string(), std::move(record)};
}

llvm::Expected<std::pair<std::string, ItemRecord>>
mlir::mirage::search::parseLine(llvm::StringRef line) {
  llvm::Expected<Value> value = parseJSON(line);
  if (!value)
    return value.takeError();
  std::string error;
  auto item = readItem(JSONCursor(*value, error), /*program=*/nullptr);
  if (!error.empty())
    return llvm::createStringError(error);
  return item;
}
