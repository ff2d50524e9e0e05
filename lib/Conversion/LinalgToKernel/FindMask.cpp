//===- FindMask.cpp - Ops that hide elements by their place ---------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FindMask.h"
#include "IndexedTensor.h"
#include <cmath>

using namespace mlir;
using namespace mlir::mirage;

static bool isNumber(Attribute attribute, double wanted) {
  auto number = dyn_cast<FloatAttr>(attribute);
  return number && number.getValueAsDouble() == wanted;
}

/// A mask shows where `kept` is at most 0: one index less another, less the
/// offset.
/// \param hidden  0, minus infinity or the lowest number of a type.
static std::optional<Mask> makeMask(Value masked, const LinearIndex &kept,
                                    Attribute hidden) {
  Mask mask{masked, kUnit, kUnit, -kept.constant, isNumber(hidden, 0)};
  double value = cast<FloatAttr>(hidden).getValueAsDouble();
  if (!mask.hidesByZero && !std::isinf(value))
    mask.lowest = value;
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
    if (!kept)
      continue;
    return makeMask(op->getOperand(1 - side), *kept,
                    hides(pattern->atMost) ? pattern->atMost : pattern->above);
  }
  return std::nullopt;
}

/// What a value hides by, 0, minus infinity or the lowest number of its type,
/// which stands for it where a program avoids infinities
/// (docs/rationale/Import.md); null where it hides nothing.
static Attribute findHiding(Value value, unsigned numLoops) {
  auto pattern = findIndexPattern(value, numLoops);
  bool hides = pattern && pattern->isConstant() &&
               (isLowest(pattern->atMost) || isNumber(pattern->atMost, 0));
  return hides ? pattern->atMost : Attribute();
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
  Attribute hidesFalse = findHiding(select.getFalseValue(), numLoops);
  Attribute hidesTrue = findHiding(select.getTrueValue(), numLoops);
  if (!hidesFalse && !hidesTrue) {
    reason = "expects a selection by indices to be a mask, which gives a value "
             "or one of minus infinity and 0";
    return failure();
  }
  auto kept = hidesFalse ? findKept(*pattern, isTrue, isFalse)
                         : findKept(*pattern, isFalse, isTrue);
  Value masked = hidesFalse ? select.getTrueValue() : select.getFalseValue();
  Attribute hidden = hidesFalse ? hidesFalse : hidesTrue;
  std::optional<Mask> mask =
      kept ? makeMask(masked, *kept, hidden) : std::nullopt;
  if (!mask) {
    reason = "expects a mask to compare one index with another or with a "
             "number";
    return failure();
  }
  return *mask;
}
