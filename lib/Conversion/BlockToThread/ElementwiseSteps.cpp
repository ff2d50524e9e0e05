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
  ArrayRef<int64_t> result =
      cast<RankedTensorType>(op->getResult(0).getType()).getShape();
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(operand.getType()).getShape();
  unsigned rank = result.size();
  auto transpose = dyn_cast<block::TransposeOp>(op);
  if (!transpose) {
    SmallVector<int> dims = getBroadcastDims(shape, rank);
    // A dimension of size 1 that does not stretch is the result's, whose
    // fragment may be larger.
    for (auto [dim, resultDim] : llvm::enumerate(dims))
      if (unsigned own = rank - shape.size() + dim;
          resultDim < 0 && result[own] == 1)
        resultDim = static_cast<int>(own);
    return dims;
  }
  SmallVector<int> dims(rank);
  for (auto [to, from] : llvm::enumerate(transpose.getDims()))
    dims[from] = to;
  return dims;
}

StepCore mlir::mirage::makeElementwiseCore(const StepContext &context,
                                           Operation *op) {
  auto result = cast<RankedTensorType>(op->getResult(0).getType());
  std::optional<LinearLayout> rows = findWholeRows(op, op->getResult(0));
  LinearLayout layout =
      rows ? *rows : chooseElementwiseLayout(context, result.getShape());
  WorkSplit split(result.getShape(), layout.getShape(), /*loopDim=*/-1);
  return {split, llvm::to_vector(llvm::seq<int>(result.getRank())), layout};
}
