//===- FindMask.cpp - Ops that hide elements by their place ---------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FindMask.h"
#include "IndexedTensor.h"

using namespace mlir;
using namespace mlir::mirage;

/// A mask shows where `kept` is at most 0: one index less another, less the
/// offset.
static std::optional<Mask> makeMask(Value masked, const LinearIndex &kept,
                                    bool hidesByZero) {
  Mask mask{masked, kUnit, kUnit, -kept.constant, hidesByZero};
  for (auto [loop, coefficient] : llvm::enumerate(kept.coefficients)) {
    if (coefficient == 0)
      continue;
    int &place = coefficient > 0 ? mask.column : mask.row;
    if (std::abs(coefficient) != 1 || place != kUnit)
      return std::nullopt;
    place = loop;
  }
  return mask;
}

static bool isNumber(Attribute attribute, double wanted) {
  auto number = dyn_cast<FloatAttr>(attribute);
  return number && number.getValueAsDouble() == wanted;
}

static bool isTrue(Attribute attribute) {
  auto number = dyn_cast<IntegerAttr>(attribute);
  return number && !number.getValue().isZero();
}

static bool isFalse(Attribute attribute) {
  auto number = dyn_cast<IntegerAttr>(attribute);
  return number && number.getValue().isZero();
}

std::optional<Mask> mlir::mirage::findJoinedMask(Operation *op, Opcode opcode,
                                                 unsigned numLoops) {
  bool isProduct = opcode == Opcode::Mul;
  if (!isProduct && opcode != Opcode::Add)
    return std::nullopt;
  auto shows = [&](Attribute x) { return isNumber(x, isProduct ? 1 : 0); };
  auto hides = [&](Attribute x) {
    return isProduct ? isNumber(x, 0) : isLowest(x);
  };
  for (unsigned side : {0, 1}) {
    auto pattern = findIndexPattern(op->getOperand(side), numLoops);
    auto kept = pattern ? findKept(*pattern, shows, hides) : std::nullopt;
    if (kept)
      return makeMask(op->getOperand(1 - side), *kept, isProduct);
  }
  return std::nullopt;
}

/// Whether a value hides by 0 (true), or by minus infinity or the lowest number
/// of its type, which stands for it where a program avoids infinities
/// (docs/rationale/Import.md); none where it hides nothing.
static std::optional<bool> findHiding(Value value, unsigned numLoops) {
  auto pattern = findIndexPattern(value, numLoops);
  if (!pattern || !pattern->isConstant())
    return std::nullopt;
  if (isLowest(pattern->atMost))
    return false;
  return isNumber(pattern->atMost, 0) ? std::optional(true) : std::nullopt;
}

/// Of a condition that is no pattern.
static StringRef explainCondition(Value condition) {
  if (condition.getDefiningOp<arith::CmpIOp>())
    return "expects a comparison of integers to compare sums and differences "
           "of indices and constants by <, <=, > or >=, in 32 bits or more, "
           "and unsigned only where neither side can be negative";
  return "expects a selection of the larger or the smaller of the two values "
         "that its condition compares, or by a comparison of indices";
}

FailureOr<Mask> mlir::mirage::findSelectedMask(arith::SelectOp select,
                                               unsigned numLoops,
                                               std::string &reason) {
  auto pattern = findIndexPattern(select.getCondition(), numLoops);
  if (!pattern || pattern->isConstant()) {
    reason = explainCondition(select.getCondition());
    return failure();
  }
  auto hidesFalse = findHiding(select.getFalseValue(), numLoops);
  auto hidesTrue = findHiding(select.getTrueValue(), numLoops);
  if (!hidesFalse && !hidesTrue) {
    reason = "expects a selection by indices to be a mask, which gives a value "
             "or one of minus infinity and 0";
    return failure();
  }
  auto kept = hidesFalse ? findKept(*pattern, isTrue, isFalse)
                         : findKept(*pattern, isFalse, isTrue);
  Value masked = hidesFalse ? select.getTrueValue() : select.getFalseValue();
  std::optional<Mask> mask =
      kept ? makeMask(masked, *kept, hidesFalse ? *hidesFalse : *hidesTrue)
           : std::nullopt;
  if (!mask) {
    reason = "expects a mask to compare one index with another or with a "
             "number";
    return failure();
  }
  return *mask;
}
