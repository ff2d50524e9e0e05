//===- WorkerJob.h - What Measurer and worker tell each other - -*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The job is a file. What the worker has to say are lines of another, which it
// is started with as its standard output. The programs that it runs print as
// well, on a GPU too: so the worker keeps that file to itself, and what is
// printed goes to standard error. A line has one of these members:
//
//   {"device": "NVIDIA H200", "computeCapability": 90, "driver": 13000}
//   {"error": "..."}             nothing can be done; the worker ends
//   {"begin": 3, "step": "kernel softmax_0"}    about to do this for program 3
//   {"alive": true}              still at it
//   {"failed": 3, "reason": "..."}   an error of program 3; the worker ends
//   {"ran": 3}                   its outputs are in files (getOutputFile)
//   {"times": 3, "hotUs": [...], "coldUs": [...], "tensorBytes": 100,
//    "coldCopies": 64}           of one round
//   {"done": true}               all of the job
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_RUNTIME_WORKERJOB_H
#define MIRAGE_LIB_RUNTIME_WORKERJOB_H

#include "Mirage/Runtime/CudaDevice.h"
#include "llvm/Support/JSON.h"
#include <map>

namespace mlir::mirage {

struct JobProgram {
  unsigned number = 0; ///< of the entrant
  std::string artifact;
  LibraryUse library = LibraryUse::Auto;
};

struct WorkerJob {
  std::string folder; ///< for outputs
  int64_t parent = 0; ///< process id of whoever started the worker
  int ordinal = 0;
  uint64_t seed = 1;
  unsigned rounds = 0; ///< 0: each program runs once, and is not timed
  unsigned replays = 0, runsPerReplay = 0;
  std::vector<JobProgram> programs;
};

llvm::json::Value toJSON(const WorkerJob &job);
llvm::Expected<WorkerJob> readWorkerJob(llvm::StringRef path);

/// Where the worker leaves an output of a program.
std::string getOutputFile(const WorkerJob &job, unsigned number,
                          unsigned output);

/// What a worker said of one program.
struct WorkerTimes {
  std::vector<double> hotUs, coldUs; ///< of all rounds
  int64_t tensorBytes = 0;
  unsigned coldCopies = 0;
};

/// What a worker said, up to where it ended.
struct WorkerLog {
  std::string deviceName;
  int computeCapability = 0, driverVersion = 0;
  std::string error;
  bool isDone = false;
  std::optional<unsigned> begun;            ///< the last one
  std::string step;                         ///< of that one
  std::map<unsigned, std::string> failures; ///< reasons
  std::vector<unsigned> ran;
  std::map<unsigned, WorkerTimes> times;
};

/// A line that is no whole one, none of those above, or about a program that
/// the job does not have, is left out: the worker may have ended anywhere.
WorkerLog parseWorkerLog(llvm::StringRef text, const WorkerJob &job);

} // namespace mlir::mirage

#endif // MIRAGE_LIB_RUNTIME_WORKERJOB_H
