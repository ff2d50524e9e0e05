//===- RunFiles.cpp - Runs a target of this folder on files ---------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Stands in for libFuzzer where there is none: each argument is a file, or a
// folder of files, that the target is run on once. The name of a file is
// printed first, so that the last line tells which one was fatal.

#include "FuzzTarget.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <vector>

/// The files of a folder by name, or the file itself.
static std::vector<std::string> listFiles(llvm::StringRef path) {
  if (!llvm::sys::fs::is_directory(path))
    return {path.str()};
  std::vector<std::string> files;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator entry(path, error), end;
       !error && entry != end; entry.increment(error))
    files.push_back(entry->path());
  llvm::sort(files);
  return files;
}

static bool runFile(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer) {
    llvm::errs() << "error: " << path
                 << ": cannot be read: " << buffer.getError().message() << '\n';
    return false;
  }
  llvm::outs() << path << '\n';
  llvm::outs().flush();
  llvm::StringRef text = (*buffer)->getBuffer();
  LLVMFuzzerTestOneInput(text.bytes_begin(), text.size());
  return true;
}

int main(int argc, char **argv) {
  size_t count = 0;
  for (int i = 1; i < argc; ++i)
    for (const std::string &path : listFiles(argv[i])) {
      if (!runFile(path))
        return 2;
      ++count;
    }
  llvm::outs() << count << " inputs\n";
  return 0;
}
