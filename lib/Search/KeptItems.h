//===- KeptItems.h - Items that a cache keeps -------------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A list (Mirage/Cache/ItemList.h) of items as CheckpointRecords.h has them.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_SEARCH_KEPTITEMS_H
#define MIRAGE_LIB_SEARCH_KEPTITEMS_H

#include "Mirage/Search/ItemRecords.h"
#include "Mirage/Search/TargetProgram.h"

namespace mlir::mirage::search {

class KeptItems : public ItemRecords {
public:
  /// Reads what was kept of the program, at whatever sizes. \returns false, and
  /// has nothing, if the text is not all items of the program.
  bool read(llvm::StringRef text, const TargetProgram &program);
  std::string toText() const;
  /// Whether items were added to those that were read, or none were read.
  bool isToBeKept() const { return isChanged; }
};

} // namespace mlir::mirage::search

#endif // MIRAGE_LIB_SEARCH_KEPTITEMS_H
