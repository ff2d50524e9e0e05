//===- TermTable.cpp - What every element of a graph is -------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TermTable.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>

using namespace mlir::mirage;

TermTable::TermTable(Laws laws) : laws(laws) {
  zero = intern(TermKind::Constant, {}, 0, 0.0);
  one = intern(TermKind::Constant, {}, 0, 1.0);
  infinity = intern(TermKind::MinusInfinity, {});
  undefined = intern(TermKind::Undefined, {});
}

TermId TermTable::intern(TermKind kind, llvm::ArrayRef<TermId> list,
                         uint32_t index, double value) {
  uint64_t bits = llvm::bit_cast<uint64_t>(value);
  uint64_t hash =
      llvm::hash_combine(static_cast<unsigned>(kind), index, bits,
                         llvm::hash_combine_range(list.begin(), list.end()));
  auto [begin, end] = byHash.equal_range(hash);
  for (auto entry = begin; entry != end; ++entry) {
    const Term &other = terms[entry->second];
    if (other.kind == kind && other.index == index &&
        llvm::bit_cast<uint64_t>(other.value) == bits &&
        getOperands(entry->second) == list)
      return entry->second;
  }
  TermId id = terms.size();
  Term term{kind,
            index,
            static_cast<uint32_t>(operands.size()),
            static_cast<uint32_t>(list.size()),
            value,
            isPartial(kind, list)};
  operands.insert(operands.end(), list.begin(), list.end());
  terms.push_back(term);
  byHash.emplace(hash, id);
  return id;
}

bool TermTable::isPartial(TermKind kind, llvm::ArrayRef<TermId> list) const {
  auto isPartialTerm = [&](TermId term) { return terms[term].isPartial; };
  switch (kind) {
  case TermKind::Sqrt:
  case TermKind::Log:
  case TermKind::Pow:
    return true;
  case TermKind::Div:
    return !isNeverZero(list[1]) || llvm::any_of(list, isPartialTerm);
  default:
    return llvm::any_of(list, isPartialTerm);
  }
}

/// Of a divisor, wherever it is defined.
bool TermTable::isNeverZero(TermId term) const {
  return terms[term].kind == TermKind::Constant ||
         (laws == Laws::Reals &&
          llvm::all_of(getFactors(term),
                       [&](TermId factor) { return isExp(factor); }));
}

TermId TermTable::getInput(uint32_t index) {
  return intern(TermKind::Input, {}, index);
}

TermId TermTable::getConstant(double value) {
  if (std::isfinite(value))
    return intern(TermKind::Constant, {}, 0, value == 0 ? 0.0 : value);
  return value < 0 ? infinity : undefined;
}

TermId TermTable::getLn2() { return intern(TermKind::Ln2, {}); }

TermId TermTable::findSpecial(llvm::ArrayRef<TermId> list) const {
  if (llvm::is_contained(list, undefined))
    return undefined;
  return llvm::is_contained(list, infinity) ? infinity : zero;
}

void TermTable::flatten(TermKind kind, llvm::ArrayRef<TermId> list,
                        std::vector<TermId> &flat) const {
  for (TermId term : list)
    if (terms[term].kind == kind)
      llvm::append_range(flat, getOperands(term));
    else
      flat.push_back(term);
  llvm::sort(flat);
}

/// Makes one constant of those that are whole numbers, as counts of elements
/// are, whose sum is exact.
void TermTable::joinWholeConstants(std::vector<TermId> &summands) {
  constexpr double kMaxWhole = 0x1p50;
  double sum = 0;
  llvm::erase_if(summands, [&](TermId id) {
    const Term &term = terms[id];
    double joined = sum + term.value;
    if (term.kind != TermKind::Constant ||
        std::trunc(term.value) != term.value ||
        std::abs(term.value) > kMaxWhole || std::abs(joined) > kMaxWhole)
      return false;
    sum = joined;
    return true;
  });
  if (sum == 0)
    return;
  summands.push_back(getConstant(sum));
  llvm::sort(summands);
}

TermTable::Scale TermTable::getScale(TermId term) const {
  auto isConstant = [&](TermId id) {
    return terms[id].kind == TermKind::Constant;
  };
  llvm::ArrayRef<TermId> list = getOperands(term);
  Scale scale{terms[term].kind, {}};
  if (scale.kind == TermKind::Div)
    scale.factors = {list[1]};
  else if (scale.kind == TermKind::Mul && !llvm::all_of(list, isConstant))
    llvm::copy_if(list, std::back_inserter(scale.factors), isConstant);
  return scale;
}

TermId TermTable::dropScale(TermId term) {
  llvm::SmallVector<TermId> list(getOperands(term));
  if (terms[term].kind == TermKind::Div)
    return list[0];
  llvm::erase_if(
      list, [&](TermId id) { return terms[id].kind == TermKind::Constant; });
  return list.size() == 1 ? list[0] : intern(TermKind::Mul, list);
}

TermId TermTable::applyScale(TermId term, const Scale &scale) {
  for (TermId factor : scale.factors)
    term = scale.kind == TermKind::Div ? div(term, factor) : mul(term, factor);
  return term;
}

/// a/c + b/c becomes (a + b)/c, and 2·a + 2·b becomes 2·(a + b).
/// \returns whether there were such summands.
bool TermTable::joinEqualScales(std::vector<TermId> &summands) {
  std::map<Scale, std::vector<TermId>> byScale;
  std::vector<TermId> joined;
  for (TermId term : summands) {
    Scale scale = getScale(term);
    if (scale.factors.empty())
      joined.push_back(term);
    else
      byScale[std::move(scale)].push_back(term);
  }
  for (auto &[scale, group] : byScale) {
    if (group.size() == 1) {
      joined.push_back(group[0]);
      continue;
    }
    for (TermId &term : group)
      term = dropScale(term);
    joined.push_back(applyScale(add(group), scale));
  }
  bool hasJoined = joined.size() < summands.size();
  llvm::sort(joined);
  summands = std::move(joined);
  return hasJoined;
}

TermId TermTable::add(llvm::ArrayRef<TermId> list) {
  if (TermId special = findSpecial(list))
    return special;
  std::vector<TermId> flat;
  flatten(TermKind::Add, list, flat);
  joinWholeConstants(flat);
  if (joinEqualScales(flat)) // into what may be joined with others
    return add(flat);
  if (laws == Laws::Reals)
    if (std::optional<TermId> quotient = takeOutMaxima(flat))
      return *quotient;
  if (flat.empty())
    return zero;
  return flat.size() == 1 ? flat[0] : intern(TermKind::Add, flat);
}

llvm::ArrayRef<TermId> TermTable::getFactors(const TermId &term) const {
  if (terms[term].kind == TermKind::Mul)
    return getOperands(term);
  return term;
}

/// Of factors of which one at least is a fraction.
TermId TermTable::multiplyFractions(TermId lhs, TermId rhs) {
  TermId above = one, below = one;
  for (TermId factor : {lhs, rhs}) {
    bool isFraction = terms[factor].kind == TermKind::Div;
    llvm::SmallVector<TermId, 2> parts(getOperands(factor));
    above = mul(above, isFraction ? parts[0] : factor);
    below = isFraction ? mul(below, parts[1]) : below;
  }
  return div(above, below);
}

/// A literal, ln 2 or log2 e, and what these make.
bool TermTable::isPositiveConstant(TermId term) const {
  switch (terms[term].kind) {
  case TermKind::Constant:
    return terms[term].value > 0;
  case TermKind::Ln2:
    return true;
  case TermKind::Mul:
  case TermKind::Div:
    return llvm::all_of(getOperands(term), [&](TermId operand) {
      return isPositiveConstant(operand);
    });
  default:
    return false;
  }
}

TermId TermTable::mul(TermId lhs, TermId rhs) {
  if (TermId special = findSpecial({lhs, rhs})) {
    TermId other = lhs == infinity ? rhs : lhs;
    return isPositiveConstant(other) ? special : undefined;
  }
  if ((lhs == zero && !terms[rhs].isPartial) ||
      (rhs == zero && !terms[lhs].isPartial))
    return zero;
  if (terms[lhs].kind == TermKind::Div || terms[rhs].kind == TermKind::Div)
    return multiplyFractions(lhs, rhs);
  return makeProduct({lhs, rhs});
}

/// Of factors with none of which a law makes anything else.
TermId TermTable::makeProduct(llvm::ArrayRef<TermId> factors) {
  std::vector<TermId> flat;
  flatten(TermKind::Mul, factors, flat);
  if (laws == Laws::Reals && joinRoots(flat))
    return multiply(flat);
  llvm::erase(flat, one);
  if (flat.empty())
    return one;
  return flat.size() == 1 ? flat[0] : intern(TermKind::Mul, flat);
}

/// At once where that can be: each product in between would be a term.
TermId TermTable::multiply(llvm::ArrayRef<TermId> factors) {
  bool isPlain = llvm::all_of(factors, [&](TermId factor) {
    return factor != zero && factor != infinity && factor != undefined &&
           terms[factor].kind != TermKind::Div;
  });
  if (isPlain)
    return makeProduct(factors);
  TermId product = one;
  for (TermId factor : factors)
    product = mul(product, factor);
  return product;
}

/// Whether one over a constant is exact.
static bool isPowerOfTwo(const Term &term) {
  int exponent;
  return term.kind == TermKind::Constant &&
         std::frexp(term.value, &exponent) == 0.5 && std::abs(exponent) < 1000;
}

/// One that has powers of two among its factors, which go above.
TermId TermTable::divideByProduct(TermId lhs, TermId product) {
  llvm::SmallVector<TermId> factors(getOperands(product));
  TermId below = one;
  for (TermId factor : factors)
    if (isPowerOfTwo(terms[factor]))
      lhs = mul(lhs, getConstant(1 / terms[factor].value));
    else
      below = mul(below, factor);
  return div(lhs, below);
}

TermId TermTable::div(TermId lhs, TermId rhs) {
  if (rhs == zero || findSpecial({lhs, rhs}))
    return undefined;
  if (rhs == one || (lhs == zero && isNeverZero(rhs) && !terms[rhs].isPartial))
    return lhs;
  // The same radicand whether a mean divides by 4 or multiplies by 1/4.
  if (isPowerOfTwo(terms[rhs]))
    return mul(lhs, getConstant(1 / terms[rhs].value));
  if (terms[rhs].kind == TermKind::Mul &&
      llvm::any_of(getOperands(rhs),
                   [&](TermId id) { return isPowerOfTwo(terms[id]); }))
    return divideByProduct(lhs, rhs);
  if (terms[lhs].kind == TermKind::Div) {
    llvm::SmallVector<TermId, 2> parts(getOperands(lhs));
    return div(parts[0], mul(parts[1], rhs));
  }
  if (laws == Laws::Reals)
    if (std::optional<TermId> quotient = cancelExps(lhs, rhs))
      return *quotient;
  return intern(TermKind::Div, {lhs, rhs});
}

TermId TermTable::pick(TermKind kind, llvm::ArrayRef<TermId> list) {
  if (llvm::is_contained(list, undefined))
    return undefined;
  if (kind == TermKind::Min && llvm::is_contained(list, infinity))
    return infinity;
  std::vector<TermId> flat;
  flatten(kind, list, flat);
  flat.erase(std::unique(flat.begin(), flat.end()), flat.end());
  llvm::erase(flat, infinity);
  if (flat.empty())
    return infinity;
  return flat.size() == 1 ? flat[0] : intern(kind, flat);
}

TermId TermTable::apply(TermKind kind, TermId lhs, TermId rhs) {
  if (kind == TermKind::Exp && lhs == infinity)
    return zero;
  if (kind == TermKind::Pow)
    return findSpecial({lhs, rhs}) ? undefined : intern(kind, {lhs, rhs});
  if (findSpecial({lhs}))
    return undefined;
  if (kind == TermKind::Exp && lhs == zero)
    return one;
  if ((kind == TermKind::Sqrt || kind == TermKind::Abs) &&
      (lhs == zero || lhs == one))
    return lhs;
  if (kind == TermKind::Exp && laws == Laws::Reals)
    return splitExp(lhs);
  return intern(kind, {lhs});
}

TermId TermTable::rebuild(const Term &term, llvm::ArrayRef<TermId> list) {
  switch (term.kind) {
  case TermKind::Input:
    return getInput(term.index);
  case TermKind::Constant:
    return getConstant(term.value);
  case TermKind::Ln2:
    return getLn2();
  case TermKind::MinusInfinity:
    return infinity;
  case TermKind::Undefined:
    return undefined;
  case TermKind::Add:
    return add(list);
  case TermKind::Mul:
    return multiply(list);
  case TermKind::Max:
  case TermKind::Min:
    return pick(term.kind, list);
  case TermKind::Div:
    return div(list[0], list[1]);
  case TermKind::Exp:
  case TermKind::Sqrt:
  case TermKind::Abs:
  case TermKind::Log:
  case TermKind::Erf:
    return apply(term.kind, list[0]);
  case TermKind::Pow:
    return apply(term.kind, list[0], list[1]);
  }
  llvm_unreachable("all kinds are handled");
}

TermId TermArithmetic::makeNumber(double value) {
  return table.getConstant(value);
}
TermId TermArithmetic::makeLn2() { return table.getLn2(); }
TermId TermArithmetic::makeUndefined() { return table.getUndefined(); }
bool TermArithmetic::isMinusInfinity(TermId term) const {
  return table[term].kind == TermKind::MinusInfinity;
}
TermId TermArithmetic::add(llvm::ArrayRef<TermId> summands) {
  return table.add(summands);
}
TermId TermArithmetic::max(llvm::ArrayRef<TermId> operands) {
  return table.pick(TermKind::Max, operands);
}

TermId TermArithmetic::applyTo(ScalarFunction function, TermId lhs,
                               TermId rhs) {
  switch (function) {
  case ScalarFunction::Add:
    return table.add({lhs, rhs});
  case ScalarFunction::Mul:
    return table.mul(lhs, rhs);
  case ScalarFunction::Div:
    return table.div(lhs, rhs);
  case ScalarFunction::Max:
    return table.pick(TermKind::Max, {lhs, rhs});
  case ScalarFunction::Min:
    return table.pick(TermKind::Min, {lhs, rhs});
  case ScalarFunction::Exp:
    return table.apply(TermKind::Exp, lhs);
  case ScalarFunction::Sqrt:
    return table.apply(TermKind::Sqrt, lhs);
  case ScalarFunction::Abs:
    return table.apply(TermKind::Abs, lhs);
  case ScalarFunction::Log:
    return table.apply(TermKind::Log, lhs);
  case ScalarFunction::Erf:
    return table.apply(TermKind::Erf, lhs);
  case ScalarFunction::Pow:
    return table.apply(TermKind::Pow, lhs, rhs);
  case ScalarFunction::Vanish:
    return isMinusInfinity(rhs) ? makeNumber(0) : lhs;
  case ScalarFunction::Argument:
  case ScalarFunction::Parameter:
  case ScalarFunction::Constant:
  case ScalarFunction::Ln2:
  case ScalarFunction::Size:
    break;
  }
  assert(false && "a leaf is not applied");
  return 0;
}
