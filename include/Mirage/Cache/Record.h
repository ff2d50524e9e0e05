//===- Record.h - What a cache holds ----------------------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_CACHE_RECORD_H
#define MIRAGE_CACHE_RECORD_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <array>
#include <string>

namespace mlir::mirage::cache {

/// Of a cache's file; those of another are not read.
constexpr int64_t kFormatVersion = 1;

enum class RecordKind : uint8_t {
  Structures, ///< what was found for a program, whatever its sizes
  Results,    ///< what was chosen at its sizes
};
constexpr RecordKind kRecordKinds[] = {RecordKind::Structures,
                                       RecordKind::Results};
/// The name of the table: "structures", "results".
llvm::StringRef getTableName(RecordKind kind);

/// What a value depends on. Any text will do, also an empty one.
struct RecordKey {
  std::string program;      ///< hash without sizes (Graph/CanonicalGraph.h)
  std::string sizedProgram; ///< hash with sizes; of results
  std::string target;       ///< GPU; of results
  std::string options;
  std::string version; ///< of who found it
};
/// The members in the order of the file's columns.
constexpr llvm::StringLiteral kKeyColumns[] = {"program", "sized_program",
                                               "target", "options", "version"};
std::array<llvm::StringRef, 5> getColumns(const RecordKey &key);

struct Record {
  RecordKind kind = RecordKind::Structures;
  RecordKey key;
  std::string value; ///< a JSON text
};

/// The SHA-256 hash, in hexadecimal digits, of kind, key and value.
std::string computeChecksum(RecordKind kind, const RecordKey &key,
                            llvm::StringRef value);

} // namespace mlir::mirage::cache

#endif // MIRAGE_CACHE_RECORD_H
