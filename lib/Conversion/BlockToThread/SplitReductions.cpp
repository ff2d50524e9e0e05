//===- SplitReductions.cpp - Warps share the rows of a reduction ----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block that has a few long rows has more warps than rows:
//
//   %e = mirage_block.exp %x              1x8192, 32 items of 256 elements
//   %s = mirage_block.sum %e dims [1]     1x1, one item of 32 steps
//   %y = mirage_block.div %e, %s
//
// Each item of what computes the row adds up what it has, which it holds in
// registers (--mirage-hold-in-registers), and whoever reads the row's sum adds
// up parts:
//
//   %p = mirage_thread.graph items(x = 32) ins(%e) ...         1x32
//   %y = mirage_thread.graph items(x = 32) ins(%e, %p) {  sum of %p, div  }
//
// Parts are as many as there are items of what computes a row, which hold it:
// extents count as powers of two, but for the slowest where warps are no power
// of two (Mirage/Layout/HeldTiles.h). Those behind the row's end are neutral.
//
//===----------------------------------------------------------------------===//

#include "Mirage/Analysis/HeldTiles.h"
#include "Mirage/Dialect/Block/IR/ReductionParts.h"
#include "Mirage/Layout/FragmentRules.h"
#include "Mirage/Layout/WorkFragments.h"
#include "StepBuilders.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::mirage;

/// More would have each item join more than it has of the row itself.
static constexpr int64_t kMostParts = 128;

namespace {
/// Rows, the last dimension of a tile, in parts.
struct RowParts {
  LinearLayout fragment;
  SmallVector<int64_t> shape; ///< of the tile, rounded up to whole parts
  int64_t count;

  RowParts(block::GraphOp graph, ArrayRef<int64_t> tile)
      : fragment(chooseElementwiseLayout(tile, graph.getThreads() >> kLaneBits,
                                         findRunLengths(graph))),
        shape(tile) {
    int64_t size = fragment.getShape().back();
    count = llvm::divideCeil(shape.back(), size);
    // Items count with the next power of two where warps have bits.
    if (llvm::isPowerOf2_32(graph.getThreads()))
      count = llvm::PowerOf2Ceil(count);
    shape.back() = count * size;
  }
  int64_t getLastDim() const { return int64_t(shape.size()) - 1; }
  /// A part is of one row, and all items are axes of a thread graph.
  bool areUsable(const WorkSplit &split) const {
    return count > 1 && count <= kMostParts && split.isShareable() &&
           llvm::all_of(fragment.getShape().drop_back(),
                        [](int64_t size) { return size == 1; });
  }
};
} // namespace

/// The reduction of rows that warps could share, or null.
static OperatorOpInterface findReduction(Operation *op) {
  auto reduction = dyn_cast<OperatorOpInterface>(op);
  if (!reduction || getStepKind(op) != StepKind::Reduction ||
      op->hasAttr(kWholeRowsAttr) ||
      !block::findJoin(reduction.getTableOpcode()))
    return nullptr;
  int64_t rank = cast<RankedTensorType>(op->getOperand(0).getType()).getRank();
  Attributes attributes = readOperatorAttributes(op);
  return llvm::equal(attributes.dims, ArrayRef<int64_t>{rank - 1}) ? reduction
                                                                   : nullptr;
}

/// What stands behind the end of a row.
static Value maskParts(FragmentBuilder &builder, const RowParts &parts,
                       const WorkSplit &split, Value fragment, int64_t size,
                       ReductionKind join) {
  int64_t dim = parts.getLastDim();
  Attributes mask;
  mask.scalars = {
      getNeutral(join == ReductionKind::Max ? Combiner::Max : Combiner::Add)};
  mask.dims = {dim};
  mask.axes = {static_cast<Axis>(llvm::find(split.getAxes(), dim) -
                                 split.getAxes().begin())};
  mask.extent = size;
  Type f32 = Float32Type::get(fragment.getContext()); // has infinities
  ThreadGraphBuilder &graph = builder.getGraph();
  return graph.addRow(Opcode::Mask, graph.addCast(fragment, f32), mask,
                      parts.fragment, f32);
}

/// \returns the parts of each row as a tile.
static Value buildParts(const StepContext &context, Operation *part,
                        ReductionKind join, const RowParts &parts,
                        const WorkSplit &split) {
  FragmentBuilder builder(context, part->getLoc(), split);
  Value operand = part->getOperand(0);
  auto type = cast<RankedTensorType>(operand.getType());
  auto all = llvm::to_vector(llvm::seq<int>(type.getRank()));
  Value fragment = builder.get(operand, all, parts.fragment);
  if (type.getShape() != ArrayRef(parts.shape))
    fragment = maskParts(builder, parts, split, fragment,
                         type.getShape().back(), join);
  Attributes attributes = readOperatorAttributes(part);
  Type f32 = Float32Type::get(part->getContext());
  Value reduced = builder.getGraph().addRow(
      cast<OperatorOpInterface>(part).getTableOpcode(), fragment, attributes,
      reduceLayout(parts.fragment, attributes.dims), f32);
  SmallVector<int64_t> shape(type.getShape());
  shape.back() = parts.count;
  return builder.getGraph().finish(reduced, all,
                                   RankedTensorType::get(shape, f32));
}

static void splitReduction(RewriterBase &rewriter, block::GraphOp graph,
                           OperatorOpInterface reduction) {
  auto type = cast<RankedTensorType>(reduction->getOperand(0).getType());
  RowParts parts(graph, type.getShape());
  WorkSplit split(parts.shape, parts.fragment.getShape(), /*loopDim=*/-1);
  if (!parts.areUsable(split))
    return;
  rewriter.setInsertionPoint(reduction);
  ImplicitLocOpBuilder builder(reduction.getLoc(), rewriter);
  Opcode opcode = reduction.getTableOpcode();
  Attributes attributes = readOperatorAttributes(reduction);
  ReductionKind join = *block::findJoin(opcode);
  auto dims = builder.getDenseI64ArrayAttr(parts.getLastDim());
  Value part = block::emitPart(
      builder, join,
      block::emitElements(builder, opcode, reduction->getOperand(0)), dims);
  // What computes elements for nobody else belongs to the parts.
  StepFusion fusion(graph);
  StepContext context(rewriter, fusion, graph);
  rewriter.setInsertionPoint(reduction);
  Value tile = buildParts(context, part.getDefiningOp(), join, parts, split);
  Value joined = block::emitPart(builder, join, tile, dims);
  joined.getDefiningOp()->setAttr(kJoinsRowPartsAttr, builder.getUnitAttr());
  Value whole = block::emitWhole(builder, opcode, joined,
                                 getAveragedCount(attributes, type.getShape()));
  rewriter.replaceOp(reduction, whole);
  // Others of its group have no users left, either.
  SmallVector<Operation *> unused = {part.getDefiningOp()};
  while (!unused.empty()) {
    Operation *op = unused.pop_back_val();
    if (!op->use_empty())
      continue;
    for (Value operand : op->getOperands())
      if (Operation *producer = operand.getDefiningOp())
        if (fusion.isFused(producer) && !llvm::is_contained(unused, producer))
          unused.push_back(producer);
    rewriter.eraseOp(op);
  }
}

void mlir::mirage::splitReductions(RewriterBase &rewriter,
                                   block::GraphOp graph) {
  if (graph.getLoop() > 1)
    return;
  for (Operation &op :
       llvm::make_early_inc_range(graph.getBody().front().without_terminator()))
    if (OperatorOpInterface reduction = findReduction(&op))
      splitReduction(rewriter, graph, reduction);
}
