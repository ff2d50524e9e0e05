//===- SharedMemory.h - How much a thread block may have --------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_PLANNING_SHAREDMEMORY_H
#define MIRAGE_PLANNING_SHAREDMEMORY_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>

namespace mlir::mirage {

/// The largest shared memory of one thread block, in bytes, on a chip such as
/// "sm_80" or "sm_90a" (CUDA C++ Programming Guide, compute capabilities,
/// "maximum amount of shared memory per thread block"). None for a chip that is
/// not known.
std::optional<int64_t> getSharedBytesPerBlock(llvm::StringRef chip);

/// The chips that are known, oldest first.
llvm::SmallVector<llvm::StringRef> getKnownChips();

} // namespace mlir::mirage

#endif // MIRAGE_PLANNING_SHAREDMEMORY_H
