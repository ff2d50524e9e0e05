//===- SearchRecords.h - What is kept of a search, in JSON ------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   {"stopReason": ..., "report": ..., "candidates": [
//     {"structure": ..., "predictedUs": ..., "tilings": [
//       {"tile": [8, 0, 64], "loop": 1, "threads": 128, "stages": 1}]}]}
//
// The report is as `report=` writes them; what is predicted of the program
// alone is not read back, as it costs nothing.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_SEARCH_SEARCHRECORDS_H
#define MIRAGE_LIB_SEARCH_SEARCHRECORDS_H

#include "Mirage/Graph/JSONCursor.h"
#include "Mirage/Search/Search.h"

namespace mlir::mirage::search {

llvm::json::Value toJSON(const SearchResult &result);

/// Candidates have structures, plans and tilings; there is no baseline. It
/// means nothing if the cursor failed, as it does where a structure is none of
/// the program's.
SearchResult readResult(const JSONCursor &cursor, const TargetProgram &program);

} // namespace mlir::mirage::search

#endif // MIRAGE_LIB_SEARCH_SEARCHRECORDS_H
