//===- FakeDriver.cpp - Plays the CUDA driver in tests --------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Device and memory. FakeState.h says what is played.
//
//===----------------------------------------------------------------------===//

#include "FakeState.h"
#include "llvm/ADT/Twine.h"
#include <cstring>

using namespace fake;

static const std::map<CUresult, std::pair<const char *, const char *>> kErrors =
    {{kInvalidValue, {"CUDA_ERROR_INVALID_VALUE", "invalid argument"}},
     {kOutOfMemory, {"CUDA_ERROR_OUT_OF_MEMORY", "out of memory"}},
     {kNoDevice,
      {"CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"}},
     {kInvalidDevice, {"CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"}},
     {kInvalidHandle, {"CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"}},
     {kInvalidPtx, {"CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"}},
     {kInvalidContext,
      {"CUDA_ERROR_INVALID_CONTEXT", "invalid device context"}},
     {kNotFound, {"CUDA_ERROR_NOT_FOUND", "named symbol not found"}},
     {kIllegalAddress,
      {"CUDA_ERROR_ILLEGAL_ADDRESS",
       "an illegal memory access was encountered"}},
     {kLaunchOutOfResources,
      {"CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES",
       "too many resources requested for launch"}},
     {kLaunchFailed,
      {"CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"}},
     {kCaptureUnsupported,
      {"CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED",
       "operation not permitted when stream is capturing"}},
     {kCaptureInvalidated,
      {"CUDA_ERROR_STREAM_CAPTURE_INVALIDATED",
       "operation failed due to a previous error during capture"}},
     {kCaptureIsolation,
      {"CUDA_ERROR_STREAM_CAPTURE_ISOLATION",
       "dependency created on uncaptured work in another stream"}},
     {kCaptureImplicit,
      {"CUDA_ERROR_STREAM_CAPTURE_IMPLICIT",
       "operation would make the legacy stream depend on a capturing blocking "
       "stream"}}};

FAKE CUresult cuGetErrorName(CUresult result, const char **name) {
  auto found = kErrors.find(result);
  *name = found == kErrors.end() ? nullptr : found->second.first;
  return *name ? kSuccess : kInvalidValue;
}

FAKE CUresult cuGetErrorString(CUresult result, const char **text) {
  auto found = kErrors.find(result);
  *text = found == kErrors.end() ? nullptr : found->second.second;
  return *text ? kSuccess : kInvalidValue;
}

FAKE CUresult cuInit(unsigned) {
  return getNumber("devices", 1) > 0 ? kSuccess : kNoDevice;
}

FAKE CUresult cuDriverGetVersion(int *version) {
  *version = getNumber("version", 13000);
  return kSuccess;
}

FAKE CUresult cuDeviceGetCount(int *count) {
  *count = getNumber("devices", 1);
  return kSuccess;
}

FAKE CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  if (ordinal < 0 || ordinal >= getNumber("devices", 1))
    return kInvalidDevice;
  *device = ordinal;
  return kSuccess;
}

FAKE CUresult cuDeviceGetName(char *name, int size, CUdevice) {
  std::strncpy(name, getSetting("name").value_or("fake device").c_str(), size);
  return kSuccess;
}

FAKE CUresult cuDeviceGetAttribute(int *value, int attribute, CUdevice) {
  int capability = getNumber("capability", 90);
  const std::map<int, int> values = {
      {kMaxRegistersPerBlock, 65536},
      {kMultiprocessorCount, 132},
      {kL2CacheSize, 4096},
      {kComputeCapabilityMajor, capability / 10},
      {kComputeCapabilityMinor, capability % 10},
      {kMaxSharedMemoryPerBlockOptin,
       static_cast<int>(getNumber("shared", 232448))}};
  auto found = values.find(attribute);
  if (found == values.end())
    return kInvalidValue;
  *value = found->second;
  return kSuccess;
}

FAKE CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  Guard guard;
  ++getState().contexts;
  *context = getContextOf(device);
  return kSuccess;
}
FAKE CUresult cuDevicePrimaryCtxRelease_v2(CUdevice) {
  Guard guard;
  --getState().contexts;
  return kSuccess;
}
FAKE CUresult cuDevicePrimaryCtxGetState(CUdevice, unsigned *flags,
                                         int *isActive) {
  Guard guard;
  *flags = 0;
  *isActive = getState().contexts > 0;
  return kSuccess;
}
FAKE CUresult cuCtxSetCurrent(CUcontext context) {
  setContext(context);
  return kSuccess;
}
static thread_local std::vector<CUcontext> pushedOver;
FAKE CUresult cuCtxPushCurrent_v2(CUcontext context) {
  pushedOver.push_back(getContext());
  setContext(context);
  return kSuccess;
}
FAKE CUresult cuCtxPopCurrent_v2(CUcontext *context) {
  *context = getContext();
  setContext(pushedOver.back());
  pushedOver.pop_back();
  return kSuccess;
}
FAKE CUresult cuCtxGetCurrent(CUcontext *context) {
  *context = getContext();
  return kSuccess;
}
/// Never while a stream of the context is captured.
FAKE CUresult cuCtxSynchronize() {
  Guard guard;
  if (CUresult result = checkContext())
    return result;
  CUresult result = kSuccess;
  for (Stream *stream : getState().streams)
    if (stream->capture && stream->device == getDevice()) {
      stream->capture->isInvalid = true;
      result = kCaptureUnsupported;
    }
  if (result == kSuccess)
    drain();
  return result;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static int64_t getMemoryBytes() {
  return getNumber("memory", int64_t(1) << 30);
}

FAKE CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t bytes) {
  Guard guard;
  State &state = getState();
  if (CUresult result = checkContext())
    return result;
  if (CUresult result = checkUnsafe())
    return result;
  if (bytes == 0)
    return kInvalidValue;
  if (state.failure)
    return state.failure;
  if (bytes > size_t(getMemoryBytes() - state.usedBytes))
    return kOutOfMemory;
  constexpr uintptr_t kAlignment = 256;
  std::vector<uint8_t> storage(bytes + kAlignment);
  auto start = reinterpret_cast<uintptr_t>(storage.data());
  *address = (start + kAlignment - 1) / kAlignment * kAlignment;
  state.memory[*address] = {std::move(storage), getDevice()};
  state.usedBytes += bytes;
  log("allocates " + llvm::Twine(bytes) + " bytes on device " +
      llvm::Twine(getDevice()));
  return kSuccess;
}

FAKE CUresult cuMemFree_v2(CUdeviceptr address) {
  Guard guard;
  State &state = getState();
  if (CUresult result = checkContext())
    return result;
  if (CUresult result = checkUnsafe())
    return result;
  auto found = state.memory.find(address);
  if (found == state.memory.end())
    return kInvalidValue;
  failWork();
  size_t bytes = found->second.storage.size() - 256;
  state.usedBytes -= bytes;
  state.memory.erase(found);
  log("frees " + llvm::Twine(bytes) + " bytes");
  return kSuccess;
}

/// Needs no context.
FAKE CUresult cuPointerGetAttribute(void *data, int attribute,
                                    CUdeviceptr address) {
  Guard guard;
  auto &memory = getState().memory;
  auto found = memory.upper_bound(address);
  if (found == memory.begin())
    return kInvalidValue;
  --found;
  if (address >= found->first + found->second.storage.size() - 256)
    return kInvalidValue;
  constexpr int kMemoryType = 2, kOrdinal = 9, kOnDevice = 2;
  if (attribute != kMemoryType && attribute != kOrdinal)
    return kInvalidValue;
  *static_cast<int *>(data) =
      attribute == kMemoryType ? kOnDevice : found->second.device;
  return kSuccess;
}

FAKE CUresult cuMemGetInfo_v2(size_t *free, size_t *total) {
  Guard guard;
  *total = getMemoryBytes();
  *free = *total - getState().usedBytes;
  return kSuccess;
}

FAKE CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes) {
  Guard guard;
  if (CUresult result = wait())
    return result;
  std::memcpy(reinterpret_cast<void *>(to), from, bytes);
  ++getState().generation;
  return kSuccess;
}

FAKE CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes) {
  Guard guard;
  if (CUresult result = wait())
    return result;
  std::memcpy(to, reinterpret_cast<const void *>(from), bytes);
  return kSuccess;
}

FAKE CUresult cuMemsetD8_v2(CUdeviceptr to, unsigned char byte, size_t bytes) {
  Guard guard;
  if (CUresult result = wait())
    return result;
  std::memset(reinterpret_cast<void *>(to), byte, bytes);
  ++getState().generation;
  return kSuccess;
}
