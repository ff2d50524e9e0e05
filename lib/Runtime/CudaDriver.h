//===- CudaDriver.h - The CUDA driver, opened at run time ----- -*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of the CUDA driver API that Mirage uses, declared here so that no
// toolkit is needed to build and no driver to start. Names, types and numbers
// are those of cuda.h; semantics: CUDA Driver API reference manual.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_RUNTIME_CUDADRIVER_H
#define MIRAGE_LIB_RUNTIME_CUDADRIVER_H

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include <cstddef>
#include <cstdint>

namespace mlir::mirage::cuda {

using CUresult = int; ///< 0 is success
constexpr CUresult kCudaOutOfMemory = 2;
constexpr CUresult kCudaInvalidContext = 201;
constexpr CUresult kCudaNotReady = 600;
constexpr CUresult kCudaNotSupported = 801;
using CUdevice = int;
using CUdeviceptr = uint64_t;
using CUcontext = struct CUctx_st *;
using CUmodule = struct CUmod_st *;
using CUfunction = struct CUfunc_st *;
using CUgreenCtx = struct CUgreenCtx_st *; ///< a part of a device's SMs
using CUstream = struct CUstream_st *;
using CUevent = struct CUevent_st *;
using CUgraph = struct CUgraph_st *;
using CUgraphNode = struct CUgraphNode_st *;
using CUgraphExec = struct CUgraphExec_st *;

constexpr unsigned kNoTiming = 2; ///< CU_EVENT_DISABLE_TIMING
/// Handles of streams that are always there: CU_STREAM_LEGACY is the default
/// stream, as null is; CU_STREAM_PER_THREAD another one in each thread.
inline CUstream getLegacyStream() { return reinterpret_cast<CUstream>(1); }
inline CUstream getPerThreadStream() { return reinterpret_cast<CUstream>(2); }

enum DeviceAttribute : int {
  kMaxRegistersPerBlock = 12,
  kMultiprocessorCount = 16,
  kL2CacheSize = 38,
  kComputeCapabilityMajor = 75,
  kComputeCapabilityMinor = 76,
  kMaxSharedMemoryPerBlockOptin = 97,
};
enum FunctionAttribute : int {
  kSharedSizeBytes = 1,
  kNumRegisters = 4, ///< of a thread
  kMaxDynamicSharedSizeBytes = 8,
  kNonPortableClusterSizeAllowed = 14,
};
/// CUstreamCaptureStatus.
enum CaptureStatus : int {
  kNotCapturing = 0,
  kCapturing = 1,
  kInvalidatedCapture = 2,
};
enum PointerAttribute : int {
  kMemoryType = 2,
  kIsManaged = 8, ///< it moves between host and devices
  kDeviceOrdinal = 9,
};
enum MemoryType : int { kMemoryOfHost = 1, kMemoryOfDevice = 2 };
enum JitOption : int { kErrorLogBuffer = 5, kErrorLogBufferSizeBytes = 6 };
enum LaunchAttributeId : int {
  kClusterDimension = 4,
  kProgrammaticStreamSerialization = 6,
};

struct LaunchAttribute {
  int id;
  char padding[4];
  union alignas(8) {
    char reserved[64];
    unsigned clusterDimension[3];
    int programmaticStreamSerialization;
  } value;
};
static_assert(sizeof(LaunchAttribute) == 72 && alignof(LaunchAttribute) == 8,
              "as in cuda.h");

/// Opaque; its address is a multiple of 64.
struct alignas(64) TensorMapImage {
  uint64_t opaque[16];
};

/// CUtensorMapDataType. The copy engine moves bits: which type of a size it is
/// does not matter.
enum TensorMapDataType : int {
  kTensorMapUInt8 = 0,
  kTensorMapUInt16 = 1,
  kTensorMapUInt32 = 2,
  kTensorMapUInt64 = 4,
};
/// CUtensorMapL2promotion: 256 bytes.
constexpr int kTensorMapPromote256 = 3;

struct LaunchConfig {
  unsigned grid[3];
  unsigned block[3];
  unsigned dynamicSharedBytes;
  CUstream stream;
  LaunchAttribute *attributes;
  unsigned numAttributes;
};
static_assert(sizeof(LaunchConfig) == 56, "as in cuda.h");

/// CUDA_KERNEL_NODE_PARAMS_v2.
struct KernelNodeParameters {
  CUfunction function;
  unsigned grid[3];
  unsigned block[3];
  unsigned dynamicSharedBytes;
  void **parameters;
  void **extra;
  void *kernel;
  CUcontext context;
};
static_assert(sizeof(KernelNodeParameters) == 72, "as in cuda.h");

/// CUgraphEdgeData.
struct GraphEdge {
  unsigned char fromPort, toPort, type, reserved[5];
};
/// The later kernel may begin before the earlier one has ended, and waits for
/// it by griddepcontrol.wait (CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC,
/// CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC).
constexpr GraphEdge kProgrammaticEdge = {1, 0, 1, {}};

/// Function, exported name, parameters.
#define MIRAGE_CUDA_FUNCTIONS(X)                                               \
  X(getErrorName, "cuGetErrorName", (CUresult, const char **))                 \
  X(getErrorString, "cuGetErrorString", (CUresult, const char **))             \
  X(init, "cuInit", (unsigned))                                                \
  X(driverGetVersion, "cuDriverGetVersion", (int *))                           \
  X(deviceGet, "cuDeviceGet", (CUdevice *, int))                               \
  X(deviceGetCount, "cuDeviceGetCount", (int *))                               \
  X(deviceGetName, "cuDeviceGetName", (char *, int, CUdevice))                 \
  X(deviceGetAttribute, "cuDeviceGetAttribute", (int *, int, CUdevice))        \
  X(primaryCtxRetain, "cuDevicePrimaryCtxRetain", (CUcontext *, CUdevice))     \
  X(primaryCtxRelease, "cuDevicePrimaryCtxRelease_v2", (CUdevice))             \
  X(primaryCtxGetState, "cuDevicePrimaryCtxGetState",                          \
    (CUdevice, unsigned *flags, int *isActive))                                \
  X(ctxGetCurrent, "cuCtxGetCurrent", (CUcontext *))                           \
  X(ctxSetCurrent, "cuCtxSetCurrent", (CUcontext))                             \
  X(ctxPushCurrent, "cuCtxPushCurrent_v2", (CUcontext))                        \
  X(ctxPopCurrent, "cuCtxPopCurrent_v2", (CUcontext *))                        \
  X(ctxSynchronize, "cuCtxSynchronize", ())                                    \
  X(moduleLoadDataEx, "cuModuleLoadDataEx",                                    \
    (CUmodule *, const void *, unsigned, int *, void **))                      \
  X(moduleUnload, "cuModuleUnload", (CUmodule))                                \
  X(moduleGetFunction, "cuModuleGetFunction",                                  \
    (CUfunction *, CUmodule, const char *))                                    \
  X(funcSetAttribute, "cuFuncSetAttribute", (CUfunction, int, int))            \
  X(funcGetAttribute, "cuFuncGetAttribute", (int *, int, CUfunction))          \
  X(launchKernelEx, "cuLaunchKernelEx",                                        \
    (const LaunchConfig *, CUfunction, void **, void **))                      \
  X(tensorMapEncodeTiled, "cuTensorMapEncodeTiled",                            \
    (TensorMapImage *, int dataType, unsigned rank, CUdeviceptr address,       \
     const uint64_t *sizes, const uint64_t *strideBytes, const unsigned *box,  \
     const unsigned *elementStrides, int interleave, int swizzle,              \
     int promotion, int fill))                                                 \
  X(tensorMapReplaceAddress, "cuTensorMapReplaceAddress",                      \
    (TensorMapImage *, CUdeviceptr address))                                   \
  X(occupancyMaxActiveClusters, "cuOccupancyMaxActiveClusters",                \
    (int *, CUfunction, const LaunchConfig *))                                 \
  X(memAlloc, "cuMemAlloc_v2", (CUdeviceptr *, size_t))                        \
  X(memFree, "cuMemFree_v2", (CUdeviceptr))                                    \
  X(memGetInfo, "cuMemGetInfo_v2", (size_t *, size_t *))                       \
  X(pointerGetAttribute, "cuPointerGetAttribute", (void *, int, CUdeviceptr))  \
  X(memcpyToDevice, "cuMemcpyHtoD_v2", (CUdeviceptr, const void *, size_t))    \
  X(memcpyToHost, "cuMemcpyDtoH_v2", (void *, CUdeviceptr, size_t))            \
  X(memset, "cuMemsetD8_v2", (CUdeviceptr, unsigned char, size_t))             \
  X(streamCreate, "cuStreamCreate", (CUstream *, unsigned))                    \
  X(streamDestroy, "cuStreamDestroy_v2", (CUstream))                           \
  X(streamSynchronize, "cuStreamSynchronize", (CUstream))                      \
  X(streamWaitEvent, "cuStreamWaitEvent", (CUstream, CUevent, unsigned))       \
  X(streamGetCtx, "cuStreamGetCtx", (CUstream, CUcontext *))                   \
  X(streamGetCaptureInfo, "cuStreamGetCaptureInfo_v2",                         \
    (CUstream, int *status, uint64_t *id, CUgraph *, const void *, size_t *))  \
  X(threadExchangeStreamCaptureMode, "cuThreadExchangeStreamCaptureMode",      \
    (int *))                                                                   \
  X(streamBeginCapture, "cuStreamBeginCapture_v2", (CUstream, int))            \
  X(streamEndCapture, "cuStreamEndCapture", (CUstream, CUgraph *))             \
  X(graphCreate, "cuGraphCreate", (CUgraph *, unsigned flags))                 \
  X(graphAddKernelNode, "cuGraphAddKernelNode_v2",                             \
    (CUgraphNode *, CUgraph, const CUgraphNode *dependencies, size_t,          \
     const KernelNodeParameters *))                                            \
  X(graphKernelNodeSetAttribute, "cuGraphKernelNodeSetAttribute",              \
    (CUgraphNode, int attribute, const void *value))                           \
  X(graphExecKernelNodeSetParams, "cuGraphExecKernelNodeSetParams_v2",         \
    (CUgraphExec, CUgraphNode, const KernelNodeParameters *))                  \
  X(graphInstantiate, "cuGraphInstantiateWithFlags",                           \
    (CUgraphExec *, CUgraph, unsigned long long))                              \
  X(graphLaunch, "cuGraphLaunch", (CUgraphExec, CUstream))                     \
  X(graphExecDestroy, "cuGraphExecDestroy", (CUgraphExec))                     \
  X(graphDestroy, "cuGraphDestroy", (CUgraph))                                 \
  X(eventCreate, "cuEventCreate", (CUevent *, unsigned))                       \
  X(eventRecord, "cuEventRecord", (CUevent, CUstream))                         \
  X(eventQuery, "cuEventQuery", (CUevent))                                     \
  X(eventSynchronize, "cuEventSynchronize", (CUevent))                         \
  X(eventElapsedTime, "cuEventElapsedTime", (float *, CUevent, CUevent))       \
  X(eventDestroy, "cuEventDestroy_v2", (CUevent))

/// Those that older drivers lack: null there.
#define MIRAGE_CUDA_NEWER_FUNCTIONS(X)                                         \
  /* since CUDA 12.3 */                                                        \
  X(graphAddDependencies, "cuGraphAddDependencies_v2",                         \
    (CUgraph, const CUgraphNode *from, const CUgraphNode *to,                  \
     const GraphEdge *, size_t))                                               \
  /* since CUDA 12.5; one of the two is null */                                \
  X(streamGetAnyCtx, "cuStreamGetCtx_v2", (CUstream, CUcontext *, CUgreenCtx *))

/// Pointers into libcuda.so.1.
class Driver {
public:
#define MIRAGE_CUDA_MEMBER(function, name, parameters)                         \
  CUresult(*function) parameters = nullptr;
  MIRAGE_CUDA_FUNCTIONS(MIRAGE_CUDA_MEMBER)
  MIRAGE_CUDA_NEWER_FUNCTIONS(MIRAGE_CUDA_MEMBER)
#undef MIRAGE_CUDA_MEMBER

  /// Opens and initialises the driver. \returns one sentence where there is
  /// none, where it lacks a function, or where it sees no device.
  static llvm::Expected<Driver> open();

  /// Success, or "what: CUDA_ERROR_...: the driver's explanation".
  llvm::Error check(CUresult result, const llvm::Twine &what) const;
};

/// While there is one, calls of this thread that captures elsewhere do not
/// permit (allocating, freeing, asking for events) neither fail nor end them.
class BesideCaptures {
public:
  explicit BesideCaptures(const Driver &driver) : driver(driver) {
    driver.threadExchangeStreamCaptureMode(&mode);
  }
  ~BesideCaptures() { driver.threadExchangeStreamCaptureMode(&mode); }
  BesideCaptures(const BesideCaptures &) = delete;

private:
  const Driver &driver;
  int mode = 2; ///< CU_STREAM_CAPTURE_MODE_RELAXED, then what it was
};

} // namespace mlir::mirage::cuda

#endif // MIRAGE_LIB_RUNTIME_CUDADRIVER_H
