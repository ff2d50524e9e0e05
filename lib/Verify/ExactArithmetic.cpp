//===- ExactArithmetic.cpp - Elements in canonical form -------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExactArithmetic.h"
#include "SymbolicConstant.h"
#include <algorithm>
#include <cassert>
#include <vector>

using namespace mlir::mirage;
using exact::FormId;
using exact::Rational;

static FormId get(uint32_t word) { return static_cast<FormId>(word); }
static uint32_t put(FormId form) { return static_cast<uint32_t>(form); }

FormId ExactArithmetic::makeConstant(double value) {
  if (!std::isfinite(value))
    return value < 0 ? FormId::MinusInfinity : FormId::Undefined;
  SymbolicConstant symbol = classifyConstant(value);
  if (symbol.kind == SymbolicConstant::Rational)
    return algebra.getConstant(Rational::fromDouble(value));
  FormId form = algebra.getLn2();
  if (symbol.kind == SymbolicConstant::InverseLn2)
    form = algebra.divide(FormId::One, form);
  return symbol.isNegative
             ? algebra.multiply(algebra.getConstant(Rational(-1)), form)
             : form;
}

void ExactArithmetic::constant(uint32_t *result, double value) {
  std::fill(result, result + kConstantWords, put(makeConstant(value)));
}

void ExactArithmetic::ln2(uint32_t *result) {
  std::fill(result, result + kConstantWords, put(algebra.getLn2()));
}

FormId ExactArithmetic::apply(ScalarFunction function, FormId lhs, FormId rhs) {
  switch (function) {
  case ScalarFunction::Add:
    return algebra.add(lhs, rhs);
  case ScalarFunction::Mul:
    return algebra.multiply(lhs, rhs);
  case ScalarFunction::Div:
    return algebra.divide(lhs, rhs);
  case ScalarFunction::Max:
    return algebra.max({lhs, rhs});
  case ScalarFunction::Min:
    return algebra.min({lhs, rhs});
  case ScalarFunction::Exp:
    return algebra.exp(lhs);
  case ScalarFunction::Sqrt:
    return algebra.sqrt(lhs);
  case ScalarFunction::Abs:
    return algebra.abs(lhs);
  case ScalarFunction::Log:
    return algebra.log(lhs);
  case ScalarFunction::Erf:
    return algebra.erf(lhs);
  case ScalarFunction::Pow:
    return algebra.pow(lhs, rhs);
  case ScalarFunction::Argument:
  case ScalarFunction::Parameter:
  case ScalarFunction::Constant:
  case ScalarFunction::Ln2:
  case ScalarFunction::Size:
    break;
  }
  assert(false && "a leaf is not applied");
  return FormId::Undefined;
}

void ExactArithmetic::apply(ScalarFunction function, uint32_t *result,
                            Source lhs, Source rhs, size_t count) {
  for (size_t i = 0; i < count; ++i)
    result[i] = put(apply(function, get(lhs.data[lhs.repeats ? 0 : i]),
                          get(rhs.data[rhs.repeats ? 0 : i])));
}

void ExactArithmetic::vanish(uint32_t *result, const uint32_t *operand,
                             const uint32_t *exponent, size_t count) {
  for (size_t i = 0; i < count; ++i)
    result[i] = get(exponent[i]) == FormId::MinusInfinity ? put(FormId::Zero)
                                                          : operand[i];
}

void ExactArithmetic::reduce(Combiner combiner, uint32_t *result,
                             const uint32_t *operand, size_t outer,
                             size_t reduced, size_t inner) {
  std::vector<FormId> list(reduced);
  for (size_t o = 0; o < outer; ++o)
    for (size_t i = 0; i < inner; ++i) {
      for (size_t r = 0; r < reduced; ++r)
        list[r] = get(operand[(o * reduced + r) * inner + i]);
      result[o * inner + i] = put(
          combiner == Combiner::Add ? algebra.add(list) : algebra.max(list));
    }
}

void ExactArithmetic::matmul(uint32_t *result, const uint32_t *lhs,
                             const uint32_t *rhs, size_t m, size_t n,
                             size_t k) {
  std::vector<FormId> list(k);
  for (size_t i = 0; i < m; ++i)
    for (size_t j = 0; j < n; ++j) {
      for (size_t x = 0; x < k; ++x) {
        // A product with minus infinity is not defined, whatever the factor.
        FormId a = get(lhs[i * k + x]), b = get(rhs[x * n + j]);
        bool isInfinite =
            a == FormId::MinusInfinity || b == FormId::MinusInfinity;
        list[x] = isInfinite ? FormId::Undefined : algebra.multiply(a, b);
      }
      result[i * n + j] = put(algebra.add(list));
    }
}
