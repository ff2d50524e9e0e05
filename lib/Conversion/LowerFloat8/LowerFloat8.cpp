//===- LowerFloat8.cpp - Casts of 8-bit floats ----------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Float8Conversions.h"
#include "Mirage/Analysis/ModuleTarget.h"
#include "Mirage/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::mirage {
#define GEN_PASS_DEF_LOWERFLOAT8PASS
#include "Mirage/Conversion/Passes.h.inc"
} // namespace mlir::mirage

using namespace mlir;
using namespace mlir::mirage;

static bool isFloat8(Type type) {
  return isa<Float8E4M3FNType, Float8E5M2Type>(getElementTypeOrSelf(type));
}

namespace {
/// Rewrites casts, in which vectors are many scalars.
class CastLowering {
public:
  CastLowering(IRRewriter &rewriter, const Float8Conversions &conversions)
      : rewriter(rewriter), conversions(conversions) {}

  LogicalResult lower(Operation *op) {
    location = op->getLoc();
    rewriter.setInsertionPoint(op);
    Type from = op->getOperand(0).getType(), to = op->getResult(0).getType();
    if (failed(check(op, from)) || failed(check(op, to)))
      return failure();
    SmallVector<Value> elements = split(op->getOperand(0));
    Type element = getElementTypeOrSelf(to);
    if (isFloat8(from))
      widen(elements, element);
    else
      narrow(elements, cast<FloatType>(element));
    rewriter.replaceOp(op, join(elements, to));
    return success();
  }

private:
  LogicalResult check(Operation *op, Type type) {
    auto vectorType = dyn_cast<VectorType>(type);
    bool isFixed =
        !isa<ShapedType>(type) || (vectorType && !vectorType.isScalable());
    if (isFixed &&
        (isFloat8(type) || isa<Float16Type, BFloat16Type, Float32Type>(
                               getElementTypeOrSelf(type))))
      return success();
    return op->emitError()
           << "expects a cast of 8-bit floats from or to f16, bf16 or f32, or "
              "fixed vectors of them, got "
           << type;
  }

  SmallVector<Value> split(Value value) {
    if (!isa<VectorType>(value.getType()))
      return {value};
    return SmallVector<Value>(
        vector::ToElementsOp::create(rewriter, location, value).getResults());
  }

  Value join(ArrayRef<Value> elements, Type type) {
    if (!isa<VectorType>(type))
      return elements.front();
    return vector::FromElementsOp::create(rewriter, location, type, elements);
  }

  /// Two at a time; an odd one goes beside itself.
  void convertPairs(MutableArrayRef<Value> elements,
                    llvm::function_ref<ValuePair(ValuePair)> convert) {
    for (size_t i = 0; i < elements.size(); i += 2) {
      bool isPair = i + 1 < elements.size();
      ValuePair converted =
          convert({elements[i], elements[isPair ? i + 1 : i]});
      elements[i] = converted[0];
      if (isPair)
        elements[i + 1] = converted[1];
    }
  }

  void widen(MutableArrayRef<Value> elements, Type type) {
    convertPairs(elements, [&](ValuePair numbers) {
      return conversions.widen(rewriter, location, numbers);
    });
    if (type.isF16())
      return;
    for (Value &element : elements) {
      element = arith::ExtFOp::create(rewriter, location, rewriter.getF32Type(),
                                      element);
      if (!type.isF32()) // bf16 has all these numbers as well
        element = arith::TruncFOp::create(rewriter, location, type, element);
    }
  }

  void narrow(MutableArrayRef<Value> elements, FloatType type) {
    for (Value &element : elements)
      if (!element.getType().isF32())
        element = arith::ExtFOp::create(rewriter, location,
                                        rewriter.getF32Type(), element);
    convertPairs(elements, [&](ValuePair numbers) {
      return conversions.narrow(rewriter, location, numbers, type);
    });
  }

  IRRewriter &rewriter;
  const Float8Conversions &conversions;
  Location location = rewriter.getUnknownLoc();
};

struct LowerFloat8Pass : mirage::impl::LowerFloat8PassBase<LowerFloat8Pass> {
  using LowerFloat8PassBase::LowerFloat8PassBase;

  void runOnOperation() override {
    SmallVector<Operation *> casts;
    getOperation()->walk([&](Operation *op) {
      if (isa<arith::ExtFOp, arith::TruncFOp>(op) &&
          (isFloat8(op->getOperand(0).getType()) ||
           isFloat8(op->getResult(0).getType())))
        casts.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (Operation *cast : casts)
      if (failed(lower(rewriter, cast)))
        return signalPassFailure();
  }

private:
  LogicalResult lower(IRRewriter &rewriter, Operation *op) {
    FailureOr<std::string> chip = resolveTarget(op, target);
    if (failed(chip))
      return failure();
    if (hasFloat8Conversions(*chip))
      return CastLowering(rewriter, Float8Instructions()).lower(op);
    return CastLowering(rewriter, Float8Arithmetic()).lower(op);
  }
};
} // namespace
