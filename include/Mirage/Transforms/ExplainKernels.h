//===- ExplainKernels.h - What is known of a program's kernels --*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the optimizer decided of each kernel, and what is expected of that, in
// one place and with units. --mirage-explain prints it so:
//
//   kernel 0 of @matmul, matmul_0, at matmul.mlir:6:10
//     launch          0
//     blocks          4 x 4 = 16, of 128 threads
//     loop            8 iterations, 3 stages
//     input 0         tiles 64x64xf16 of 256x512xf16, x -> 0, loop -> 1;
//                     1.0 MiB read, accesses of up to 16 B
//     input 1         tiles 64x64xf16 of 512x256xf16, y -> 1, loop -> 0;
//                     1.0 MiB read, accesses of up to 16 B
//     output 0        tiles 64x64xf16 of 256x256xf16, x -> 0, y -> 1;
//                     128.0 KiB written, accesses of up to 16 B
//     device memory   2.0 MiB read and 128.0 KiB written by all blocks, as the
//                     maps imply
//     in flight       32.0 KiB of a block, 512.0 KiB of the blocks that run at
//     a
//                     time; 2.4 MiB keep device memory busy
//     shared memory   55296 B of 232448 B; threads of a block take 5376
//                     wavefronts (Mirage/Analysis/BankTraffic.h)
//       at 0 B        input 0, 64x64xf16, 3 places of 9216 B, 16 B free behind
//                     each row
//       at 0 B        step 4, 64x64xf32, 16384 B
//       at 27648 B    input 1, 64x64xf16, 3 places of 9216 B, ...
//     steps           2
//       step 3        mma, accumulate: 8 items of 4 steps, held in registers
//         ldmatrix input 0, 16x16xf16, layout 0: 8 elements of a lane
//         ldmatrix input 1, 16x32xf16, layout 1: 16 elements of a lane
//         mma, 16x32xf32, layout 2: 16 elements of a lane
//         store result, 16x32xf32, layout 2: 16 elements of a lane
//       step 4        accumulate
//     layout 0        register = [[0, 1], [8, 0], [0, 8]], lane = ...
//     ...
//     registers       113 of a thread by ptxas, 0 B spilled; the plan reckons
//                     with 64
//     occupancy       4 blocks of an SM = 16 of 64 warps, limited by shared
//                     memory; 16 blocks are 1 wave on 132 SMs
//     predicted       9.28 us = launch 2.35 + the longest of
//       blocks        6.93 us, of which latency bounds 6.93, loads 0.00,
//                     arithmetic 0.00
//       device memory 0.15 us
//       L2            0.32 us
//     bound by        latency of blocks
//   @matmul: 1 kernel for sm_90a (H200), 9.28 us predicted; none takes less
//   than 2.50 us, for the launch and each input and output once
//
// with each of these in one line. test/Pipelines/explain.test has it whole.
//
// An access "of up to 16 B" is the widest that the tensor and its tiles allow
// (Mirage/Graph/DeviceTraffic.h). "In flight" are the tiles that have been
// asked for and are not there yet: with s stages those of s - 1 iterations
// (fewer where places of rings are handed back that lie further behind), with
// one stage all that an iteration loads. Device memory is kept busy by as
// many bytes as it gives in the latency of a load (Little's law). A layout
// gives the coordinates that the bits of the numbers of a register and a lane
// stand for
// (`mirage_thread.layout`). Times are those of the search's cost model
// (Mirage/Search/KernelTime.h), of the parts of a kernel that it was split
// into.
//
// Where a cluster loads boxes together (Mirage/Analysis/Multicast.h), it says
// of an input how many blocks do so, and what is left for L2 to give ("2.0 MiB
// read by 2 blocks at a time, 1.0 MiB from L2"). Times are of blocks that load
// alone.
//
// Of a loop that blocks end early by a causal mask
// (Mirage/Analysis/CausalLoop.h) bytes and sectors are those of the iterations
// that the mask leaves something of; shared memory's wavefronts and times are
// of all.
//
// What has not been decided yet is said to be so: the report can be asked for
// between any two passes.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TRANSFORMS_EXPLAINKERNELS_H
#define MIRAGE_TRANSFORMS_EXPLAINKERNELS_H

#include "Mirage/Analysis/LaunchSequence.h"
#include "Mirage/Graph/TensorSpec.h"
#include "Mirage/Planning/LaunchBarrier.h"
#include "Mirage/Planning/Target.h"
#include "Mirage/Planning/WarpRoles.h"
#include "Mirage/Search/KernelTime.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/JSON.h"
#include <optional>
#include <string>
#include <vector>

namespace mlir::mirage {

/// An operand or a result of a kernel, in device memory.
struct ExplainedTensor {
  std::string name; ///< "input 0", "output 0"
  TensorSpec tile;  ///< of one block, in one iteration
  TensorSpec tensor;
  std::string maps;        ///< which axis cuts which dimension: "x -> 1"
  double trafficBytes = 0; ///< that all blocks read or write, by the maps
  /// The sectors of device memory that this takes, where it is known how the
  /// tensor lies.
  std::optional<double> trafficSectors;
  bool isWritten = false;
  bool isLoadedInLoop = false;
  bool bypassesSharedMemory = false; ///< lanes load or store it themselves
  /// Of a cluster: the blocks that load it together, and get of L2 what one
  /// would.
  int64_t numSharers = 1;
  /// Of the widest access; none where it is not known how the tensor lies.
  std::optional<int64_t> widestAccessBytes;
  std::optional<DeviceBuffer> buffer; ///< once device memory is planned
};

/// A tile of shared memory.
struct ExplainedPlace {
  std::string name; ///< "input 0", "step 5"
  TensorSpec type;
  int64_t offsetBytes = 0;
  int64_t sizeBytes = 0; ///< of one of its places
  int64_t numPlaces = 1;
  int64_t rowPaddingBytes = 0; ///< free behind each row
  int64_t swizzleBytes = 0;    ///< where it is swizzled; else 0
  bool isBoxed = false;        ///< whether the copy engine loads it
};

/// How the lanes of a warp move or multiply a fragment.
struct ExplainedFragment {
  unsigned index = 0;    ///< of the operation in its thread graph
  std::string operation; ///< "ldmatrix"
  std::string value;     ///< "input 0"; empty of what stays in registers
  TensorSpec type;
  unsigned numRegisters = 0; ///< elements of a lane
  unsigned layout = 0;       ///< in the kernel's list
};

/// An operation of the block graph, or several that became a thread graph.
struct ExplainedStep {
  unsigned index = 0;            ///< of the operation in the block graph
  std::optional<int64_t> number; ///< `mirage.step`
  std::string operations;        ///< "mma, accumulate"
  bool isThreadGraph = false;
  int64_t numItems = 1; ///< that warps share
  int64_t numSteps = 1; ///< of an item's loop
  bool isHeld = false;  ///< its result stays in registers
  SmallVector<ExplainedFragment> fragments;
};

struct ExplainedKernel {
  explicit ExplainedKernel(Location location) : location(location) {}

  Location location;
  unsigned number = 0;         ///< in its function
  std::string symbol;          ///< of the code, once that is known
  bool isStorePlanned = false; ///< places in shared memory
  bool isPlanned = false;      ///< these, launches and device memory
  unsigned launch = 0;
  LaunchBarrier barrier = LaunchBarrier::Launch; ///< before it
  bool isDependent = false;     ///< launched before the launch before has ended
  bool isAdmitted = false;      ///< and as soon as that has begun
  bool isLeftToLibrary = false; ///< on a machine that has one
  bool takesTF32 = false;       ///< of some product

  SmallVector<int64_t, 3> grid, cluster;
  bool loadsByClusters = false; ///< `mirage.multicast_cluster`
  /// The grid axes as the GPU counts blocks, the fastest one first.
  SmallVector<int64_t, 3> gridOrder;
  int64_t threads = 0, loop = 1, stages = 1;
  bool endsEarly = false;          ///< its loop, by a causal mask
  std::optional<int64_t> handBack; ///< `mirage.hands_back_places`
  LoadingWarps loadingWarps;       ///< beside the threads
  /// Shared memory that its launch asks for, if that is more than it takes.
  int64_t requestedSharedBytes = 0;
  /// How many blocks are launched, where each goes on with others.
  std::optional<int64_t> persistentBlocks;
  std::vector<ExplainedTensor> tensors;
  SmallVector<ExplainedStep> steps;
  SmallVector<std::string> layouts;
  int64_t flightBytes = 0; ///< of one block

  SmallVector<ExplainedPlace> places;        ///< by offset
  std::optional<int64_t> copyBarriersOffset; ///< `mirage.copy_barriers`
  /// Of the plan; without one, if each tile has a place of its own.
  int64_t sharedBytes = 0;
  /// Passes through the banks of shared memory that threads of a block are
  /// expected to take (Mirage/Analysis/BankTraffic.h).
  int64_t wavefronts = 0;
  /// Of a block of the whole launch, as the plan reckons with it.
  BlockResources resources;
  std::optional<int64_t> numRegisters; ///< of a thread, by ptxas
  int64_t spillBytes = 0;              ///< of a thread, by ptxas

  /// In the sequence: what comes first takes a launch, the others less.
  std::optional<search::KernelTime> time;

  int64_t getNumBlocks() const;
  double getReadBytes() const;
  /// Those of them that come from L2 or further, and not from another block.
  double getCacheReadBytes() const;
  double getWrittenBytes() const;
  /// By ptxas, or what the plan reckons with.
  int64_t getNumRegisters() const;
  Occupancy getOccupancy(const Target &target) const;
};

struct ExplainedFunction {
  std::string name;
  Target target;
  std::vector<ExplainedKernel> kernels;
  /// Operators of the kernel level that have no kernel yet: "matmul".
  SmallVector<std::string> operators;
  /// What no kernels for this go below: a launch for each kernel graph, and
  /// its inputs and outputs pass device memory once.
  double limitUs = 0;

  /// None where it is not known of some kernel.
  std::optional<double> getPredictedUs() const;
};

/// Reads what attributes say of the kernels of a function, planned or not.
/// Fails after an error at an attribute that is not as passes leave it.
FailureOr<ExplainedFunction> explainKernels(func::FuncOp function,
                                            const Target &target);

/// The text above.
void print(raw_ostream &os, const ExplainedFunction &function);
llvm::json::Value toJSON(const ExplainedFunction &function);

} // namespace mlir::mirage

#endif // MIRAGE_TRANSFORMS_EXPLAINKERNELS_H
