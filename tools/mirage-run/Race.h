//===- Race.h - Which artifact of several is the fastest ------ -*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TOOLS_MIRAGE_RUN_RACE_H
#define MIRAGE_TOOLS_MIRAGE_RUN_RACE_H

#include "Mirage/Runtime/Measurer.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::mirage {

struct RaceOptions {
  std::string path;     ///< of a bundle, or of an artifact
  std::string baseline; ///< of an artifact that the other has to beat
  /// Artifacts with calls of cuBLASLt take part with the library and without
  /// it; or only in the one way that is asked for.
  LibraryUse library = LibraryUse::Auto;
  bool json = false; ///< lines of JSON in place of a table
  MeasurerOptions measurer;
};

/// Measures all artifacts of a bundle, or an artifact and a baseline, says what
/// came of it, and leaves the times in a bundle's times.jsonl.
/// \returns whether one that is no baseline was right.
llvm::Expected<bool> runRace(const RaceOptions &options, llvm::raw_ostream &os);

} // namespace mlir::mirage

#endif // MIRAGE_TOOLS_MIRAGE_RUN_RACE_H
