//===- ItemRecords.cpp - What was enumerated, item by item ----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Search/ItemRecords.h"

using namespace mlir::mirage::search;

bool ItemRecord::operator==(const ItemRecord &other) const {
  return counts == other.counts && found == other.found;
}

const ItemRecords::Entry *ItemRecords::find(llvm::StringRef item) {
  std::lock_guard<std::mutex> lock(mutex);
  auto found = records.find(item);
  return found == records.end() ? nullptr : &found->second;
}

void ItemRecords::add(llvm::StringRef item, ItemRecord record) {
  if (record.counts.trials < minTrials * (1 + record.found.size()))
    return;
  std::lock_guard<std::mutex> lock(mutex);
  auto [entry, isNew] = records.try_emplace(item.str());
  if (!isNew && entry->second.record == record)
    return;
  entry->second = {std::move(record), /*isRead=*/false, /*line=*/""};
  isChanged = true;
}
