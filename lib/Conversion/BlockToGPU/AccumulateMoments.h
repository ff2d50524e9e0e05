//===- AccumulateMoments.h - Variances over the loop ------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The three steps of an accumulation that carries moments. Of each element of
// its result the place holds the sum S of squared differences from the mean,
// the mean m and the count n, all f32, each in a tile of its own:
//
//   before the loop   S = m = n = 0
//   an iteration      of the tile's elements that are not -inf: n', then
//                     m' = Σx/n', then S' = Σ(x - m')²; d = m' - m, and
//                     S += S' + d²·n·n'/(n + n'), m += d·n'/(n + n'), n += n'
//   after the loop    S / n
//
// Two passes over a tile, and tiles joined like that, are off by some κ·2^-24
// of a variance, κ being the root of the mean of squares over the variance;
// Σx²/n less the square of the mean is off by κ² as much, and may be below 0
// (Chan, Golub and LeVeque, The American Statistician 37, 1983). A few lanes of
// a warp share one element of the result.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_CONVERSION_BLOCKTOGPU_ACCUMULATEMOMENTS_H
#define MIRAGE_LIB_CONVERSION_BLOCKTOGPU_ACCUMULATEMOMENTS_H

#include "BlockEmitter.h"

namespace mlir::mirage {

/// Whether these steps are an accumulation's.
bool carriesMoments(block::AccumulateOp op);

void emitInitMoments(BlockEmitter &emitter, block::AccumulateOp op);
void emitUpdateMoments(BlockEmitter &emitter, block::AccumulateOp op);
void emitFinishMoments(BlockEmitter &emitter, block::AccumulateOp op);

} // namespace mlir::mirage

#endif // MIRAGE_LIB_CONVERSION_BLOCKTOGPU_ACCUMULATEMOMENTS_H
