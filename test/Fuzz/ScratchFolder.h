//===- ScratchFolder.h - A folder of this process ------------- -*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TEST_FUZZ_SCRATCHFOLDER_H
#define MIRAGE_TEST_FUZZ_SCRATCHFOLDER_H

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace mlir::mirage::fuzz {

/// A folder of its own, in memory where the system offers that, for readers
/// that take a path. It is removed when the process ends in order.
class ScratchFolder {
public:
  ScratchFolder();
  ~ScratchFolder();

  /// The path of something inside it.
  std::string path(llvm::StringRef name) const;
  void write(llvm::StringRef name, llvm::StringRef content) const;

private:
  llvm::SmallString<128> folder;
};

} // namespace mlir::mirage::fuzz

#endif // MIRAGE_TEST_FUZZ_SCRATCHFOLDER_H
