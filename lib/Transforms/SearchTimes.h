//===- SearchTimes.h - The measured times of a graph ---------- -*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_TRANSFORMS_SEARCHTIMES_H
#define MIRAGE_LIB_TRANSFORMS_SEARCHTIMES_H

#include "Mirage/Artifact/MeasuredTime.h"
#include "Mirage/Cache/CacheStore.h"
#include "Mirage/Dialect/Kernel/IR/Kernel.h"

namespace mlir::mirage {

/// Of `times`, those of the program that the function of `op` computes.
/// \param file  where they are from, for the message.
/// \returns failure after an error where there are none.
FailureOr<std::vector<MeasuredTime>>
selectTimes(kernel::GraphOp op, ArrayRef<MeasuredTime> times, StringRef file);

/// Of the times that a cache has of that program, those that a search for
/// `target` can go by: of its instruction set, of one device, and of the newest
/// driver. Empty where there are none and, after a warning, where they are of
/// several devices: nobody has said which one counts.
std::vector<MeasuredTime>
findCachedTimes(kernel::GraphOp op, cache::CacheStore &store, StringRef target);

} // namespace mlir::mirage

#endif // MIRAGE_LIB_TRANSFORMS_SEARCHTIMES_H
