//===- Record.cpp - What a cache holds ------------------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Cache/Record.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/SHA256.h"

using namespace mlir::mirage::cache;

llvm::StringRef mlir::mirage::cache::getTableName(RecordKind kind) {
  switch (kind) {
  case RecordKind::Structures:
    return "structures";
  case RecordKind::Results:
    return "results";
  case RecordKind::Times:
    return "times";
  }
  llvm_unreachable("all kinds have a table");
}

std::array<llvm::StringRef, 5>
mlir::mirage::cache::getColumns(const RecordKey &key) {
  return {key.program, key.sizedProgram, key.target, key.options, key.version};
}

RecordKey mlir::mirage::cache::makeRecordKey(const TimeKey &key) {
  std::string kernels =
      llvm::formatv("graph={0} artifact={1} library={2}", key.graph,
                    key.artifact, key.usesLibrary ? "yes" : "no");
  return {/*program=*/"", key.program, key.device, std::move(kernels),
          std::to_string(key.driverVersion)};
}

std::string mlir::mirage::cache::computeChecksum(RecordKind kind,
                                                 const RecordKey &key,
                                                 llvm::StringRef value) {
  llvm::SHA256 hash;
  // With lengths, so that no two lists of texts are one.
  auto add = [&](llvm::StringRef text) {
    hash.update(std::to_string(text.size()) + ":");
    hash.update(text);
  };
  add(getTableName(kind));
  for (llvm::StringRef column : getColumns(key))
    add(column);
  add(value);
  return llvm::toHex(hash.final(), /*LowerCase=*/true);
}
