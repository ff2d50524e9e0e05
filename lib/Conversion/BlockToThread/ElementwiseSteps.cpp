//===- ElementwiseSteps.cpp - Elementwise and transposing steps -----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Layout/FragmentRules.h"
#include "Mirage/Layout/WorkFragments.h"
#include "StepBuilders.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace mlir::mirage;

SmallVector<int> mlir::mirage::getResultDims(Operation *op, Value operand) {
  unsigned rank = cast<RankedTensorType>(op->getResult(0).getType()).getRank();
  auto transpose = dyn_cast<block::TransposeOp>(op);
  if (!transpose)
    return getBroadcastDims(
        cast<RankedTensorType>(operand.getType()).getShape(), rank);
  SmallVector<int> dims(rank);
  for (auto [to, from] : llvm::enumerate(transpose.getDims()))
    dims[from] = to;
  return dims;
}

StepCore mlir::mirage::makeElementwiseCore(const StepContext &context,
                                           Operation *op) {
  auto result = cast<RankedTensorType>(op->getResult(0).getType());
  LinearLayout layout =
      chooseElementwiseLayout(result.getShape(), context.numWarps);
  WorkSplit split(result.getShape(), layout.getShape(), /*loopDim=*/-1);
  return {split, llvm::to_vector(llvm::seq<int>(result.getRank())), layout};
}
