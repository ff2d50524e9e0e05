//===- Diagnostics.h - Collects errors in PTX text --------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_EMULATOR_DIAGNOSTICS_H
#define MIRAGE_LIB_EMULATOR_DIAGNOSTICS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"

#include <algorithm>
#include <cstdint>
#include <string>

namespace mlir::mirage::emulator {

/// A place in the text; both count from 1.
struct Location {
  uint32_t line = 0, column = 0;
};

/// Errors of one file, up to a limit, as `file:line:column: error: message`.
class Diagnostics {
public:
  explicit Diagnostics(llvm::StringRef fileName) : fileName(fileName) {}

  void error(Location location, const llvm::Twine &message) {
    if (++numErrors > limit)
      return;
    text += (llvm::Twine(fileName) + ":" + llvm::Twine(location.line) + ":" +
             llvm::Twine(location.column) + ": error: " + message + "\n")
                .str();
  }
  /// An error behind which nothing can be read: it is the last one.
  void fatalError(Location location, const llvm::Twine &message) {
    error(location, message);
    numErrors = std::max(numErrors, limit);
  }
  bool hasErrors() const { return numErrors != 0; }
  bool isFull() const { return numErrors >= limit; }

  llvm::Error takeError() {
    if (!hasErrors())
      return llvm::Error::success();
    return llvm::createStringError(llvm::StringRef(text).rtrim('\n').str());
  }

private:
  static constexpr unsigned limit = 20;
  std::string fileName, text;
  unsigned numErrors = 0;
};

} // namespace mlir::mirage::emulator

#endif // MIRAGE_LIB_EMULATOR_DIAGNOSTICS_H
