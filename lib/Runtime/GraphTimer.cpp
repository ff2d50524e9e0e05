//===- GraphTimer.cpp - Times of CUDA-graph replays -----------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphTimer.h"
#include "BindingCheck.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::mirage;
using namespace mlir::mirage::cuda;

static constexpr unsigned kNonBlocking = 1;   // CU_STREAM_NON_BLOCKING
static constexpr int kCaptureThreadLocal = 1; // ..._MODE_THREAD_LOCAL

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

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

llvm::Expected<TimedTensors>
TimedTensors::make(const CudaProgram &program,
                   llvm::ArrayRef<HostTensor> inputs) {
  const CudaProgram::Impl &impl = program.getImpl();
  TimedTensors tensors;
  tensors.tensorBytes = countBytes(impl.artifact);
  unsigned numCopies =
      countCopies(tensors.tensorBytes, impl.device.getL2Bytes());
  for (unsigned copy = 0; copy < numCopies; ++copy) {
    llvm::Expected<CudaTensors> made = CudaTensors::make(impl, inputs);
    if (!made)
      return made.takeError();
    tensors.copies.push_back(std::move(*made));
  }
  return tensors;
}

std::vector<const CudaTensors *> TimedTensors::getCold() const {
  std::vector<const CudaTensors *> sets;
  for (const CudaTensors &copy : copies)
    sets.push_back(&copy);
  return sets;
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

llvm::Error GraphTimer::start() {
  return driver.check(driver.streamCreate(stream.receive(), kNonBlocking),
                      "creating a stream");
}

static llvm::Error enqueue(const CudaProgram &program, CUstream stream,
                           const CudaTensors &set) {
  return program.enqueue(stream, set.getInputs(), set.getOutputs());
}

llvm::Expected<TimedGraph>
GraphTimer::capture(const CudaProgram &program,
                    llvm::ArrayRef<const CudaTensors *> sets) {
  if (llvm::Error error = enqueue(program, stream.get(), *sets.front()))
    return std::move(error);
  if (llvm::Error error =
          driver.check(driver.streamSynchronize(stream.get()), "a first run"))
    return std::move(error);
  if (llvm::Error error = driver.check(
          driver.streamBeginCapture(stream.get(), kCaptureThreadLocal),
          "capturing a CUDA graph"))
    return std::move(error);
  llvm::Error failed = llvm::Error::success();
  for (const CudaTensors *set : sets)
    if (!failed)
      failed = enqueue(program, stream.get(), *set);
  DriverGraph graph(driver);
  TimedGraph timed{GraphExec(driver), sets.size()};
  CUresult result = driver.streamEndCapture(stream.get(), graph.receive());
  if (failed)
    return std::move(failed);
  if (result == 0)
    result =
        driver.graphInstantiate(timed.executable.receive(), graph.get(), 0);
  if (llvm::Error error = driver.check(result, "making a CUDA graph"))
    return std::move(error);
  return timed;
}

llvm::Error GraphTimer::warmUp(const TimedGraph &graph, unsigned replays) {
  CUresult result = 0;
  for (unsigned i = 0; i < replays && result == 0; ++i) {
    result = driver.graphLaunch(graph.executable.get(), stream.get());
    if (result == 0)
      result = driver.streamSynchronize(stream.get());
  }
  return driver.check(result, "replaying a CUDA graph");
}

llvm::Expected<double> GraphTimer::time(const TimedGraph &graph) {
  Event begin(driver), end(driver);
  float milliseconds = 0;
  CUresult result = driver.eventCreate(begin.receive(), 0);
  if (result == 0)
    result = driver.eventCreate(end.receive(), 0);
  if (result == 0)
    result = driver.eventRecord(begin.get(), stream.get());
  if (result == 0)
    result = driver.graphLaunch(graph.executable.get(), stream.get());
  if (result == 0)
    result = driver.eventRecord(end.get(), stream.get());
  if (result == 0)
    result = driver.eventSynchronize(end.get());
  if (result == 0)
    result = driver.eventElapsedTime(&milliseconds, begin.get(), end.get());
  if (llvm::Error error = driver.check(result, "timing a CUDA graph"))
    return std::move(error);
  return milliseconds * 1e3 / graph.numRuns;
}
