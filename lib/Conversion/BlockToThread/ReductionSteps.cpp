//===- ReductionSteps.cpp - Steps that reduce dimensions ------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Layout/WorkFragments.h"
#include "StepBuilders.h"
#include "ThreadGraphBuilder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace mlir::mirage;

/// What elements beyond the tile must be so that they do not change a
/// reduction: none where zero will do, which is what they are read as.
static std::optional<double> getPadding(const OperatorInfo &reduction) {
  double neutral = getNeutral(reduction.combiner);
  if (evaluateDouble(reduction.definition, {0.0}, {}) == neutral)
    return std::nullopt;
  assert(evaluateDouble(reduction.definition, {neutral}, {}) == neutral &&
         "a reduction that neither zero nor the neutral element leaves alone");
  return neutral;
}

/// The reduction of a tile over one dimension, its other attributes as given.
static FailureOr<Value> reduceOneDim(RewriterBase &rewriter, Operation *op,
                                     Value operand, Opcode reduction, int dim,
                                     int64_t count, unsigned numWarps) {
  auto tile = cast<RankedTensorType>(operand.getType());
  int64_t size = tile.getDimSize(dim);
  LinearLayout layout = chooseReductionLayout(tile.getShape(), dim, numWarps);
  WorkSplit split(tile.getShape(), layout.getShape(), dim);
  if (split.getAxes().size() > 3)
    return op->emitOpError() << "expects a tile that is cut along at most 3 "
                                "dimensions to share it "
                                "among warps, got "
                             << split.getAxes().size() << " for " << tile;
  ThreadGraphBuilder graph(rewriter, op->getLoc(), split);
  auto all = llvm::to_vector(llvm::seq<int>(tile.getRank()));
  Value fragment = graph.addOperand(operand, all, layout);
  std::optional<double> padding = getPadding(getOperatorInfo(reduction));
  if (padding && size % layout.getShape()[dim] != 0) {
    Attributes mask;
    mask.scalars = {*padding};
    mask.dims = {dim};
    mask.axes = {Axis::Loop};
    mask.extent = size;
    fragment = graph.addRow(Opcode::Mask, fragment, mask, layout,
                            tile.getElementType());
  }
  SmallVector<int> kept = all;
  kept[dim] = -1;
  Attributes accumulate;
  accumulate.reduction = reduction;
  accumulate.axis = Axis::Loop;
  accumulate.dims = {dim};
  if (getOperatorInfo(reduction).averages())
    accumulate.count = count;
  fragment = graph.addRow(Opcode::Accumulate, fragment, accumulate,
                          layout.project(kept), rewriter.getF32Type());
  SmallVector<int64_t> shape(tile.getShape());
  shape[dim] = 1;
  return graph.finish(fragment, kept,
                      RankedTensorType::get(shape, rewriter.getF32Type()));
}

/// Several dimensions are reduced one after the other, the last first. All but
/// the final one reduce with count 1, of which the table's reductions are
/// associative: a norm of norms is the norm, a sum of sums the sum.
FailureOr<Value> mlir::mirage::buildReductionStep(RewriterBase &rewriter,
                                                  Operation *op,
                                                  unsigned numWarps) {
  Opcode opcode = cast<OperatorOpInterface>(op).getTableOpcode();
  Attributes attributes = readOperatorAttributes(op);
  int64_t count = getAveragedCount(
      attributes,
      cast<RankedTensorType>(op->getOperand(0).getType()).getShape());
  Value value = op->getOperand(0);
  for (int64_t dim : llvm::reverse(attributes.dims)) {
    bool isLast = dim == attributes.dims.front();
    FailureOr<Value> reduced = reduceOneDim(rewriter, op, value, opcode, dim,
                                            isLast ? count : 1, numWarps);
    if (failed(reduced))
      return failure();
    value = *reduced;
  }
  return value;
}
