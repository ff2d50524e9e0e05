//===- SymbolicArithmetic.cpp - Elements that are expressions -------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SymbolicArithmetic.h"
#include "SymbolicConstant.h"
#include <algorithm>
#include <vector>

using namespace mlir::mirage;

void SymbolicArithmetic::constant(uint32_t *result, double value) {
  SymbolicConstant symbol = classifyConstant(value);
  uint32_t expression;
  if (symbol.kind == SymbolicConstant::Rational) {
    expression = makeNumber(value);
  } else {
    expression = makeLn2();
    if (symbol.kind == SymbolicConstant::InverseLn2)
      expression = applyTo(ScalarFunction::Div, makeNumber(1), expression);
    if (symbol.isNegative)
      expression = applyTo(ScalarFunction::Mul, makeNumber(-1), expression);
  }
  std::fill(result, result + kConstantWords, expression);
}

void SymbolicArithmetic::ln2(uint32_t *result) {
  std::fill(result, result + kConstantWords, makeLn2());
}

void SymbolicArithmetic::apply(ScalarFunction function, uint32_t *result,
                               Source lhs, Source rhs, size_t count) {
  for (size_t i = 0; i < count; ++i)
    result[i] = isExhausted() ? 0
                              : applyTo(function, lhs.data[lhs.repeats ? 0 : i],
                                        rhs.data[rhs.repeats ? 0 : i]);
}

void SymbolicArithmetic::vanish(uint32_t *result, const uint32_t *operand,
                                const uint32_t *exponent, size_t count) {
  uint32_t zero = makeNumber(0);
  for (size_t i = 0; i < count; ++i)
    result[i] = isMinusInfinity(exponent[i]) ? zero : operand[i];
}

void SymbolicArithmetic::reduce(Combiner combiner, uint32_t *result,
                                const uint32_t *operand, size_t outer,
                                size_t reduced, size_t inner) {
  std::vector<uint32_t> list(reduced);
  for (size_t o = 0; o < outer; ++o)
    for (size_t i = 0; i < inner; ++i) {
      if (isExhausted())
        return std::fill(result, result + outer * inner, 0);
      for (size_t r = 0; r < reduced; ++r)
        list[r] = operand[(o * reduced + r) * inner + i];
      result[o * inner + i] = combiner == Combiner::Add ? add(list) : max(list);
    }
}

/// A product with minus infinity is not defined, whatever the factor.
uint32_t SymbolicArithmetic::multiply(uint32_t lhs, uint32_t rhs) {
  return isMinusInfinity(lhs) || isMinusInfinity(rhs)
             ? makeUndefined()
             : applyTo(ScalarFunction::Mul, lhs, rhs);
}

void SymbolicArithmetic::matmul(uint32_t *result, const uint32_t *lhs,
                                const uint32_t *rhs, size_t m, size_t n,
                                size_t k) {
  std::vector<uint32_t> list(k);
  for (size_t i = 0; i < m; ++i)
    for (size_t j = 0; j < n; ++j) {
      if (isExhausted())
        return std::fill(result, result + m * n, 0);
      for (size_t x = 0; x < k; ++x)
        list[x] = multiply(lhs[i * k + x], rhs[x * n + j]);
      result[i * n + j] = add(list);
    }
}
