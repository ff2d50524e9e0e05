//===- JSONCursor.h - Reads JSON and says where it fails ------ -*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_GRAPH_JSONCURSOR_H
#define MIRAGE_GRAPH_JSONCURSOR_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/JSON.h"
#include <cstdint>
#include <string>
#include <vector>

namespace mlir::mirage {

/// Whether a name is what can be shown and looked for: without control
/// characters.
bool isOneLine(llvm::StringRef name);

/// A value inside a JSON document and the path that leads to it. The first
/// wrong read is kept as the document's error ("launches[0].grid: expects an
/// array, got 3"); it and all later ones give empty defaults, so that a reader
/// needs to ask once, at the end.
class JSONCursor {
public:
  JSONCursor(const llvm::json::Value &root, std::string &error)
      : value(&root), error(&error) {}

  JSONCursor operator[](llvm::StringRef member) const;
  /// Whether a read has failed, anywhere in the document.
  bool failed() const { return !error->empty(); }
  bool has(llvm::StringRef member) const;
  std::vector<JSONCursor> array() const;
  std::vector<std::pair<std::string, JSONCursor>> members() const;
  /// Fails where the object has a member that is none of these: one that is
  /// misspelled, or that says something which the reader does not know.
  void allow(llvm::ArrayRef<llvm::StringRef> names) const;
  /// An integer from `least` to `most`, which a reader that keeps it in fewer
  /// bits must give.
  int64_t integer(int64_t least = INT64_MIN, int64_t most = INT64_MAX) const;
  std::string string() const;
  /// A string of one line (`isOneLine`).
  std::string name() const;
  bool boolean() const;
  /// The value as it is; null where there is none.
  llvm::json::Value raw() const;

  /// Fails with "expects `what`, got ...".
  void expect(const llvm::Twine &what) const;
  void fail(const llvm::Twine &message) const;

private:
  JSONCursor(const llvm::json::Value *value, std::string path,
             std::string *error)
      : value(value), path(std::move(path)), error(error) {}

  const llvm::json::Value *value; ///< null below a missing member
  std::string path;
  std::string *error;
};

/// Parses a document that may come from anywhere: LLVM's parser, after a look
/// at how deeply arrays and objects nest, for which that parser uses the stack.
/// \returns an error with the line and column where nesting passes 256 levels,
/// or what the parser says.
llvm::Expected<llvm::json::Value> parseJSON(llvm::StringRef text);

} // namespace mlir::mirage

#endif // MIRAGE_GRAPH_JSONCURSOR_H
