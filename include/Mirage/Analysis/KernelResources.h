//===- KernelResources.h - What a kernel's blocks take ----------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a block takes of an SM (Mirage/Planning/LaunchBarrier.h), as attributes
// of planned block graphs state it.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_ANALYSIS_KERNELRESOURCES_H
#define MIRAGE_ANALYSIS_KERNELRESOURCES_H

#include "Mirage/Dialect/Block/IR/Block.h"
#include "Mirage/Planning/LaunchBarrier.h"

namespace mlir::mirage {

/// What `mirage.row_registers` states of a graph, from 0 to the registers that
/// a thread of the target can have; 0 where it is not there; or failure after
/// an error.
FailureOr<int64_t> readRowRegisters(block::GraphOp graph, const Target &target);

/// The threads that compute, shared memory and registers of a planned kernel,
/// or failure after an error.
FailureOr<BlockResources> readResources(block::GraphOp kernel,
                                        const Target &target);

/// Those of kernels that share a launch: what the largest of them takes.
FailureOr<BlockResources> readResources(ArrayRef<block::GraphOp> kernels,
                                        const Target &target);

/// What a thread has in registers while a loop goes on: sums that grow over
/// the loop of the block, and over the steps of a thread graph in it.
struct GrowingSums {
  Operation *op = nullptr; ///< the graph of steps, or of the block
  int64_t registers = 0;   ///< of a thread
};

/// Those of a kernel's loops that take the most. No code can do with fewer
/// registers.
GrowingSums findGrowingSums(block::GraphOp kernel);

} // namespace mlir::mirage

#endif // MIRAGE_ANALYSIS_KERNELRESOURCES_H
