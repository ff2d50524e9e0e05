//===- ParallelFor.h - Shares a range among threads ----------- -*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_REFERENCE_PARALLELFOR_H
#define MIRAGE_REFERENCE_PARALLELFOR_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include <cstdint>

namespace mlir::mirage {

/// Calls `body(begin, end)` for consecutive pieces of [0, count), of `grain`
/// elements each (the last one may be shorter), on up to `threads` threads.
/// Which thread takes which piece is left open, so results must not depend on
/// it. Runs in the caller's thread where one thread is enough.
void parallelFor(unsigned threads, int64_t count, int64_t grain,
                 llvm::function_ref<void(int64_t begin, int64_t end)> body);

/// `threads`, or as many as the machine has where it is 0.
unsigned resolveThreads(unsigned threads);

} // namespace mlir::mirage

#endif // MIRAGE_REFERENCE_PARALLELFOR_H
