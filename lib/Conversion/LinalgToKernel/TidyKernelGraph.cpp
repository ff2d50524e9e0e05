//===- TidyKernelGraph.cpp - Rewrites inside kernel graphs ----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Casts that round move up to what computes the value, and become the element
// type of its result; casts that do not round move down to what reads the
// value, and vanish, since arithmetic is done in f32 whatever the operands are.
//
//===----------------------------------------------------------------------===//

#include "IndexedTensor.h"
#include "Mirage/Conversion/LinalgToKernel.h"
#include "Mirage/Dialect/Operator/Canonicalization.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::mirage;
using kernel::BroadcastOp;
using kernel::CastOp;
using kernel::MatmulOp;
using kernel::MeanOp;
using kernel::ReshapeOp;
using kernel::ScaleOp;
using kernel::SumOp;
using kernel::TransposeOp;
using kernel::UnscaleOp;

static FloatType getElement(Value value) {
  return cast<FloatType>(getElementTypeOrSelf(value));
}

/// Whether a cast changes no value.
static bool isWidening(CastOp cast) {
  return holdsExactly(cast.getOperand().getType(), cast.getType());
}

static Type withElement(Value value, Type element) {
  return cast<RankedTensorType>(value.getType()).clone(element);
}

static OperatorKind getKind(Operation *op) {
  auto row = dyn_cast_or_null<OperatorOpInterface>(op);
  return row ? getOperatorInfo(row.getTableOpcode()).kind : OperatorKind::Graph;
}

static bool isPlainMovement(Operation *op) {
  return isa_and_nonnull<BroadcastOp, ReshapeOp, TransposeOp>(op);
}

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

namespace {
/// cast(op) : f32 -> f16  =>  op, stored as f16
struct StoreNarrow : OpRewritePattern<CastOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(CastOp cast,
                                PatternRewriter &rewriter) const override {
    Operation *producer = cast.getOperand().getDefiningOp();
    OperatorKind kind = getKind(producer);
    if (isWidening(cast) || !getElement(cast.getOperand()).isF32() ||
        !cast.getOperand().hasOneUse() || kind == OperatorKind::Movement ||
        kind == OperatorKind::Graph)
      return rewriter.notifyMatchFailure(
          cast, "expects an f32 result of arithmetic that nothing else reads");
    rewriter.modifyOpInPlace(
        producer, [&] { producer->getResult(0).setType(cast.getType()); });
    rewriter.replaceOp(cast, producer->getResult(0));
    return success();
  }
};

/// cast(move(x)), rounding  =>  move(cast(x))
struct RoundBeforeMovement : OpRewritePattern<CastOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(CastOp cast,
                                PatternRewriter &rewriter) const override {
    Operation *movement = cast.getOperand().getDefiningOp();
    if (!isPlainMovement(movement) || !movement->hasOneUse() ||
        isWidening(cast))
      return rewriter.notifyMatchFailure(cast, "expects to round a movement");
    rewriter.setInsertionPoint(movement);
    Value source = movement->getOperand(0);
    Value rounded = CastOp::create(
        rewriter, cast.getLoc(), withElement(source, getElement(cast)), source);
    rewriter.modifyOpInPlace(movement, [&] {
      movement->setOperand(0, rounded);
      movement->getResult(0).setType(cast.getType());
    });
    rewriter.replaceOp(cast, movement->getResult(0));
    return success();
  }
};

/// move(cast(x)), widening  =>  cast(move(x))
struct WidenAfterMovement : RewritePattern {
  explicit WidenAfterMovement(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}

  LogicalResult matchAndRewrite(Operation *movement,
                                PatternRewriter &rewriter) const override {
    if (!isPlainMovement(movement))
      return rewriter.notifyMatchFailure(movement, "expects a movement");
    auto cast = movement->getOperand(0).getDefiningOp<CastOp>();
    if (!cast || !isWidening(cast))
      return rewriter.notifyMatchFailure(movement, "expects a widened operand");
    Type type = movement->getResult(0).getType();
    Operation *moved = rewriter.clone(*movement);
    moved->setOperand(0, cast.getOperand());
    moved->getResult(0).setType(
        withElement(movement->getResult(0), getElement(cast.getOperand())));
    rewriter.replaceOpWithNewOp<CastOp>(movement, type, moved->getResult(0));
    return success();
  }
};

/// op(cast(x)), widening to f32  =>  op(x)
struct ReadNarrow : RewritePattern {
  explicit ReadNarrow(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    OperatorKind kind = getKind(op);
    if (kind != OperatorKind::Elementwise && kind != OperatorKind::Reduction &&
        kind != OperatorKind::Contraction)
      return rewriter.notifyMatchFailure(op, "expects arithmetic");
    SmallVector<Value> sources;
    for (Value operand : op->getOperands())
      sources.push_back(findSource(operand, kind));
    if (kind == OperatorKind::Contraction &&
        !areFactorTypes(getElement(sources[0]), getElement(sources[1])))
      return rewriter.notifyMatchFailure(op, "expects factors that multiply");
    if (llvm::equal(sources, op->getOperands()))
      return rewriter.notifyMatchFailure(op, "expects a widened operand");
    rewriter.modifyOpInPlace(op, [&] { op->setOperands(sources); });
    return success();
  }

  static Value findSource(Value operand, OperatorKind kind) {
    auto cast = operand.getDefiningOp<CastOp>();
    if (!cast || !isWidening(cast))
      return operand;
    bool isByte = getElement(cast.getOperand()).getWidth() == 8;
    return isByte && kind != OperatorKind::Contraction ? operand
                                                       : cast.getOperand();
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

namespace {
/// op(reshape(x))  =>  reshape(op(x)), so that a reshape meets the one that
/// undoes it: programs that reduce ranks drop a dimension of size 1 and bring
/// it back.
struct ReshapeAfterUnary : RewritePattern {
  explicit ReshapeAfterUnary(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (getKind(op) != OperatorKind::Elementwise || op->getNumOperands() != 1)
      return rewriter.notifyMatchFailure(op,
                                         "expects an operator of one operand");
    auto reshape = op->getOperand(0).getDefiningOp<ReshapeOp>();
    if (!reshape)
      return rewriter.notifyMatchFailure(op, "expects a reshaped operand");
    Type type = op->getResult(0).getType();
    Operation *moved = rewriter.clone(*op);
    moved->setOperand(0, reshape.getOperand());
    moved->getResult(0).setType(
        withElement(reshape.getOperand(), getElementTypeOrSelf(type)));
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, type, moved->getResult(0));
    return success();
  }
};

/// Elementwise operators stretch dimensions of size 1 by themselves.
struct StretchInOperator : OpRewritePattern<BroadcastOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BroadcastOp broadcast,
                                PatternRewriter &rewriter) const override {
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : broadcast.getResult().getUses())
      if (stretches(use, broadcast))
        uses.push_back(&use);
    if (uses.empty())
      return rewriter.notifyMatchFailure(broadcast,
                                         "expects a reader that stretches");
    // One use: with the operand's own broadcast gone, another use in the same
    // op may be the one that gives the result its shape.
    OpOperand *use = uses.front();
    rewriter.modifyOpInPlace(use->getOwner(),
                             [&] { use->set(broadcast.getOperand()); });
    return success();
  }

  static bool stretches(OpOperand &use, BroadcastOp broadcast) {
    Operation *reader = use.getOwner();
    if (getKind(reader) != OperatorKind::Elementwise ||
        reader->getNumOperands() != 2)
      return false;
    Value other = reader->getOperand(1 - use.getOperandNumber());
    auto joined = broadcastShapes(
        cast<RankedTensorType>(broadcast.getOperand().getType()).getShape(),
        cast<RankedTensorType>(other.getType()).getShape());
    auto result = cast<RankedTensorType>(reader->getResult(0).getType());
    return joined && ArrayRef(*joined) == result.getShape();
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Means
//===----------------------------------------------------------------------===//

/// How many elements each element of a sum adds.
static int64_t countSummed(SumOp sum) {
  auto operand = cast<RankedTensorType>(sum.getOperand().getType());
  int64_t count = 1;
  for (int64_t dim : sum.getDims())
    count *= operand.getDimSize(dim);
  return count;
}

/// Whether a factor is what a program writes for 1 / count: the nearest double
/// or the nearest f32.
static bool divides(ScaleOp scale, int64_t count) {
  double factor = scale.getFactor().convertToDouble();
  return factor == 1.0 / count || factor == double(float(1.0 / count));
}

static bool divides(UnscaleOp unscale, int64_t count) {
  return unscale.getDivisor().convertToDouble() == static_cast<double>(count);
}

namespace {
/// scale(sum(x), 1 / elements summed)  =>  mean(x), which follows the size;
/// unscale(sum(x), elements summed) likewise.
template <typename OpT>
struct AverageOfSum : OpRewritePattern<OpT> {
  using OpRewritePattern<OpT>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpT scale,
                                PatternRewriter &rewriter) const override {
    SmallVector<Operation *> movements;
    Operation *source = scale.getOperand().getDefiningOp();
    for (; isPlainMovement(source) || isa_and_nonnull<CastOp>(source);
         source = source->getOperand(0).getDefiningOp())
      movements.push_back(source);
    auto sum = dyn_cast_or_null<SumOp>(source);
    if (!sum || !divides(scale, countSummed(sum)))
      return rewriter.notifyMatchFailure(
          scale, "expects a sum divided by the number of elements");
    Value mean = MeanOp::create(
        rewriter, rewriter.getFusedLoc({sum.getLoc(), scale.getLoc()}),
        sum.getType(), sum.getOperand(), sum.getDims(), IntegerAttr());
    IRMapping mapping;
    mapping.map(sum.getResult(), mean);
    for (Operation *movement : llvm::reverse(movements))
      mean = rewriter.clone(*movement, mapping)->getResult(0);
    rewriter.replaceOpWithNewOp<CastOp>(scale, scale.getType(), mean);
    return success();
  }
};
} // namespace

void mlir::mirage::populateKernelGraphTidyingPatterns(
    RewritePatternSet &patterns) {
  populateOperatorCanonicalizationPatterns(
      patterns, kernel::MirageKernelDialect::getDialectNamespace());
  patterns.add<AverageOfSum<ScaleOp>, AverageOfSum<UnscaleOp>, ReadNarrow,
               ReshapeAfterUnary, RoundBeforeMovement, StoreNarrow,
               StretchInOperator, WidenAfterMovement>(patterns.getContext());
}
