//===- LaunchBarriers.h - Blocks that wait for blocks -----------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What lets blocks read what other blocks of the launch wrote to device memory
// before: a release and an acquire, as PTX ISA, section "Memory Consistency
// Model", has them.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_CONVERSION_BLOCKTOGPU_LAUNCHBARRIERS_H
#define MIRAGE_LIB_CONVERSION_BLOCKTOGPU_LAUNCHBARRIERS_H

#include "BlockBarrier.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::mirage {

/// What this thread has stored in device memory is there for the copy engines
/// of blocks that it meets behind the next barrier; other threads see it
/// anyway.
void emitStoreFence(ImplicitLocOpBuilder &builder);

/// All threads of all blocks of a cluster must come here.
void emitClusterBarrier(ImplicitLocOpBuilder &builder);

/// The number of a block's group, which is those along one grid axis.
Value emitGroupNumber(ImplicitLocOpBuilder &builder, ArrayRef<int64_t> grid,
                      unsigned axis, ValueRange coordinates);

/// What each group of blocks counts its arrivals by, in a variable of the
/// module. It is ready for the next launch when all have arrived, so
/// that two launches of the kernel must not overlap.
struct ArrivalCounter {
  LLVM::GlobalOp variable;
  Value group; ///< whose counter it is
  int64_t groupSize;
};

/// Adds the variable to the kernel's module, by a new name.
/// \param grid         the extents of the blocks that are counted.
/// \param coordinates  the block's, by grid axis.
ArrivalCounter addArrivalCounter(ImplicitLocOpBuilder &builder,
                                 gpu::GPUFuncOp kernel, const Twine &name,
                                 ArrayRef<int64_t> grid, unsigned axis,
                                 ValueRange coordinates);

/// All threads of the group's blocks come here that their barriers wait for.
/// \returns whether the block is the last one: an i1 that is the same in all of
/// its threads, behind which it can read what the others wrote.
Value emitLastArrival(ImplicitLocOpBuilder &builder,
                      const ArrivalCounter &counter,
                      const BlockBarrier &barrier);

/// Lets a thread wait until the launches that this one may overlap with are
/// done, and all that they did to device memory is seen (PTX ISA,
/// "griddepcontrol"). Each thread that touches device memory has to.
void emitWaitForLaunch(ImplicitLocOpBuilder &builder);

/// Lets the next launch begin once all blocks have come here.
void emitAdmitNextLaunch(ImplicitLocOpBuilder &builder);

} // namespace mlir::mirage

#endif // MIRAGE_LIB_CONVERSION_BLOCKTOGPU_LAUNCHBARRIERS_H
