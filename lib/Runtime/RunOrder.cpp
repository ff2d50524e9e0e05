//===- RunOrder.cpp - Runs of one program, one after the other ------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunOrder.h"

using namespace mlir::mirage::cuda;

llvm::Error RunOrder::start() {
  CUresult result = driver.ctxGetCurrent(&context);
  if (result == 0)
    result = driver.eventCreate(runs.event.receive(), kNoTiming);
  if (result == 0)
    result = driver.eventCreate(captured.event.receive(), kNoTiming);
  return driver.check(result, "an event cannot be made");
}

void RunOrder::trustStreams() {
  std::lock_guard<std::mutex> lock(mutex);
  trustsStreams = true;
}

llvm::Expected<bool> RunOrder::isForWholeDevice(CUstream stream) {
  // The default streams are the context's.
  if (!stream || stream == getPerThreadStream() || stream == ofWholeDevice)
    return true;
  CUcontext owner = nullptr;
  CUgreenCtx part = nullptr;
  CUresult result = driver.streamGetAnyCtx
                        ? driver.streamGetAnyCtx(stream, &owner, &part)
                        : driver.streamGetCtx(stream, &owner);
  if (llvm::Error error = driver.check(result, "a run cannot be enqueued"))
    return std::move(error);
  if (part)
    return false;
  if (owner != context)
    return llvm::createStringError(
        "expects a stream of the program's GPU (of its primary context), got "
        "one of another GPU or context");
  ofWholeDevice = stream;
  return true;
}

llvm::Expected<uint64_t> RunOrder::getCapture(CUstream stream) const {
  if (!stream) // which cannot be captured
    return 0;
  constexpr CUresult kInvalidated = 901;
  int status = kNotCapturing;
  uint64_t id = 0;
  CUresult result = driver.streamGetCaptureInfo(stream, &status, &id, nullptr,
                                                nullptr, nullptr);
  if (result == 0 && status == kInvalidatedCapture)
    result = kInvalidated;
  if (llvm::Error error = driver.check(result, "a run cannot be enqueued"))
    return std::move(error);
  return status == kCapturing ? id : 0;
}

RunOrder::Chain &RunOrder::choose(uint64_t id) {
  if (id == 0)
    return runs;
  if (id != capture)
    captured.isUsed = false;
  capture = id;
  return captured;
}

static bool isSame(CUstream last, CUstream stream) {
  return last == stream && stream != getPerThreadStream();
}

llvm::Error RunOrder::recordLast(Chain &chain) const {
  llvm::Error error =
      driver.check(driver.eventRecord(chain.event.get(), chain.last),
                   "the end of a run cannot be recorded");
  chain.isRecorded = !error;
  return error;
}

llvm::Error RunOrder::waitForLast(Chain &chain, CUstream stream) const {
  if (!chain.isUsed || isSame(chain.last, stream))
    return llvm::Error::success();
  // A program that changes streams mostly does so again soon.
  constexpr unsigned kNumRecords = 64;
  chain.numRecords = kNumRecords;
  if (!chain.isRecorded) {
    llvm::Expected<uint64_t> capturing = getCapture(chain.last);
    if (!capturing)
      return capturing.takeError();
    if (*capturing != 0)
      return llvm::createStringError(
          "expects the stream of the program's last run in no capture when it "
          "is run in another stream");
    if (llvm::Error error = recordLast(chain))
      return error;
  }
  return driver.check(driver.streamWaitEvent(stream, chain.event.get(), 0),
                      "a run cannot wait for the last one");
}

bool RunOrder::needsEvent(Chain &chain) const {
  if (chain.numRecords > 0) {
    --chain.numRecords;
    return true;
  }
  if (&chain == &captured) // launches of the graph know nothing of it
    return true;
  bool stays = !chain.last || trustsStreams;
  return !stays || chain.last == getPerThreadStream();
}

llvm::Error RunOrder::run(CUstream stream,
                          llvm::function_ref<llvm::Error(bool)> enqueue) {
  std::lock_guard<std::mutex> lock(mutex);
  if (stream == getLegacyStream())
    stream = nullptr;
  llvm::Expected<bool> isWhole = isForWholeDevice(stream);
  if (!isWhole)
    return isWhole.takeError();
  llvm::Expected<uint64_t> id = getCapture(stream);
  if (!id)
    return id.takeError();
  Chain &chain = choose(*id);
  if (llvm::Error error = waitForLast(chain, stream))
    return error;
  llvm::Error failed = enqueue(/*takesGraphs=*/*isWhole && *id == 0);
  // A run that failed half-way has left launches in the stream, too.
  chain.last = stream;
  chain.isUsed = true;
  chain.isRecorded = false;
  llvm::Error error =
      needsEvent(chain) ? recordLast(chain) : llvm::Error::success();
  if (!failed)
    return error;
  llvm::consumeError(std::move(error));
  return failed;
}

/// Whether nothing runs in a context behind an error: the device was lost, or
/// a kernel failed (CUDA Driver API, CUresult: "leaves the process in an
/// inconsistent state").
static bool endsContext(CUresult result) {
  constexpr CUresult kDeinitialized = 4, kECCUncorrectable = 214,
                     kIllegalAddress = 700, kLaunchTimeout = 702,
                     kContextIsDestroyed = 709, kLaunchFailed = 719;
  return result == kDeinitialized || result == kECCUncorrectable ||
         result == kIllegalAddress || result == kLaunchTimeout ||
         (result >= kContextIsDestroyed && result <= kLaunchFailed);
}

bool RunOrder::finish() {
  std::lock_guard<std::mutex> lock(mutex);
  if (capture != 0)
    return false;
  if (!runs.isUsed)
    return true;
  CUresult result = 0;
  if (!runs.isRecorded) {
    // Of the default stream, too: it says where one that waits for it is
    // captured, which recording would end.
    int status = kNotCapturing;
    result = driver.streamGetCaptureInfo(runs.last, &status, nullptr, nullptr,
                                         nullptr, nullptr);
    if (status != kNotCapturing)
      return false;
    if (result == 0)
      result = driver.eventRecord(runs.event.get(), runs.last);
  }
  if (result == 0)
    result = driver.eventSynchronize(runs.event.get());
  // Where a capture would be disturbed, or the stream is gone, nobody knows.
  return result == 0 || endsContext(result);
}
