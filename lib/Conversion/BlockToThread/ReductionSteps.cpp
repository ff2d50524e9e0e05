//===- ReductionSteps.cpp - Steps that reduce dimensions ------------------===//
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

/// What elements beyond the tile must be so that they do not change a
/// reduction: none where they are read as zero and that will do.
static std::optional<double> getPadding(const OperatorInfo &reduction,
                                        bool areRead) {
  double neutral = getNeutral(reduction.combiner);
  if (evaluateDouble(reduction.definition, {0.0}, {}) == neutral)
    return areRead ? std::nullopt : std::optional(0.0);
  assert(evaluateDouble(reduction.definition, {neutral}, {}) == neutral &&
         "a reduction that neither zero nor the neutral element leaves alone");
  return neutral;
}

namespace {
/// The reduction of a tile over one dimension.
struct OneReduction {
  Value operand;
  int dim;
  /// The reduction, with how many elements it averages.
  Attributes attributes;
  std::optional<LinearLayout> rows; ///< where the step is on whole rows
};
} // namespace

static Value emitReduction(FragmentBuilder &builder, const OneReduction &one,
                           const LinearLayout &layout, bool isOperandRead) {
  ThreadGraphBuilder &graph = builder.getGraph();
  auto tile = cast<RankedTensorType>(one.operand.getType());
  auto all = llvm::to_vector(llvm::seq<int>(tile.getRank()));
  Value fragment = builder.get(one.operand, all, layout);
  int64_t size = tile.getDimSize(one.dim);
  std::optional<double> padding =
      getPadding(getOperatorInfo(one.attributes.reduction), isOperandRead);
  if (padding && size % layout.getShape()[one.dim] != 0) {
    Attributes mask;
    mask.scalars = {*padding};
    mask.dims = {one.dim};
    mask.axes = {Axis::Loop};
    mask.extent = size;
    Type f32 = Float32Type::get(tile.getContext()); // has infinities
    fragment = graph.addRow(Opcode::Mask, graph.addCast(fragment, f32), mask,
                            layout, f32);
  }
  Attributes accumulate = one.attributes;
  accumulate.axis = Axis::Loop;
  accumulate.dims = {one.dim};
  return graph.addRow(Opcode::Accumulate, fragment, accumulate,
                      reduceLayout(layout, one.dim),
                      Float32Type::get(tile.getContext()));
}

/// Rows that a fragment of an elementwise step has whole are reduced as they
/// lie there, if registers may hand them on (--mirage-hold-in-registers).
/// Whether elements are made of what other steps have left, as elementwise
/// steps have it in lanes, or of inputs alone.
static bool isLeftBySteps(const StepContext &context, Value tile) {
  Operation *producer = tile.getDefiningOp();
  if (!producer || !context.fusion.isFused(producer))
    return producer;
  return llvm::any_of(producer->getOperands(), [&](Value operand) {
    return cast<ShapedType>(operand.getType()).getShape() ==
               cast<ShapedType>(tile.getType()).getShape() &&
           isLeftBySteps(context, operand);
  });
}

static LinearLayout chooseLayout(const StepContext &context,
                                 const OneReduction &one) {
  ArrayRef<int64_t> tile =
      cast<RankedTensorType>(one.operand.getType()).getShape();
  bool isLast = one.dim == int(tile.size()) - 1;
  if (one.rows && isLast)
    return *one.rows;
  LinearLayout elementwise = chooseElementwiseLayout(context, tile);
  bool mayBeHeld = context.mayHold &&
                   (!context.hasLoop || isLeftBySteps(context, one.operand));
  if (mayBeHeld && isLast && elementwise.getShape().back() >= tile.back())
    return elementwise;
  // In a loop tiles lie in shared memory: lanes side by side read words side by
  // side.
  RunLengths runs = context.hasLoop
                        ? RunLengths{/*longest=*/context.runs.shortest}
                        : context.runs;
  return chooseReductionLayout(tile, one.dim, context.numWarps, runs);
}

static StepCore makeOneReductionCore(const StepContext &context,
                                     const OneReduction &one) {
  auto tile = cast<RankedTensorType>(one.operand.getType());
  LinearLayout layout = chooseLayout(context, one);
  auto kept = llvm::to_vector(llvm::seq<int>(tile.getRank()));
  kept[one.dim] = -1;
  // What another step leaves may stay in registers, where no zeros stand behind
  // its edges.
  Operation *producer = one.operand.getDefiningOp();
  bool isOperandRead =
      !producer || (!context.mayHold && !context.fusion.isFused(producer));
  return {WorkSplit(tile.getShape(), layout.getShape(), one.dim), kept,
          layout.project(kept), [=](FragmentBuilder &builder) {
            return emitReduction(builder, one, layout, isOperandRead);
          }};
}

/// A step of its own.
static Value buildReduction(const StepContext &context, Location location,
                            const OneReduction &one, const StepCore &core) {
  FragmentBuilder builder(context, location, core.split);
  auto tile = cast<RankedTensorType>(one.operand.getType());
  SmallVector<int64_t> shape(tile.getShape());
  shape[one.dim] = 1;
  return builder.getGraph().finish(
      core.emit(builder), core.dims,
      RankedTensorType::get(shape, Float32Type::get(tile.getContext())));
}

/// Several dimensions are reduced one after the other, the last first. All but
/// the final one reduce with count 1, of which the table's reductions are
/// associative: a norm of norms is the norm, a sum of sums the sum. The first
/// step has the most axes: if it can be shared, so can the others.
StepCore mlir::mirage::makeReductionCore(const StepContext &context,
                                         Operation *op) {
  Attributes attributes = readOperatorAttributes(op);
  OneReduction one{op->getOperand(0), 0, {}, std::nullopt};
  one.attributes.reduction = cast<OperatorOpInterface>(op).getTableOpcode();
  bool averages = getOperatorInfo(one.attributes.reduction).averages();
  one.attributes.count = averages ? 1 : 0;
  for (int64_t dim : llvm::reverse(ArrayRef(attributes.dims).drop_front())) {
    one.dim = dim;
    StepCore core = makeOneReductionCore(context, one);
    if (!core.split.isShareable())
      return core;
    one.operand = buildReduction(context, op->getLoc(), one, core);
  }
  one.dim = attributes.dims.front();
  one.rows = findWholeRows(op, one.operand);
  if (averages)
    one.attributes.count = getAveragedCount(
        attributes,
        cast<RankedTensorType>(op->getOperand(0).getType()).getShape());
  return makeOneReductionCore(context, one);
}
