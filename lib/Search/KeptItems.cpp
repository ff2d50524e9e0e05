//===- KeptItems.cpp - Items that a cache keeps ---------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KeptItems.h"
#include "CheckpointRecords.h"

using namespace mlir::mirage;
using namespace mlir::mirage::search;

void KeptItems::read(const JSONCursor &cursor, const TargetProgram &program) {
  cursor.allow({"items"});
  for (const JSONCursor &element : cursor["items"].array()) {
    auto [item, record] = readItem(element, &program);
    if (cursor.failed())
      break;
    records.insert({std::move(item), {std::move(record), /*isRead=*/true}});
  }
  if (cursor.failed())
    records.clear();
  else
    isChanged = false;
}

llvm::json::Value KeptItems::toJSON() const {
  llvm::json::Array items;
  for (const auto &[item, entry] : records)
    items.push_back(search::toJSON(item, entry.record));
  return llvm::json::Object{{"items", std::move(items)}};
}
