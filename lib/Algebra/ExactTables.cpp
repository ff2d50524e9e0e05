//===- ExactTables.cpp - Interned numbers, atoms, polynomials -------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExactTables.h"

using namespace mlir::mirage;
using namespace mlir::mirage::exact;

Tables::Tables(const Limits &limits) : limits(limits) {
  for (int64_t value = -kMaxSmall; value <= kMaxSmall; ++value) {
    numbers.emplace_back(value);
    numbersByHash.emplace(numbers.back().getHash(), getSmallNumber(value));
  }
  intern(llvm::ArrayRef<Power>());
  intern(llvm::ArrayRef<Term>());
  intern(llvm::ArrayRef(Term{MonomialId::One, kOne}));
}

/// What is long takes time by the square of its length.
static size_t countWork(const Rational &value) {
  if (value.fits(63))
    return 0;
  return value.fits(256) ? 16 : 128;
}

NumberId Tables::intern(const Rational &value) {
  charge(countWork(value));
  if (!value.fits(limits.maxBits)) {
    exhaust();
    return kOne;
  }
  uint64_t hash = value.getHash();
  auto [begin, end] = numbersByHash.equal_range(hash);
  for (auto entry = begin; entry != end; ++entry)
    if (get(entry->second) == value)
      return entry->second;
  auto number = static_cast<NumberId>(numbers.size());
  numbers.push_back(value);
  numbersByHash.emplace(hash, number);
  return number;
}

/// The value of a number that is numbered by itself.
static std::optional<int64_t> findSmall(NumberId number) {
  auto value = static_cast<int64_t>(number) - kMaxSmall;
  return value <= kMaxSmall ? std::optional(value) : std::nullopt;
}

NumberId Tables::add(NumberId x, NumberId y) {
  auto small = findSmall(x), other = findSmall(y);
  if (small && other && std::abs(*small + *other) <= kMaxSmall)
    return getSmallNumber(*small + *other);
  return intern(get(x) + get(y));
}

NumberId Tables::multiply(NumberId x, NumberId y) {
  auto small = findSmall(x), other = findSmall(y);
  if (small && other && std::abs(*small * *other) <= kMaxSmall)
    return getSmallNumber(*small * *other);
  return intern(get(x) * get(y));
}

int64_t Tables::getWhole(NumberId exponent) {
  constexpr int64_t kMaxExponent = 1 << 20;
  std::optional<int64_t> value = get(exponent).getInteger();
  if (value && std::abs(*value) <= kMaxExponent)
    return *value;
  exhaust();
  return 0;
}

AtomId Tables::makeAtom(AtomKind kind, llvm::ArrayRef<uint32_t> operands,
                        Sign sign) {
  llvm::SmallVector<uint32_t> list = {static_cast<uint32_t>(kind)};
  list.append(operands.begin(), operands.end());
  uint32_t number = atoms.intern(list);
  if (number == signs.size())
    signs.push_back(sign);
  return static_cast<AtomId>(number);
}

std::optional<AtomId>
Tables::findAtom(AtomKind kind, llvm::ArrayRef<uint32_t> operands) const {
  llvm::SmallVector<uint32_t> list = {static_cast<uint32_t>(kind)};
  list.append(operands.begin(), operands.end());
  int64_t number = atoms.find(list);
  return number < 0 ? std::nullopt : std::optional(static_cast<AtomId>(number));
}

std::optional<Rational> Tables::getConstant(FormId form) const {
  llvm::ArrayRef<Term> terms = getTerms(form);
  if (terms.empty())
    return Rational(0);
  if (terms.size() == 1 && terms[0].monomial == MonomialId::One)
    return get(terms[0].coefficient);
  return std::nullopt;
}
