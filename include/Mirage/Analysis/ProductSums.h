//===- ProductSums.h - Sums of products in registers ------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums that grow over the loop, most of them of products on tensor cores: how
// many of them a thread can have, for those that cut their items, hold them, or
// say why they lie in shared memory.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_ANALYSIS_PRODUCTSUMS_H
#define MIRAGE_ANALYSIS_PRODUCTSUMS_H

#include "Mirage/Dialect/Block/IR/Block.h"
#include "Mirage/Dialect/Thread/IR/Thread.h"

namespace mlir::mirage {

/// Whether a sum over the loop adds up, element by element, what one step
/// leaves for nobody else, so that it may grow in registers. Asked where steps
/// are thread graphs, and before, where they are ops of a block of which the
/// sum's operand is the last.
bool growsAlone(block::AccumulateOp sum);

/// The sums over the loop that registers may carry, of a block whose steps are
/// thread graphs: those that grow alone.
SmallVector<block::AccumulateOp> findCarriedSums(block::GraphOp graph);

/// Registers of a thread for all sums of a block
/// (Mirage/Planning/RegisterBudget.h).
int64_t countSumRegisters(ArrayRef<block::AccumulateOp> sums,
                          unsigned numThreads);

/// Whether the tiles of a block fit shared memory, if these sums grow in
/// registers and come there behind the loop alone.
using FitWithoutSums = llvm::function_ref<bool(ArrayRef<block::AccumulateOp>)>;

struct ThreadsForSums {
  int64_t threads;
  bool areAllHeld; ///< and not some sums of several
};

/// A number of threads, the nearest to that of the block but not this, which
/// have registers for so many of the sums that may be carried that all else
/// fits. None where there is none, where some are of anything but products on
/// tensor cores, are rescaled, or have items that are whole rows: how these are
/// cut for other threads is not known here.
std::optional<ThreadsForSums> findThreadsForSums(block::GraphOp graph,
                                                 FitWithoutSums fit);

} // namespace mlir::mirage

#endif // MIRAGE_ANALYSIS_PRODUCTSUMS_H
