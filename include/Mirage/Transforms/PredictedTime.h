//===- PredictedTime.h - What a kernel is predicted to take -----*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The search's cost model speaks of block graphs whose operations compute on
// whole tiles. Once these have become thread graphs they are no longer what it
// knows, so --mirage-predict-times leaves on each `mirage_block.graph` what it
// says while it can:
//
//   mirage.predicted_time = {blocks_us = 11.35 : f64, cache_us = 8.40 : f64,
//     compute_us = 0.0 : f64, join_us = 0.0 : f64, latency_us = 11.35 : f64,
//     launch_us = 2.35 : f64, load_us = 0.0 : f64, memory_us = 11.56 : f64,
//     target = "sm_90a"}
//
// the members of search::KernelTime (Mirage/Search/KernelTime.h); latency, load
// and compute are its shares.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TRANSFORMS_PREDICTEDTIME_H
#define MIRAGE_TRANSFORMS_PREDICTEDTIME_H

#include "Mirage/Dialect/Block/IR/Block.h"
#include "Mirage/Planning/Target.h"
#include "Mirage/Search/KernelTime.h"
#include <optional>

namespace mlir::mirage {

inline constexpr llvm::StringLiteral kPredictedTimeAttr =
    "mirage.predicted_time";

/// What the search's cost model says of a block graph, alone; none if some of
/// it has become thread graphs. Fails after an error where the op is no graph
/// that can be read.
FailureOr<std::optional<search::KernelTime>> predictTime(block::GraphOp kernel,
                                                         const Target &target);

/// What --mirage-predict-times left; none where it left nothing. Fails after an
/// error at an attribute of another form, or of another target.
FailureOr<std::optional<search::KernelTime>>
readPredictedTime(block::GraphOp kernel, const Target &target);

} // namespace mlir::mirage

#endif // MIRAGE_TRANSFORMS_PREDICTEDTIME_H
