//===- ScalarTranslator.cpp - Ops of a body as kernel ops -----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalarTranslator.h"
#include "FindConstant.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::mirage;

LogicalResult ScalarTranslator::fail(const Twine &message) {
  reason = message.str();
  return failure();
}

/// The values that the translation of an op asks for, the first one first; none
/// of one that has no translation.
SmallVector<Value>
ScalarTranslator::getTranslatedOperands(Operation *op) const {
  if (isa<arith::ExtFOp, arith::TruncFOp>(op))
    return op->getOperands();
  if (op->getNumResults() != 1 ||
      !convertElementType(getElementTypeOrSelf(op->getResult(0).getType())))
    return {};
  if (std::optional<Join> join = findJoin(op)) {
    // A mask is not a tensor to be read.
    if (auto mask = findJoinedMask(op, join->opcode, builder.getNumLoops()))
      return {mask->masked};
    return {join->lhs, join->rhs};
  }
  if (isSpelled(op) || isa<math::FPowIOp>(op))
    return {op->getOperand(0)};
  if (findUnary(op) || isa<math::FmaOp>(op))
    return op->getOperands();
  return {};
}

bool ScalarTranslator::isComputedHere(Value scalar) const {
  Operation *definition = scalar.getDefiningOp();
  return body && definition && definition->getBlock() == body;
}

FailureOr<BodyValue> ScalarTranslator::translate(Value scalar) {
  SmallVector<Value> waiting = {scalar};
  while (true) {
    Value next = waiting.back();
    size_t numBefore = waiting.size();
    if (!known.contains(next) && isComputedHere(next) && !findConstant(next)) {
      SmallVector<Value> operands = getTranslatedOperands(next.getDefiningOp());
      for (Value operand : llvm::reverse(operands))
        if (!known.contains(operand))
          waiting.push_back(operand);
    }
    if (waiting.size() > numBefore)
      continue;
    FailureOr<BodyValue> result = translateNext(next);
    waiting.pop_back();
    if (failed(result) || waiting.empty())
      return result;
  }
}

/// A value whose operands are known.
FailureOr<BodyValue> ScalarTranslator::translateNext(Value scalar) {
  auto found = known.find(scalar);
  if (found != known.end())
    return found->second;
  FailureOr<BodyValue> result = failure();
  if (std::optional<double> number = findConstant(scalar))
    result = BodyValue(*number);
  else if (isComputedHere(scalar))
    result = translateOp(scalar.getDefiningOp());
  else
    result = leaf(scalar);
  if (succeeded(result))
    known.try_emplace(scalar, *result);
  return result;
}

LogicalResult ScalarTranslator::failUnknown(Operation *op) {
  if (isa<linalg::IndexOp>(op))
    return fail("expects a body that uses indices for a mask alone: to choose "
                "between its values and minus infinity");
  if (isa<arith::MaxNumFOp, arith::MinNumFOp>(op))
    return fail("expects fastmath<nnan> on " + op->getName().getStringRef() +
                ", which drops NaN where operators keep it");
  return fail("no operator means " + op->getName().getStringRef());
}

LogicalResult ScalarTranslator::checkArithmetic(Operation *op) {
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  if (convertElementType(element))
    return success();
  llvm::raw_string_ostream(reason)
      << "expects arithmetic on f16, bf16 or f32, got " << op->getName()
      << " on " << element;
  return failure();
}

FailureOr<BodyValue> ScalarTranslator::translateOp(Operation *op) {
  if (op->getNumResults() != 1)
    return fail("expects ops with one result, got " +
                op->getName().getStringRef());
  if (isa<arith::ExtFOp, arith::TruncFOp>(op))
    return translateCast(op);
  std::optional<Opcode> unary = findUnary(op);
  std::optional<Join> join = findJoin(op);
  if (!unary && !join && !isSpelled(op) &&
      !isa<math::FmaOp, math::FPowIOp, arith::SelectOp>(op))
    return failUnknown(op);
  if (failed(checkArithmetic(op)))
    return failure();
  if (auto select = dyn_cast<arith::SelectOp>(op); select && !join)
    return translateSelection(select);
  if (unary)
    return translateUnary(*unary, op);
  if (join)
    return translateJoin(*join, op);
  if (isSpelled(op))
    return translateSpelled(op);
  if (auto power = dyn_cast<math::FPowIOp>(op))
    return translatePower(power);
  return translateFma(cast<math::FmaOp>(op));
}

static Location fuse(Location outer, Operation *op) {
  return outer == op->getLoc()
             ? outer
             : FusedLoc::get(op->getContext(), {outer, op->getLoc()});
}

FailureOr<BodyValue> ScalarTranslator::translateUnary(Opcode opcode,
                                                      Operation *op) {
  FailureOr<BodyValue> x = translate(op->getOperand(0));
  builder.setLocation(fuse(outer, op));
  return apply(opcode, x, getElementTypeOrSelf(op->getResult(0)));
}

FailureOr<BodyValue> ScalarTranslator::translateSpelled(Operation *op) {
  FailureOr<BodyValue> x = translate(op->getOperand(0));
  if (failed(x))
    return failure();
  builder.setLocation(fuse(outer, op));
  return spellFunction(op, *x);
}

FailureOr<BodyValue> ScalarTranslator::translateJoin(const Join &operation,
                                                     Operation *op) {
  if (auto mask = findJoinedMask(op, operation.opcode, builder.getNumLoops()))
    return translateMask(*mask, op);
  FailureOr<BodyValue> x = translate(operation.lhs);
  if (failed(x))
    return failure();
  FailureOr<BodyValue> y = translate(operation.rhs);
  if (failed(y))
    return failure();
  builder.setLocation(fuse(outer, op));
  return join(operation.opcode, *x, *y, getElementTypeOrSelf(op->getResult(0)));
}

FailureOr<BodyValue> ScalarTranslator::translateMask(const Mask &mask,
                                                     Operation *op) {
  FailureOr<BodyValue> masked = translate(mask.masked);
  if (failed(masked))
    return failure();
  auto *tensor = std::get_if<IndexedTensor>(&*masked);
  if (!tensor)
    return fail("expects a mask to hide elements of a tensor, got a constant");
  if (mask.lowest)
    op->emitRemark()
        << llvm::formatv(
               "reads {0:e2}, the lowest number of its type, as minus "
               "infinity; a softmax of a row that is hidden whole is "
               "NaN then, and no mean",
               *mask.lowest)
               .str();
  builder.setLocation(fuse(outer, op));
  Type element = getElementTypeOrSelf(op->getResult(0));
  auto hide = [&](const IndexedTensor &x, Type type) {
    return builder.hide(x, mask.row, mask.column, mask.offset, type);
  };
  if (!mask.hidesByZero)
    return BodyValue(hide(*tensor, element));
  // 1 = exp(0) where it shows, 0 = exp(-inf) where it hides.
  Type inner = builder.getUnroundedType();
  IndexedTensor factor =
      builder.unary(Opcode::Exp, hide(builder.constant(0), inner), inner);
  return BodyValue(builder.binary(Opcode::Mul, *tensor, factor, element));
}

FailureOr<BodyValue> ScalarTranslator::translateSelection(arith::SelectOp op) {
  FailureOr<Mask> mask = findSelectedMask(op, builder.getNumLoops(), reason);
  if (failed(mask))
    return failure();
  return translateMask(*mask, op);
}

FailureOr<BodyValue> ScalarTranslator::translateFma(math::FmaOp op) {
  SmallVector<BodyValue> operands;
  for (Value operand : op->getOperands()) {
    FailureOr<BodyValue> value = translate(operand);
    if (failed(value))
      return failure();
    operands.push_back(*value);
  }
  builder.setLocation(fuse(outer, op));
  FailureOr<BodyValue> product =
      join(Opcode::Mul, operands[0], operands[1], builder.getUnroundedType());
  if (failed(product))
    return failure();
  return join(Opcode::Add, *product, operands[2],
              getElementTypeOrSelf(op.getResult()));
}

FailureOr<BodyValue> ScalarTranslator::translatePower(math::FPowIOp op) {
  FailureOr<BodyValue> base = translate(op.getLhs());
  if (failed(base))
    return failure();
  std::optional<int64_t> exponent = findInteger(op.getRhs());
  if (!exponent)
    return fail("expects a power with a constant exponent");
  builder.setLocation(fuse(outer, op));
  return join(Opcode::Pow, *base, static_cast<double>(*exponent),
              getElementTypeOrSelf(op.getResult()));
}

/// A wider type changes no value; arithmetic is done in f32 anyway. Numbers
/// keep the bits of their literals, as where a program states them in double.
FailureOr<BodyValue> ScalarTranslator::translateCast(Operation *op) {
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  FailureOr<BodyValue> x = translate(op->getOperand(0));
  if (failed(x) || isa<arith::ExtFOp>(op) || std::holds_alternative<double>(*x))
    return x;
  if (!convertElementType(element)) {
    llvm::raw_string_ostream(reason)
        << "expects casts to an element type of kernels, got " << element;
    return failure();
  }
  builder.setLocation(fuse(outer, op));
  return BodyValue(builder.convert(std::get<IndexedTensor>(*x), element));
}
