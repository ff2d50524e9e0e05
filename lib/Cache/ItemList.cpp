//===- ItemList.cpp - Records of structures as texts ----------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Cache/ItemList.h"

using namespace mlir::mirage::cache;
using llvm::StringRef;

static constexpr StringRef kBegin = "{\"items\":[", kSeparator = ",\n",
                           kEnd = "\n]}";

void ItemListWriter::add(StringRef item) {
  text += text.empty() ? "\n" : kSeparator;
  text += item;
}

std::string ItemListWriter::finish() && {
  text.insert(0, kBegin);
  text += kEnd;
  return std::move(text);
}

std::optional<std::vector<StringRef>>
mlir::mirage::cache::splitItemList(StringRef text) {
  if (!text.consume_front(kBegin) || !text.consume_back(kEnd))
    return std::nullopt;
  std::vector<StringRef> items;
  if (text.empty())
    return items;
  if (!text.consume_front("\n"))
    return std::nullopt;
  // No text of JSON has an end of a line inside a string.
  while (!text.empty()) {
    auto [item, rest] = text.split(kSeparator);
    if (rest.empty() && item.size() < text.size())
      return std::nullopt; // a separator, and nothing after it
    items.push_back(item);
    text = rest;
  }
  return items;
}
