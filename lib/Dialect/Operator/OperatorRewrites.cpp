//===- OperatorRewrites.cpp - One op in place of two ----------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Dialect/Operator/Canonicalization.h"
#include "Mirage/Dialect/Operator/OperatorInterface.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using namespace mlir::mirage;

namespace {
/// A rewrite of the ops of one dialect that are rows of the table.
class RowRewrite : public OpInterfaceRewritePattern<OperatorOpInterface> {
public:
  RowRewrite(MLIRContext *context, StringRef dialect)
      : OpInterfaceRewritePattern(context), dialect(dialect) {}

  LogicalResult matchAndRewrite(OperatorOpInterface op,
                                PatternRewriter &rewriter) const final {
    if (op->getName().getDialectNamespace() != dialect)
      return rewriter.notifyMatchFailure(op, "an op of another level");
    return rewrite(op, readAttributes(op), rewriter);
  }

protected:
  virtual LogicalResult rewrite(OperatorOpInterface op,
                                const Attributes &attributes,
                                PatternRewriter &rewriter) const = 0;

  static Attributes readAttributes(OperatorOpInterface op) {
    return readOperatorAttributes(op);
  }

  /// The op that gives a value, if it is this row of the table and rounds
  /// nothing.
  static OperatorOpInterface getExact(Value value, Opcode opcode) {
    auto row = value.getDefiningOp<OperatorOpInterface>();
    bool isExact = row && row.getTableOpcode() == opcode &&
                   llvm::all_of(row->getOperandTypes(), [&](Type type) {
                     return holdsExactly(type, value.getType());
                   });
    return isExact ? row : OperatorOpInterface();
  }

  /// The same op of other operands, with other attributes.
  static LogicalResult update(OperatorOpInterface op, ValueRange operands,
                              const Attributes &attributes,
                              PatternRewriter &rewriter) {
    rewriter.modifyOpInPlace(op, [&] {
      op->setOperands(operands);
      for (NamedAttribute attribute : writeOperatorAttributes(
               op->getContext(), op.getTableOpcode(), attributes))
        op->setAttr(attribute.getName(), attribute.getValue());
    });
    return success();
  }

  /// Another row of the same level, with the same result.
  static LogicalResult replace(OperatorOpInterface op, Opcode opcode,
                               ValueRange operands,
                               const Attributes &attributes,
                               PatternRewriter &rewriter) {
    OperationState state(op->getLoc(), (op->getName().getDialectNamespace() +
                                        "." + getOperatorInfo(opcode).name)
                                           .str());
    state.addOperands(operands);
    state.addTypes(op->getResultTypes());
    state.addAttributes(
        writeOperatorAttributes(op->getContext(), opcode, attributes));
    rewriter.replaceOp(op, rewriter.create(state));
    return success();
  }

private:
  StringRef dialect;
};

/// Of two in a row that only the last shape or type is seen of, the first goes.
struct SkipInner : RowRewrite {
  using RowRewrite::RowRewrite;
  LogicalResult rewrite(OperatorOpInterface op, const Attributes &attributes,
                        PatternRewriter &rewriter) const override {
    Opcode opcode = op.getTableOpcode();
    if (opcode != Opcode::Reshape && opcode != Opcode::Broadcast &&
        opcode != Opcode::Cast)
      return rewriter.notifyMatchFailure(op, "no reshape, broadcast or cast");
    OperatorOpInterface inner = getExact(op->getOperand(0), opcode);
    if (!inner)
      return rewriter.notifyMatchFailure(op, "of nothing of its kind");
    return update(op, inner->getOperands(), attributes, rewriter);
  }
};

struct ComposeTransposes : RowRewrite {
  using RowRewrite::RowRewrite;
  LogicalResult rewrite(OperatorOpInterface op, const Attributes &attributes,
                        PatternRewriter &rewriter) const override {
    OperatorOpInterface inner =
        op.getTableOpcode() == Opcode::Transpose
            ? getExact(op->getOperand(0), Opcode::Transpose)
            : OperatorOpInterface();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "no transpose of a transpose");
    Attributes composed = attributes, first = readAttributes(inner);
    for (int64_t &dim : composed.dims)
      dim = first.dims[dim];
    return update(op, inner->getOperands(), composed, rewriter);
  }
};

struct ComposeSlices : RowRewrite {
  using RowRewrite::RowRewrite;
  LogicalResult rewrite(OperatorOpInterface op, const Attributes &attributes,
                        PatternRewriter &rewriter) const override {
    OperatorOpInterface inner = op.getTableOpcode() == Opcode::Slice
                                    ? getExact(op->getOperand(0), Opcode::Slice)
                                    : OperatorOpInterface();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "no slice of a slice");
    Attributes composed = attributes, first = readAttributes(inner);
    for (unsigned dim = 0; dim < composed.offsets.size(); ++dim) {
      composed.offsets[dim] =
          first.offsets[dim] + composed.offsets[dim] * first.strides[dim];
      // Of a single element the stride may be anything.
      if (llvm::MulOverflow(composed.strides[dim], first.strides[dim],
                            composed.strides[dim]))
        return rewriter.notifyMatchFailure(op, "a stride beyond 64 bits");
    }
    return update(op, inner->getOperands(), composed, rewriter);
  }
};

struct FlattenConcats : RowRewrite {
  using RowRewrite::RowRewrite;
  LogicalResult rewrite(OperatorOpInterface op, const Attributes &attributes,
                        PatternRewriter &rewriter) const override {
    if (op.getTableOpcode() != Opcode::Concat)
      return rewriter.notifyMatchFailure(op, "no concat");
    SmallVector<Value> parts;
    for (Value part : op->getOperands()) {
      OperatorOpInterface inner = getExact(part, Opcode::Concat);
      if (inner && readAttributes(inner).dims == attributes.dims)
        llvm::append_range(parts, inner->getOperands());
      else
        parts.push_back(part);
    }
    if (parts.size() == op->getNumOperands())
      return rewriter.notifyMatchFailure(op,
                                         "of no concat along its dimension");
    return update(op, parts, attributes, rewriter);
  }
};

/// Squares and magnitudes do not see signs.
struct DropSign : RowRewrite {
  using RowRewrite::RowRewrite;
  LogicalResult rewrite(OperatorOpInterface op, const Attributes &attributes,
                        PatternRewriter &rewriter) const override {
    if (op.getTableOpcode() != Opcode::Square &&
        op.getTableOpcode() != Opcode::Abs)
      return rewriter.notifyMatchFailure(op, "an op that sees signs");
    for (Opcode sign : {Opcode::Neg, Opcode::Abs})
      if (OperatorOpInterface inner = getExact(op->getOperand(0), sign))
        return update(op, inner->getOperands(), attributes, rewriter);
    return rewriter.notifyMatchFailure(op, "of nothing that changes signs");
  }
};

/// x · x is a square, which reads its operand once.
struct SquareOfProduct : RowRewrite {
  using RowRewrite::RowRewrite;
  LogicalResult rewrite(OperatorOpInterface op, const Attributes &,
                        PatternRewriter &rewriter) const override {
    if (op.getTableOpcode() != Opcode::Mul ||
        op->getOperand(0) != op->getOperand(1))
      return rewriter.notifyMatchFailure(op, "no product with itself");
    return replace(op, Opcode::Square, op->getOperand(0), {}, rewriter);
  }
};

/// What is added negated is subtracted.
struct SignInSum : RowRewrite {
  using RowRewrite::RowRewrite;
  LogicalResult rewrite(OperatorOpInterface op, const Attributes &,
                        PatternRewriter &rewriter) const override {
    Opcode opcode = op.getTableOpcode();
    if (opcode != Opcode::Add && opcode != Opcode::Sub)
      return rewriter.notifyMatchFailure(op, "no sum");
    Opcode other = opcode == Opcode::Add ? Opcode::Sub : Opcode::Add;
    Value lhs = op->getOperand(0), rhs = op->getOperand(1);
    if (OperatorOpInterface neg = getExact(rhs, Opcode::Neg))
      return replace(op, other, {lhs, neg->getOperand(0)}, {}, rewriter);
    OperatorOpInterface neg = getExact(lhs, Opcode::Neg);
    if (!neg || opcode == Opcode::Sub)
      return rewriter.notifyMatchFailure(op, "of nothing negated");
    return replace(op, other, {rhs, neg->getOperand(0)}, {}, rewriter);
  }
};

/// Rows of constants, whose numbers become parameters of other rows.
class ConstantRewrite : public RowRewrite {
public:
  using RowRewrite::RowRewrite;

protected:
  static bool hasNumber(Type type, double number) {
    auto element = cast<FloatType>(getElementTypeOrSelf(type));
    APFloat stored(number);
    bool losesInfo = false;
    stored.convert(element.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                   &losesInfo);
    return !losesInfo;
  }

  /// The number that a constant states.
  static std::optional<double> getConstant(Value value) {
    auto row = value.getDefiningOp<OperatorOpInterface>();
    if (!row || row.getTableOpcode() != Opcode::Constant)
      return std::nullopt;
    return readAttributes(row).scalars[0];
  }
};

/// What moves elements that are all the same has nothing to do.
struct MoveConstant : ConstantRewrite {
  using ConstantRewrite::ConstantRewrite;
  LogicalResult rewrite(OperatorOpInterface op, const Attributes &,
                        PatternRewriter &rewriter) const override {
    Opcode opcode = op.getTableOpcode();
    bool moves = opcode == Opcode::Transpose || opcode == Opcode::Reshape ||
                 opcode == Opcode::Broadcast || opcode == Opcode::Slice ||
                 opcode == Opcode::Repeat || opcode == Opcode::Cast;
    std::optional<double> number =
        moves ? getConstant(op->getOperand(0)) : std::nullopt;
    if (!number)
      return rewriter.notifyMatchFailure(op, "no movement of a constant");
    Type from = getElementTypeOrSelf(op->getOperand(0).getType());
    if (from != getElementTypeOrSelf(op->getResult(0).getType()) &&
        !hasNumber(from, *number))
      return rewriter.notifyMatchFailure(op, "of one that is rounded twice");
    if (std::isinf(*number) &&
        !storesInfinities(convertTensor(op->getResult(0).getType()).element))
      return rewriter.notifyMatchFailure(op,
                                         "to a type that stores no infinities");
    Attributes constant;
    constant.scalars = {*number};
    return replace(op, Opcode::Constant, {}, constant, rewriter);
  }
};

/// An operator of a tensor and a number is a row with a parameter.
struct ParameterOfConstant : ConstantRewrite {
  using ConstantRewrite::ConstantRewrite;
  LogicalResult rewrite(OperatorOpInterface op, const Attributes &,
                        PatternRewriter &rewriter) const override {
    if (op->getNumOperands() != 2)
      return rewriter.notifyMatchFailure(op, "no operator of two operands");
    bool commutes = getOperatorInfo(op.getTableOpcode()).commutes;
    for (unsigned position : {1, 0}) {
      Value tensor = op->getOperand(1 - position);
      std::optional<double> number = getParameter(op->getOperand(position));
      if (!number || (position == 0 && !commutes) ||
          getShape(tensor) != getShape(op->getResult(0)))
        continue;
      if (auto row = chooseRow(op.getTableOpcode(), *number))
        return replace(op, row->first, tensor, row->second, rewriter);
    }
    return rewriter.notifyMatchFailure(op, "of no constant, or none that a row "
                                           "has as parameter");
  }

private:
  /// Parameters are rounded to f32 where they are used, and so is a constant of
  /// f32; of another type, it must have the number.
  static std::optional<double> getParameter(Value value) {
    std::optional<double> number = getConstant(value);
    Type element = getElementTypeOrSelf(value.getType());
    if (number && !element.isF32() && !hasNumber(element, *number))
      return std::nullopt;
    return number;
  }

  static ArrayRef<int64_t> getShape(Value value) {
    return cast<RankedTensorType>(value.getType()).getShape();
  }

  static std::pair<Opcode, Attributes> make(Opcode opcode,
                                            ArrayRef<double> scalars) {
    Attributes attributes;
    attributes.scalars.assign(scalars.begin(), scalars.end());
    return {opcode, attributes};
  }

  static std::optional<std::pair<Opcode, Attributes>> chooseRow(Opcode opcode,
                                                                double number) {
    int exponent = 0;
    switch (opcode) {
    case Opcode::Mul:
      return make(Opcode::Scale, number);
    case Opcode::Add:
      return make(Opcode::Offset, number);
    case Opcode::Sub:
      return make(Opcode::Offset, -number);
    // The inverse of a power of two is exact, as far as it is a normal f32.
    case Opcode::Div:
      if (std::fabs(std::frexp(number, &exponent)) != 0.5 ||
          std::abs(exponent) > 120)
        return make(Opcode::Unscale, number);
      return make(Opcode::Scale, 1 / number);
    case Opcode::Maximum:
      if (number == 0 && !std::signbit(number))
        return make(Opcode::Relu, {});
      return make(Opcode::Clamp, {number, HUGE_VAL});
    case Opcode::Minimum:
      return make(Opcode::Clamp, {-HUGE_VAL, number});
    default:
      return std::nullopt;
    }
  }
};
} // namespace

void mlir::mirage::populateOperatorCanonicalizationPatterns(
    RewritePatternSet &patterns, StringRef dialect) {
  patterns.add<SkipInner, ComposeTransposes, ComposeSlices, FlattenConcats,
               DropSign, SquareOfProduct, SignInSum, MoveConstant,
               ParameterOfConstant>(patterns.getContext(), dialect);
}
