//===- RealLaws.cpp - Terms by laws of the real numbers -------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TermTable.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace mlir::mirage;

//===----------------------------------------------------------------------===//
// Factors
//===----------------------------------------------------------------------===//

/// The exponentials among the factors, ascending.
std::vector<TermId> TermTable::getExps(TermId term) const {
  std::vector<TermId> exps;
  llvm::copy_if(getFactors(term), std::back_inserter(exps),
                [&](TermId factor) { return isExp(factor); });
  return exps;
}

/// \param factors  some of the term's, ascending.
TermId TermTable::dropFactors(TermId term, llvm::ArrayRef<TermId> factors) {
  llvm::ArrayRef<TermId> all = getFactors(term);
  std::vector<TermId> left;
  std::set_difference(all.begin(), all.end(), factors.begin(), factors.end(),
                      std::back_inserter(left));
  return multiply(left);
}

static std::vector<TermId> intersect(llvm::ArrayRef<TermId> lhs,
                                     llvm::ArrayRef<TermId> rhs) {
  std::vector<TermId> both;
  std::set_intersection(lhs.begin(), lhs.end(), rhs.begin(), rhs.end(),
                        std::back_inserter(both));
  return both;
}

//===----------------------------------------------------------------------===//
// Roots
//===----------------------------------------------------------------------===//

/// \returns whether there were roots to be joined.
bool TermTable::joinRoots(std::vector<TermId> &factors) {
  auto isRoot = [&](TermId factor) {
    return terms[factor].kind == TermKind::Sqrt;
  };
  if (llvm::count_if(factors, isRoot) < 2)
    return false;
  std::vector<TermId> others;
  TermId radicand = one;
  for (size_t i = 0; i < factors.size(); ++i) {
    TermId factor = factors[i];
    if (!isRoot(factor)) {
      others.push_back(factor);
    } else if (i + 1 < factors.size() && factors[i + 1] == factor) {
      others.push_back(getOperands(factor)[0]);
      ++i;
    } else {
      radicand = mul(radicand, getOperands(factor)[0]);
    }
  }
  others.push_back(apply(TermKind::Sqrt, radicand));
  factors = std::move(others);
  return true;
}

//===----------------------------------------------------------------------===//
// Exponentials
//===----------------------------------------------------------------------===//

namespace {
/// A sum of sums of sums has very many summands.
constexpr size_t kMaxExps = 1024;
constexpr unsigned kMaxCuts = 64;
} // namespace

/// Adds the factors of exp(exponent), or of one over it, to those above and
/// below the line. The exponent is u / v; if u is a sum, or constants times a
/// sum, that is cut, and there are as many factors as the sum has summands. A
/// product of two sums stays as it is: it would be many more.
/// \param cuts  how many sums the exponent was cut out of.
/// \returns false where there are too many.
bool TermTable::collectExps(TermId exponent, bool isBelow, unsigned cuts,
                            std::vector<TermId> &above,
                            std::vector<TermId> &below) {
  if (exponent == zero)
    return true;
  if (cuts > kMaxCuts || above.size() + below.size() >= kMaxExps)
    return false;
  TermId divisor = one;
  std::vector<TermId> factors;
  if (terms[exponent].kind == TermKind::Div) {
    divisor = getOperands(exponent)[1];
    factors = getFactors(getOperands(exponent)[0]).vec();
  } else {
    factors = getFactors(exponent).vec();
  }
  auto isConstant = [&](TermId id) {
    return terms[id].kind == TermKind::Constant;
  };
  auto collect = [&](bool isOther) {
    return collectExps(div(multiply(factors), divisor), isBelow != isOther,
                       cuts + 1, above, below);
  };
  auto negative = llvm::find_if(factors, [&](TermId id) {
    return isConstant(id) && terms[id].value < 0;
  });
  if (negative != factors.end()) {
    *negative = getConstant(-terms[*negative].value);
    return collect(/*isOther=*/true);
  }
  auto sum = llvm::find_if(
      factors, [&](TermId id) { return terms[id].kind == TermKind::Add; });
  bool isCut =
      sum != factors.end() &&
      size_t(llvm::count_if(factors, isConstant)) + 1 == factors.size();
  if (!isCut) {
    (isBelow ? below : above).push_back(intern(TermKind::Exp, {exponent}));
    return true;
  }
  std::vector<TermId> summands = getOperands(*sum).vec();
  return llvm::all_of(summands, [&](TermId summand) {
    *sum = summand;
    return collect(/*isOther=*/false);
  });
}

TermId TermTable::splitExp(TermId exponent) {
  std::vector<TermId> above, below;
  if (!collectExps(exponent, /*isBelow=*/false, /*cuts=*/0, above, below))
    return intern(TermKind::Exp, {exponent});
  TermId product = multiply(above);
  return div(product, multiply(below));
}

/// lhs / rhs without exponentials that are above and below, or below what is
/// below; none where there are none.
std::optional<TermId> TermTable::cancelExps(TermId lhs, TermId rhs) {
  if (terms[rhs].kind == TermKind::Div) {
    TermId above = getOperands(rhs)[0], below = getOperands(rhs)[1];
    std::vector<TermId> exps = getExps(below);
    if (exps.empty())
      return std::nullopt;
    TermId rest = div(above, dropFactors(below, exps));
    return div(mul(lhs, multiply(exps)), rest);
  }
  std::vector<TermId> common = intersect(getExps(lhs), getExps(rhs));
  if (common.empty())
    return std::nullopt;
  TermId above = dropFactors(lhs, common);
  return div(above, dropFactors(rhs, common));
}

/// Whether the term is exp m, or exp(c·m / d), of a maximum or minimum.
bool TermTable::isExpOfMaximum(TermId term) const {
  if (!isExp(term))
    return false;
  TermId exponent = getOperands(term)[0];
  if (terms[exponent].kind == TermKind::Div)
    exponent = getOperands(exponent)[0];
  return llvm::any_of(getFactors(exponent), [&](TermId factor) {
    return terms[factor].kind == TermKind::Max ||
           terms[factor].kind == TermKind::Min;
  });
}

/// The quotient that a sum is if exponentials of maxima are below each of its
/// summands. What is there of other exponentials is no matter of whole rows,
/// and sums of tiles would be other terms than sums of rows.
std::optional<TermId>
TermTable::takeOutMaxima(llvm::ArrayRef<TermId> summands) {
  if (summands.size() < 2)
    return std::nullopt;
  std::optional<std::vector<TermId>> common;
  for (TermId summand : summands) {
    if (terms[summand].kind != TermKind::Div)
      return std::nullopt;
    std::vector<TermId> exps = getExps(getOperands(summand)[1]);
    llvm::erase_if(exps, [&](TermId exp) { return !isExpOfMaximum(exp); });
    common = common ? intersect(*common, exps) : std::move(exps);
    if (common->empty())
      return std::nullopt;
  }
  TermId below = multiply(*common);
  std::vector<TermId> above;
  for (TermId summand : summands)
    above.push_back(mul(summand, below));
  return div(add(above), below);
}
