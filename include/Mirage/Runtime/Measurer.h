//===- Measurer.h - Which of several artifacts is the fastest - -*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Artifacts of one program race on a GPU. None of them is trusted: they run in
// processes of their own (workers), which may die or hang.
//
//   1. Alone: each runs once in a fresh worker. What it computes is compared
//      here with the program in float64; whoever is wrong, fails, dies or
//      hangs takes no further part.
//   2. Together: the right ones are loaded by one worker, which times them by
//      turns, in rounds, so that a GPU that grows warmer or slower does so for
//      all. Each round has replays of a CUDA graph, hot and cold
//      (Mirage/Runtime/CudaDevice.h). If the worker ends early, the one whose
//      turn it was drops out, and another worker starts over with the rest.
//   3. What each left behind in its last run is compared again: times of one
//      that is right only at first do not count. One that is wrong here, or
//      that the driver refuses in company, is timed once more alone: another
//      may have written into its tensors, or used up the memory.
//   4. Whose quartiles lie further apart than a limit, or who was faster
//      cold than hot by more than that, is timed again, with the baseline.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_RUNTIME_MEASURER_H
#define MIRAGE_RUNTIME_MEASURER_H

#include "Mirage/Runtime/CudaDevice.h"
#include <functional>

namespace mlir::mirage {

/// One that takes part.
struct Entrant {
  std::string name;     ///< for messages
  std::string artifact; ///< its folder
  LibraryUse library = LibraryUse::Auto;
  bool isBaseline = false;
};

enum class RankedBy : uint8_t { Cold, Hot };

struct MeasurerOptions {
  /// The program to start as a worker: mirage-run, which has a hidden option
  /// for it (Mirage/Runtime/MeasureWorker.h).
  std::string worker;
  int ordinal = 0;   ///< of the GPU
  uint64_t seed = 1; ///< of the random inputs
  unsigned rounds = 5;
  unsigned replaysPerRound = 20; ///< hot, and as many cold
  unsigned runsPerReplay = 20;   ///< hot
  double maxSpread = 0.1;        ///< (upper - lower quartile) / median
  unsigned maxRepeats = 2;       ///< of suspicious times
  /// A worker that is silent for so long hangs. It speaks before each launch
  /// of the first run, and between replays.
  double timeoutS = 60;
  /// So long, or `timeoutS` where that is more, it may take until it has opened
  /// the GPU and speaks at all.
  double startTimeoutS = 60;
  RankedBy rankedBy = RankedBy::Cold;
  unsigned threads = 0; ///< of the host, for the reference; 0: all
  /// Asked while workers run; true ends them, and the race with an error. Who
  /// can say so hears of signals himself: their handlers stay as they are.
  std::function<bool()> isCancelled;
};

/// What came of one entrant.
struct EntrantResult {
  MeasuredVerdict verdict = MeasuredVerdict::Right;
  std::string reason;       ///< why it is not right; else empty
  double relativeError = 0; ///< against float64, the largest of its outputs
  std::optional<CudaTimes> times;
  unsigned repeats = 0;
  bool isNoisy = false; ///< still suspicious after all repeats
};

struct Measurements {
  std::string deviceName;
  int computeCapability = 0, driverVersion = 0; ///< as CudaDevice has them
  std::vector<EntrantResult> results;           ///< in the order of entrants
  /// Those with times, the fastest first; among equals the earlier entrant.
  std::vector<unsigned> ranking;
};

class Measurer {
public:
  /// \param entrants  in the order in which they take turns.
  Measurer(std::vector<Entrant> entrants, MeasurerOptions options);
  ~Measurer();

  /// Fails where nothing can be measured at all: no device, an artifact that
  /// cannot be read, entrants that are not of one program or bind other
  /// tensors, no worker. Whatever comes of it, no process and no file is left.
  /// That holds for SIGHUP, SIGINT and SIGTERM too, which wait meanwhile, and
  /// take effect once all is removed; of what SIGKILL ends, files are left.
  /// One at a time in a process.
  llvm::Expected<Measurements> run();

private:
  struct Race;
  std::vector<Entrant> entrants;
  MeasurerOptions options;
};

} // namespace mlir::mirage

#endif // MIRAGE_RUNTIME_MEASURER_H
