//===- FakeState.h - What the fake driver holds --------------- -*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One device of compute capability 9.0 whose memory is the host's and whose
// kernels run on the emulator. Work in a stream is done at once or, while the
// stream is captured, when the graph is launched; what a capture forbids is
// refused. What goes wrong in a kernel is told by the next call that waits, and
// by all after it, as CUDA does. Times are those of a clock that goes on with
// the instructions that kernels execute, so they are the same each time.
//
// The environment variable FAKE_CUDA changes what is played: a list, with
// commas, of
//
//   devices=0            a driver that finds no device
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
//   report               says at the end of the process what was not given back
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TEST_LIB_FAKECUDA_FAKESTATE_H
#define MIRAGE_TEST_LIB_FAKECUDA_FAKESTATE_H

#include "CudaDriver.h"
#include "llvm/ADT/StringRef.h"
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
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
  kInvalidPtx = 218,
  kInvalidContext = 201,
  kNotFound = 500,
  kIllegalAddress = 700,
  kLaunchOutOfResources = 701,
  kLaunchFailed = 719,
  kCaptureUnsupported = 900,
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

/// A captured graph, ready to be launched.
struct Executable {
  std::vector<Work> work;
  /// Since nothing was written after this launch, the next one would do the
  /// same again: it takes its time and leaves its results.
  uint64_t generation = 0;
  double durationUs = 0;
};

struct State {
  std::map<CUdeviceptr, std::vector<uint8_t>> memory; ///< by address
  int64_t usedBytes = 0;
  std::set<const void *> objects; ///< modules, streams, events, graphs
  int contexts = 0;
  std::vector<Work> captured;
  bool isCapturing = false;
  CUresult failure = kSuccess; ///< of a kernel, until the process ends
  bool hangs = false;
  double clockUs = 0;
  uint64_t generation = 1;              ///< counts what may have changed memory
  std::map<std::string, unsigned> runs; ///< of a kernel

  ~State();
};
State &getState();

/// What calls that need a context say: whether the calling thread has one.
CUresult checkContext();
void setContext(CUcontext context);
CUcontext getContext();

/// Does work in a stream.
CUresult enqueue(Work work);
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
