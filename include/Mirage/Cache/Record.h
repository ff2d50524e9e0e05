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
constexpr int64_t kFormatVersion = 2;

enum class RecordKind : uint8_t {
  Structures, ///< what was found for a program, whatever its sizes
  Results,    ///< what was chosen at its sizes
  Times,      ///< how long a candidate took, as somebody measured
};
constexpr RecordKind kRecordKinds[] = {RecordKind::Structures,
                                       RecordKind::Results, RecordKind::Times};
/// The name of the table: "structures", "results", "times".
llvm::StringRef getTableName(RecordKind kind);

/// What a value depends on. Any text will do, also an empty one.
struct RecordKey {
  std::string program;      ///< hash without sizes (Graph/CanonicalGraph.h)
  std::string sizedProgram; ///< hash with sizes; of results and times
  std::string target;       ///< GPU; of results and times
  std::string options;      ///< of times, which kernels they are of
  std::string version;      ///< of who found it; of times, the driver's
};
/// The members in the order of the file's columns.
constexpr llvm::StringLiteral kKeyColumns[] = {"program", "sized_program",
                                               "target", "options", "version"};
std::array<llvm::StringRef, 5> getColumns(const RecordKey &key);

/// What a measured time depends on (Mirage/Artifact/MeasuredTime.h).
struct TimeKey {
  std::string program;  ///< hash, with sizes
  std::string graph;    ///< hash of the µGraph; empty for the baseline
  std::string artifact; ///< hash: of the kernels as they were compiled
  bool usesLibrary = false;
  std::string device; ///< its name
  int driverVersion = 0;
};
RecordKey makeRecordKey(const TimeKey &key);

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
