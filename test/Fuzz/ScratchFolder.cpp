//===- ScratchFolder.cpp - A folder for as long as a process lives --------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScratchFolder.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

using namespace mlir::mirage::fuzz;

/// Without its files a target would test nothing.
static void require(std::error_code error, const llvm::Twine &path) {
  if (!error)
    return;
  llvm::errs() << "error: " << path << ": " << error.message() << '\n';
  std::exit(2);
}

ScratchFolder::ScratchFolder() {
  constexpr llvm::StringLiteral kMemory = "/dev/shm";
  bool hasMemory = llvm::sys::fs::is_directory(kMemory);
  std::error_code error =
      hasMemory ? llvm::sys::fs::createUniqueDirectory(kMemory + "/mirage-fuzz",
                                                       folder)
                : llvm::sys::fs::createUniqueDirectory("mirage-fuzz", folder);
  require(error, "a folder for files");
}

ScratchFolder::~ScratchFolder() { llvm::sys::fs::remove_directories(folder); }

std::string ScratchFolder::path(llvm::StringRef name) const {
  llvm::SmallString<128> joined(folder);
  llvm::sys::path::append(joined, name);
  return joined.str().str();
}

void ScratchFolder::write(llvm::StringRef name, llvm::StringRef content) const {
  std::error_code error;
  llvm::raw_fd_ostream os(path(name), error);
  require(error, path(name));
  os << content;
}
