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
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <cstdlib>
#include <utility>

using namespace mlir::mirage;
namespace fs = llvm::sys::fs;

llvm::Expected<TemporaryFolder> TemporaryFolder::make(llvm::StringRef prefix) {
  // LLVM's own puts random letters in the place of each % of the path.
  llvm::SmallString<128> folder;
  llvm::sys::path::system_temp_directory(/*erasedOnReboot=*/true, folder);
  std::string path = joinPath(folder, (prefix + "-XXXXXX").str());
  if (!::mkdtemp(path.data()))
    return llvm::createStringError("a temporary folder cannot be made in " +
                                   folder + ": " +
                                   llvm::errnoAsErrorCode().message());
  return TemporaryFolder(std::move(path));
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
