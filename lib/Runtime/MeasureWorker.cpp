//===- MeasureWorker.cpp - The process that a candidate runs in -----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Runtime/MeasureWorker.h"
#include "GraphTimer.h"
#include "Mirage/Reference/NpyFile.h"
#include "Mirage/Runtime/TensorBytes.h"
#include "WorkerJob.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <fcntl.h>
#include <unistd.h>
#ifdef __linux__
#include <csignal>
#include <sys/prctl.h>
#endif

using namespace mlir::mirage;
using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

namespace {
/// Lines for whoever started this.
class Speaker {
public:
  /// \param log  a descriptor, which is closed in the end.
  explicit Speaker(int log) : os(log, /*shouldClose=*/true) {}

  void say(std::initializer_list<Object::KV> members) {
    os << Value(Object(members)) << '\n';
    os.flush();
    last = Clock::now();
  }
  void begin(unsigned number, const llvm::Twine &step) {
    say({{"begin", number}, {"step", step.str()}});
  }
  /// Says something if nothing was said for a second.
  void beat() {
    if (Clock::now() - last > std::chrono::seconds(1))
      say({{"alive", true}});
  }

private:
  using Clock = std::chrono::steady_clock;
  llvm::raw_fd_ostream os;
  Clock::time_point last = Clock::now();
};

struct LoadedEntrant {
  unsigned number;
  Artifact artifact;
  std::unique_ptr<CudaProgram> program;
  std::optional<TimedGraph> hot, cold;
};

/// Does one job. Methods fail with an error of the program that was begun last.
class Worker {
public:
  Worker(const WorkerJob &job, int log) : speaker(log), job(job) {}

  llvm::Error open() {
    llvm::Expected<std::unique_ptr<CudaDevice>> opened =
        CudaDevice::open(job.ordinal);
    if (!opened)
      return opened.takeError();
    device = std::move(*opened);
    if (llvm::Error error = device->makeCurrent())
      return error;
    speaker.say({{"device", device->getName()},
                 {"computeCapability", device->getComputeCapability()},
                 {"driver", device->getDriverVersion()}});
    return llvm::Error::success();
  }

  llvm::Error run() {
    for (const JobProgram &program : job.programs)
      if (llvm::Error error = load(program))
        return error;
    return job.rounds == 0 ? runEach() : timeAll();
  }

  Speaker speaker;
  unsigned current = 0; ///< whose turn it is

private:
  void begin(unsigned number, const llvm::Twine &step) {
    current = number;
    speaker.begin(number, step);
  }

  llvm::Error load(const JobProgram &program) {
    begin(program.number, "loading");
    llvm::Expected<Artifact> artifact = readArtifact(program.artifact);
    if (!artifact)
      return artifact.takeError();
    // Behind a pointer: the program refers to the artifact.
    auto entrant = std::make_unique<LoadedEntrant>();
    entrant->number = program.number;
    entrant->artifact = std::move(*artifact);
    auto loaded =
        CudaProgram::load(*device, entrant->artifact, program.library);
    if (!loaded)
      return loaded.takeError();
    entrant->program = std::move(*loaded);
    entrants.push_back(std::move(entrant));
    return llvm::Error::success();
  }

  std::vector<HostTensor> makeInputs(const Artifact &artifact) {
    std::vector<HostTensor> inputs;
    for (auto [number, tensor] : llvm::enumerate(artifact.inputs)) {
      speaker.beat();
      inputs.push_back(makeRandomInput(tensor, artifact.program, number,
                                       job.seed, /*threads=*/0));
    }
    return inputs;
  }

  llvm::Error writeOutputs(unsigned number,
                           llvm::ArrayRef<HostTensor> outputs) {
    for (auto [output, tensor] : llvm::enumerate(outputs))
      if (llvm::Error error =
              writeNpy(getOutputFile(job, number, output), tensor))
        return error;
    speaker.say({{"ran", number}});
    return llvm::Error::success();
  }

  llvm::Error runEach() {
    for (const auto &entrant : entrants) {
      std::vector<HostTensor> inputs = makeInputs(entrant->artifact);
      auto outputs =
          entrant->program->runOneByOne(inputs, [&](llvm::StringRef kernel) {
            begin(entrant->number, "kernel " + kernel);
          });
      if (!outputs)
        return outputs.takeError();
      if (llvm::Error error = writeOutputs(entrant->number, *outputs))
        return error;
    }
    return llvm::Error::success();
  }

  /// All use the same tensors: theirs are the same, and L2 is too small for
  /// several sets anyway.
  llvm::Error timeAll() {
    const LoadedEntrant &first = *entrants.front();
    llvm::Expected<TimedTensors> tensors =
        TimedTensors::make(*first.program, makeInputs(first.artifact));
    if (!tensors)
      return tensors.takeError();
    GraphTimer timer(device->getDriver());
    if (llvm::Error error = timer.start())
      return error;
    for (unsigned round = 0; round < job.rounds; ++round)
      for (const auto &entrant : entrants)
        if (llvm::Error error = timeRound(*entrant, *tensors, timer))
          return error;
    return llvm::Error::success();
  }

  llvm::Error timeRound(LoadedEntrant &entrant, const TimedTensors &tensors,
                        GraphTimer &timer) {
    begin(entrant.number, "timing");
    const CudaProgram::Impl &impl = entrant.program->getImpl();
    const CudaTensors &first = tensors.getFirst();
    if (llvm::Error error = first.clearOutputs(impl))
      return error;
    llvm::Expected<std::vector<double>> hot =
        time(entrant, entrant.hot, tensors.getHot(job.runsPerReplay), timer);
    if (!hot)
      return hot.takeError();
    llvm::Expected<std::vector<double>> cold =
        time(entrant, entrant.cold, tensors.getCold(), timer);
    if (!cold)
      return cold.takeError();
    llvm::Expected<std::vector<HostTensor>> outputs = first.readOutputs(impl);
    if (!outputs)
      return outputs.takeError();
    speaker.say({{"times", entrant.number},
                 {"hotUs", Array(*hot)},
                 {"coldUs", Array(*cold)},
                 {"tensorBytes", tensors.getTensorBytes()},
                 {"coldCopies", tensors.getNumCopies()}});
    return writeOutputs(entrant.number, *outputs);
  }

  llvm::Expected<std::vector<double>>
  time(const LoadedEntrant &entrant, std::optional<TimedGraph> &graph,
       llvm::ArrayRef<const CudaTensors *> sets, GraphTimer &timer) {
    if (!graph) {
      llvm::Expected<TimedGraph> captured =
          timer.capture(*entrant.program, sets);
      if (!captured)
        return captured.takeError();
      graph = std::move(*captured);
    }
    constexpr unsigned kWarmUps = 3;
    if (llvm::Error error = timer.warmUp(*graph, kWarmUps))
      return std::move(error);
    std::vector<double> samples;
    for (unsigned i = 0; i < job.replays; ++i) {
      speaker.beat();
      llvm::Expected<double> timeUs = timer.time(*graph);
      if (!timeUs)
        return timeUs.takeError();
      samples.push_back(*timeUs);
    }
    return samples;
  }

  const WorkerJob &job;
  std::unique_ptr<CudaDevice> device;
  std::vector<std::unique_ptr<LoadedEntrant>> entrants;
};
} // namespace

/// A worker whose Measurer is gone has nobody to stop it.
static void endWithParent(int64_t parent) {
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
  if (getppid() != parent)
    _exit(1);
}

/// Lets whatever is printed from now on go to standard error.
/// \returns a descriptor of what standard output was, or an error.
static llvm::Expected<int> takeStandardOutput() {
  int log = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (log >= 0 && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0)
    return log;
  return llvm::errorCodeToError(llvm::errnoAsErrorCode());
}

int mlir::mirage::runMeasureWorker(llvm::StringRef jobFile) {
  llvm::Expected<WorkerJob> job = readWorkerJob(jobFile);
  if (!job) {
    llvm::errs() << llvm::toString(job.takeError()) << '\n';
    return 2;
  }
  endWithParent(job->parent);
  llvm::Expected<int> log = takeStandardOutput();
  if (!log) {
    llvm::errs() << "standard output: " << llvm::toString(log.takeError())
                 << '\n';
    return 2;
  }
  Worker worker(*job, *log);
  if (llvm::Error error = worker.open())
    worker.speaker.say({{"error", llvm::toString(std::move(error))}});
  else if (llvm::Error error = worker.run())
    worker.speaker.say({{"failed", worker.current},
                        {"reason", llvm::toString(std::move(error))}});
  else
    worker.speaker.say({{"done", true}});
  return 0;
}
