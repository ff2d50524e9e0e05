//===- SearchFiles.h - Caches and checkpoints of searches -------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TOOLS_MIRAGE_OPT_SEARCHFILES_H
#define MIRAGE_TOOLS_MIRAGE_OPT_SEARCHFILES_H

#include <optional>

namespace mlir::mirage {

/// Joins files that searches have left, if the first argument says so, which
/// takes no program: `--mirage-merge OUT IN...` checkpoints of shards, as
/// mirage-checkpoint does; `--mirage-cache-merge OUT IN...` caches, as
/// mirage-cache does. \returns the exit code; none if it says something else.
std::optional<int> runMergeCommand(int argc, char **argv);

/// Has --mirage-cache stand for what MIRAGE_CACHE_DIR says. \returns false
/// after an error where it is no cache.
bool applyCacheOption();

} // namespace mlir::mirage

#endif // MIRAGE_TOOLS_MIRAGE_OPT_SEARCHFILES_H
