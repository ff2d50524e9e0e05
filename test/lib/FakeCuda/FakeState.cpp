//===- FakeState.cpp - What the fake driver holds -------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeState.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <unistd.h>

using namespace fake;

std::optional<std::string> fake::getSetting(llvm::StringRef name) {
  const char *text = std::getenv("FAKE_CUDA");
  for (llvm::StringRef setting : llvm::split(text ? text : "", ',')) {
    auto [key, value] = setting.split('=');
    if (key == name)
      return value.str();
  }
  return std::nullopt;
}

int64_t fake::getNumber(llvm::StringRef name, int64_t otherwise) {
  std::optional<std::string> text = getSetting(name);
  int64_t number = 0;
  return text && llvm::to_integer(*text, number) ? number : otherwise;
}

bool fake::plays(llvm::StringRef name, llvm::StringRef kernel) {
  return getSetting(name) == kernel.str();
}

int64_t fake::getNumberOf(llvm::StringRef name, llvm::StringRef kernel,
                          int64_t otherwise) {
  std::string text = getSetting(name).value_or("");
  auto [played, number] = llvm::StringRef(text).split(':');
  int64_t value = 0;
  return played == kernel && llvm::to_integer(number, value) ? value
                                                             : otherwise;
}

State &fake::getState() {
  static State state;
  return state;
}

/// There is a report where nothing was called, too.
static const State &made = getState();

State::~State() {
  if (getSetting("report"))
    fprintf(stderr,
            "fake driver: %zu allocations, %zu objects, %d contexts left\n",
            memory.size(), objects.size(), contexts);
}

static std::recursive_mutex &getMutex() {
  static std::recursive_mutex mutex;
  return mutex;
}

Guard::Guard() : lock(getMutex()) {}

void fake::log(const llvm::Twine &line) {
  std::optional<std::string> file = getSetting("log");
  if (!file)
    return;
  std::error_code code;
  llvm::raw_fd_ostream(*file, code, llvm::sys::fs::OF_Append) << line << '\n';
}

//===----------------------------------------------------------------------===//
// Contexts
//===----------------------------------------------------------------------===//

static thread_local CUcontext currentContext = nullptr;

void fake::setContext(CUcontext context) { currentContext = context; }
CUcontext fake::getContext() { return currentContext; }

CUresult fake::checkContext() {
  return currentContext ? kSuccess : kInvalidContext;
}

constexpr int kMaxDevices = 16;
static char contexts[kMaxDevices];

CUcontext fake::getContextOf(int device) {
  return reinterpret_cast<CUcontext>(&contexts[device]);
}

int fake::getDevice() {
  return reinterpret_cast<char *>(currentContext) - contexts;
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

/// The default streams: one of each device, and one of each thread and device.
static Stream *getDefaultStream(const std::string &name) {
  static std::map<std::pair<int, std::string>, Stream> streams;
  State &state = getState();
  auto [place, isNew] = streams.try_emplace({getDevice(), name});
  if (isNew) {
    place->second = {name,
                     getDevice(),
                     /*isBlocking=*/false,
                     /*isGreen=*/false,
                     nullptr,
                     {}};
    state.streams.insert(state.streams.begin(), &place->second);
  }
  return &place->second;
}

Stream *fake::findAnyStream(CUstream handle) {
  constexpr uintptr_t kLegacy = 1, kPerThread = 2;
  auto number = reinterpret_cast<uintptr_t>(handle);
  if (number == 0 || number == kLegacy)
    return getDefaultStream("default");
  if (number == kPerThread) {
    static thread_local const std::string name =
        "thread " + std::to_string(getState().numStreams++);
    return getDefaultStream(name);
  }
  auto *stream = reinterpret_cast<Stream *>(handle);
  return getState().objects.count(stream) ? stream : nullptr;
}

Stream *fake::findStream(CUstream handle) {
  Stream *stream = findAnyStream(handle);
  return stream && stream->device == getDevice() ? stream : nullptr;
}

bool fake::isDefaultStreamBusy() {
  return llvm::any_of(getState().streams, [](const Stream *stream) {
    return stream->capture && stream->isBlocking;
  });
}

int &fake::getCaptureMode() {
  static thread_local int mode = 0; // CU_STREAM_CAPTURE_MODE_GLOBAL
  return mode;
}

CUresult fake::checkUnsafe() {
  constexpr int kGlobal = 0, kRelaxed = 2;
  if (getCaptureMode() == kRelaxed)
    return kSuccess;
  CUresult result = kSuccess;
  for (const std::shared_ptr<Capture> &capture : getState().captures) {
    if (capture->mode == kRelaxed)
      continue;
    bool isOwn = capture->thread == std::this_thread::get_id();
    bool forbids =
        isOwn || (capture->mode == kGlobal && getCaptureMode() == kGlobal);
    if (!forbids)
      continue;
    capture->isInvalid = true;
    result = kCaptureUnsupported;
  }
  return result;
}

CUresult fake::enqueue(CUstream handle, Work work) {
  if (CUresult result = checkContext())
    return result;
  return findStream(handle) ? enqueueAnywhere(handle, std::move(work))
                            : kInvalidHandle;
}

CUresult fake::enqueueAnywhere(CUstream handle, Work work) {
  if (CUresult result = checkContext())
    return result;
  if (getState().failure)
    return getState().failure;
  Stream *stream = findAnyStream(handle);
  if (!stream)
    return kInvalidHandle;
  if (stream->name == "default" && isDefaultStreamBusy())
    return kCaptureImplicit;
  if (stream->capture) {
    if (stream->capture->isInvalid)
      return kCaptureInvalidated;
    stream->capture->work.push_back(std::move(work));
    return kSuccess;
  }
  if (!getSetting("late"))
    return work();
  stream->queue.push_back({std::move(work), nullptr});
  return kSuccess;
}

void fake::drain() {
  State &state = getState();
  for (bool goesOn = true; goesOn;) {
    goesOn = false;
    for (Stream *stream : llvm::reverse(state.streams)) {
      if (stream->queue.empty())
        continue;
      Entry &entry = stream->queue.front();
      if (entry.waitsFor && !*entry.waitsFor)
        continue;
      if (entry.work)
        entry.work();
      stream->queue.pop_front();
      goesOn = true;
    }
  }
}

void fake::failWork() {
  for (Stream *stream : getState().streams)
    if (!std::exchange(stream->queue, {}).empty())
      getState().failure = kIllegalAddress;
}

CUresult fake::wait() {
  if (CUresult result = checkContext())
    return result;
  if (CUresult result = checkUnsafe())
    return result;
  drain();
  while (getState().hangs)
    pause();
  return getState().failure;
}

/// For the library that is played: puts work into the stream.
FAKE CUresult fakeEnqueue(CUstream stream, void (*work)(void *),
                          void *argument) {
  Guard guard;
  return enqueue(stream, [=] {
    constexpr double kMatmulUs = 2;
    work(argument);
    getState().clockUs += kMatmulUs;
    ++getState().generation;
    return kSuccess;
  });
}
