//===- SearchFiles.h - Caches and checkpoints of searches -------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TOOLS_MIRAGE_OPT_SEARCHFILES_H
#define MIRAGE_TOOLS_MIRAGE_OPT_SEARCHFILES_H

#include "Mirage/Options/CheckedOptions.h"
#include <optional>

namespace mlir::mirage {

inline constexpr llvm::StringRef kMergeOption = "mirage-merge";
inline constexpr llvm::StringRef kCacheMergeOption = "mirage-cache-merge";

/// Joins files that searches have left, if the first argument says so, which
/// takes no program: `--mirage-merge OUT IN...` checkpoints of shards, as
/// mirage-checkpoint does; `--mirage-cache-merge OUT IN...` caches, as
/// mirage-cache does. \returns the exit code, 1 for all that goes wrong, as
/// mirage-opt has it; none if it says something else.
std::optional<int> runMergeCommand(int argc, char **argv);

/// The options of mirage-opt about such files, while it lives.
class FileOptions {
public:
  /// Has --mirage-cache stand for what MIRAGE_CACHE_DIR says. \returns false
  /// after an error where it is no cache, or where a merge is asked for behind
  /// the first argument.
  bool apply();

private:
  llvm::cl::opt<TextOption> cacheOption{
      "mirage-cache",
      llvm::cl::desc("Where searches keep their results if a pass has no "
                     "option cache: off, a folder, readonly:FOLDER, or "
                     "readonly for the folder of MIRAGE_CACHE_DIR"),
      llvm::cl::value_desc("cache")};

  // For --help: with one of these as the first argument, nothing else is read.
  llvm::cl::opt<TruthOption> mergeOption{
      kMergeOption,
      llvm::cl::desc("OUT IN...: joins checkpoints of shards of a search, "
                     "as mirage-checkpoint merge; the first argument")};
  llvm::cl::opt<TruthOption> cacheMergeOption{
      kCacheMergeOption,
      llvm::cl::desc("OUT IN...: adds the records of caches to one, "
                     "as mirage-cache merge; the first argument")};
};

} // namespace mlir::mirage

#endif // MIRAGE_TOOLS_MIRAGE_OPT_SEARCHFILES_H
