//===- FakeStreams.cpp - Streams, graphs and events of the fake driver ----===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeState.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace fake;

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

FAKE CUresult cuStreamCreate(CUstream *stream, unsigned flags) {
  Guard guard;
  if (CUresult result = checkContext())
    return result;
  State &state = getState();
  auto *made = new Stream{"s" + std::to_string(++state.numStreams),
                          getDevice(),
                          /*isBlocking=*/(flags & 1) == 0,
                          /*isGreen=*/getSetting("green").has_value(),
                          nullptr,
                          {}};
  state.streams.push_back(made);
  keep(stream, made);
  return kSuccess;
}

FAKE CUresult cuStreamDestroy_v2(CUstream stream) {
  Guard guard;
  drain(); // what waits in it is done all the same
  llvm::erase(getState().streams, reinterpret_cast<Stream *>(stream));
  return giveBack<Stream>(stream);
}

FAKE CUresult cuStreamGetCtx(CUstream handle, CUcontext *context) {
  Guard guard;
  Stream *stream = findAnyStream(handle);
  if (!stream)
    return kInvalidHandle;
  *context = getContextOf(stream->device);
  return kSuccess;
}

FAKE CUresult cuStreamGetCtx_v2(CUstream handle, CUcontext *context,
                                CUgreenCtx *part) {
  *context = nullptr;
  *part = nullptr;
  Guard guard;
  Stream *stream = findAnyStream(handle);
  if (!stream || !stream->isGreen)
    return cuStreamGetCtx(handle, context);
  *part = reinterpret_cast<CUgreenCtx>(stream);
  return kSuccess;
}

FAKE CUresult cuStreamSynchronize(CUstream handle) {
  Guard guard;
  if (CUresult result = checkContext())
    return result;
  Stream *stream = findStream(handle);
  if (!stream)
    return kInvalidHandle;
  if (!stream->capture)
    return wait();
  stream->capture->isInvalid = true;
  return kCaptureUnsupported;
}

static CUresult waitFor(Stream &stream, const Event &event) {
  if (event.capture) { // the stream joins the capture
    if (event.capture->hasEnded ||
        (stream.capture && stream.capture != event.capture))
      return kCaptureIsolation;
    stream.capture = event.capture;
    return kSuccess;
  }
  if (stream.capture) {
    stream.capture->isInvalid = true;
    return kCaptureIsolation;
  }
  if (event.hasPassed && getSetting("late"))
    stream.queue.push_back({nullptr, event.hasPassed});
  return kSuccess;
}

FAKE CUresult cuStreamWaitEvent(CUstream handle, CUevent event, unsigned) {
  Guard guard;
  Stream *stream = findStream(handle);
  if (!stream || !getState().objects.count(event))
    return kInvalidHandle;
  auto *waited = reinterpret_cast<Event *>(event);
  log(stream->name + " waits for event " + llvm::Twine(waited->number));
  return waitFor(*stream, *waited);
}

//===----------------------------------------------------------------------===//
// Captures and graphs
//===----------------------------------------------------------------------===//

FAKE CUresult cuThreadExchangeStreamCaptureMode(int *mode) {
  std::swap(*mode, getCaptureMode());
  return kSuccess;
}

FAKE CUresult cuStreamBeginCapture_v2(CUstream handle, int mode) {
  Guard guard;
  Stream *stream = findStream(handle);
  if (!stream)
    return kInvalidHandle;
  if (!handle || stream->capture) // the default stream cannot be captured
    return kCaptureUnsupported;
  State &state = getState();
  stream->capture.reset(new Capture{
      ++state.numCaptures, mode, std::this_thread::get_id(), false, false, {}});
  state.captures.push_back(stream->capture);
  return kSuccess;
}

FAKE CUresult cuStreamGetCaptureInfo_v2(CUstream handle, int *status,
                                        uint64_t *id, CUgraph *, const void *,
                                        size_t *) {
  Guard guard;
  Stream *stream = findAnyStream(handle);
  if (!stream)
    return kInvalidHandle;
  if (stream->name == "default" && isDefaultStreamBusy())
    return kCaptureImplicit;
  const Capture *capture = stream->capture.get();
  *status = !capture ? 0 : capture->isInvalid ? 2 : 1;
  if (*status == 1 && id)
    *id = capture->id;
  return kSuccess;
}

FAKE CUresult cuStreamEndCapture(CUstream handle, CUgraph *graph) {
  Guard guard;
  *graph = nullptr;
  Stream *stream = findStream(handle);
  if (!stream || !stream->capture)
    return kInvalidValue;
  std::shared_ptr<Capture> capture = stream->capture;
  for (Stream *other : getState().streams)
    if (other->capture == capture)
      other->capture = nullptr;
  llvm::erase(getState().captures, capture);
  capture->hasEnded = true;
  if (capture->isInvalid)
    return kCaptureInvalidated;
  keep(graph, new Graph{std::move(capture->work), {}});
  return kSuccess;
}

/// Kernels that wait for nothing that is not done run in the worst order.
static std::vector<std::pair<const Node *, Kernel>>
sortKernels(const Graph &graph) {
  std::vector<std::pair<const Node *, Kernel>> sorted;
  auto isDone = [&](const Node *node) {
    return llvm::any_of(
        sorted, [&](const auto &kernel) { return kernel.first == node; });
  };
  while (sorted.size() < graph.nodes.size())
    for (const std::unique_ptr<Node> &node : llvm::reverse(graph.nodes))
      if (!isDone(node.get()) && llvm::all_of(node->waitsFor, isDone)) {
        sorted.push_back({node.get(), node->kernel});
        break;
      }
  return sorted;
}

FAKE CUresult cuGraphInstantiateWithFlags(CUgraphExec *executable,
                                          CUgraph handle, unsigned long long) {
  Guard guard;
  if (!getNumber("graphs", 1))
    return kOutOfMemory;
  if (CUresult result = checkUnsafe())
    return result;
  const auto *graph = reinterpret_cast<Graph *>(handle);
  keep(executable, new Executable{graph->work, sortKernels(*graph)});
  return kSuccess;
}

FAKE CUresult cuGraphLaunch(CUgraphExec handle, CUstream stream) {
  Guard guard;
  State &state = getState();
  auto *executable = reinterpret_cast<Executable *>(handle);
  if (executable->generation == state.generation && !getSetting("late")) {
    state.clockUs += executable->durationUs;
    return state.failure;
  }
  for (const auto &[node, kernel] : executable->kernels)
    if (plays("refuse", kernel.name))
      return kLaunchOutOfResources;
  double startUs = state.clockUs;
  for (const Work &work : executable->work)
    if (CUresult result = enqueueAnywhere(stream, work))
      return result;
  if (const Stream *found = findAnyStream(stream);
      found && !executable->kernels.empty())
    log("a graph on " + found->name);
  for (const auto &[node, kernel] : executable->kernels)
    if (CUresult result = enqueueNode(stream, kernel))
      return result;
  executable->generation = state.generation;
  executable->durationUs = state.clockUs - startUs;
  return kSuccess;
}

FAKE CUresult cuGraphExecDestroy(CUgraphExec executable) {
  Guard guard;
  return giveBack<Executable>(executable);
}

FAKE CUresult cuGraphDestroy(CUgraph graph) {
  Guard guard;
  return giveBack<Graph>(graph);
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

FAKE CUresult cuEventCreate(CUevent *event, unsigned) {
  Guard guard;
  if (CUresult result = checkContext())
    return result;
  keep(event, new Event{++getState().numEvents, 0, nullptr, nullptr});
  return kSuccess;
}

FAKE CUresult cuEventRecord(CUevent handle, CUstream streamHandle) {
  Guard guard;
  Stream *stream = findStream(streamHandle);
  if (!stream || !getState().objects.count(handle))
    return kInvalidHandle;
  if (stream->name == "default" && isDefaultStreamBusy())
    return kCaptureImplicit;
  auto *event = reinterpret_cast<Event *>(handle);
  log("event " + llvm::Twine(event->number) + " on " + stream->name);
  event->capture = stream->capture;
  if (event->capture)
    return kSuccess;
  event->timeUs = getState().clockUs;
  event->hasPassed = std::make_shared<bool>(!getSetting("late"));
  if (!*event->hasPassed)
    stream->queue.push_back({[passed = event->hasPassed]() -> CUresult {
                               *passed = true;
                               return kSuccess;
                             },
                             nullptr});
  return kSuccess;
}

FAKE CUresult cuEventSynchronize(CUevent event) {
  Guard guard;
  if (reinterpret_cast<Event *>(event)->capture)
    return kCaptureUnsupported;
  return wait();
}

FAKE CUresult cuEventQuery(CUevent handle) {
  Guard guard;
  auto *event = reinterpret_cast<Event *>(handle);
  if (event->capture)
    return kCaptureUnsupported;
  if (CUresult result = checkUnsafe())
    return result;
  return event->hasPassed && !*event->hasPassed ? kNotReady : kSuccess;
}

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
  Guard guard;
  static int64_t taken = 0;
  double us = reinterpret_cast<Event *>(end)->timeUs -
              reinterpret_cast<Event *>(begin)->timeUs;
  static const double noise = takeNoise();
  bool isNoisy = taken < getNumber("noise", 0) && taken % 2 == 0;
  ++taken;
  *milliseconds = (isNoisy ? noise : 1) * us / 1000;
  return kSuccess;
}

FAKE CUresult cuEventDestroy_v2(CUevent event) {
  Guard guard;
  return giveBack<Event>(event);
}
