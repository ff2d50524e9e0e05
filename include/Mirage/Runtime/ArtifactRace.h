//===- ArtifactRace.h - Races of the artifacts of a bundle ------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From a bundle (Mirage/Artifact/Bundle.h), or from one artifact and a baseline
// that it has to beat, to measured times (Mirage/Artifact/MeasuredTime.h). The
// Measurer does the measuring; here is decided who takes part.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_RUNTIME_ARTIFACTRACE_H
#define MIRAGE_RUNTIME_ARTIFACTRACE_H

#include "Mirage/Artifact/MeasuredTime.h"
#include "Mirage/Runtime/Measurer.h"

namespace mlir::mirage {

struct RaceOptions {
  std::string path;     ///< of a bundle, or of an artifact
  std::string baseline; ///< of an artifact that the other has to beat
  /// Artifacts with calls of cuBLASLt take part with the library and without
  /// it; or only in the one way that is asked for.
  LibraryUse library = LibraryUse::Auto;
  MeasurerOptions measurer;
};

/// Everybody who takes part, the baseline first, and what is known of each.
struct RaceField {
  std::vector<Entrant> entrants;
  std::vector<std::string> hashes; ///< getArtifactHash, by entrant
  /// Hashes of µGraphs, by entrant; empty where no bundle says.
  std::vector<std::string> graphs;
  std::string program; ///< hashProgram
  std::string target;  ///< of the artifact that was added last
};

/// Fails where the bundle or an artifact cannot be read, or is of another
/// program or target than bundle.json says.
llvm::Expected<RaceField> collectEntrants(const RaceOptions &options);

struct RaceResult {
  std::vector<Entrant> entrants;
  Measurements measured;           ///< results are by entrant
  std::vector<MeasuredTime> times; ///< by entrant

  /// Whether one that is no baseline was right.
  bool isAnyRight() const;
};

/// Measures all of them, and leaves the times in a bundle's times.jsonl. Fails
/// where collectEntrants or Measurer::run does, and, before anything is
/// measured, where that file cannot be written.
llvm::Expected<RaceResult> runRace(const RaceOptions &options);

} // namespace mlir::mirage

#endif // MIRAGE_RUNTIME_ARTIFACTRACE_H
