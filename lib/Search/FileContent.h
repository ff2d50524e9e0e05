//===- FileContent.h - What a file seems to be ------------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_SEARCH_FILECONTENT_H
#define MIRAGE_LIB_SEARCH_FILECONTENT_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace mlir::mirage::search {

/// What a file with these bytes seems to be, for messages about files that were
/// named by mistake: "an empty file", "a database of SQLite, as caches are",
/// "text that begins with 'func.func @f('".
std::string describeContent(llvm::StringRef bytes);

} // namespace mlir::mirage::search

#endif // MIRAGE_LIB_SEARCH_FILECONTENT_H
