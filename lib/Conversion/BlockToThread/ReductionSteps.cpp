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

namespace {
/// The reduction of a tile over one dimension.
struct OneReduction {
  OneReduction(ArrayRef<int64_t> tile, int dim, unsigned numWarps)
      : dim(dim), layout(chooseReductionLayout(tile, dim, numWarps)),
        split(tile, layout.getShape(), dim) {}

  int dim;
  LinearLayout layout;
  WorkSplit split;
};
} // namespace

/// \param attributes  the reduction, with how many elements it averages.
static Value reduceOneDim(RewriterBase &rewriter, Location location,
                          Value operand, const OneReduction &one,
                          const Attributes &attributes) {
  auto tile = cast<RankedTensorType>(operand.getType());
  int dim = one.dim;
  int64_t size = tile.getDimSize(dim);
  ThreadGraphBuilder graph(rewriter, location, one.split);
  auto all = llvm::to_vector(llvm::seq<int>(tile.getRank()));
  Value fragment = graph.addOperand(operand, all, one.layout);
  const OperatorInfo &reduction = getOperatorInfo(attributes.reduction);
  std::optional<double> padding = getPadding(reduction);
  if (padding && size % one.layout.getShape()[dim] != 0) {
    Attributes mask;
    mask.scalars = {*padding};
    mask.dims = {dim};
    mask.axes = {Axis::Loop};
    mask.extent = size;
    fragment = graph.addRow(Opcode::Mask, fragment, mask, one.layout,
                            tile.getElementType());
  }
  SmallVector<int> kept = all;
  kept[dim] = -1;
  Attributes accumulate = attributes;
  accumulate.axis = Axis::Loop;
  accumulate.dims = {dim};
  fragment = graph.addRow(Opcode::Accumulate, fragment, accumulate,
                          one.layout.project(kept), rewriter.getF32Type());
  SmallVector<int64_t> shape(tile.getShape());
  shape[dim] = 1;
  return graph.finish(fragment, kept,
                      RankedTensorType::get(shape, rewriter.getF32Type()));
}

/// Several dimensions are reduced one after the other, the last first. All but
/// the final one reduce with count 1, of which the table's reductions are
/// associative: a norm of norms is the norm, a sum of sums the sum.
Value mlir::mirage::buildReductionStep(RewriterBase &rewriter, Operation *op,
                                       unsigned numWarps) {
  Opcode opcode = cast<OperatorOpInterface>(op).getTableOpcode();
  Attributes attributes = readOperatorAttributes(op);
  Value value = op->getOperand(0);
  SmallVector<int64_t> shape(
      cast<RankedTensorType>(value.getType()).getShape());
  int64_t count = getAveragedCount(attributes, shape);
  SmallVector<OneReduction, 0> reductions;
  for (int64_t dim : llvm::reverse(attributes.dims)) {
    reductions.emplace_back(shape, dim, numWarps);
    shape[dim] = 1;
    if (!reductions.back().split.isShareable())
      return {};
  }
  Attributes single;
  single.reduction = opcode;
  for (const OneReduction &one : reductions) {
    if (getOperatorInfo(opcode).averages())
      single.count = &one == &reductions.back() ? count : 1;
    value = reduceOneDim(rewriter, op->getLoc(), value, one, single);
  }
  return value;
}
