//===- WorkerProcess.h - Starts a worker and waits for it ----- -*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_RUNTIME_WORKERPROCESS_H
#define MIRAGE_LIB_RUNTIME_WORKERPROCESS_H

#include "WorkerJob.h"

namespace mlir::mirage {

/// A folder that is gone with its owner.
class TemporaryFolder {
public:
  static llvm::Expected<TemporaryFolder> make(llvm::StringRef prefix);
  TemporaryFolder(TemporaryFolder &&other);
  ~TemporaryFolder();

  llvm::StringRef getPath() const { return path; }
  std::string getFile(llvm::StringRef name) const;

private:
  explicit TemporaryFolder(std::string path) : path(std::move(path)) {}

  std::string path; ///< empty once moved
};

enum class WorkerEnd : uint8_t { Finished, Died, Hung };

struct WorkerOutcome {
  WorkerEnd end = WorkerEnd::Finished;
  std::string how; ///< it died: "Killed", "exit status 3"
  WorkerLog log;
};

/// For how long a worker may say nothing, in seconds.
struct WorkerLimits {
  double startS;   ///< until its first line: it starts a process and a driver
  double silenceS; ///< from then on
};

/// Runs a job to its end, or to the worker's. A worker that says nothing for
/// longer than its limits is killed.
/// \returns an error where no process can be started, or a signal came that is
/// to stop this one (StopSignals.h).
llvm::Expected<WorkerOutcome> runWorker(llvm::StringRef program,
                                        const WorkerJob &job,
                                        const TemporaryFolder &folder,
                                        const WorkerLimits &limits);

} // namespace mlir::mirage

#endif // MIRAGE_LIB_RUNTIME_WORKERPROCESS_H
