//===- ValueRange.cpp - Between which numbers values lie ------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ValueRange.h"
#include <algorithm>
#include <cmath>

using namespace mlir::mirage;
using namespace mlir::mirage::test;

double ValueRange::getMagnitude() const {
  return std::max(std::fabs(low), std::fabs(high));
}

ValueRange ValueRange::join(const ValueRange &other) const {
  return {std::min(low, other.low), std::max(high, other.high),
          hasMinusInfinity || other.hasMinusInfinity};
}

ValueRange ValueRange::times(double count) const {
  return {std::min(low, low * count), std::max(high, high * count),
          hasMinusInfinity};
}

namespace {
/// Closer to zero than this, quotients and logarithms lose digits, and so do
/// roots.
constexpr double kSmallestDenominator = 0.2, kSmallestRadicand = 0.05;
/// The exponential of which f32 holds.
constexpr double kLargestExponent = 80;

/// Walks a definition; what is computed on the way may not overflow either.
class RangeWalk {
public:
  RangeWalk(llvm::ArrayRef<ValueRange> operands, llvm::ArrayRef<double> scalars,
            double size, double smallestRadicand)
      : operands(operands), scalars(scalars), size(size),
        smallestRadicand(smallestRadicand) {}

  std::optional<ValueRange> run(const ScalarDefinition &definition) {
    ValueRange result = evaluate<ValueRange>(
        definition,
        [&](const ScalarNode &node, const ValueRange &lhs,
            const ValueRange &rhs) { return visit(node, lhs, rhs); });
    if (!isDefined || result.getMagnitude() > kLargestMagnitude)
      return std::nullopt;
    return result;
  }

private:
  ValueRange visit(const ScalarNode &node, ValueRange x, ValueRange y) {
    switch (node.function) {
    case ScalarFunction::Argument:
      return operands[node.index];
    case ScalarFunction::Parameter:
      return {scalars[node.index], scalars[node.index]};
    case ScalarFunction::Constant:
      return {node.value, node.value};
    case ScalarFunction::Ln2:
      return {kLn2, kLn2};
    case ScalarFunction::Size:
      return {size, size};
    case ScalarFunction::Mul:
      if (node.lhs == node.rhs && x.low < 0 && x.high > 0)
        return {0, x.getMagnitude() * x.getMagnitude()};
      break;
    case ScalarFunction::Div:
      require(y.low >= kSmallestDenominator || y.high <= -kSmallestDenominator);
      break;
    case ScalarFunction::Exp:
      require(x.high <= kLargestExponent);
      break;
    case ScalarFunction::Sqrt:
      require(x.low >= smallestRadicand);
      break;
    case ScalarFunction::Log:
      require(x.low >= kSmallestDenominator);
      break;
    case ScalarFunction::Pow:
      require(x.low >= kSmallestDenominator && y.getMagnitude() <= 3);
      break;
    case ScalarFunction::Abs:
      if (x.low < 0 && x.high > 0)
        return {0, x.getMagnitude()};
      break;
    default:
      break;
    }
    return isDefined ? applyToEnds(node.function, x, y) : ValueRange();
  }

  void require(bool condition) { isDefined &= condition; }

  /// Every primitive is monotonic in each operand where it is defined, or, as
  /// products are, has its extremes at the ends.
  static ValueRange applyToEnds(ScalarFunction function, ValueRange x,
                                ValueRange y) {
    double ends[] = {
        applyDouble(function, x.low, y.low),
        applyDouble(function, x.low, y.high),
        applyDouble(function, x.high, y.low),
        applyDouble(function, x.high, y.high),
    };
    return {*std::min_element(std::begin(ends), std::end(ends)),
            *std::max_element(std::begin(ends), std::end(ends))};
  }

  llvm::ArrayRef<ValueRange> operands;
  llvm::ArrayRef<double> scalars;
  double size, smallestRadicand;
  bool isDefined = true;
};
} // namespace

/// Of what has a meaning for minus infinity, above all in fields
/// (docs/Architecture.md).
static std::optional<ValueRange>
inferOfMinusInfinity(Opcode opcode, llvm::ArrayRef<ValueRange> operands,
                     llvm::ArrayRef<double> scalars) {
  if (opcode == Opcode::Exp || opcode == Opcode::Exp2) {
    ValueRange finite = operands[0];
    finite.hasMinusInfinity = false;
    auto result = inferElementwise(opcode, {finite}, {});
    if (result)
      result->low = 0;
    return result;
  }
  if (opcode == Opcode::Scale && scalars[0] > 0)
    return ValueRange{operands[0].low * scalars[0],
                      operands[0].high * scalars[0], true};
  if (opcode == Opcode::Maximum &&
      operands[0].hasMinusInfinity != operands[1].hasMinusInfinity) {
    const ValueRange &finite = operands[operands[0].hasMinusInfinity];
    return ValueRange{finite.low, std::max(operands[0].high, operands[1].high)};
  }
  return std::nullopt;
}

std::optional<ValueRange>
mlir::mirage::test::inferElementwise(Opcode opcode,
                                     llvm::ArrayRef<ValueRange> operands,
                                     llvm::ArrayRef<double> scalars) {
  for (const ValueRange &operand : operands)
    if (operand.hasMinusInfinity)
      return inferOfMinusInfinity(opcode, operands, scalars);
  return RangeWalk(operands, scalars, /*size=*/1, kSmallestRadicand)
      .run(getOperatorInfo(opcode).definition);
}

std::optional<ValueRange>
mlir::mirage::test::inferReduction(Opcode reduction, const ValueRange &operand,
                                   double count, double divisor) {
  const OperatorInfo &info = getOperatorInfo(reduction);
  if (info.combiner == Combiner::Max)
    return operand;
  if (operand.hasMinusInfinity)
    return std::nullopt;
  if (info.combiner == Combiner::Moments) {
    double width = operand.high - operand.low;
    return ValueRange{0, width * width};
  }
  std::optional<ValueRange> first =
      RangeWalk({operand}, {}, divisor, kSmallestRadicand).run(info.definition);
  if (!first)
    return std::nullopt;
  // A root mean square moves no more than what it is of.
  return RangeWalk({first->times(count)}, {}, divisor, 0).run(info.finish);
}
