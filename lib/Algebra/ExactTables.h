//===- ExactTables.h - Interned numbers, atoms, polynomials -----*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_ALGEBRA_EXACTTABLES_H
#define MIRAGE_LIB_ALGEBRA_EXACTTABLES_H

#include "Mirage/Algebra/ExactAlgebra.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Allocator.h"
#include <algorithm>
#include <unordered_map>

namespace mlir::mirage::exact {

enum class NumberId : uint32_t {};
/// Whole numbers of at most this magnitude are numbered by themselves.
constexpr int64_t kMaxSmall = 64;
constexpr NumberId getSmallNumber(int64_t value) {
  return static_cast<NumberId>(kMaxSmall + value);
}

enum class AtomId : uint32_t {};
enum class MonomialId : uint32_t { One };

/// Exponents are whole numbers, but of Exp any rational ones.
struct Power {
  AtomId atom;
  NumberId exponent;
  friend bool operator==(Power x, Power y) {
    return x.atom == y.atom && x.exponent == y.exponent;
  }
  friend llvm::hash_code hash_value(Power power) {
    return llvm::hash_combine(power.atom, power.exponent);
  }
};
using Powers = llvm::SmallVector<Power, 8>; ///< ascending by atom, none zero

struct Term {
  MonomialId monomial;
  NumberId coefficient;
  friend bool operator==(Term x, Term y) {
    return x.monomial == y.monomial && x.coefficient == y.coefficient;
  }
  friend llvm::hash_code hash_value(Term term) {
    return llvm::hash_combine(term.monomial, term.coefficient);
  }
};

enum class AtomKind : uint32_t {
  Variable, ///< its number
  Ln2,
  Integer, ///< a number > 1; only under roots
  Exp,     ///< of a monomial
  Factor,  ///< a polynomial's form, of more than one term and without content
  Root,    ///< RadicandSign, and atoms whose product with that sign it is the
           ///< root of, ascending; as a total function √|product|
  Abs,     ///< of an atom
  Max,     ///< of forms, ascending
  Min,
  Log,
  Erf,
  Pow,
};

/// Radicands of known sign are one atom, and Plus.
enum class RadicandSign : uint32_t { Plus, Minus };

struct Sign {
  bool isNonnegative = false, isPositive = false;
};

/// Lists that are equal are one number.
template <typename T>
class ListTable {
public:
  uint32_t intern(llvm::ArrayRef<T> list) {
    auto known = numbers.find(list);
    if (known != numbers.end())
      return known->second;
    T *copy = allocator.Allocate<T>(list.size());
    std::uninitialized_copy(list.begin(), list.end(), copy);
    lists.emplace_back(copy, list.size());
    size += list.size() + kListCost;
    uint32_t number = lists.size() - 1;
    numbers.try_emplace(lists.back(), number);
    return number;
  }
  /// \returns the number of a list that is known, or -1.
  int64_t find(llvm::ArrayRef<T> list) const {
    auto known = numbers.find(list);
    return known == numbers.end() ? -1 : int64_t(known->second);
  }
  /// Stays where it is.
  llvm::ArrayRef<T> operator[](uint32_t number) const { return lists[number]; }
  size_t getNumLists() const { return lists.size(); }
  size_t getSize() const { return size; }

private:
  llvm::BumpPtrAllocator allocator;
  std::vector<llvm::ArrayRef<T>> lists;
  llvm::DenseMap<llvm::ArrayRef<T>, uint32_t> numbers;
  static constexpr size_t kListCost = 4; ///< of what points to it
  size_t size = 0;
};

/// Everything that an algebra knows, and what it may still use.
class Tables {
public:
  explicit Tables(const Limits &limits);

  // Numbers.
  static constexpr NumberId kZero = getSmallNumber(0), kOne = getSmallNumber(1),
                            kMinusOne = getSmallNumber(-1);
  NumberId intern(const Rational &value);
  const Rational &get(NumberId number) const {
    return numbers[static_cast<uint32_t>(number)];
  }
  NumberId add(NumberId x, NumberId y);
  NumberId multiply(NumberId x, NumberId y);
  NumberId negate(NumberId x) { return multiply(kMinusOne, x); }
  NumberId invert(NumberId x) { return intern(get(x).getInverse()); }
  int getSign(NumberId x) const { return get(x).getSign(); }
  /// An exponent that is whole; of one that is too large nothing is known from
  /// now on.
  int64_t getWhole(NumberId exponent);

  // Atoms.
  AtomId makeAtom(AtomKind kind, llvm::ArrayRef<uint32_t> operands, Sign sign);
  std::optional<AtomId> findAtom(AtomKind kind,
                                 llvm::ArrayRef<uint32_t> operands) const;
  AtomKind getKind(AtomId atom) const {
    return static_cast<AtomKind>(atoms[static_cast<uint32_t>(atom)][0]);
  }
  llvm::ArrayRef<uint32_t> getOperands(AtomId atom) const {
    return atoms[static_cast<uint32_t>(atom)].drop_front();
  }
  Sign getSign(AtomId atom) const { return signs[static_cast<uint32_t>(atom)]; }
  bool isFactor(AtomId atom) const { return getKind(atom) == AtomKind::Factor; }
  FormId getPolynomial(AtomId factor) const {
    return static_cast<FormId>(getOperands(factor)[0]);
  }

  // Monomials and polynomials.
  MonomialId intern(llvm::ArrayRef<Power> powers) {
    return static_cast<MonomialId>(monomials.intern(powers));
  }
  llvm::ArrayRef<Power> getPowers(MonomialId monomial) const {
    return monomials[static_cast<uint32_t>(monomial)];
  }
  /// \param terms  ascending by monomial, without zeros.
  FormId intern(llvm::ArrayRef<Term> terms) {
    return static_cast<FormId>(forms.intern(terms) + kNumSpecial);
  }
  /// Of a form that is a polynomial.
  llvm::ArrayRef<Term> getTerms(FormId form) const {
    return forms[static_cast<uint32_t>(form) - kNumSpecial];
  }
  std::optional<Rational> getConstant(FormId form) const;

  // Limits.
  void charge(size_t count) { work += count; }
  void exhaust() { overflowed = true; }
  bool isExhausted() const {
    return overflowed || work > limits.maxWork || getSize() > limits.maxSize;
  }
  size_t getWork() const { return work; }

private:
  static constexpr uint32_t kNumSpecial = 2;
  size_t getSize() const {
    constexpr size_t kNumberCost = 8;
    return kNumberCost * numbers.size() + atoms.getSize() +
           monomials.getSize() + forms.getSize();
  }

  Limits limits;
  size_t work = 0;
  bool overflowed = false;
  std::vector<Rational> numbers;
  std::unordered_multimap<uint64_t, NumberId> numbersByHash;
  ListTable<uint32_t> atoms; ///< the kind, then operands
  std::vector<Sign> signs;   ///< by atom
  ListTable<Power> monomials;
  ListTable<Term> forms;
};

} // namespace mlir::mirage::exact

#endif // MIRAGE_LIB_ALGEBRA_EXACTTABLES_H
