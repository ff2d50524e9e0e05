/*===- Mirage-c/Runtime.h - Runs compiled tensor programs ------- -*- C -*-===*\
|*                                                                            *|
|* Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.        *|
|* See LICENSE for license information.                                       *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Loads an artifact (a folder that `mirage-opt --mirage-compile=artifact=`   *|
|* wrote) and runs it, on a GPU or on the emulator. C99, and all that a       *|
|* program needs is this header and libMirageRuntimeC.so: no LLVM, no CUDA    *|
|* toolkit. The CUDA driver (libcuda.so.1) and cuBLASLt are opened at run     *|
|* time, and only by a device of kind MirageDeviceCuda.                       *|
|*                                                                            *|
|*   MirageDevice *device;                                                    *|
|*   MirageProgram *program;                                                  *|
|*   if (mirageDeviceOpen(MirageDeviceCuda, 0, &device) != MirageSuccess ||   *|
|*       mirageProgramLoad(device, "out", MirageLibraryAuto, &program) !=     *|
|*           MirageSuccess)                                                   *|
|*     fprintf(stderr, "%s\n", mirageGetLastError());                         *|
|*   ...                                                                      *|
|*   mirageProgramEnqueue(program, stream, inputs, outputs);                  *|
|*                                                                            *|
|* Functions may be called from any thread, and leave a context of CUDA that  *|
|* is current there as they found it. Runs of one program follow one another  *|
|* on the device, whatever threads and streams they come from: they share its *|
|* workspace. docs/Runtime.md, "Threads, streams and captures", has all of    *|
|* this.                                                                      *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef MIRAGE_C_RUNTIME_H
#define MIRAGE_C_RUNTIME_H

#include "Mirage-c/Status.h"
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*===----------------------------------------------------------------------===*\
|* Devices                                                                    *|
\*===----------------------------------------------------------------------===*/

typedef struct MirageDevice MirageDevice;

typedef enum {
  /** The PTX on the CPU, watched: out-of-bounds accesses and races are
   * errors. Slow, and the same numbers on every machine. */
  MirageDeviceEmulator = 0,
  /** A GPU. Its primary context, the one that the CUDA runtime uses, is
   * retained. */
  MirageDeviceCuda = 1
} MirageDeviceKind;

/** Finds the GPU on which an address of device memory lies, whoever has
 * allocated it. Sets \p ordinal to -1 where it fails: no driver, or no such
 * address. */
MIRAGE_C_EXPORTED MirageStatus mirageFindDevice(uint64_t address, int *ordinal);

/** Opens a device. \p ordinal is the number of the GPU; the emulator has 0
 * alone. Sets \p device to null where it fails. */
MIRAGE_C_EXPORTED MirageStatus mirageDeviceOpen(MirageDeviceKind kind,
                                                int ordinal,
                                                MirageDevice **device);

/** Gives a device back. Programs that are loaded on it stay usable, and keep
 * its context until they are destroyed. Null is fine. */
MIRAGE_C_EXPORTED void mirageDeviceClose(MirageDevice *device);

/** "NVIDIA H200", or "emulator"; valid as long as the device is. */
MIRAGE_C_EXPORTED const char *mirageDeviceGetName(const MirageDevice *device);

/** Major version times 10 plus minor one: 90 for Hopper. 0 for the emulator,
 * which runs the PTX of all targets. */
MIRAGE_C_EXPORTED int
mirageDeviceGetComputeCapability(const MirageDevice *device);

/** The newest CUDA that the driver knows: 13000 is 13.0. 0 for the emulator. */
MIRAGE_C_EXPORTED int mirageDeviceGetDriverVersion(const MirageDevice *device);

/*===----------------------------------------------------------------------===*\
|* Streams                                                                    *|
\*===----------------------------------------------------------------------===*/

/** Whether what is put into a stream goes into a graph that is being
 * captured. */
MIRAGE_C_EXPORTED MirageStatus mirageDeviceIsCapturing(
    const MirageDevice *device, void *stream, int *isCapturing);

/** A place in a stream of a GPU. For callers who have no CUDA of their own, and
 * have to know when tensors are free again, or let one stream wait for
 * another. */
typedef struct MirageEvent MirageEvent;

MIRAGE_C_EXPORTED MirageStatus mirageEventCreate(const MirageDevice *device,
                                                 MirageEvent **event);

/** Null is fine. */
MIRAGE_C_EXPORTED void mirageEventDestroy(MirageEvent *event);

/** Takes the place behind all that is in the stream, which is in no capture. */
MIRAGE_C_EXPORTED MirageStatus mirageEventRecord(MirageEvent *event,
                                                 void *stream);

/** What is put into \p stream from now on waits until the place is reached. */
MIRAGE_C_EXPORTED MirageStatus mirageEventMakeWait(const MirageEvent *event,
                                                   void *stream);

/** Whether all is done that stood before the place; 1 as long as there is
 * none. Does not wait. */
MIRAGE_C_EXPORTED MirageStatus mirageEventHasPassed(const MirageEvent *event,
                                                    int *hasPassed);

/*===----------------------------------------------------------------------===*\
|* Programs                                                                   *|
\*===----------------------------------------------------------------------===*/

typedef struct MirageProgram MirageProgram;

/** Whether matmuls that the artifact has a call of cuBLASLt for are left to
 * it. */
typedef enum {
  MirageLibraryAuto = 0,  /**< where the library is found and takes them */
  MirageLibraryNever = 1, /**< kernels of the artifact alone */
  MirageLibraryAlways = 2 /**< loading fails where one cannot be left to it */
} MirageLibraryUse;

/** Reads the artifact in \p folder and makes it ready: code is loaded, library
 * calls are planned, the workspace is allocated and the launches are made a
 * CUDA graph, which is all the device memory that the program ever has. Sets
 * \p program to null where it fails. */
MIRAGE_C_EXPORTED MirageStatus mirageProgramLoad(const MirageDevice *device,
                                                 const char *folder,
                                                 MirageLibraryUse library,
                                                 MirageProgram **program);

/** Frees the program and its workspace once its last run has ended, which it
 * waits for. Null is fine. May be called at any time, in a finalizer too: no
 * capture is disturbed. Where the end cannot be known without that (a run was
 * captured, so that a graph may be running; a library is used; the stream is in
 * a capture), the program is kept, and freed by the next mirageProgramLoad() on
 * the device or with the device. A graph that runs were captured in must not be
 * launched any more. */
MIRAGE_C_EXPORTED void mirageProgramDestroy(MirageProgram *program);

typedef enum {
  MirageElementF16 = 0,
  MirageElementBF16 = 1,
  MirageElementF32 = 2,
  MirageElementF8E4M3FN = 3,
  MirageElementF8E5M2 = 4
} MirageElementType;

/** A tensor that the caller binds. The pointers are the program's and valid as
 * long as it is. */
typedef struct {
  const char *name;
  MirageElementType element;
  size_t rank;
  const int64_t *shape;   /**< `rank` sizes */
  const int64_t *strides; /**< `rank` strides, in elements */
  int64_t sizeBytes;      /**< from the first element through the last one */
} MirageTensorInfo;

MIRAGE_C_EXPORTED size_t
mirageProgramGetNumInputs(const MirageProgram *program);
MIRAGE_C_EXPORTED size_t
mirageProgramGetNumOutputs(const MirageProgram *program);

/** Describes the input with this number in \p info. */
MIRAGE_C_EXPORTED MirageStatus mirageProgramGetInput(
    const MirageProgram *program, size_t number, MirageTensorInfo *info);
MIRAGE_C_EXPORTED MirageStatus mirageProgramGetOutput(
    const MirageProgram *program, size_t number, MirageTensorInfo *info);

/** Bytes of device memory that runs use between kernels. */
MIRAGE_C_EXPORTED int64_t
mirageProgramGetWorkspaceBytes(const MirageProgram *program);

/** Puts one run into a stream and returns at once, as a CUDA graph of the
 * program's own where docs/Runtime.md does not say otherwise. Allocates
 * nothing itself (the driver finds memory for a graph that it has not run yet),
 * and can be captured in a CUDA graph; before a capture, run once, since
 * cuBLASLt may load code at its first call. It waits, on the device, for the
 * program's last run, also one of another thread or in another stream.
 * Captured runs wait for those of the same capture alone: whoever launches the
 * graph orders that with all other runs of the program.
 * \p stream  a CUstream or cudaStream_t of the device's primary context, or of
 * a green context of the device; null is the default stream. One of another
 * device or context is refused.
 * \p inputs, \p outputs  device addresses (CUdeviceptr), one for each tensor in
 *            the program's order, multiples of 16.
 * The emulator has no streams: there it fails. */
MIRAGE_C_EXPORTED MirageStatus
mirageProgramEnqueue(const MirageProgram *program, void *stream,
                     const uint64_t *inputs, const uint64_t *outputs);

/** Promises that each stream that is handed to mirageProgramEnqueue() lives
 * until a run was enqueued in another one, or the program is destroyed. It
 * spares an event behind each run in a stream other than the default one. */
MIRAGE_C_EXPORTED MirageStatus
mirageProgramTrustStreams(const MirageProgram *program);

/** Makes the context of the program's device current in the calling thread, for
 * callers who call the driver themselves. */
MIRAGE_C_EXPORTED MirageStatus
mirageProgramMakeCurrent(const MirageProgram *program);

/** Runs on host memory: copies inputs in, waits after each kernel, so that an
 * error names the one that failed, and copies outputs out. For tests and first
 * steps; it allocates device memory each time.
 * \p inputs, \p outputs  one pointer for each tensor, to `sizeBytes` bytes by
 *            its strides. Between elements of an output nothing is written. */
MIRAGE_C_EXPORTED MirageStatus mirageProgramRun(const MirageProgram *program,
                                                const void *const *inputs,
                                                void *const *outputs);

#ifdef __cplusplus
}
#endif

#endif /* MIRAGE_C_RUNTIME_H */
