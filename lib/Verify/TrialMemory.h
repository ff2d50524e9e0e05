//===- TrialMemory.h - What a trial of a graph takes ------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_VERIFY_TRIALMEMORY_H
#define MIRAGE_LIB_VERIFY_TRIALMEMORY_H

#include "Mirage/Graph/Graph.h"
#include "Sample.h"

namespace mlir::mirage {

/// What trials of graphs take at most that are small enough for a bound: the
/// same on all machines, since such trials are repeated from certificates.
constexpr double kMaxSmallBytes = 1u << 30;

/// An upper bound of the bytes that evaluating a graph over fields takes: every
/// value and every intermediate of its operators in all blocks at once, as a
/// GraphEvaluator keeps them, and the arguments of exponentials. Computed from
/// the types alone, before anything is allocated; a floating-point number, as
/// the sum may well be beyond 64 bits.
/// \param height  components of the tower.
/// \param words   words an element: trials in a batch.
double estimateEvaluationBytes(const Graph &graph, unsigned height,
                               unsigned words);
/// The same of a sample.
double estimateSampleBytes(const Graph &graph, const Sample &sample,
                           unsigned height, unsigned words);

/// An upper bound of the bytes that a float64 input takes: the reference, which
/// says whether it is worth looking closer, and the evaluation that does
/// (RoundedEvaluation.h), one after the other.
double estimateWitnessBytes(const Graph &graph);
/// The same of some elements of an output.
double estimateWitnessBytesAt(const Graph &graph, unsigned output,
                              llvm::ArrayRef<int64_t> elements);

} // namespace mlir::mirage

#endif // MIRAGE_LIB_VERIFY_TRIALMEMORY_H
