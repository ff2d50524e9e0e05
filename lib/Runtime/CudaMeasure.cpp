//===- CudaMeasure.cpp - Times of an artifact on a GPU --------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One CUDA graph holds many runs, so that the host's part of a launch is not
// timed. What fits stays in the L2 cache when runs use the same tensors; that
// is the hot time. For the cold one, runs take copies in turn that together
// exceed four times the L2 cache, as weights do in a real model.
//
//===----------------------------------------------------------------------===//

#include "BindingCheck.h"
#include "CudaProgramImpl.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::mirage;
using namespace mlir::mirage::cuda;

namespace {
/// The times of replays of one graph, per run.
struct Replays {
  double medianUs = 0, lowUs = 0, highUs = 0;
};

class Measurement {
public:
  Measurement(const CudaProgram &program, const Driver &driver)
      : program(program), driver(driver), stream(driver) {}

  llvm::Error start() {
    return driver.check(driver.streamCreate(stream.receive(), kNonBlocking),
                        "creating a stream");
  }

  /// Times one graph in which run i uses sets[i].
  llvm::Expected<Replays> time(llvm::ArrayRef<const CudaTensors *> sets,
                               unsigned replays) {
    GraphExec executable(driver);
    // A library may load its code at the first call, which no capture is for.
    if (llvm::Error error = program.enqueue(stream.get(), sets[0]->getInputs(),
                                            sets[0]->getOutputs()))
      return std::move(error);
    if (llvm::Error error = capture(sets, executable))
      return std::move(error);
    constexpr unsigned kWarmUps = 5;
    for (unsigned i = 0; i < kWarmUps; ++i)
      if (llvm::Error error = launch(executable))
        return std::move(error);
    std::vector<double> times;
    for (unsigned i = 0; i < replays; ++i) {
      llvm::Expected<double> timeUs = timeOnce(executable);
      if (!timeUs)
        return timeUs.takeError();
      times.push_back(*timeUs / sets.size());
    }
    llvm::sort(times);
    return Replays{times[times.size() / 2], times[times.size() / 4],
                   times[times.size() * 3 / 4]};
  }

private:
  static constexpr unsigned kNonBlocking = 1;   // CU_STREAM_NON_BLOCKING
  static constexpr int kCaptureThreadLocal = 1; // ..._MODE_THREAD_LOCAL

  llvm::Error capture(llvm::ArrayRef<const CudaTensors *> sets,
                      GraphExec &executable) {
    CapturedGraph graph(driver);
    if (llvm::Error error = driver.check(
            driver.streamBeginCapture(stream.get(), kCaptureThreadLocal),
            "capturing a CUDA graph"))
      return error;
    llvm::Error failed = llvm::Error::success();
    for (const CudaTensors *set : sets)
      if (!failed)
        failed =
            program.enqueue(stream.get(), set->getInputs(), set->getOutputs());
    CUresult result = driver.streamEndCapture(stream.get(), graph.receive());
    if (failed)
      return failed;
    if (result == 0)
      result = driver.graphInstantiate(executable.receive(), graph.get(), 0);
    return driver.check(result, "making a CUDA graph");
  }

  llvm::Error launch(const GraphExec &executable) {
    CUresult result = driver.graphLaunch(executable.get(), stream.get());
    if (result == 0)
      result = driver.streamSynchronize(stream.get());
    return driver.check(result, "replaying a CUDA graph");
  }

  llvm::Expected<double> timeOnce(const GraphExec &executable) {
    Event begin(driver), end(driver);
    float milliseconds = 0;
    CUresult result = driver.eventCreate(begin.receive(), 0);
    if (result == 0)
      result = driver.eventCreate(end.receive(), 0);
    if (result == 0)
      result = driver.eventRecord(begin.get(), stream.get());
    if (result == 0)
      result = driver.graphLaunch(executable.get(), stream.get());
    if (result == 0)
      result = driver.eventRecord(end.get(), stream.get());
    if (result == 0)
      result = driver.eventSynchronize(end.get());
    if (result == 0)
      result = driver.eventElapsedTime(&milliseconds, begin.get(), end.get());
    if (llvm::Error error = driver.check(result, "timing a CUDA graph"))
      return std::move(error);
    return milliseconds * 1e3;
  }

  const CudaProgram &program;
  const Driver &driver;
  Stream stream;
};
} // namespace

static int64_t countBytes(const Artifact &artifact) {
  int64_t bytes = 0;
  for (const ArtifactTensor &tensor :
       llvm::concat<const ArtifactTensor>(artifact.inputs, artifact.outputs))
    bytes += tensor.getSizeBytes();
  return bytes;
}

/// Enough copies for four times the L2 cache, within reason.
static unsigned countCopies(int64_t tensorBytes, int64_t l2Bytes) {
  int64_t copies = (4 * l2Bytes + tensorBytes - 1) / tensorBytes;
  return std::clamp<int64_t>(copies, 2, 64);
}

llvm::Expected<CudaTimes>
CudaProgram::measure(llvm::ArrayRef<HostTensor> inputs,
                     const CudaMeasureOptions &options) const {
  if (llvm::Error error = checkBinding(impl->artifact, inputs))
    return std::move(error);
  CudaTimes times;
  times.tensorBytes = countBytes(impl->artifact);
  times.coldCopies = countCopies(times.tensorBytes, impl->device.getL2Bytes());
  std::vector<CudaTensors> copies;
  std::vector<const CudaTensors *> cold;
  for (unsigned copy = 0; copy < times.coldCopies; ++copy) {
    llvm::Expected<CudaTensors> tensors = CudaTensors::make(*impl, inputs);
    if (!tensors)
      return tensors.takeError();
    copies.push_back(std::move(*tensors));
  }
  for (const CudaTensors &tensors : copies)
    cold.push_back(&tensors);
  std::vector<const CudaTensors *> hot(options.runsPerReplay, cold.front());
  Measurement measurement(*this, impl->driver);
  if (llvm::Error error = measurement.start())
    return std::move(error);
  llvm::Expected<Replays> hotTimes = measurement.time(hot, options.replays);
  if (!hotTimes)
    return hotTimes.takeError();
  llvm::Expected<Replays> coldTimes = measurement.time(cold, options.replays);
  if (!coldTimes)
    return coldTimes.takeError();
  times.hotUs = hotTimes->medianUs;
  times.hotLowUs = hotTimes->lowUs;
  times.hotHighUs = hotTimes->highUs;
  times.coldUs = coldTimes->medianUs;
  times.coldLowUs = coldTimes->lowUs;
  times.coldHighUs = coldTimes->highUs;
  return times;
}
