//===- RaceReport.h - What mirage-run says of a race ------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TOOLS_MIRAGE_RUN_RACEREPORT_H
#define MIRAGE_TOOLS_MIRAGE_RUN_RACEREPORT_H

#include "Mirage/Runtime/ArtifactRace.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::mirage {

/// A table, the fastest first; those that have no time have a reason.
void printText(const RaceResult &result, llvm::raw_ostream &os);
/// A line for each, as in times.jsonl.
void printJSON(const RaceResult &result, llvm::raw_ostream &os);

} // namespace mlir::mirage

#endif // MIRAGE_TOOLS_MIRAGE_RUN_RACEREPORT_H
