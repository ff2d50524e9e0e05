//===- WorkerProcess.cpp - Starts a worker and waits for it ---------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WorkerProcess.h"
#include "Mirage/Graph/WholeFiles.h"
#include "Mirage/Runtime/MeasureWorker.h"
#include "StopSignals.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

using namespace mlir::mirage;
namespace sys = llvm::sys;

//===----------------------------------------------------------------------===//
// Processes
//===----------------------------------------------------------------------===//

static std::string readFile(llvm::StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false,
                                            /*IsVolatile=*/true);
  return buffer ? (*buffer)->getBuffer().str() : "";
}

static std::string getLastLine(llvm::StringRef text) {
  return text.trim().rsplit('\n').second.empty()
             ? text.trim().str()
             : text.trim().rsplit('\n').second.str();
}

static uint64_t getFileSize(llvm::StringRef path) {
  uint64_t size = 0;
  return sys::fs::file_size(path, size) ? 0 : size;
}

namespace {
/// Watches whether a log grows.
class SilenceClock {
public:
  SilenceClock(llvm::StringRef log, const WorkerLimits &limits)
      : log(log), limits(limits) {}

  /// Whether the log has not grown for longer than it may. A look that comes
  /// late counts for little: where this process had to wait, the other had to.
  bool hasRunOut() {
    constexpr std::chrono::duration<double> kMaxStep(0.05);
    Clock::time_point now = Clock::now();
    silence += std::min<std::chrono::duration<double>>(now - last, kMaxStep);
    last = now;
    if (uint64_t current = getFileSize(log); current != size) {
      size = current;
      silence = silence.zero();
    }
    return silence.count() > (size == 0 ? limits.startS : limits.silenceS);
  }

private:
  using Clock = std::chrono::steady_clock;
  llvm::StringRef log;
  const WorkerLimits &limits;
  Clock::time_point last = Clock::now();
  std::chrono::duration<double> silence{0};
  uint64_t size = 0;
};
} // namespace

static bool isCancelled(const WorkerLimits &limits) {
  return limits.isCancelled && limits.isCancelled();
}

static llvm::Error explainStop(const WorkerLimits &limits) {
  if (int signal = StopSignals::getReceived())
    return llvm::createStringError(llvm::Twine("stopped by a signal: ") +
                                   strsignal(signal));
  return isCancelled(limits) ? llvm::createStringError("cancelled")
                             : llvm::Error::success();
}

/// Waits for a process as long as its log grows, and nobody wants this one to
/// end. \returns false if it was killed because of that.
static bool waitFor(sys::ProcessInfo &process, llvm::StringRef log,
                    const WorkerLimits &limits, std::string &how) {
  SilenceClock clock(log, limits);
  while (true) {
    sys::ProcessInfo ended = sys::Wait(process, /*SecondsToWait=*/0, &how,
                                       /*ProcStat=*/nullptr, /*Polling=*/true);
    if (ended.Pid != 0) {
      if (how.empty() && ended.ReturnCode != 0)
        how = "exit status " + std::to_string(ended.ReturnCode);
      return true;
    }
    if (clock.hasRunOut() || StopSignals::getReceived() || isCancelled(limits))
      break;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  kill(process.Pid, SIGKILL);
  sys::Wait(process, /*SecondsToWait=*/std::nullopt, &how);
  return false;
}

llvm::Expected<WorkerOutcome>
mlir::mirage::runWorker(llvm::StringRef program, const WorkerJob &job,
                        const TemporaryFolder &folder,
                        const WorkerLimits &limits) {
  if (llvm::Error error = explainStop(limits))
    return std::move(error);
  std::string jobFile = folder.getFile("job.json");
  std::string logFile = folder.getFile("log.jsonl");
  std::string errorFile = folder.getFile("stderr");
  sys::fs::remove(logFile);
  std::string text = llvm::formatv("{0}\n", toJSON(job));
  if (llvm::Error error = writeWholeFile(jobFile, {text}))
    return std::move(error);
  std::string option = (kMeasureWorkerOption + jobFile).str();
  llvm::StringRef arguments[] = {program, option};
  std::optional<llvm::StringRef> redirects[] = {"", logFile, errorFile};
  std::string how;
  bool hasFailed = false;
  sys::ProcessInfo process =
      sys::ExecuteNoWait(program, arguments, std::nullopt, redirects,
                         /*MemoryLimit=*/0, &how, &hasFailed);
  if (hasFailed || process.Pid == 0)
    return llvm::createStringError(program + ": cannot be started as a worker" +
                                   (how.empty() ? "" : ": " + how));
  WorkerOutcome outcome;
  bool isInTime = waitFor(process, logFile, limits, how);
  // It may have ended the worker, too.
  if (llvm::Error error = explainStop(limits))
    return std::move(error);
  outcome.log = parseWorkerLog(readFile(logFile), job);
  if (!isInTime) {
    outcome.end = WorkerEnd::Hung;
  } else if (!how.empty()) {
    outcome.end = WorkerEnd::Died;
    std::string said = getLastLine(readFile(errorFile));
    outcome.how = how + (said.empty() ? "" : ", after: " + said);
  }
  return outcome;
}
