//===- ItemList.h - Records of structures as texts --------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The value of a record of structures (RecordKind::Structures): what is known
// of the items of a walk, by ascending name. It is an object in JSON with one
// item on each line,
//
//   {"items":[
//   {"item":"<name>",...},
//   {"item":"<name>",...}
//   ]}
//
// and is written and read line by line: as values of llvm::json, all items of a
// search take a hundred times the memory of their text.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_CACHE_ITEMLIST_H
#define MIRAGE_CACHE_ITEMLIST_H

#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>
#include <vector>

namespace mlir::mirage::cache {

class ItemListWriter {
public:
  /// \param item  an object in JSON on one line, without the line's end.
  void add(llvm::StringRef item);
  /// The list of what was added.
  std::string finish() &&;

private:
  std::string text;
};

/// The items of a list, as they were added; none if the text is no list. What
/// an item has is for others to read.
std::optional<std::vector<llvm::StringRef>> splitItemList(llvm::StringRef text);

} // namespace mlir::mirage::cache

#endif // MIRAGE_CACHE_ITEMLIST_H
