//===- FakeState.h - What the fake driver holds --------------- -*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Devices of compute capability 9.0 whose memory is the host's and whose
// kernels run on the emulator. Work in a stream is done at once or, while the
// stream is captured, when the graph is launched. What a capture forbids is
// refused and ends the capture, and a stream that is gone, or another device's,
// is refused. What goes wrong in a kernel is told by the next call that waits,
// and by all after it, as CUDA does. Times are those of a clock that goes on
// with the instructions that kernels execute, so they are the same each time.
// Any thread may call.
//
// The environment variable FAKE_CUDA changes what is played: a list, with
// commas, of
//
//   devices=N            N devices, or a driver that finds none; 1 without it
//   name=TEXT            of the device; "fake device" without it
//   version=12080        a driver of CUDA 12.8; 13.0 without it
//   capability=80        compute capability 8.0
//   memory=BYTES         of the device, in all; 1 GiB without it
//   shared=BYTES         that a block may have; 232448 without it
//   registers=KERNEL:N   N registers in each thread of a kernel; 32 without it
//   refuse=KERNEL        its launch is refused
//   fault=KERNEL         it reads where nothing is
//   hang=KERNEL          it never ends
//   die=KERNEL           the process ends with it, as if by a signal
//   late-die=KERNEL      the same, but not the first time that it runs
//   print=KERNEL:FILE    it prints a file
//   garbage=KERNEL       what it leaves in its last argument is wrong
//   late-garbage=KERNEL  the same, but not the first time that it runs
//   slow=KERNEL:N        it takes N times as long
//   noise=N              every other of the first N times that are taken is
//                        five times too long
//   noise-from=FILE      how much too long, a line for each process that takes
//                        times, which removes its line; no line: not at all
//   late                 work waits in its stream until somebody waits for any;
//                        then streams take turns, the newest first, as far as
//                        events allow it; what is freed before that is missed
//   pause=US             who launches a kernel, or says with which parameters a
//                        graph is to, sleeps behind it
//   graphs=0             there is no memory for graphs
//   stay=KERNEL          in a graph it gets no other parameters
//   green                streams that are made are of green contexts
//   log=FILE             allocations, launches and what concerns events, a line
//                        for each, behind what is in the file
//   report               says at the end of the process what was not given back
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TEST_LIB_FAKECUDA_FAKESTATE_H
#define MIRAGE_TEST_LIB_FAKECUDA_FAKESTATE_H

#include "CudaDriver.h"
#include "llvm/ADT/StringRef.h"
#include <array>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#define FAKE extern "C" __attribute__((visibility("default")))

namespace fake {

using namespace mlir::mirage::cuda;

/// Numbers of cuda.h.
enum : CUresult {
  kSuccess = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kNoDevice = 100,
  kInvalidDevice = 101,
  kInvalidContext = 201,
  kInvalidPtx = 218,
  kInvalidHandle = 400,
  kNotFound = 500,
  kNotReady = 600,
  kIllegalAddress = 700,
  kLaunchOutOfResources = 701,
  kLaunchFailed = 719,
  kCaptureUnsupported = 900,
  kCaptureInvalidated = 901,
  kCaptureIsolation = 905,
  kNotSupported = 801,
  kCaptureImplicit = 906,
};

/// What one member of FAKE_CUDA says; none if it is not there.
std::optional<std::string> getSetting(llvm::StringRef name);
int64_t getNumber(llvm::StringRef name, int64_t otherwise);
/// Whether `name` is played with this kernel.
bool plays(llvm::StringRef name, llvm::StringRef kernel);
/// N of "KERNEL:N".
int64_t getNumberOf(llvm::StringRef name, llvm::StringRef kernel,
                    int64_t otherwise);

using Work = std::function<CUresult()>;

/// A launch, as it may be done again.
struct Kernel {
  std::string name;
  Work work; ///< null: its arguments lie nowhere
};

using Cluster = std::array<int64_t, 3>; ///< of a launch, in blocks

/// A node of a graph that was made node by node.
struct Node {
  Kernel kernel;
  CUfunction function;
  std::shared_ptr<Cluster> cluster; ///< may be set when the kernel is there
  std::vector<const Node *> waitsFor;
};

/// What was captured, or nodes.
struct Graph {
  std::vector<Work> work;
  std::vector<std::unique_ptr<Node>> nodes;

  ~Graph();
};

/// A graph, ready to be launched.
struct Executable {
  std::vector<Work> work;
  /// In an order that edges allow, the newest first.
  std::vector<std::pair<const Node *, Kernel>> kernels;
  /// Since nothing was written after this launch, the next one would do the
  /// same again: it takes its time and leaves its results.
  uint64_t generation = 0;
  double durationUs = 0;
};

/// One capture, of the stream that began it and of those that joined it.
struct Capture {
  uint64_t id;
  int mode; ///< CUstreamCaptureMode
  std::thread::id thread;
  bool isInvalid = false, hasEnded = false;
  std::vector<Work> work;
};

/// What stands in a stream and was not yet done.
struct Entry {
  Work work;
  std::shared_ptr<bool> waitsFor; ///< null: nothing
};

struct Stream {
  std::string name; ///< in the log
  int device;
  bool isBlocking; ///< waits for the default stream, and that one for it
  bool isGreen;    ///< is for a part of the device
  std::shared_ptr<Capture> capture;
  std::deque<Entry> queue;
};

struct Event {
  unsigned number;
  double timeUs = 0;
  std::shared_ptr<bool> hasPassed;  ///< null: it was never recorded
  std::shared_ptr<Capture> capture; ///< in which it was recorded last
};

struct Memory {
  std::vector<uint8_t> storage;
  int device;
};

struct State {
  std::map<CUdeviceptr, Memory> memory; ///< by address
  int64_t usedBytes = 0;
  std::set<const void *> objects; ///< modules, streams, events, graphs, nodes
  int contexts = 0;
  std::vector<Stream *> streams; ///< all that there are, the newest last
  std::vector<std::shared_ptr<Capture>> captures; ///< that have not ended
  unsigned numStreams = 0, numEvents = 0, numCaptures = 0;
  CUresult failure = kSuccess; ///< of a kernel, until the process ends
  bool hangs = false;
  double clockUs = 0;
  uint64_t generation = 1;              ///< counts what may have changed memory
  std::map<std::string, unsigned> runs; ///< of a kernel

  ~State();
};
State &getState();

/// Held by each call, for as long as it looks at the state.
class Guard {
public:
  Guard();

private:
  std::lock_guard<std::recursive_mutex> lock;
};

/// Adds a line to the log, if one is asked for.
void log(const llvm::Twine &line);

/// What calls that need a context say: whether the calling thread has one.
CUresult checkContext();
void setContext(CUcontext context);
CUcontext getContext();
/// The context of a device, and the device of the calling thread's one.
CUcontext getContextOf(int device);
int getDevice();

/// The stream that a handle means in this thread; null where it is gone, or of
/// another device than the context.
Stream *findStream(CUstream handle);
/// Also where it is of another device, which some calls do not mind.
Stream *findAnyStream(CUstream handle);
/// Whether a blocking stream is captured, which the default stream's calls end.
bool isDefaultStreamBusy();
/// For calls that captures forbid: ends those that would be disturbed.
CUresult checkUnsafe();
/// What the thread has exchanged.
int &getCaptureMode();

/// Does work in a stream.
CUresult enqueue(CUstream stream, Work work);
/// Work of a graph, which may be in a stream of another device.
CUresult enqueueAnywhere(CUstream stream, Work work);
/// A kernel of one, with a line in the log, unless it is to be refused.
CUresult enqueueNode(CUstream stream, const Kernel &kernel);
/// Sleeps, if that is played.
void pauseBehindLaunch();
/// Does what waits in streams.
void drain();
/// For calls that free: what waits in streams fails, as it may need that.
void failWork();
/// For calls that wait: the failure of a kernel that ran before.
CUresult wait();

/// Objects that a caller gives back.
template <typename Handle, typename Object>
void keep(Handle *handle, Object *object) {
  getState().objects.insert(object);
  *handle = reinterpret_cast<Handle>(object);
}
template <typename Object, typename Handle>
CUresult giveBack(Handle handle) {
  auto *object = reinterpret_cast<Object *>(handle);
  if (!getState().objects.erase(object))
    return kInvalidValue;
  delete object;
  return kSuccess;
}

} // namespace fake

#endif // MIRAGE_TEST_LIB_FAKECUDA_FAKESTATE_H
