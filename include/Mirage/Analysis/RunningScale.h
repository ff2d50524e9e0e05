//===- RunningScale.h - Parts relative to a running maximum -----*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In a block graph the parts of a sum that is rescaled are relative to the
// maximum t of their own tile (docs/rationale/Block.md, "rescale by"):
//
//   p = exp(s - t);  o = sum of p·v, rescaled by t;  m = the maximum of t
//
// A loop that adds them up corrects both the sum so far and each part:
//
//   m' = max(m, t);  o = o·exp(m - m') + (p·v)·exp(t - m')
//
// But p·v·exp(t) is the same whatever t is. So where m' is known before p is
// computed, p may be relative to m' at once. Then only the sum so far has to be
// corrected, and the product can add its part to it in its accumulators:
//
//   m' = max(m, t);  p = exp(s - m');  o = o·exp(m - m') + p·v
//
// `mirage.running_scale` on the accumulation m says that it is done. It is how
// FlashAttention has it (Dao 2023, section 2.3).
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_ANALYSIS_RUNNINGSCALE_H
#define MIRAGE_ANALYSIS_RUNNINGSCALE_H

#include "Mirage/Dialect/Block/IR/Block.h"

namespace mlir::mirage {

inline constexpr llvm::StringLiteral kRunningScaleAttr = "mirage.running_scale";

/// Whether an accumulation of maxima says that what it accumulates is replaced
/// by the maximum so far wherever it is read.
bool hasRunningScale(block::AccumulateOp maximum);

/// Whether that changes nothing. What warps hold it is done for: the maximum,
/// what it accumulates, and all sums that are relative to it. And all that
/// depends on t has to be a power of exp(t), which the sums take back: if t
/// grows by d, a difference from t shrinks by d, its exponential by the factor
/// exp(d), and so do products with that and sums of it. What grows with t, or
/// is divided by what shrinks, is refused: in floats it may be infinite, or 0 /
/// 0.
///
/// Of a tile that is masked whole, whose t is minus infinity, p is 0 then, and
/// its product with v is 0 as long as v is finite.
bool canHaveRunningScale(block::AccumulateOp maximum);

} // namespace mlir::mirage

#endif // MIRAGE_ANALYSIS_RUNNINGSCALE_H
