//===- MachineMemory.h - What there is to compute in ------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_GRAPH_MACHINEMEMORY_H
#define MIRAGE_GRAPH_MACHINEMEMORY_H

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include <string>

namespace mlir::mirage {

/// Bytes that this process could have: the machine's memory, or the limit on
/// the process's address space (`ulimit -v`) where that is less.
double getMachineMemoryBytes();

/// "120 MiB", "64.0 GiB".
std::string describeBytes(double bytes);

/// Whether this process can have so many bytes beside those that it has.
/// Allocations end the process where they fail, since nothing here throws or
/// catches: whoever is about to make large ones asks first, for all of them
/// together. The answer holds as long as no other thread takes the memory.
/// \param what  that is to be allocated: "inputs and outputs"
/// \returns an error with demand and limit: "expects inputs and outputs to fit
/// the 512 MiB of memory that this process can have, got 600 MiB". Less than 1
/// MiB always fits.
llvm::Error checkMemory(const llvm::Twine &what, double bytes);

} // namespace mlir::mirage

#endif // MIRAGE_GRAPH_MACHINEMEMORY_H
