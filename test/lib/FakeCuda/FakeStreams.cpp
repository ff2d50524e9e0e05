//===- FakeStreams.cpp - Streams, graphs and events of the fake driver ----===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeState.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace fake;

using CapturedWork = std::vector<Work>;

FAKE CUresult cuStreamCreate(CUstream *stream, unsigned) {
  keep(stream, new char);
  return kSuccess;
}

FAKE CUresult cuStreamDestroy_v2(CUstream stream) {
  return giveBack<char>(stream);
}

FAKE CUresult cuStreamSynchronize(CUstream) { return wait(); }

FAKE CUresult cuStreamBeginCapture_v2(CUstream stream, int) {
  if (!stream) // the default stream cannot be captured
    return kCaptureUnsupported;
  getState().isCapturing = true;
  return kSuccess;
}

FAKE CUresult cuStreamEndCapture(CUstream, CUgraph *graph) {
  State &state = getState();
  state.isCapturing = false;
  keep(graph, new CapturedWork(std::move(state.captured)));
  state.captured.clear();
  return kSuccess;
}

FAKE CUresult cuGraphInstantiateWithFlags(CUgraphExec *executable,
                                          CUgraph graph, unsigned long long) {
  keep(executable, new Executable{*reinterpret_cast<CapturedWork *>(graph)});
  return kSuccess;
}

FAKE CUresult cuGraphLaunch(CUgraphExec handle, CUstream) {
  State &state = getState();
  auto *executable = reinterpret_cast<Executable *>(handle);
  if (executable->generation == state.generation) {
    state.clockUs += executable->durationUs;
    return state.failure;
  }
  double startUs = state.clockUs;
  for (const Work &work : executable->work)
    if (CUresult result = enqueue(work))
      return result;
  executable->generation = state.generation;
  executable->durationUs = state.clockUs - startUs;
  return kSuccess;
}

FAKE CUresult cuGraphExecDestroy(CUgraphExec executable) {
  return giveBack<Executable>(executable);
}

FAKE CUresult cuGraphDestroy(CUgraph graph) {
  return giveBack<CapturedWork>(graph);
}

/// An event is the time at which it was recorded.
FAKE CUresult cuEventCreate(CUevent *event, unsigned) {
  keep(event, new double(0));
  return kSuccess;
}

FAKE CUresult cuEventRecord(CUevent event, CUstream) {
  *reinterpret_cast<double *>(event) = getState().clockUs;
  return kSuccess;
}

FAKE CUresult cuEventSynchronize(CUevent) { return wait(); }

/// How much too long noisy times of this process are.
static double takeNoise() {
  constexpr double kNoise = 5, kNoNoise = 1;
  std::optional<std::string> file = getSetting("noise-from");
  if (!file)
    return kNoise;
  auto lines = llvm::MemoryBuffer::getFile(*file);
  if (!lines || (*lines)->getBufferSize() == 0)
    return kNoNoise;
  auto [own, rest] = (*lines)->getBuffer().split('\n');
  double noise = kNoNoise;
  (void)llvm::to_float(own, noise);
  std::error_code code;
  llvm::raw_fd_ostream(*file, code) << rest.str();
  return noise;
}

FAKE CUresult cuEventElapsedTime(float *milliseconds, CUevent begin,
                                 CUevent end) {
  static int64_t taken = 0;
  double us =
      *reinterpret_cast<double *>(end) - *reinterpret_cast<double *>(begin);
  static const double noise = takeNoise();
  bool isNoisy = taken < getNumber("noise", 0) && taken % 2 == 0;
  ++taken;
  *milliseconds = (isNoisy ? noise : 1) * us / 1000;
  return kSuccess;
}

FAKE CUresult cuEventDestroy_v2(CUevent event) {
  return giveBack<double>(event);
}
