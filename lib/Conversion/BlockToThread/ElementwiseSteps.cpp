//===- ElementwiseSteps.cpp - Elementwise and transposing steps -----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Analysis/HeldTiles.h"
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

static bool multiplies(thread::GraphOp step) {
  return llvm::any_of(step.getBody().getOps<OperatorOpInterface>(),
                      [](OperatorOpInterface op) {
                        return getOperatorInfo(op.getTableOpcode()).kind ==
                               OperatorKind::Contraction;
                      });
}

/// How the step that computes a value spreads it over lanes, or the parts of
/// which it is a sum over the loop.
static std::optional<LinearLayout> findLayoutOfStep(Value value) {
  Operation *op = value.getDefiningOp();
  while (isa_and_nonnull<block::AccumulateOp>(op))
    op = op->getOperand(0).getDefiningOp();
  auto step = dyn_cast_or_null<thread::GraphOp>(op);
  if (!step || step->getNumResults() != 1 || multiplies(step))
    return std::nullopt;
  thread::StoreOp store = getStore(step);
  return store ? thread::getFragmentLayout(store.getOperand().getType())
               : std::nullopt;
}

/// How operands of the result's shape lie in lanes, if another step has left
/// them there: the results of a reduction lie as its rows did. They may stay in
/// registers if whoever goes on with them has the same lanes.
static std::optional<LinearLayout>
findLayoutOfOperands(const StepContext &context, Operation *op) {
  auto result = cast<ShapedType>(op->getResult(0).getType());
  if (!context.mayHold || isa<block::TransposeOp>(op))
    return std::nullopt;
  for (Value operand : op->getOperands()) {
    if (cast<ShapedType>(operand.getType()).getShape() != result.getShape())
      continue;
    Operation *source = operand.getDefiningOp();
    std::optional<LinearLayout> layout =
        source && context.fusion.isFused(source)
            ? findLayoutOfOperands(context, source)
            : findLayoutOfStep(operand);
    if (layout)
      return layout;
  }
  return std::nullopt;
}

StepCore mlir::mirage::makeElementwiseCore(const StepContext &context,
                                           Operation *op) {
  auto result = cast<RankedTensorType>(op->getResult(0).getType());
  std::optional<LinearLayout> known = findWholeRows(op, op->getResult(0));
  if (!known)
    known = findLayoutOfOperands(context, op);
  LinearLayout layout =
      known ? *known : chooseElementwiseLayout(context, result.getShape());
  WorkSplit split(result.getShape(), layout.getShape(), /*loopDim=*/-1);
  return {split, llvm::to_vector(llvm::seq<int>(result.getRank())), layout};
}
