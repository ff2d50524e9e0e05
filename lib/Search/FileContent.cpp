//===- FileContent.cpp - What a file seems to be --------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FileContent.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

using namespace mlir::mirage;
using llvm::StringRef;

/// Of JSON that some part of Mirage writes, by a member that it alone has.
static std::string describeJSON(const llvm::json::Value &value) {
  const llvm::json::Object *object = value.getAsObject();
  if (!object)
    return "JSON that is no object";
  if (object->get("graphs"))
    return "a report of a search";
  if (object->get("kernels"))
    return "the manifest of an artifact";
  return "JSON of something else";
}

/// The beginning of the first line that is not empty.
static std::string describeText(StringRef text) {
  constexpr size_t kMaxLength = 40;
  StringRef line = text.ltrim().split('\n').first.rtrim();
  return "text that begins with '" + line.take_front(kMaxLength).str() + "'";
}

std::string mlir::mirage::search::describeContent(StringRef bytes) {
  if (bytes.trim().empty())
    return "an empty file";
  if (bytes.starts_with("SQLite format 3"))
    return "a database of SQLite, as caches are";
  if (bytes.starts_with("ML\xefR"))
    return "bytecode of MLIR";
  // One look at the beginning: a file may be large.
  StringRef beginning = bytes.take_front(4096);
  if (llvm::any_of(beginning, [](char c) {
        return !llvm::isPrint(c) && !llvm::isSpace(c) &&
               static_cast<signed char>(c) >= 0; // a part of UTF-8 is below 0
      }))
    return "a binary file";
  constexpr size_t kMaxJSON = 1 << 24;
  if (bytes.size() <= kMaxJSON &&
      (bytes.ltrim().front() == '{' || bytes.ltrim().front() == '[')) {
    if (llvm::Expected<llvm::json::Value> value = llvm::json::parse(bytes))
      return describeJSON(*value);
    else
      llvm::consumeError(value.takeError());
  }
  return describeText(bytes);
}
