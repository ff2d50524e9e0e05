//===- RunOrder.h - Runs of one program, one after the other -- -*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs of one program share its workspace, so none may begin on the device
// before the one ahead of it has ended. In one stream that is so by itself.
// Where the stream changes, the new one waits for an event behind the last run:
//
//   A: | run 1 | event |                 | run 3 |
//   B:                 | run 2 | event |
//
// An event behind every run would cost the call that is common, always in one
// stream, about as much as a small launch. There it is left out, and recorded
// when the stream changes. That needs the last stream to be there still: the
// default one is, others are if the caller has said so. Behind runs in other
// streams it is recorded at once, and behind all for a while where the stream
// has changed, so that the next change waits for that run and for nothing that
// came into its stream later.
//
// What is captured is ordered within its capture alone: it waits for nothing
// that was put into streams, and nothing can wait for it, since nobody knows
// when its graph will be replayed.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_RUNTIME_RUNORDER_H
#define MIRAGE_LIB_RUNTIME_RUNORDER_H

#include "CudaHandles.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <mutex>

namespace mlir::mirage::cuda {

class RunOrder {
public:
  explicit RunOrder(const Driver &driver)
      : driver(driver), runs(driver), captured(driver) {}
  /// Makes the events. Needs the context, as all that follows does, each time
  /// the same one.
  llvm::Error start();

  /// The caller's promise that each stream is there until a run in another one
  /// was enqueued, or the program is gone.
  void trustStreams();

  /// Calls `enqueue`, which puts one run into `stream`, behind the last run.
  /// From any thread: one at a time gets in. A graph of one's own may be
  /// launched where the stream `takesGraphs`: in a capture it would be a part
  /// that nobody can give other arguments, and it does not keep to the part of
  /// the device that a green context's stream is for. Fails where the stream is
  /// of another context.
  llvm::Error run(CUstream stream,
                  llvm::function_ref<llvm::Error(bool takesGraphs)> enqueue);

  /// Waits for the last run. Disturbs no capture: \returns false where it
  /// would, and where a run was captured, so that replays may be under way.
  bool finish();

private:
  /// Runs of which each waits for the one before.
  struct Chain {
    explicit Chain(const Driver &driver) : event(driver) {}
    Event event;
    CUstream last = nullptr;
    bool isUsed = false;     ///< there was a run
    bool isRecorded = false; ///< `event` stands behind the last one
    unsigned numRecords = 0; ///< how many runs are still to be recorded
  };

  /// Whether a stream is for the whole device of the context.
  llvm::Expected<bool> isForWholeDevice(CUstream stream);
  /// The capture that a stream is in; 0: none.
  llvm::Expected<uint64_t> getCapture(CUstream stream) const;
  llvm::Error waitForLast(Chain &chain, CUstream stream) const;
  llvm::Error recordLast(Chain &chain) const;
  Chain &choose(uint64_t capture);
  /// Whether the last run of a chain is to be recorded at once.
  bool needsEvent(Chain &chain) const;

  const Driver &driver;
  std::mutex mutex;
  CUcontext context = nullptr;
  CUstream ofWholeDevice = nullptr; ///< the last one that was asked about
  Chain runs;
  Chain captured;       ///< of the capture that was seen last
  uint64_t capture = 0; ///< which that is; 0: there was none
  bool trustsStreams = false;
};

} // namespace mlir::mirage::cuda

#endif // MIRAGE_LIB_RUNTIME_RUNORDER_H
