//===- ExactAlgebra.cpp - Real expressions in canonical form --------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Algebra/ExactAlgebra.h"
#include "ExactFunctions.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::mirage;
using namespace mlir::mirage::exact;

Algebra::Algebra(const Limits &limits)
    : functions(std::make_unique<Functions>(limits)) {}
Algebra::~Algebra() = default;

bool Algebra::isExhausted() const { return functions->tables.isExhausted(); }
size_t Algebra::getWork() const { return functions->tables.getWork(); }

std::string Algebra::toString(FormId form) const {
  return functions->print(form);
}

std::vector<uint64_t> Algebra::takeConditions() {
  std::vector<uint64_t> list(functions->conditions.begin(),
                             functions->conditions.end());
  functions->conditions.clear();
  return list;
}

//===----------------------------------------------------------------------===//
// Special forms, which spread
//===----------------------------------------------------------------------===//

static bool isUndefined(FormId form) { return form == FormId::Undefined; }
static bool isInfinite(FormId form) { return form == FormId::MinusInfinity; }
static bool isPolynomial(FormId form) {
  return !isUndefined(form) && !isInfinite(form);
}

/// A rational number, ln 2 or log2 e, and what these make.
static bool isPositiveConstant(const Tables &tables, FormId form) {
  llvm::ArrayRef<Term> terms = tables.getTerms(form);
  return terms.size() == 1 && tables.getSign(terms[0].coefficient) > 0 &&
         llvm::all_of(tables.getPowers(terms[0].monomial), [&](Power power) {
           return tables.getKind(power.atom) == AtomKind::Ln2;
         });
}

/// What an operation came to, unless a limit was met on the way.
static FormId unlessExhausted(const Tables &tables, FormId form) {
  return tables.isExhausted() ? FormId::Undefined : form;
}

FormId Algebra::getVariable(uint32_t index) {
  return unlessExhausted(functions->tables,
                         functions->makeAtom(AtomKind::Variable, {index}));
}

FormId Algebra::getConstant(const Rational &value) {
  return unlessExhausted(functions->tables, functions->makeConstant(value));
}

FormId Algebra::getLn2() {
  return unlessExhausted(
      functions->tables,
      functions->makeAtom(AtomKind::Ln2, {},
                          {/*isNonnegative=*/true, /*isPositive=*/true}));
}

FormId Algebra::add(llvm::ArrayRef<FormId> summands) {
  if (isExhausted() || llvm::any_of(summands, isUndefined))
    return FormId::Undefined;
  if (llvm::any_of(summands, isInfinite))
    return FormId::MinusInfinity;
  return unlessExhausted(functions->tables,
                         functions->polynomials.add(summands));
}

FormId Algebra::multiply(FormId x, FormId y) {
  if (isExhausted() || isUndefined(x) || isUndefined(y))
    return FormId::Undefined;
  if (isInfinite(x) || isInfinite(y)) {
    FormId other = isInfinite(x) ? y : x;
    return isPolynomial(other) && isPositiveConstant(functions->tables, other)
               ? FormId::MinusInfinity
               : FormId::Undefined;
  }
  return unlessExhausted(functions->tables,
                         functions->polynomials.multiply(x, y));
}

FormId Algebra::divide(FormId x, FormId y) {
  if (isExhausted() || !isPolynomial(x) || !isPolynomial(y))
    return FormId::Undefined;
  return multiply(x, unlessExhausted(functions->tables, functions->invert(y)));
}

FormId Algebra::exp(FormId x) {
  if (isInfinite(x))
    return FormId::Zero;
  if (isExhausted() || isUndefined(x))
    return FormId::Undefined;
  return unlessExhausted(functions->tables, functions->exp(x));
}

FormId Algebra::sqrt(FormId x) {
  if (isExhausted() || !isPolynomial(x))
    return FormId::Undefined;
  return unlessExhausted(functions->tables, functions->sqrt(x));
}

FormId Algebra::abs(FormId x) {
  if (isExhausted() || !isPolynomial(x))
    return FormId::Undefined;
  return unlessExhausted(functions->tables, functions->abs(x));
}

FormId Algebra::max(llvm::ArrayRef<FormId> operands) {
  if (isExhausted() || llvm::any_of(operands, isUndefined))
    return FormId::Undefined;
  llvm::SmallVector<FormId> finite;
  llvm::copy_if(operands, std::back_inserter(finite), isPolynomial);
  if (finite.empty())
    return FormId::MinusInfinity;
  return unlessExhausted(functions->tables,
                         functions->pick(AtomKind::Max, finite));
}

FormId Algebra::min(llvm::ArrayRef<FormId> operands) {
  if (isExhausted() || llvm::any_of(operands, isUndefined))
    return FormId::Undefined;
  if (llvm::any_of(operands, isInfinite))
    return FormId::MinusInfinity;
  return unlessExhausted(functions->tables,
                         functions->pick(AtomKind::Min, operands));
}

FormId Algebra::log(FormId x) {
  if (isExhausted() || !isPolynomial(x))
    return FormId::Undefined;
  return unlessExhausted(functions->tables, functions->log(x));
}

FormId Algebra::erf(FormId x) {
  if (isExhausted() || !isPolynomial(x))
    return FormId::Undefined;
  return unlessExhausted(functions->tables, functions->erf(x));
}

FormId Algebra::pow(FormId x, FormId y) {
  if (isExhausted() || !isPolynomial(x) || !isPolynomial(y))
    return FormId::Undefined;
  return unlessExhausted(functions->tables, functions->pow(x, y));
}

bool Algebra::areEqual(FormId x, FormId y) {
  if (isExhausted() || isUndefined(x) || isUndefined(y))
    return false;
  if (x == y || isInfinite(x) || isInfinite(y))
    return x == y;
  Polynomials &polynomials = functions->polynomials;
  return polynomials.isZero(polynomials.subtract(x, y));
}
