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
//   {"item": "...", "counts": {..}, "found": [..]}
//
// What was found are kernels as StructureJSON.h writes them. Checkpoints
// (Checkpoint.h) and caches (KeptItems.h) are lists of such lines.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_SEARCH_CHECKPOINTRECORDS_H
#define MIRAGE_LIB_SEARCH_CHECKPOINTRECORDS_H

#include "Mirage/Search/ItemRecords.h"
#include "Mirage/Search/TargetProgram.h"
#include "llvm/Support/Error.h"

namespace mlir::mirage::search {

/// Without the end of the line.
std::string toLine(llvm::StringRef item, const ItemRecord &record);

/// An item's name and record. Errors name the member with what was expected and
/// found.
/// \param program  that the item is of; null: not known.
llvm::Expected<std::pair<std::string, ItemRecord>>
parseLine(llvm::StringRef line, const TargetProgram *program);

} // namespace mlir::mirage::search

#endif // MIRAGE_LIB_SEARCH_CHECKPOINTRECORDS_H
