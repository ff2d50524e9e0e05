//===- FindConstant.cpp - Numbers that a program states -------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FindConstant.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::mirage;

APFloat mlir::mirage::roundTo(double number, FloatType type) {
  APFloat rounded(number);
  bool losesInfo;
  rounded.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                  &losesInfo);
  return rounded;
}

double mlir::mirage::toDouble(APFloat value) {
  bool losesInfo;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value.convertToDouble();
}

double mlir::mirage::getRounded(double number, FloatType type) {
  return toDouble(roundTo(number, type));
}

std::optional<int64_t> mlir::mirage::findInteger(Value value) {
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)))
    return number.trySExtValue();
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<arith::IndexCastOp, arith::ExtSIOp>(op))
    return findInteger(op->getOperand(0));
  return std::nullopt;
}

/// The number that an op makes of one it is given, rounded to its result's
/// type.
static std::optional<double> findStated(Value given, Value result) {
  auto element = dyn_cast<FloatType>(getElementTypeOrSelf(result));
  std::optional<double> number = findConstant(given);
  if (!number || !element)
    return std::nullopt;
  return getRounded(*number, element);
}

static std::optional<double> findCastInteger(Value given, Value result) {
  std::optional<int64_t> number = findInteger(given);
  if (!number)
    return std::nullopt;
  return getRounded(static_cast<double>(*number),
                    cast<FloatType>(result.getType()));
}

std::optional<double> mlir::mirage::findConstant(Value value) {
  APFloat number(0.0);
  if (matchPattern(value, m_ConstantFloat(&number)))
    return toDouble(number);
  Operation *op = value.getDefiningOp();
  if (!op)
    return std::nullopt;
  return llvm::TypeSwitch<Operation *, std::optional<double>>(op)
      .Case<linalg::FillOp, tensor::SplatOp, tensor::ExtractOp>(
          [&](auto) { return findStated(op->getOperand(0), value); })
      .Case<arith::ExtFOp, arith::TruncFOp>(
          [&](auto) { return findConstant(op->getOperand(0)); })
      .Case([&](tensor::FromElementsOp list) -> std::optional<double> {
        if (list.getElements().size() != 1)
          return std::nullopt;
        return findStated(list.getElements()[0], value);
      })
      .Case([&](arith::SIToFPOp cast) -> std::optional<double> {
        if (!isa<FloatType>(value.getType()))
          return std::nullopt;
        return findCastInteger(cast.getIn(), value);
      })
      .Default([](Operation *) { return std::nullopt; });
}

/// A comparison that selections alone read says which of two values is larger.
static bool isReadBySelections(arith::CmpFOp comparison) {
  return !comparison->use_empty() &&
         llvm::all_of(comparison->getUsers(), [](Operation *user) {
           return isa<arith::SelectOp>(user);
         });
}

bool mlir::mirage::isSource(Operation *op) {
  if (isa<tensor::EmptyOp>(op) || op->hasTrait<OpTrait::ConstantLike>())
    return true;
  if (auto comparison = dyn_cast<arith::CmpFOp>(op))
    return isReadBySelections(comparison);
  auto isConstant = [](Value value) {
    return matchPattern(value, m_Constant());
  };
  if (isa<linalg::FillOp, tensor::SplatOp>(op) && isConstant(op->getOperand(0)))
    return true;
  if (isa<tensor::FromElementsOp>(op) &&
      llvm::all_of(op->getOperands(), isConstant))
    return true;
  return op->getNumResults() == 1 &&
         (findConstant(op->getResult(0)) || findInteger(op->getResult(0)));
}
