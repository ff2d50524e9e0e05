//===- FunctionBound.cpp - Functions that a prefix still has to apply -----===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Search/FunctionBound.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::mirage;
using namespace mlir::mirage::search;

FunctionBound::FunctionBound(const ExpressionContext &context,
                             llvm::ArrayRef<FormId> levels)
    : context(context) {
  for (FormId level : levels)
    compute(level, /*isTarget=*/true);
}

FunctionBound::FunctionSet FunctionBound::note(std::string key, bool isTarget,
                                               bool isReduction) {
  auto it = llvm::find(keys, key);
  if (it == keys.end() && (!isTarget || keys.size() == 64))
    return 0;
  FunctionSet bit = FunctionSet(1) << (it - keys.begin());
  if (it == keys.end()) {
    keys.push_back(std::move(key));
    reductions |= isReduction ? bit : 0;
  }
  return bit;
}

/// The same function applied in another scope counts as applied, so that the
/// bound stays a bound.
std::string FunctionBound::getArgumentText(FormId argument) const {
  return context.toStringWithoutScopes(argument);
}

FunctionBound::FunctionSet FunctionBound::computeAtom(const Atom &atom,
                                                      bool isTarget) {
  FunctionSet set = 0;
  for (FormId argument : atom.arguments)
    set |= compute(argument, isTarget);
  // A function of two arguments joins two tensors, which is counted as such.
  if (atom.kind != Atom::Kind::Function || atom.arguments.size() != 1)
    return set;
  std::string key = std::to_string(atom.payload) + "(" +
                    getArgumentText(atom.arguments[0]) + ")";
  return set | note(std::move(key), isTarget, !atom.letters.empty());
}

/// Products can make an exponential of several terms, or of roots; only one of
/// a single term needs an operator of its own.
static bool needsOperator(const ExpressionContext &context, FormId exponent) {
  const Form &form = context.get(exponent);
  return form.total == 1 &&
         context.get(form.monomials.front().first).radicand == FormId::None &&
         !context.getBareMax(exponent);
}

FunctionBound::FunctionSet FunctionBound::compute(FormId form, bool isTarget) {
  FunctionSet set = 0;
  for (auto [id, count] : context.get(form).monomials) {
    const Monomial &monomial = context.get(id);
    for (AtomId atom : monomial.atoms)
      set |= computeAtom(context.get(atom), isTarget);
    for (FormId part :
         {monomial.exponent, monomial.radicand, monomial.denominator})
      if (part != FormId::None)
        set |= compute(part, isTarget);
    if (monomial.exponent != FormId::None &&
        needsOperator(context, monomial.exponent))
      set |= note("exp(" + getArgumentText(monomial.exponent) + ")", isTarget,
                  /*isReduction=*/false);
  }
  return set;
}

FunctionBound::FunctionSet FunctionBound::find(FormId form) {
  auto [it, isNew] = memo.try_emplace(static_cast<uint32_t>(form), 0);
  if (!isNew)
    return it->second;
  FunctionSet set = compute(form, /*isTarget=*/false);
  memo[static_cast<uint32_t>(form)] = set;
  return set;
}

unsigned FunctionBound::getRootDepth(FormId form) {
  auto [it, isNew] = rootDepths.try_emplace(static_cast<uint32_t>(form), 0);
  if (!isNew)
    return it->second;
  unsigned depth = 0;
  for (auto [id, count] : context.get(form).monomials) {
    const Monomial &monomial = context.get(id);
    if (monomial.radicand != FormId::None)
      depth = std::max(depth, 1 + getRootDepth(monomial.radicand));
    for (FormId part : {monomial.exponent, monomial.denominator})
      if (part != FormId::None)
        depth = std::max(depth, getRootDepth(part));
    for (AtomId atom : monomial.atoms)
      for (FormId argument : context.get(atom).arguments)
        depth = std::max(depth, getRootDepth(argument));
  }
  return rootDepths[static_cast<uint32_t>(form)] = depth;
}
