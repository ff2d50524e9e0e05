//===- TemporaryFolder.h - Folders that go with their owners ----*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_GRAPH_TEMPORARYFOLDER_H
#define MIRAGE_GRAPH_TEMPORARYFOLDER_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace mlir::mirage {

/// A folder, among the temporary ones, that is gone with its owner.
class TemporaryFolder {
public:
  static llvm::Expected<TemporaryFolder> make(llvm::StringRef prefix);
  TemporaryFolder(TemporaryFolder &&other);
  ~TemporaryFolder();

  llvm::StringRef getPath() const { return path; }
  std::string getFile(llvm::StringRef name) const;

private:
  explicit TemporaryFolder(std::string path) : path(std::move(path)) {}

  std::string path; ///< empty once moved
};

} // namespace mlir::mirage

#endif // MIRAGE_GRAPH_TEMPORARYFOLDER_H
