//===- MeasuredTime.h - What measuring said of an artifact ---- -*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Times go from the machine with the GPU to the one that searches as lines of
// JSON, one for each artifact that took part, right or not:
//
//   {"format":"mirage-time","version":2,
//    "program":"5f0c...","graph":"07d2...","artifact":"93a1...",
//    "baseline":false,
//    "device":"NVIDIA H200","computeCapability":90,"driver":13000,
//    "library":false,
//    "verdict":"right","reason":"","noisy":false,
//    "hotUs":{"low":7.1,"median":7.2,"high":7.2},
//    "coldUs":{"low":9.8,"median":9.9,"high":10.1}}
//
// "program" and "artifact" are hashes of these (Mirage/Artifact/Bundle.h),
// "graph" that of the µGraph that the search found for the program
// (Mirage/Graph/CanonicalGraph.h; empty for the baseline, and where nobody
// said). What is not right has a reason and no times.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_ARTIFACT_MEASUREDTIME_H
#define MIRAGE_ARTIFACT_MEASUREDTIME_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <optional>
#include <string>
#include <vector>

namespace mlir::mirage {

/// Half of the samples lie from `low` to `high`.
struct Quartiles {
  double low = 0, median = 0, high = 0;

  /// (high − low) / median; 0 where the median is.
  double getSpread() const;
};

/// \param samples  at least one.
Quartiles getQuartiles(std::vector<double> samples);
llvm::json::Value toJSON(const Quartiles &quartiles);

enum class MeasuredVerdict : uint8_t {
  Right,  ///< it computed what the program does, before and after it was timed
  Wrong,  ///< it did not
  Failed, ///< the device or its driver refused it, or stopped it
  Died,   ///< the process that ran it ended
  Hung,   ///< nothing came of it in time
};
llvm::StringRef getVerdictName(MeasuredVerdict verdict); // "right", "wrong"

/// One line.
struct MeasuredTime {
  std::string program, graph, artifact; ///< hashes
  bool isBaseline = false;
  std::string device;
  int computeCapability = 0;
  int driverVersion = 0;    ///< 13000: of CUDA 13.0
  bool usesLibrary = false; ///< for launches that it has a call for
  MeasuredVerdict verdict = MeasuredVerdict::Right;
  std::string reason;      ///< why it is not right; else empty
  bool isNoisy = false;    ///< times differed too much, time and again
  Quartiles hotUs, coldUs; ///< of one run; zeros where it is not right
};

llvm::json::Value toJSON(const MeasuredTime &time);

/// Reads one line. Errors name the member, with what was expected and found.
llvm::Expected<MeasuredTime> parseMeasuredTime(llvm::StringRef line);

/// Writes the lines; replaces a file that is there.
llvm::Error writeMeasuredTimes(llvm::StringRef path,
                               llvm::ArrayRef<MeasuredTime> times);

/// Reads lines. Errors are one sentence with the file, the line, the member,
/// and what was expected and found.
/// \param program  hash of the one whose times they must be; empty: of any one.
llvm::Expected<std::vector<MeasuredTime>>
readMeasuredTimes(llvm::StringRef path, llvm::StringRef program = "");

} // namespace mlir::mirage

#endif // MIRAGE_ARTIFACT_MEASUREDTIME_H
