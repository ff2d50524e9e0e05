//===- WorkerProcess.h - Starts a worker and waits for it ----- -*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_RUNTIME_WORKERPROCESS_H
#define MIRAGE_LIB_RUNTIME_WORKERPROCESS_H

#include "Mirage/Graph/TemporaryFolder.h"
#include "WorkerJob.h"
#include <functional>

namespace mlir::mirage {

enum class WorkerEnd : uint8_t { Finished, Died, Hung };

struct WorkerOutcome {
  WorkerEnd end = WorkerEnd::Finished;
  std::string how; ///< it died: "Killed", "exit status 3"
  WorkerLog log;
};

/// For how long a worker may run.
struct WorkerLimits {
  /// In seconds, until its first line: it starts a process and a driver.
  double startS;
  double silenceS; ///< and without another line from then on
  /// Whether nobody waits for it any more; null: somebody does.
  std::function<bool()> isCancelled;
};

/// Runs a job to its end, or to the worker's. A worker that says nothing for
/// longer than its limits is killed.
/// \returns an error where no process can be started, where it was cancelled,
/// or a signal came that is to stop this one (StopSignals.h).
llvm::Expected<WorkerOutcome> runWorker(llvm::StringRef program,
                                        const WorkerJob &job,
                                        const TemporaryFolder &folder,
                                        const WorkerLimits &limits);

} // namespace mlir::mirage

#endif // MIRAGE_LIB_RUNTIME_WORKERPROCESS_H
