//===- HeldTileConversion.cpp - Held tiles as registers -------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HeldTileConversion.h"
#include "Mirage/Dialect/Thread/IR/Thread.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;
using namespace mlir::mirage;

static bool isHeldType(Type type) {
  return thread::getFragmentLayout(type).has_value();
}

namespace {
/// One constant for all registers.
struct ConvertConstant : OpConversionPattern<arith::ConstantOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(arith::ConstantOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
    auto layout = thread::getFragmentLayout(op.getType());
    if (!layout || !elements || !elements.isSplat())
      return failure();
    Value scalar = arith::ConstantOp::create(
        rewriter, op.getLoc(), elements.getSplatValue<TypedAttr>());
    SmallVector<Value> registers(layout->getNumRegisters(), scalar);
    rewriter.replaceOpWithMultiple(op, ArrayRef<ValueRange>(registers));
    return success();
  }
};
} // namespace

LogicalResult mlir::mirage::convertHeldTiles(Operation *root) {
  MLIRContext *context = root->getContext();
  TypeConverter converter;
  converter.addConversion([](Type type) { return type; });
  converter.addConversion(
      [](RankedTensorType type,
         SmallVectorImpl<Type> &registers) -> std::optional<LogicalResult> {
        std::optional<LinearLayout> layout = thread::getFragmentLayout(type);
        if (!layout)
          return std::nullopt;
        registers.append(layout->getNumRegisters(), type.getElementType());
        return success();
      });
  auto castToTensor = [](OpBuilder &builder, Type type, ValueRange registers,
                         Location location) -> Value {
    return UnrealizedConversionCastOp::create(builder, location, type,
                                              registers)
        .getResult(0);
  };
  converter.addSourceMaterialization(castToTensor);
  converter.addTargetMaterialization(
      [](OpBuilder &builder, TypeRange types, ValueRange values,
         Location location) -> SmallVector<Value> {
        return SmallVector<Value>(
            UnrealizedConversionCastOp::create(builder, location, types, values)
                .getResults());
      });
  ConversionTarget target(*context);
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  target.addDynamicallyLegalOp<arith::ConstantOp>(
      [](arith::ConstantOp op) { return !isHeldType(op.getType()); });
  RewritePatternSet patterns(context);
  patterns.add<ConvertConstant>(converter, context);
  scf::populateSCFStructuralTypeConversionsAndLegality(converter, patterns,
                                                       target);
  if (failed(applyPartialConversion(root, target, std::move(patterns))))
    return failure();
  SmallVector<UnrealizedConversionCastOp> casts;
  root->walk([&](UnrealizedConversionCastOp cast) {
    if (llvm::any_of(cast->getOperandTypes(), isHeldType) ||
        llvm::any_of(cast->getResultTypes(), isHeldType))
      casts.push_back(cast);
  });
  reconcileUnrealizedCasts(casts);
  return success();
}
