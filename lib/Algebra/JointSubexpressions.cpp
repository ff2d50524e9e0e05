//===- JointSubexpressions.cpp - Can two tensors both be used? ------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Algebra/JointSubexpressions.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::mirage;
using Product = JointSubexpressionTest::Product;
using Sum = JointSubexpressionTest::Sum;

/// -x that leads to an exponent leads, as one of two, to what has no sign, too.
static SubexpressionOptions withSignsOfLaws(SubexpressionOptions options) {
  options.strictSigns = false;
  return options;
}

JointSubexpressionTest::JointSubexpressionTest(ExpressionContext &context,
                                               llvm::ArrayRef<FormId> targets,
                                               SubexpressionOptions options)
    : context(context), test(context, targets, withSignsOfLaws(options)) {}

//===----------------------------------------------------------------------===//
// Images
//===----------------------------------------------------------------------===//

uint32_t JointSubexpressionTest::getNumber(std::vector<uint32_t> factor) {
  return numbers.try_emplace(std::move(factor), numbers.size()).first->second;
}

Product JointSubexpressionTest::makeImage(const Monomial &monomial) {
  enum FactorKind : uint32_t { Input, Function, Power };
  Product product;
  for (AtomId id : monomial.atoms) {
    const Atom &atom = context.get(id);
    if (atom.kind == Atom::Kind::Input)
      product.push_back(
          getNumber({Input, static_cast<uint32_t>(atom.payload)}));
    if (atom.kind == Atom::Kind::Function)
      product.push_back(
          getNumber({Function, static_cast<uint32_t>(atom.payload)}));
  }
  if (monomial.exponent != FormId::None)
    for (const Product &term : getImage(monomial.exponent)) {
      std::vector<uint32_t> power = {Power};
      llvm::append_range(power, term);
      product.push_back(getNumber(std::move(power)));
    }
  llvm::sort(product);
  return product;
}

const Sum &JointSubexpressionTest::getImage(FormId form) {
  auto [it, isNew] = images.try_emplace(static_cast<uint32_t>(form));
  if (isNew) {
    for (auto [monomial, count] : context.get(form).monomials)
      it->second.insert(it->second.end(), count,
                        makeImage(context.get(monomial)));
    llvm::sort(it->second);
  }
  return it->second;
}

//===----------------------------------------------------------------------===//
// Parts of images
//===----------------------------------------------------------------------===//

/// What is left of a multiset without another, if that is part of it.
template <typename T>
static std::optional<std::vector<T>> subtract(const std::vector<T> &from,
                                              const std::vector<T> &what) {
  if (!std::includes(from.begin(), from.end(), what.begin(), what.end()))
    return std::nullopt;
  std::vector<T> rest;
  std::set_difference(from.begin(), from.end(), what.begin(), what.end(),
                      std::back_inserter(rest));
  return rest;
}

static Sum multiplySums(const Sum &lhs, const Sum &rhs) {
  Sum sum;
  for (const Product &left : lhs)
    for (const Product &right : rhs)
      std::merge(left.begin(), left.end(), right.begin(), right.end(),
                 std::back_inserter(sum.emplace_back()));
  llvm::sort(sum);
  return sum;
}

/// Calls with each rest r of whole = m·part + r until a call returns true.
static bool anyRest(const Sum &whole, const Sum &part,
                    llvm::function_ref<bool(const Sum &rest)> call) {
  if (part.size() > whole.size())
    return false;
  return llvm::any_of(whole, [&](const Product &term) {
    std::optional<Product> factor = subtract(term, part.front());
    if (!factor)
      return false;
    std::optional<Sum> rest = subtract(whole, multiplySums({*factor}, part));
    return rest && call(*rest);
  });
}

//===----------------------------------------------------------------------===//
// The test
//===----------------------------------------------------------------------===//

bool JointSubexpressionTest::decide(FormId lhs, FormId rhs) {
  std::optional<FormId> place = test.getOnlyPlace(lhs);
  if (!place || place != test.getOnlyPlace(rhs))
    return true;
  const Sum &whole = getImage(*place), &left = getImage(lhs),
            &right = getImage(rhs);
  auto isRest = [](const Sum &) { return true; };
  bool asSummands = anyRest(whole, left, [&](const Sum &rest) {
    return anyRest(rest, right, isRest);
  });
  return asSummands || (left.size() * right.size() <= whole.size() &&
                        anyRest(whole, multiplySums(left, right), isRest));
}

bool JointSubexpressionTest::mayContainBoth(FormId lhs, FormId rhs) {
  // In braces, for values: of two arguments it gives references to them.
  auto [less, more] =
      std::minmax({static_cast<uint32_t>(lhs), static_cast<uint32_t>(rhs)});
  auto [it, isNew] = memo.try_emplace({less, more}, true);
  if (!isNew)
    return it->second;
  bool result = decide(lhs, rhs);
  memo[{less, more}] = result;
  return result;
}
