//===- LowerMath.cpp - math operations without libdevice ------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Conversion/F32Functions.h"
#include "Mirage/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/SmallVectorExtras.h"

namespace mlir::mirage {
#define GEN_PASS_DEF_LOWERMATHPASS
#include "Mirage/Conversion/Passes.h.inc"
} // namespace mlir::mirage

using namespace mlir;
using namespace mlir::mirage;

namespace {
/// Replaces one math operation on f16, bf16 or f32, or vectors of them, by the
/// expansion of each of its elements in f32.
template <typename OpTy>
struct ExpandOp : OpRewritePattern<OpTy> {
  using Function = Value (*)(F32Functions &, ValueRange);
  ExpandOp(MLIRContext *context, Function expand)
      : OpRewritePattern<OpTy>(context), expand(expand) {}

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override;

private:
  Function expand;
};
} // namespace

/// The scalars that a value consists of, extended to f32.
static SmallVector<Value> getElements(PatternRewriter &rewriter,
                                      Location location, Value value) {
  SmallVector<Value> elements;
  if (isa<VectorType>(value.getType()))
    llvm::append_range(
        elements,
        vector::ToElementsOp::create(rewriter, location, value).getResults());
  else
    elements.push_back(value);
  for (Value &element : elements)
    if (!element.getType().isF32())
      element = arith::ExtFOp::create(rewriter, location, rewriter.getF32Type(),
                                      element);
  return elements;
}

/// The reverse of `getElements`.
static Value join(PatternRewriter &rewriter, Location location,
                  SmallVector<Value> elements, Type type) {
  Type elementType = getElementTypeOrSelf(type);
  if (!elementType.isF32())
    for (Value &element : elements)
      element =
          arith::TruncFOp::create(rewriter, location, elementType, element);
  if (auto vectorType = dyn_cast<VectorType>(type))
    return vector::FromElementsOp::create(rewriter, location, vectorType,
                                          elements);
  return elements.front();
}

template <typename OpTy>
LogicalResult ExpandOp<OpTy>::matchAndRewrite(OpTy op,
                                              PatternRewriter &rewriter) const {
  Type type = op.getType(), elementType = getElementTypeOrSelf(type);
  if (!isa<Float16Type, BFloat16Type, Float32Type>(elementType))
    return rewriter.notifyMatchFailure(op,
                                       "only f16, bf16 and f32 are expanded");
  auto vectorType = dyn_cast<VectorType>(type);
  if (isa<ShapedType>(type) && (!vectorType || vectorType.isScalable()))
    return rewriter.notifyMatchFailure(op, "neither scalar nor fixed vector");
  Location location = op.getLoc();
  F32Functions functions(rewriter, location);
  SmallVector<SmallVector<Value>> operands =
      llvm::map_to_vector(op->getOperands(), [&](Value value) {
        return getElements(rewriter, location, value);
      });
  SmallVector<Value> results;
  for (unsigned i = 0; i < operands.front().size(); ++i) {
    SmallVector<Value> scalars = llvm::map_to_vector(
        operands, [&](ArrayRef<Value> elements) { return elements[i]; });
    results.push_back(expand(functions, scalars));
  }
  rewriter.replaceOp(op, join(rewriter, location, results, type));
  return success();
}

void mlir::mirage::populateLowerMathPatterns(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
#define EXPAND_UNARY(OP, FUNCTION)                                             \
  patterns.add<ExpandOp<math::OP>>(                                            \
      context,                                                                 \
      +[](F32Functions &f, ValueRange x) { return f.FUNCTION(x[0]); })
  EXPAND_UNARY(AbsFOp, abs);
  EXPAND_UNARY(CeilOp, ceil);
  EXPAND_UNARY(ErfOp, erf);
  EXPAND_UNARY(Exp2Op, exp2);
  EXPAND_UNARY(ExpOp, exp);
  EXPAND_UNARY(FloorOp, floor);
  EXPAND_UNARY(Log10Op, log10);
  EXPAND_UNARY(Log2Op, log2);
  EXPAND_UNARY(LogOp, log);
  EXPAND_UNARY(RoundEvenOp, roundEven);
  EXPAND_UNARY(RsqrtOp, rsqrt);
  EXPAND_UNARY(SqrtOp, sqrt);
  EXPAND_UNARY(TanhOp, tanh);
  EXPAND_UNARY(TruncOp, trunc);
#undef EXPAND_UNARY
  patterns.add<ExpandOp<arith::DivFOp>>(
      context,
      +[](F32Functions &f, ValueRange x) { return f.divide(x[0], x[1]); });
  patterns.add<ExpandOp<math::PowFOp>>(
      context,
      +[](F32Functions &f, ValueRange x) { return f.pow(x[0], x[1]); });
  patterns.add<ExpandOp<math::CopySignOp>>(
      context,
      +[](F32Functions &f, ValueRange x) { return f.copySign(x[0], x[1]); });
  patterns.add<ExpandOp<math::FmaOp>>(
      context,
      +[](F32Functions &f, ValueRange x) { return f.fma(x[0], x[1], x[2]); });
}

/// Whether upstream lowers an operation of the math dialect to instructions.
static bool needsNoLibrary(Operation *op) {
  return isa<math::AbsIOp, math::CountLeadingZerosOp,
             math::CountTrailingZerosOp, math::CtPopOp>(op);
}

namespace {
struct LowerMathPass : mirage::impl::LowerMathPassBase<LowerMathPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateLowerMathPatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      return signalPassFailure();
    rejectLibraryCalls();
  }

private:
  /// What is left in a kernel would become a call of libdevice.
  void rejectLibraryCalls() {
    WalkResult result = getOperation()->walk([](Operation *op) {
      if (!isa<math::MathDialect>(op->getDialect()) || needsNoLibrary(op) ||
          !op->getParentOfType<gpu::GPUModuleOp>())
        return WalkResult::advance();
      op->emitError() << "expects a math function on f16, bf16 or f32 that is "
                         "computed without libdevice, got '"
                      << op->getName() << "' on " << op->getResult(0).getType();
      return WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
