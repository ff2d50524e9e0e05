//===- MergeCheckpoints.h - Joins checkpoints, as a command -----*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TOOLS_MIRAGE_CHECKPOINT_MERGECHECKPOINTS_H
#define MIRAGE_TOOLS_MIRAGE_CHECKPOINT_MERGECHECKPOINTS_H

#include "../CommandLine.h"
#include "../StandardOutput.h"
#include "Mirage/Search/Checkpoint.h"

namespace mlir::mirage {

/// Joins the checkpoints `inputs` of shards of a search, and what `output` has
/// of it, to `output`, and prints how many records that has. \returns the exit
/// code of `tool`, which is `badUsage` where its arguments say nothing that can
/// be done.
inline int runMergeCheckpoints(llvm::StringRef tool, const std::string &output,
                               const std::vector<std::string> &inputs,
                               int badUsage = kBadUsage) {
  if (llvm::Error error = expectOnce(output, inputs)) {
    reportError(tool, std::move(error));
    return badUsage;
  }
  llvm::Expected<uint64_t> numRecords =
      search::mergeCheckpoints(output, inputs);
  if (!numRecords)
    return reportError(tool, numRecords.takeError());
  llvm::outs() << *numRecords << " records\n";
  return finishOutput(tool) ? 0 : 1;
}

} // namespace mlir::mirage

#endif // MIRAGE_TOOLS_MIRAGE_CHECKPOINT_MERGECHECKPOINTS_H
