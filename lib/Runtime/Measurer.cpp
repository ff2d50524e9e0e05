//===- Measurer.cpp - Which of several artifacts is the fastest -----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Runtime/Measurer.h"
#include "Mirage/Artifact/Bundle.h"
#include "Mirage/Graph/MachineMemory.h"
#include "Mirage/Reference/NpyFile.h"
#include "Mirage/Reference/OutputCheck.h"
#include "Mirage/Runtime/TensorBytes.h"
#include "StopSignals.h"
#include "WorkerProcess.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <unistd.h>

using namespace mlir::mirage;

//===----------------------------------------------------------------------===//
// One race
//===----------------------------------------------------------------------===//

/// What is known while entrants are measured.
struct Measurer::Race {
  explicit Race(const Measurer &measurer)
      : entrants(measurer.entrants), options(measurer.options) {
    measurements.results.resize(entrants.size());
  }

  llvm::Error prepare();
  llvm::Error run();

  Measurements measurements;

private:
  llvm::Error measureAll();
  llvm::Error runAlone(unsigned number);
  llvm::Error timeTogether(std::vector<unsigned> numbers);
  llvm::Error repeatSuspicious();
  void rank();
  EntrantResult &get(unsigned number) { return measurements.results[number]; }
  bool isRight(unsigned number) {
    return get(number).verdict == MeasuredVerdict::Right;
  }
  std::vector<unsigned> listRight();
  llvm::Error checkTensors(unsigned number, const Artifact &artifact) const;
  WorkerJob makeJob(llvm::ArrayRef<unsigned> numbers, unsigned rounds) const;
  llvm::Expected<WorkerOutcome> start(const WorkerJob &job);
  bool recordEnd(const WorkerOutcome &outcome);
  void dropOut(unsigned number, MeasuredVerdict verdict,
               const llvm::Twine &reason);
  void compareOutputs(const WorkerJob &job, unsigned number,
                      llvm::StringRef when);
  void recordTimes(const WorkerJob &job, const WorkerLog &log, unsigned number);
  void keepTimes(unsigned number, const WorkerTimes &times);
  bool isSuspicious(const CudaTimes &times) const;
  /// Not suspicious where the others are, or else less spread.
  bool isCloser(const CudaTimes &times, const CudaTimes &others) const;

  llvm::ArrayRef<Entrant> entrants;
  const MeasurerOptions &options;
  std::optional<TemporaryFolder> folder; ///< while workers run
  Artifact program; ///< the first entrant's: its tensors and its program
  std::vector<ReferenceOutput> reference;
  std::vector<F32Products> f32Products; ///< of the code, by entrant
};

/// Reads all artifacts, to see that they can race, and computes what they all
/// have to.
llvm::Error Measurer::Race::prepare() {
  for (unsigned number = 0; number < entrants.size(); ++number) {
    llvm::Expected<Artifact> artifact = readArtifact(entrants[number].artifact);
    if (!artifact)
      return artifact.takeError();
    f32Products.push_back(findF32Products(*artifact));
    if (number == 0)
      program = std::move(*artifact);
    else if (llvm::Error error = checkTensors(number, *artifact))
      return error;
  }
  if (llvm::Error error = checkEvaluable(program.program))
    return error;
  double bytes = countReferenceBytes(program.program);
  for (const ArtifactTensor &tensor : program.inputs)
    bytes += tensor.type.getSizeBytes();
  if (llvm::Error error = checkMemory("inputs and what the reference makes of "
                                      "them",
                                      bytes))
    return error;
  std::vector<HostTensor> inputs;
  for (auto [number, tensor] : llvm::enumerate(program.inputs))
    inputs.push_back(makeRandomInput(tensor, program.program, number,
                                     options.seed, options.threads));
  ReferenceOptions how;
  how.threads = options.threads;
  auto computed = evaluateReference(program.program, inputs, how);
  if (!computed)
    return computed.takeError();
  reference = std::move(*computed);
  return llvm::Error::success();
}

llvm::Error Measurer::Race::checkTensors(unsigned number,
                                         const Artifact &artifact) const {
  auto fail = [&](const llvm::Twine &message) {
    return llvm::createStringError(entrants[number].artifact + ": expects " +
                                   message + " of " + entrants[0].artifact +
                                   ", got another");
  };
  if (hashProgram(artifact.program) != hashProgram(program.program))
    return fail("the program");
  auto areSame = [](const ArtifactTensor &lhs, const ArtifactTensor &rhs) {
    return lhs.type == rhs.type && lhs.strides == rhs.strides;
  };
  for (auto [role, own, first] :
       {std::tuple("input", &artifact.inputs, &program.inputs),
        std::tuple("output", &artifact.outputs, &program.outputs)})
    for (auto [tensor, other] : llvm::zip_equal(*own, *first))
      if (!areSame(tensor, other))
        return fail(llvm::Twine("the shape and strides of ") + role + " " +
                    other.name);
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Workers
//===----------------------------------------------------------------------===//

WorkerJob Measurer::Race::makeJob(llvm::ArrayRef<unsigned> numbers,
                                  unsigned rounds) const {
  WorkerJob job;
  job.folder = folder->getPath().str();
  job.parent = getpid();
  job.ordinal = options.ordinal;
  job.seed = options.seed;
  job.rounds = rounds;
  job.replays = options.replaysPerRound;
  job.runsPerReplay = options.runsPerReplay;
  for (unsigned number : numbers)
    job.programs.push_back(
        {number, entrants[number].artifact, entrants[number].library});
  return job;
}

/// Runs a job. \returns an error where the worker could do nothing at all.
llvm::Expected<WorkerOutcome> Measurer::Race::start(const WorkerJob &job) {
  llvm::Expected<WorkerOutcome> outcome =
      runWorker(options.worker, job, *folder,
                {std::max(options.startTimeoutS, options.timeoutS),
                 options.timeoutS, options.isCancelled});
  if (!outcome)
    return outcome.takeError();
  if (!outcome->log.error.empty())
    return llvm::createStringError(outcome->log.error);
  if (!outcome->log.begun)
    return llvm::createStringError(
        options.worker + ": expects a worker that says what it does, got " +
        (outcome->end == WorkerEnd::Hung ? "nothing" : "its end") +
        (outcome->how.empty() ? "" : ": " + outcome->how));
  measurements.deviceName = outcome->log.deviceName;
  measurements.computeCapability = outcome->log.computeCapability;
  measurements.driverVersion = outcome->log.driverVersion;
  return outcome;
}

void Measurer::Race::dropOut(unsigned number, MeasuredVerdict verdict,
                             const llvm::Twine &reason) {
  EntrantResult &result = get(number);
  result.verdict = verdict;
  result.reason = reason.str();
  result.times.reset();
}

/// Records whose fault it is that a worker ended before its job did.
/// \returns whether it was anybody's.
bool Measurer::Race::recordEnd(const WorkerOutcome &outcome) {
  const WorkerLog &log = outcome.log;
  if (log.isDone) // and what the driver does later is nobody's fault
    return false;
  if (outcome.end == WorkerEnd::Hung)
    dropOut(*log.begun, MeasuredVerdict::Hung,
            llvm::formatv("{0}: expects a sign within {1} s, got none",
                          log.step, options.timeoutS)
                .str());
  else if (outcome.end == WorkerEnd::Died)
    dropOut(*log.begun, MeasuredVerdict::Died,
            log.step + ": the process ended: " + outcome.how);
  else if (!log.failures.empty())
    for (const auto &[number, reason] : log.failures)
      dropOut(number, MeasuredVerdict::Failed, reason);
  else
    return false;
  return true;
}

/// Compares what an entrant left behind in its last run.
void Measurer::Race::compareOutputs(const WorkerJob &job, unsigned number,
                                    llvm::StringRef when) {
  EntrantResult &result = get(number);
  for (auto [output, expected] : llvm::enumerate(reference)) {
    std::string file = getOutputFile(job, number, output);
    llvm::Expected<HostTensor> computed = readNpy(file, expected.type);
    if (!computed)
      return dropOut(number, MeasuredVerdict::Failed,
                     llvm::toString(computed.takeError()));
    OutputCheck check = checkOutput(expected, *computed, f32Products[number]);
    result.relativeError = std::max(result.relativeError, check.relativeError);
    if (!check.pass)
      return dropOut(number, MeasuredVerdict::Wrong,
                     "output " + program.outputs[output].name + when + ": " +
                         toString(check, expected.type.shape));
  }
}

llvm::Error Measurer::Race::runAlone(unsigned number) {
  WorkerJob job = makeJob(number, /*rounds=*/0);
  llvm::Expected<WorkerOutcome> outcome = start(job);
  if (!outcome)
    return outcome.takeError();
  if (!recordEnd(*outcome))
    compareOutputs(job, number, "");
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Times
//===----------------------------------------------------------------------===//

bool Measurer::Race::isSuspicious(const CudaTimes &times) const {
  return times.hotUs.getSpread() > options.maxSpread ||
         times.coldUs.getSpread() > options.maxSpread ||
         times.coldUs.median < (1 - options.maxSpread) * times.hotUs.median;
}

bool Measurer::Race::isCloser(const CudaTimes &times,
                              const CudaTimes &others) const {
  auto rank = [&](const CudaTimes &times) {
    return std::pair(isSuspicious(times), std::max(times.hotUs.getSpread(),
                                                   times.coldUs.getSpread()));
  };
  return rank(times) < rank(others);
}

/// Of times that were taken again, the closer ones count.
void Measurer::Race::keepTimes(unsigned number, const WorkerTimes &times) {
  CudaTimes taken{getQuartiles(times.hotUs), getQuartiles(times.coldUs),
                  times.tensorBytes, times.coldCopies};
  EntrantResult &result = get(number);
  if (!result.times || isCloser(taken, *result.times))
    result.times = taken;
  result.isNoisy = isSuspicious(*result.times);
}

/// Takes what a worker found out of an entrant that was timed to the end.
void Measurer::Race::recordTimes(const WorkerJob &job, const WorkerLog &log,
                                 unsigned number) {
  auto times = log.times.find(number);
  if (times == log.times.end() || times->second.hotUs.empty() ||
      times->second.coldUs.empty() || !llvm::is_contained(log.ran, number))
    return dropOut(number, MeasuredVerdict::Failed,
                   "expects times of the worker, got none");
  keepTimes(number, times->second);
  compareOutputs(job, number, " after it was timed");
}

llvm::Error Measurer::Race::timeTogether(std::vector<unsigned> numbers) {
  std::vector<unsigned> doubtful;
  while (!numbers.empty()) {
    WorkerJob job = makeJob(numbers, options.rounds);
    llvm::Expected<WorkerOutcome> outcome = start(job);
    if (!outcome)
      return outcome.takeError();
    if (recordEnd(*outcome)) {
      for (unsigned number : numbers)
        if (get(number).verdict == MeasuredVerdict::Failed &&
            numbers.size() > 1)
          doubtful.push_back(number);
      llvm::erase_if(numbers,
                     [&](unsigned number) { return !isRight(number); });
      continue;
    }
    for (unsigned number : numbers) {
      recordTimes(job, outcome->log, number);
      if (get(number).verdict == MeasuredVerdict::Wrong && numbers.size() > 1)
        doubtful.push_back(number);
    }
    break;
  }
  // Another one may have written into the tensors that they share, or used
  // up the memory.
  for (unsigned number : doubtful) {
    get(number) = EntrantResult();
    if (llvm::Error error = timeTogether({number}))
      return error;
  }
  return llvm::Error::success();
}

std::vector<unsigned> Measurer::Race::listRight() {
  std::vector<unsigned> numbers;
  for (unsigned number = 0; number < entrants.size(); ++number)
    if (isRight(number))
      numbers.push_back(number);
  return numbers;
}

llvm::Error Measurer::Race::repeatSuspicious() {
  for (unsigned repeat = 0; repeat < options.maxRepeats; ++repeat) {
    std::vector<unsigned> numbers;
    bool isAny = false;
    for (unsigned number : listRight()) {
      if (!get(number).isNoisy && !entrants[number].isBaseline)
        continue;
      numbers.push_back(number);
      isAny |= get(number).isNoisy;
    }
    if (!isAny)
      break;
    for (unsigned number : numbers)
      ++get(number).repeats;
    if (llvm::Error error = timeTogether(numbers))
      return error;
  }
  return llvm::Error::success();
}

void Measurer::Race::rank() {
  std::vector<std::pair<double, unsigned>> byTime;
  for (unsigned number : listRight()) {
    const CudaTimes &times = *get(number).times;
    byTime.push_back({options.rankedBy == RankedBy::Cold ? times.coldUs.median
                                                         : times.hotUs.median,
                      number});
  }
  llvm::sort(byTime);
  for (auto [time, number] : byTime)
    measurements.ranking.push_back(number);
}

llvm::Error Measurer::Race::measureAll() {
  for (unsigned number = 0; number < entrants.size(); ++number)
    if (llvm::Error error = runAlone(number))
      return error;
  if (llvm::Error error = timeTogether(listRight()))
    return error;
  return repeatSuspicious();
}

/// A signal that comes in between takes effect once there is no worker and no
/// folder any more. Before, there is none of these, and it just ends the
/// process.
llvm::Error Measurer::Race::run() {
  std::optional<StopSignals> signals;
  if (!options.isCancelled)
    signals.emplace();
  llvm::Expected<TemporaryFolder> made =
      TemporaryFolder::make("mirage-measure");
  if (!made)
    return made.takeError();
  folder.emplace(std::move(*made));
  llvm::Error error = measureAll();
  folder.reset();
  if (!error)
    rank();
  return error;
}

//===----------------------------------------------------------------------===//
// Measurer
//===----------------------------------------------------------------------===//

Measurer::Measurer(std::vector<Entrant> entrants, MeasurerOptions options)
    : entrants(std::move(entrants)), options(std::move(options)) {}
Measurer::~Measurer() = default;

llvm::Expected<Measurements> Measurer::run() {
  if (entrants.empty())
    return llvm::createStringError("expects an artifact to measure, got none");
  if (options.rounds == 0 || options.replaysPerRound == 0 ||
      options.runsPerReplay == 0)
    return llvm::createStringError(
        "expects at least one round, replay and run, got " +
        llvm::Twine(options.rounds) + ", " +
        llvm::Twine(options.replaysPerRound) + " and " +
        llvm::Twine(options.runsPerReplay));
  Race race(*this);
  if (llvm::Error error = race.prepare())
    return std::move(error);
  if (llvm::Error error = race.run())
    return std::move(error);
  return std::move(race.measurements);
}
