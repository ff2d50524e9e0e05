//===- KeptItems.h - Items that a cache keeps -------------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   {"items": [{"item": "...", "states": 12, ...}, ...]}
//
// by ascending name, each as CheckpointRecords.h has it.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_SEARCH_KEPTITEMS_H
#define MIRAGE_LIB_SEARCH_KEPTITEMS_H

#include "Mirage/Graph/JSONCursor.h"
#include "Mirage/Search/ItemRecords.h"
#include "Mirage/Search/TargetProgram.h"
#include "llvm/Support/JSON.h"

namespace mlir::mirage::search {

class KeptItems : public ItemRecords {
public:
  /// Adds what was kept of the program, at whatever sizes. Nothing if the
  /// cursor failed.
  void read(const JSONCursor &cursor, const TargetProgram &program);
  llvm::json::Value toJSON() const;
  /// Whether items were added to those that were read, or none were read.
  bool isToBeKept() const { return isChanged; }
};

} // namespace mlir::mirage::search

#endif // MIRAGE_LIB_SEARCH_KEPTITEMS_H
