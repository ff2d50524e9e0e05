//===- NumberOperand.h - Operators of a tensor and a number -----*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program may have a number in the place of a tensor. What is then computed
// is a row of the operator table with a parameter, or a few rows:
//
//   x - 2     offset x by -2           2 ** x    exp2 x
//   2 - x     neg, offset by 2         10 ** x   scale by ln 10, exp
//   x / 4     scale by 1/4: exact      x ** 5    square, square, mul by x
//   x / 10    unscale by 10            x ** -2.5 sqrt, square, mul, reciprocal
//   3 / x     reciprocal, scale by 3   x ** 0.3  pow with a constant
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_GRAPH_NUMBEROPERAND_H
#define MIRAGE_GRAPH_NUMBEROPERAND_H

#include "Mirage/Graph/Graph.h"

namespace mlir::mirage {

/// The graph of an operator of two operands of which one is a number. Its input
/// is the other one, which is its output as well where the operator changes
/// nothing: x ** 1. Between the steps values are f32, so that nothing is
/// rounded but the result.
/// \param opcode  add, sub, mul, div, maximum, minimum or pow
/// \param result  the element type of the result
/// \returns the graph, or an error that says what the number should have been:
/// of a divisor that has a reciprocal, of a base above 0, of an exponent that
/// is no larger than 64, beyond which a product of so many factors overflows
/// f32 for all but a sliver of numbers.
llvm::Expected<Graph> defineWithNumber(Opcode opcode, const TensorSpec &operand,
                                       double number, bool isNumberFirst,
                                       ElementType result);

} // namespace mlir::mirage

#endif // MIRAGE_GRAPH_NUMBEROPERAND_H
