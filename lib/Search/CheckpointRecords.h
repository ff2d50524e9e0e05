//===- CheckpointRecords.h - Items of a walk as lines of text ---*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A record is an object in JSON on one line:
//
//   {"item": "...", "states": 12, "trials": 300, "pruned": [..], "found": [..]}
//
// What was found are kernels as StructureJSON.h writes them.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_SEARCH_CHECKPOINTRECORDS_H
#define MIRAGE_LIB_SEARCH_CHECKPOINTRECORDS_H

#include "Mirage/Graph/JSONCursor.h"
#include "Mirage/Search/Checkpoint.h"
#include "Mirage/Search/TargetProgram.h"

namespace mlir::mirage::search {

llvm::json::Value toJSON(llvm::StringRef item, const ItemRecord &record);
/// Without the end of the line.
std::string toLine(llvm::StringRef item, const ItemRecord &record);

/// An item's name and record. They mean nothing if the cursor failed.
/// \param program  that the item is of; null: not known.
std::pair<std::string, ItemRecord> readItem(const JSONCursor &cursor,
                                            const TargetProgram *program);
/// Errors name the member with what was expected and found.
llvm::Expected<std::pair<std::string, ItemRecord>>
parseLine(llvm::StringRef line);

} // namespace mlir::mirage::search

#endif // MIRAGE_LIB_SEARCH_CHECKPOINTRECORDS_H
