//===- MergeCaches.h - Joins caches, as a command ---------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TOOLS_MIRAGE_CACHE_MERGECACHES_H
#define MIRAGE_TOOLS_MIRAGE_CACHE_MERGECACHES_H

#include "../CommandLine.h"
#include "../StandardOutput.h"
#include "Mirage/Cache/ManageCaches.h"
#include "llvm/Support/FormatVariadic.h"

namespace mlir::mirage {

/// Adds the records of the caches in folders `inputs` to that in `output`, and
/// prints what became of them. \returns the exit code of `tool`, which is
/// `badUsage` where its arguments say nothing that can be done.
inline int runMergeCaches(llvm::StringRef tool, const std::string &output,
                          const std::vector<std::string> &inputs,
                          int badUsage = kBadUsage) {
  if (llvm::Error error = expectOnce(output, inputs)) {
    reportError(tool, std::move(error));
    return badUsage;
  }
  llvm::Expected<cache::MergeCounts> counts =
      cache::mergeCaches(output, inputs);
  if (!counts)
    return reportError(tool, counts.takeError());
  llvm::outs() << llvm::formatv(
      "{0} added, {1} there already, {2} there with another value, {3} damaged"
      "\n",
      counts->added, counts->alreadyThere, counts->different, counts->damaged);
  return finishOutput(tool) ? 0 : 1;
}

} // namespace mlir::mirage

#endif // MIRAGE_TOOLS_MIRAGE_CACHE_MERGECACHES_H
