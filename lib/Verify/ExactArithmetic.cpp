//===- ExactArithmetic.cpp - Elements in canonical form -------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExactArithmetic.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include <cassert>
#include <cmath>

using namespace mlir::mirage;
using exact::FormId;
using exact::Rational;

static FormId get(uint32_t word) { return static_cast<FormId>(word); }
static uint32_t put(FormId form) { return static_cast<uint32_t>(form); }

/// The words of expressions are their numbers.
static llvm::SmallVector<FormId> get(llvm::ArrayRef<uint32_t> words) {
  return llvm::map_to_vector(words, [](uint32_t word) { return get(word); });
}

uint32_t ExactArithmetic::makeNumber(double value) {
  if (!std::isfinite(value))
    return put(value < 0 ? FormId::MinusInfinity : FormId::Undefined);
  return put(algebra.getConstant(Rational::fromDouble(value)));
}

uint32_t ExactArithmetic::makeLn2() { return put(algebra.getLn2()); }
uint32_t ExactArithmetic::makeUndefined() { return put(FormId::Undefined); }
bool ExactArithmetic::isMinusInfinity(uint32_t expression) const {
  return get(expression) == FormId::MinusInfinity;
}
uint32_t ExactArithmetic::applyTo(ScalarFunction function, uint32_t lhs,
                                  uint32_t rhs) {
  return put(join(function, get(lhs), get(rhs)));
}
uint32_t ExactArithmetic::add(llvm::ArrayRef<uint32_t> summands) {
  return put(algebra.add(get(summands)));
}
uint32_t ExactArithmetic::max(llvm::ArrayRef<uint32_t> operands) {
  return put(algebra.max(get(operands)));
}

FormId ExactArithmetic::join(ScalarFunction function, FormId lhs, FormId rhs) {
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
  case ScalarFunction::Vanish:
    return rhs == FormId::MinusInfinity ? get(makeNumber(0)) : lhs;
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
