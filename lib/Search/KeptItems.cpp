//===- KeptItems.cpp - Items that a cache keeps ---------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KeptItems.h"
#include "CheckpointRecords.h"
#include "Mirage/Cache/ItemList.h"

using namespace mlir::mirage;
using namespace mlir::mirage::search;

bool KeptItems::read(llvm::StringRef text, const TargetProgram &program) {
  auto lines = cache::splitItemList(text);
  if (!lines)
    return false;
  for (llvm::StringRef line : *lines) {
    auto item = parseLine(line, &program);
    if (!item) {
      llvm::consumeError(item.takeError());
      records.clear();
      return false;
    }
    records.insert({std::move(item->first),
                    {std::move(item->second), /*isRead=*/true, /*line=*/""}});
  }
  isChanged = false;
  return true;
}

std::string KeptItems::toText() const {
  cache::ItemListWriter list;
  for (const auto &[item, entry] : records)
    list.add(toLine(item, entry.record));
  return std::move(list).finish();
}
