//===- IndexPattern.cpp - Arithmetic with patterns ------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IndexPattern.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::mirage;
using arith::CmpIPredicate;

using MaybePattern = std::optional<IndexPattern>;

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

constexpr int64_t kLargest = int64_t(1) << 30;

bool LinearIndex::isInRange() const {
  auto isSmall = [](int64_t x) { return -kLargest <= x && x <= kLargest; };
  return isSmall(constant) && llvm::all_of(coefficients, isSmall);
}

static MaybePattern makeLinear(const LinearIndex &form) {
  if (!form.isInRange())
    return std::nullopt;
  return IndexPattern{form, {}, {}};
}

/// x + factor · y.
static LinearIndex addScaled(LinearIndex x, const LinearIndex &y,
                             int64_t factor) {
  for (auto [sum, term] : llvm::zip_equal(x.coefficients, y.coefficients))
    sum += factor * term;
  x.constant += factor * y.constant;
  return x;
}

/// Narrow integers wrap around.
static bool isWide(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isIndex() ||
         (element.isInteger() && element.getIntOrFloatBitWidth() >= 32);
}

/// A linear pattern; constants are both, step and linear.
static std::optional<LinearIndex> getLinear(const IndexPattern &pattern) {
  if (!pattern.isStep())
    return pattern.form;
  auto number = dyn_cast<IntegerAttr>(pattern.atMost);
  if (!pattern.isConstant() || !number || !isWide(number.getType()))
    return std::nullopt;
  std::optional<int64_t> value = number.getValue().trySExtValue();
  LinearIndex form = pattern.form;
  form.constant = value.value_or(kLargest + 1);
  if (!form.isInRange())
    return std::nullopt;
  return form;
}

static bool isNegative(const LinearIndex &form) {
  return form.constant < 0 ||
         llvm::any_of(form.coefficients, [](int64_t c) { return c < 0; });
}

/// lhs <= rhs or lhs < rhs, either way round; unsigned where both sides are
/// known not to be negative.
static MaybePattern compare(arith::CmpIOp op, const LinearIndex &lhs,
                            const LinearIndex &rhs) {
  CmpIPredicate predicate = op.getPredicate();
  bool isUnsigned = predicate >= CmpIPredicate::ult;
  if (isUnsigned && (isNegative(lhs) || isNegative(rhs)))
    return std::nullopt;
  Type boolean = IntegerType::get(op.getContext(), 1);
  Attribute yes = IntegerAttr::get(boolean, 1),
            no = IntegerAttr::get(boolean, 0);
  LinearIndex difference = addScaled(lhs, rhs, -1);
  LinearIndex plusOne = difference;
  ++plusOne.constant;
  switch (predicate) {
  case CmpIPredicate::sle:
  case CmpIPredicate::ule:
    return IndexPattern{difference, yes, no};
  case CmpIPredicate::slt:
  case CmpIPredicate::ult:
    return IndexPattern{plusOne, yes, no};
  case CmpIPredicate::sgt:
  case CmpIPredicate::ugt:
    return IndexPattern{difference, no, yes};
  case CmpIPredicate::sge:
  case CmpIPredicate::uge:
    return IndexPattern{plusOne, no, yes};
  default:
    return std::nullopt;
  }
}

static MaybePattern combineLinear(Operation *op,
                                  ArrayRef<IndexPattern> operands) {
  SmallVector<LinearIndex> forms;
  for (const IndexPattern &operand : operands) {
    std::optional<LinearIndex> form = getLinear(operand);
    if (!form)
      return std::nullopt;
    forms.push_back(*form);
  }
  if (auto comparison = dyn_cast<arith::CmpIOp>(op))
    return compare(comparison, forms[0], forms[1]);
  if (!isWide(op->getResult(0).getType()))
    return std::nullopt;
  return llvm::TypeSwitch<Operation *, MaybePattern>(op)
      .Case<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp,
            arith::TruncIOp>([&](auto) { return makeLinear(forms[0]); })
      .Case([&](arith::AddIOp) {
        return makeLinear(addScaled(forms[0], forms[1], 1));
      })
      .Case([&](arith::SubIOp) {
        return makeLinear(addScaled(forms[0], forms[1], -1));
      })
      .Default([](Operation *) { return std::nullopt; });
}

/// What an op makes of constants, by its own folder; on a copy, since folders
/// may change the op instead.
static Attribute foldConstants(Operation *op, ArrayRef<Attribute> operands) {
  SmallVector<Attribute> typed;
  for (auto [operand, attribute] : llvm::zip_equal(op->getOperands(), operands))
    if (auto tensor = dyn_cast<RankedTensorType>(operand.getType()))
      typed.push_back(DenseElementsAttr::get(tensor, attribute));
    else
      typed.push_back(attribute);
  Operation *copy = op->clone();
  SmallVector<OpFoldResult> results;
  bool isFolded = succeeded(copy->fold(typed, results)) && results.size() == 1;
  Attribute result;
  if (isFolded) {
    result = dyn_cast<Attribute>(results[0]);
    if (auto value = dyn_cast<Value>(results[0]))
      for (auto [operand, attribute] :
           llvm::zip_equal(op->getOperands(), operands))
        if (operand == value)
          result = attribute;
  }
  copy->destroy();
  if (auto dense = dyn_cast_or_null<DenseElementsAttr>(result))
    return dense.isSplat() ? dense.getSplatValue<Attribute>() : Attribute();
  return result;
}

/// Steps at one place are a step there.
static MaybePattern combineSteps(Operation *op,
                                 ArrayRef<IndexPattern> operands) {
  if (operands.empty())
    return std::nullopt;
  IndexPattern result = operands[0];
  for (const IndexPattern &operand : operands) {
    if (!operand.isStep())
      return std::nullopt;
    if (operand.isConstant())
      continue;
    if (!result.isConstant() && !(operand.form == result.form))
      return std::nullopt;
    result = operand;
  }
  auto fold = [&](Attribute IndexPattern::*side) {
    return foldConstants(
        op, llvm::map_to_vector(
                operands, [&](const IndexPattern &x) { return x.*side; }));
  };
  result.atMost = fold(&IndexPattern::atMost);
  result.above = fold(&IndexPattern::above);
  if (!result.atMost || !result.above)
    return std::nullopt;
  return result;
}

MaybePattern mlir::mirage::combinePatterns(Operation *op,
                                           ArrayRef<IndexPattern> operands) {
  auto isConstant = [](const IndexPattern &x) { return x.isConstant(); };
  if (!llvm::all_of(operands, isConstant))
    if (MaybePattern linear = combineLinear(op, operands))
      return linear;
  return combineSteps(op, operands);
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

std::optional<LinearIndex>
mlir::mirage::findKept(const IndexPattern &pattern,
                       llvm::function_ref<bool(Attribute)> isKept,
                       llvm::function_ref<bool(Attribute)> isHidden) {
  if (!pattern.isStep())
    return std::nullopt;
  if (isKept(pattern.atMost) && isHidden(pattern.above))
    return pattern.form;
  if (!isKept(pattern.above) || !isHidden(pattern.atMost))
    return std::nullopt;
  // Above 0 is at most -1 with the sign turned.
  LinearIndex zero;
  zero.coefficients.assign(pattern.form.coefficients.size(), 0);
  LinearIndex turned = addScaled(zero, pattern.form, -1);
  ++turned.constant;
  return turned;
}

bool mlir::mirage::isLowest(Attribute attribute) {
  auto number = dyn_cast<FloatAttr>(attribute);
  if (!number)
    return false;
  APFloat lowest = APFloat::getLargest(number.getValue().getSemantics(),
                                       /*Negative=*/true);
  APFloat value = number.getValue();
  return (value.isInfinity() && value.isNegative()) || value == lowest;
}
