//===- TileWalk.h - Evaluates a tile graph block by block ----- -*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_REFERENCE_TILEWALK_H
#define MIRAGE_LIB_REFERENCE_TILEWALK_H

#include "TensorOperations.h"

namespace mlir::mirage {

/// Evaluates a well-formed tile graph on whole tensors, as a device would: each
/// block cuts its tiles out, runs its loop, and puts its results in place.
/// \returns a tensor for each of `types`, the results' types.
std::vector<Tensor> walkTiles(const TileGraph &graph,
                              llvm::ArrayRef<Tensor> operands,
                              llvm::ArrayRef<TensorSpec> types,
                              const EvaluationOptions &options);

/// How many elements each block holds until all have come to a join: 0 where no
/// blocks are joined, each of which is then walked to its end alone.
int64_t countHeldElements(const TileGraph &graph);

} // namespace mlir::mirage

#endif // MIRAGE_LIB_REFERENCE_TILEWALK_H
