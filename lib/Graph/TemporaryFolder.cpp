//===- TemporaryFolder.cpp - Folders that go with their owners ------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Graph/TemporaryFolder.h"
#include "Mirage/Graph/WholeFiles.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include <utility>

using namespace mlir::mirage;
namespace fs = llvm::sys::fs;

llvm::Expected<TemporaryFolder> TemporaryFolder::make(llvm::StringRef prefix) {
  llvm::SmallString<128> path;
  if (std::error_code code = fs::createUniqueDirectory(prefix, path))
    return llvm::createStringError("a temporary folder cannot be made: " +
                                   code.message());
  return TemporaryFolder(path.str().str());
}

TemporaryFolder::TemporaryFolder(TemporaryFolder &&other)
    : path(std::exchange(other.path, "")) {}

TemporaryFolder::~TemporaryFolder() {
  if (!path.empty())
    fs::remove_directories(path, /*IgnoreErrors=*/true);
}

std::string TemporaryFolder::getFile(llvm::StringRef name) const {
  return joinPath(path, name);
}
