//===- HeldTileConversion.cpp - Held tiles as registers -------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HeldTileConversion.h"
#include "FragmentOps.h"
#include "Mirage/Dialect/Thread/IR/Thread.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Transforms/DialectConversion.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

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
    if (!isHeldType(op.getType()) || !elements || !elements.isSplat())
      return failure();
    Value scalar = arith::ConstantOp::create(
        rewriter, op.getLoc(), elements.getSplatValue<TypedAttr>());
    SmallVector<Value> registers(
        thread::countElements(cast<RankedTensorType>(op.getType())), scalar);
    rewriter.replaceOpWithMultiple(op, ArrayRef<ValueRange>(registers));
    return success();
  }
};

/// A statement that waits, and then hands registers on. Were a result the same
/// register as its operand (a constraint "0"), LLVM would be free to move the
/// operand there before, from where the product is still in flight.
struct ConvertAwait : OpConversionPattern<thread::AwaitOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(thread::AwaitOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location location = op.getLoc();
    SmallVector<Value> registers;
    for (ValueRange range : adaptor.getOperands())
      llvm::append_range(registers, range);
    SmallVector<StringRef> constraints(registers.size(), "=&f");
    constraints.append(registers.size(), "f");
    constraints.push_back("~{memory}");
    std::string text = waitForProducts(op.getPending());
    for (size_t number = 0; number < registers.size(); ++number)
      text += llvm::formatv("\nmov.b32 ${0}, ${1};", number,
                            number + registers.size());
    auto type = LLVM::LLVMStructType::getLiteral(
        getContext(), llvm::to_vector(ValueRange(registers).getTypes()));
    auto dialect =
        LLVM::AsmDialectAttr::get(getContext(), LLVM::AsmDialect::AD_ATT);
    auto waited = LLVM::InlineAsmOp::create(
        rewriter, location, registers.empty() ? TypeRange() : TypeRange(type),
        registers, text, llvm::join(constraints, ","),
        /*has_side_effects=*/true,
        /*is_align_stack=*/false, LLVM::TailCallKind::None, dialect,
        /*operand_attrs=*/ArrayAttr());
    SmallVector<SmallVector<Value>> results;
    int64_t number = 0;
    for (ValueRange range : adaptor.getOperands()) {
      SmallVector<Value> &result = results.emplace_back();
      for (size_t count = 0; count < range.size(); ++count)
        result.push_back(LLVM::ExtractValueOp::create(
            rewriter, location, waited.getResult(0), number++));
    }
    rewriter.replaceOpWithMultiple(op, std::move(results));
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
        if (!isHeldType(type))
          return std::nullopt;
        registers.append(thread::countElements(type), type.getElementType());
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
  target.addIllegalOp<thread::AwaitOp>();
  patterns.add<ConvertConstant, ConvertAwait>(converter, context);
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
