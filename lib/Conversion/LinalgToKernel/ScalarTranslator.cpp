//===- ScalarTranslator.cpp - Ops of a body as kernel ops -----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalarTranslator.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::mirage;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

static double toDouble(APFloat value) {
  bool losesInfo;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value.convertToDouble();
}

/// What a linalg.fill writes: its number, rounded to the element type.
static std::optional<double> findFilledNumber(linalg::FillOp fill) {
  APFloat number(0.0);
  auto element =
      dyn_cast<FloatType>(getElementTypeOrSelf(fill.getOutputs()[0]));
  if (!element || !matchPattern(fill.getInputs()[0], m_ConstantFloat(&number)))
    return std::nullopt;
  bool losesInfo;
  number.convert(element.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                 &losesInfo);
  return toDouble(number);
}

std::optional<double> mlir::mirage::findConstant(Value value) {
  if (auto fill = value.getDefiningOp<linalg::FillOp>())
    return findFilledNumber(fill);
  APFloat number(0.0);
  if (matchPattern(value, m_ConstantFloat(&number)))
    return toDouble(number);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// maxnumf and minnumf, which drop NaN where the operator table keeps it, agree
/// with it where the op promises that there is none.
template <typename OpT>
static std::optional<Opcode> getIfNoNaN(OpT op, Opcode opcode) {
  if (bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::nnan))
    return opcode;
  return std::nullopt;
}

std::optional<Opcode> mlir::mirage::findOpcode(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<Opcode>>(op)
      .Case([](arith::NegFOp) { return Opcode::Neg; })
      .Case([](math::AbsFOp) { return Opcode::Abs; })
      .Case([](math::ErfOp) { return Opcode::Erf; })
      .Case([](math::ExpOp) { return Opcode::Exp; })
      .Case([](math::Exp2Op) { return Opcode::Exp2; })
      .Case([](math::LogOp) { return Opcode::Log; })
      .Case([](math::RsqrtOp) { return Opcode::Rsqrt; })
      .Case([](math::SqrtOp) { return Opcode::Sqrt; })
      .Case([](math::TanhOp) { return Opcode::Tanh; })
      .Case([](arith::AddFOp) { return Opcode::Add; })
      .Case([](arith::SubFOp) { return Opcode::Sub; })
      .Case([](arith::MulFOp) { return Opcode::Mul; })
      .Case([](arith::DivFOp) { return Opcode::Div; })
      .Case([](arith::MaximumFOp) { return Opcode::Maximum; })
      .Case([](arith::MinimumFOp) { return Opcode::Minimum; })
      .Case([](arith::MaxNumFOp op) { return getIfNoNaN(op, Opcode::Maximum); })
      .Case([](arith::MinNumFOp op) { return getIfNoNaN(op, Opcode::Minimum); })
      .Case([](math::PowFOp) { return Opcode::Pow; })
      .Default([](Operation *) { return std::nullopt; });
}

LogicalResult ScalarTranslator::fail(const Twine &message) {
  reason = message.str();
  return failure();
}

FailureOr<BodyValue> ScalarTranslator::translate(Value scalar) {
  auto found = known.find(scalar);
  if (found != known.end())
    return found->second;
  FailureOr<BodyValue> result = failure();
  Operation *definition = scalar.getDefiningOp();
  if (std::optional<double> number = findConstant(scalar))
    result = BodyValue(*number);
  else if (body && definition && definition->getBlock() == body)
    result = translateOp(definition);
  else
    result = leaf(scalar);
  if (succeeded(result))
    known.try_emplace(scalar, *result);
  return result;
}

FailureOr<BodyValue> ScalarTranslator::translateOp(Operation *op) {
  if (op->getNumResults() != 1)
    return fail("expects ops with one result, got " +
                op->getName().getStringRef());
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  if (isa<arith::ExtFOp>(op))
    return translateCast(op, /*rounds=*/false);
  if (isa<arith::TruncFOp>(op))
    return translateCast(op, /*rounds=*/true);
  if (isa<math::FmaOp>(op))
    return translateFma(op);
  std::optional<Opcode> opcode = findOpcode(op);
  if (!opcode)
    return fail("no operator means " + op->getName().getStringRef());
  if (!convertElementType(element)) {
    llvm::raw_string_ostream(reason)
        << "expects arithmetic on f16, bf16 or f32, got " << op->getName()
        << " on " << element;
    return failure();
  }
  return getOperatorInfo(*opcode).numOperands == 1
             ? translateUnary(*opcode, op)
             : translateBinary(*opcode, op);
}

static Location fuse(Location outer, Operation *op) {
  return outer == op->getLoc()
             ? outer
             : FusedLoc::get(op->getContext(), {outer, op->getLoc()});
}

static double evaluateNumbers(Opcode opcode, ArrayRef<double> arguments) {
  return evaluateDouble(getOperatorInfo(opcode).definition, arguments, {});
}

FailureOr<BodyValue> ScalarTranslator::translateUnary(Opcode opcode,
                                                      Operation *op) {
  FailureOr<BodyValue> x = translate(op->getOperand(0));
  if (failed(x))
    return failure();
  if (auto *number = std::get_if<double>(&*x))
    return BodyValue(evaluateNumbers(opcode, *number));
  builder.setLocation(fuse(outer, op));
  return BodyValue(builder.unary(opcode, std::get<IndexedTensor>(*x),
                                 getElementTypeOrSelf(op->getResult(0))));
}

FailureOr<BodyValue> ScalarTranslator::translateBinary(Opcode opcode,
                                                       Operation *op) {
  FailureOr<BodyValue> x = translate(op->getOperand(0));
  if (failed(x))
    return failure();
  FailureOr<BodyValue> y = translate(op->getOperand(1));
  if (failed(y))
    return failure();
  builder.setLocation(fuse(outer, op));
  return join(opcode, *x, *y, getElementTypeOrSelf(op->getResult(0)));
}

FailureOr<BodyValue> ScalarTranslator::translateFma(Operation *op) {
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
              getElementTypeOrSelf(op->getResult(0)));
}

/// A wider type changes no value; arithmetic is done in f32 anyway.
FailureOr<BodyValue> ScalarTranslator::translateCast(Operation *op,
                                                     bool rounds) {
  Type element = getElementTypeOrSelf(op->getResult(0));
  FailureOr<BodyValue> x = translate(op->getOperand(0));
  if (failed(x) || !rounds || std::holds_alternative<double>(*x))
    return x;
  if (!convertElementType(element)) {
    llvm::raw_string_ostream(reason)
        << "expects casts to an element type of kernels, got " << element;
    return failure();
  }
  builder.setLocation(fuse(outer, op));
  return BodyValue(builder.convert(std::get<IndexedTensor>(*x), element));
}

//===----------------------------------------------------------------------===//
// Two operands, of which one may be a number
//===----------------------------------------------------------------------===//

FailureOr<BodyValue> ScalarTranslator::join(Opcode opcode, const BodyValue &x,
                                            const BodyValue &y, Type element) {
  auto *numberX = std::get_if<double>(&x), *numberY = std::get_if<double>(&y);
  if (numberX && numberY)
    return BodyValue(evaluateNumbers(opcode, {*numberX, *numberY}));
  if (numberX)
    return joinNumber(opcode, std::get<IndexedTensor>(y), *numberX,
                      /*isNumberLeft=*/true, element);
  if (numberY)
    return joinNumber(opcode, std::get<IndexedTensor>(x), *numberY,
                      /*isNumberLeft=*/false, element);
  const IndexedTensor &left = std::get<IndexedTensor>(x);
  const IndexedTensor &right = std::get<IndexedTensor>(y);
  if (opcode == Opcode::Mul && left.tensor == right.tensor &&
      left.loops == right.loops)
    return BodyValue(builder.unary(Opcode::Square, left, element));
  return BodyValue(builder.binary(opcode, left, right, element));
}

FailureOr<BodyValue>
ScalarTranslator::joinNumber(Opcode opcode, const IndexedTensor &x,
                             double number, bool isNumberLeft, Type element) {
  auto apply = [&](Opcode unary, ArrayRef<double> scalars = {}) -> BodyValue {
    return builder.unary(unary, x, element, scalars);
  };
  auto unrounded = [&](Opcode unary) {
    return builder.unary(unary, x, builder.getUnroundedType());
  };
  if (std::isnan(number))
    return fail("expects constants that are numbers, got NaN");
  switch (opcode) {
  case Opcode::Add:
    return apply(Opcode::Offset, number);
  case Opcode::Sub:
    if (!isNumberLeft)
      return apply(Opcode::Offset, -number);
    return BodyValue(
        builder.unary(Opcode::Offset, unrounded(Opcode::Neg), element, number));
  case Opcode::Mul:
    return apply(Opcode::Scale, number);
  case Opcode::Div:
    if (!isNumberLeft && !std::isnormal(static_cast<float>(1 / number)))
      return fail("expects a divisor that has a reciprocal in f32");
    if (!isNumberLeft)
      return apply(Opcode::Scale, 1 / number);
    if (number == 1)
      return apply(Opcode::Reciprocal);
    return BodyValue(builder.unary(Opcode::Scale, unrounded(Opcode::Reciprocal),
                                   element, number));
  case Opcode::Maximum:
    return number == 0 ? apply(Opcode::Relu)
                       : apply(Opcode::Clamp, {number, kInfinity});
  case Opcode::Minimum:
    return apply(Opcode::Clamp, {-kInfinity, number});
  case Opcode::Pow:
    if (!isNumberLeft)
      return power(x, number, element);
    return fail(
        "expects a power with a constant exponent, got a constant base");
  default:
    llvm_unreachable("an operator with two operands");
  }
}

FailureOr<BodyValue> ScalarTranslator::power(const IndexedTensor &x,
                                             double exponent, Type element) {
  auto apply = [&](Opcode opcode) -> BodyValue {
    return builder.unary(opcode, x, element);
  };
  if (exponent == 1)
    return BodyValue(x);
  if (exponent == 2)
    return apply(Opcode::Square);
  if (exponent == 3)
    return BodyValue(builder.binary(
        Opcode::Mul,
        builder.unary(Opcode::Square, x, builder.getUnroundedType()), x,
        element));
  if (exponent == 0.5)
    return apply(Opcode::Sqrt);
  if (exponent == -0.5)
    return apply(Opcode::Rsqrt);
  if (exponent == -1)
    return apply(Opcode::Reciprocal);
  llvm::raw_string_ostream(reason)
      << "expects an exponent of 1, 2, 3, -1, 0.5 or -0.5, got " << exponent;
  return failure();
}
