//===- KernelTraffic.h - What an unsized kernel moves -----------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a kernel reads and the names of its axes say already how little it may
// move, whatever its operators and tiles will be. A cost model makes a lower
// bound of it (CostModel::boundTrafficUs), and what that excludes is neither
// enumerated nor given sizes.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_SEARCH_KERNELTRAFFIC_H
#define MIRAGE_SEARCH_KERNELTRAFFIC_H

#include "Mirage/Search/CostModel.h"
#include "Mirage/Search/KernelPlan.h"

namespace mlir::mirage::search {

/// Of a kernel with these axes. Parts, whose number nobody knows yet, are taken
/// to be two, the least that there are.
KernelTraffic getTraffic(const TargetProgram &program,
                         llvm::ArrayRef<StoredTensor> inputs,
                         llvm::ArrayRef<StoredTensor> results,
                         llvm::ArrayRef<NameId> gridNames, NameId loopName);
/// The same of one that has operators.
KernelTraffic getTraffic(const TargetProgram &program, const KernelPlan &plan);

/// The axes of the grid along which the kernel's operators join blocks,
/// ascending.
llvm::SmallVector<unsigned, 3> getJoinedAxes(const KernelStructure &kernel);

/// The program's extents by name, and 2 for parts.
llvm::SmallVector<int64_t> getLeastExtents(const TargetProgram &program);

} // namespace mlir::mirage::search

#endif // MIRAGE_SEARCH_KERNELTRAFFIC_H
