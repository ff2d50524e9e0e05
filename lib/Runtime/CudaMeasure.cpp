//===- CudaMeasure.cpp - Times of an artifact on a GPU --------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphTimer.h"

using namespace mlir::mirage;

static llvm::Expected<Quartiles>
timeReplays(GraphTimer &timer, const CudaProgram &program,
            llvm::ArrayRef<const CudaTensors *> sets, unsigned replays) {
  constexpr unsigned kWarmUps = 5;
  llvm::Expected<TimedGraph> graph = timer.capture(program, sets);
  if (!graph)
    return graph.takeError();
  if (llvm::Error error = timer.warmUp(*graph, kWarmUps))
    return std::move(error);
  std::vector<double> samples;
  for (unsigned i = 0; i < replays; ++i) {
    llvm::Expected<double> timeUs = timer.time(*graph);
    if (!timeUs)
      return timeUs.takeError();
    samples.push_back(*timeUs);
  }
  return getQuartiles(std::move(samples));
}

llvm::Expected<CudaTimes>
CudaProgram::measure(llvm::ArrayRef<HostTensor> inputs,
                     const CudaMeasureOptions &options) const {
  llvm::Expected<TimedTensors> tensors = TimedTensors::make(*this, inputs);
  if (!tensors)
    return tensors.takeError();
  GraphTimer timer(impl->driver);
  if (llvm::Error error = timer.start())
    return std::move(error);
  llvm::Expected<Quartiles> hot = timeReplays(
      timer, *this, tensors->getHot(options.runsPerReplay), options.replays);
  if (!hot)
    return hot.takeError();
  llvm::Expected<Quartiles> cold =
      timeReplays(timer, *this, tensors->getCold(), options.replays);
  if (!cold)
    return cold.takeError();
  return CudaTimes{*hot, *cold, tensors->getTensorBytes(),
                   tensors->getNumCopies()};
}
