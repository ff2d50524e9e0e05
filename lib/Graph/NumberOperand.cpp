//===- NumberOperand.cpp - Operators of a tensor and a number -------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Graph/NumberOperand.h"
#include <cmath>
#include <limits>

using namespace mlir::mirage;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLargestExponent = 64;

namespace {
/// Appends steps to the graph of one operator.
class Steps {
public:
  explicit Steps(const TensorSpec &operand) { x = graph.addInput(operand); }

  ValueId add(Opcode opcode, llvm::ArrayRef<ValueId> operands,
              llvm::ArrayRef<double> scalars = {}) {
    Attributes attributes;
    attributes.scalars.assign(scalars.begin(), scalars.end());
    return graph.add(opcode, operands,
                     {graph.getType(x).shape, ElementType::F32},
                     std::move(attributes));
  }

  /// A number for all elements: whole, or of one element that is broadcast.
  ValueId addConstant(double number, bool isWhole) {
    ValueId constant = add(Opcode::Constant, {}, number);
    if (!isWhole)
      graph.setType(constant, {{1}, ElementType::F32});
    return constant;
  }

  /// `value` to the `exponent`-th, at least the first, by squarings.
  ValueId raise(ValueId value, unsigned exponent) {
    if (exponent == 1)
      return value;
    ValueId square = add(Opcode::Square, raise(value, exponent / 2));
    return exponent % 2 == 1 ? add(Opcode::Mul, {square, value}) : square;
  }

  /// The same where `exponent` is a multiple of 1/2.
  ValueId raiseToHalves(ValueId value, double exponent) {
    double whole = std::floor(exponent);
    if (whole == exponent)
      return raise(value, static_cast<unsigned>(whole));
    ValueId root = add(Opcode::Sqrt, value);
    if (whole == 0)
      return root;
    return add(Opcode::Mul, {raise(value, static_cast<unsigned>(whole)), root});
  }

  Graph finish(ValueId output, ElementType element) {
    if (output != x)
      graph.setType(output, {graph.getType(output).shape, element});
    graph.addOutput(output);
    return std::move(graph);
  }

  ValueId x; ///< the operand

private:
  Graph graph;
};
} // namespace

/// The inverse of a power of two is exact.
static llvm::Expected<ValueId> divide(Steps &steps, double divisor) {
  if (!std::isnormal(static_cast<float>(divisor)) ||
      !std::isnormal(static_cast<float>(1 / divisor)))
    return llvm::createStringError(
        "expects a divisor that has a reciprocal in f32, got %g", divisor);
  int exponent;
  bool isPowerOfTwo = std::fabs(std::frexp(divisor, &exponent)) == 0.5;
  return isPowerOfTwo ? steps.add(Opcode::Scale, steps.x, 1 / divisor)
                      : steps.add(Opcode::Unscale, steps.x, divisor);
}

static llvm::Expected<ValueId> raise(Steps &steps, double exponent) {
  double size = std::fabs(exponent);
  if (size > kLargestExponent)
    return llvm::createStringError("expects an exponent from %g to %g, got %g",
                                   -kLargestExponent, kLargestExponent,
                                   exponent);
  if (2 * size != std::floor(2 * size))
    return steps.add(Opcode::Pow,
                     {steps.x, steps.addConstant(exponent, /*isWhole=*/false)});
  if (exponent == 0)
    return steps.addConstant(1, /*isWhole=*/true);
  if (exponent > 0)
    return steps.raiseToHalves(steps.x, size);
  if (size == 0.5)
    return steps.add(Opcode::Rsqrt, steps.x);
  return steps.add(Opcode::Reciprocal, steps.raiseToHalves(steps.x, size));
}

static llvm::Expected<ValueId> raiseNumber(Steps &steps, double base) {
  if (base <= 0 || std::isinf(base))
    return llvm::createStringError(
        "expects powers of a constant above 0, got powers of %g", base);
  if (base == 2)
    return steps.add(Opcode::Exp2, steps.x);
  return steps.add(Opcode::Exp,
                   steps.add(Opcode::Scale, steps.x, std::log(base)));
}

static llvm::Expected<ValueId> define(Steps &steps, Opcode opcode,
                                      double number, bool isNumberFirst) {
  ValueId x = steps.x;
  switch (opcode) {
  case Opcode::Add:
    return steps.add(Opcode::Offset, x, number);
  case Opcode::Sub:
    return isNumberFirst
               ? steps.add(Opcode::Offset, steps.add(Opcode::Neg, x), number)
               : steps.add(Opcode::Offset, x, -number);
  case Opcode::Mul:
    return steps.add(Opcode::Scale, x, number);
  case Opcode::Div:
    if (!isNumberFirst)
      return divide(steps, number);
    x = steps.add(Opcode::Reciprocal, x);
    return number == 1 ? x : steps.add(Opcode::Scale, x, number);
  case Opcode::Maximum:
    return number == 0 ? steps.add(Opcode::Relu, x)
                       : steps.add(Opcode::Clamp, x, {number, kInfinity});
  case Opcode::Minimum:
    return steps.add(Opcode::Clamp, x, {-kInfinity, number});
  case Opcode::Pow:
    return isNumberFirst ? raiseNumber(steps, number) : raise(steps, number);
  default:
    return llvm::createStringError(
        "expects add, sub, mul, div, maximum, minimum or pow of a tensor and a "
        "number, got " +
        getOperatorInfo(opcode).name);
  }
}

llvm::Expected<Graph> mlir::mirage::defineWithNumber(Opcode opcode,
                                                     const TensorSpec &operand,
                                                     double number,
                                                     bool isNumberFirst,
                                                     ElementType result) {
  if (std::isnan(number))
    return llvm::createStringError(
        "expects constants that are numbers, got NaN");
  Steps steps(operand);
  llvm::Expected<ValueId> output = define(steps, opcode, number, isNumberFirst);
  if (!output)
    return output.takeError();
  return steps.finish(*output, result);
}
