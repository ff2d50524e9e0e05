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
static std::optional<Mask> makeMask(Value masked, const LinearIndex &kept) {
  Mask mask{masked, kUnit, kUnit, -kept.constant};
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

static bool isZero(Attribute attribute) {
  auto number = dyn_cast<FloatAttr>(attribute);
  return number && number.getValue().isZero();
}

static bool isTrue(Attribute attribute) {
  auto number = dyn_cast<IntegerAttr>(attribute);
  return number && !number.getValue().isZero();
}

static bool isFalse(Attribute attribute) {
  auto number = dyn_cast<IntegerAttr>(attribute);
  return number && number.getValue().isZero();
}

std::optional<Mask> mlir::mirage::findAddedMask(Operation *sum,
                                                unsigned numLoops) {
  for (unsigned side : {0, 1}) {
    auto pattern = findIndexPattern(sum->getOperand(side), numLoops);
    if (!pattern)
      continue;
    if (auto kept = findKept(*pattern, isZero, isLowest))
      return makeMask(sum->getOperand(1 - side), *kept);
  }
  return std::nullopt;
}

/// Minus infinity, or the lowest number of its type, which stands for it where
/// a program avoids infinities (docs/rationale/Import.md).
static bool isLowestConstant(Value value, unsigned numLoops) {
  auto pattern = findIndexPattern(value, numLoops);
  return pattern && pattern->isConstant() && isLowest(pattern->atMost);
}

FailureOr<Mask> mlir::mirage::findSelectedMask(arith::SelectOp select,
                                               unsigned numLoops,
                                               std::string &reason) {
  auto pattern = findIndexPattern(select.getCondition(), numLoops);
  if (!pattern || pattern->isConstant()) {
    reason = "expects a selection of the larger or the smaller of the two "
             "values that its condition compares, or by a comparison of "
             "indices";
    return failure();
  }
  bool hidesFalse = isLowestConstant(select.getFalseValue(), numLoops);
  if (!hidesFalse && !isLowestConstant(select.getTrueValue(), numLoops)) {
    reason = "expects a selection by indices to be a mask, which gives a value "
             "or minus infinity";
    return failure();
  }
  auto kept = hidesFalse ? findKept(*pattern, isTrue, isFalse)
                         : findKept(*pattern, isFalse, isTrue);
  Value masked = hidesFalse ? select.getTrueValue() : select.getFalseValue();
  std::optional<Mask> mask =
      kept ? makeMask(masked, *kept) : std::optional<Mask>();
  if (!mask) {
    reason = "expects a mask to compare one index with another or with a "
             "number";
    return failure();
  }
  return *mask;
}
