//===- WholeFiles.h - Files that are read and written as one ----*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Errors are one sentence that begins with the path: "out/times.jsonl: cannot
// be read: No such file or directory".
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_GRAPH_WHOLEFILES_H
#define MIRAGE_GRAPH_WHOLEFILES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <string>

namespace mlir::mirage {

/// "out/times.jsonl" of "out" and "times.jsonl".
std::string joinPath(llvm::StringRef folder, llvm::StringRef name);

/// Creates a folder, and those above it; one that is there is left.
llvm::Error createFolder(llvm::StringRef path);

/// Puts the pieces, one behind the other, into a file; replaces one that is
/// there. It is never there in part, unless its folder takes no other file, or
/// it is none but a device or a pipe.
llvm::Error writeWholeFile(llvm::StringRef path,
                           llvm::ArrayRef<llvm::StringRef> pieces);

/// The same, but the file is never there in part: fails where its folder takes
/// no other file.
llvm::Error replaceWholeFile(llvm::StringRef path,
                             llvm::ArrayRef<llvm::StringRef> pieces);

/// Fails where writeWholeFile would, and changes nothing: for who has to know
/// before there is anything to write. Only that there is room it cannot say.
llvm::Error checkWritable(llvm::StringRef path);

/// A file that ends: a regular one, or a pipe, as `<(...)` of a shell is one,
/// of at most 1 GiB. Devices and folders are errors, as is a pipe that nobody
/// has open to write.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
readWholeFile(llvm::StringRef path);

/// A file with one document, as parseJSON takes it.
llvm::Expected<llvm::json::Value> readJSONFile(llvm::StringRef path);

} // namespace mlir::mirage

#endif // MIRAGE_GRAPH_WHOLEFILES_H
