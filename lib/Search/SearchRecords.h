//===- SearchRecords.h - What is kept of a search, in JSON ------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   structures  {"stopReason": ..., "report": ..., "structures": {...}}
//   result      {"stopReason": ..., "report": ..., "candidates": [
//                 {"structure": ..., "predictedUs": ..., "tilings": [
//                   {"tile": [8, 0, 64], "loop": 1, "threads": 128, "stages":
//                   1}]}]}
//
// Reports are as `report=` writes them; what is predicted of the program alone
// is not read back, as it costs nothing.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_SEARCH_SEARCHRECORDS_H
#define MIRAGE_LIB_SEARCH_SEARCHRECORDS_H

#include "Mirage/Graph/JSONCursor.h"
#include "Mirage/Search/Search.h"

namespace mlir::mirage::search {

struct FoundStructures {
  std::vector<Structure> structures;
  SearchReport report; ///< rounds and counts
  StopReason stopReason = StopReason::Exhausted;
};

llvm::json::Value toJSON(const FoundStructures &found);
llvm::json::Value toJSON(const SearchResult &result);

/// Both mean nothing if the cursor failed, as it does where a structure is none
/// of the program's.
FoundStructures readFoundStructures(const JSONCursor &cursor,
                                    const TargetProgram &program);
/// Candidates have structures, plans and tilings; there is no baseline.
SearchResult readResult(const JSONCursor &cursor, const TargetProgram &program);

} // namespace mlir::mirage::search

#endif // MIRAGE_LIB_SEARCH_SEARCHRECORDS_H
