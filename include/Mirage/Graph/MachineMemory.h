//===- MachineMemory.h - What there is to compute in ------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_GRAPH_MACHINEMEMORY_H
#define MIRAGE_GRAPH_MACHINEMEMORY_H

namespace mlir::mirage {

/// Bytes that this process could have: the machine's memory, or the limit on
/// the process's address space (`ulimit -v`) where that is less.
double getMachineMemoryBytes();

} // namespace mlir::mirage

#endif // MIRAGE_GRAPH_MACHINEMEMORY_H
