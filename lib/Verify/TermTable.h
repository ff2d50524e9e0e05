//===- TermTable.h - What every element of a graph is -----------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// At small sizes every element of every tensor is written out as a term over
// the elements of the inputs. Equal terms are one number, over both graphs of a
// pair. Terms decide nothing: they say what feeds an output element (which
// roots, exponentials, maxima, inputs), of which degree it is, and so what a
// number of agreeing trials proves. Example, one row of softmax over two
// columns:
//
//   0: Input 0    2: Exp 0    4: Add 2, 3
//   1: Input 1    3: Exp 1    5: Div 2, 4    6: Div 3, 4
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_VERIFY_TERMTABLE_H
#define MIRAGE_LIB_VERIFY_TERMTABLE_H

#include "SymbolicArithmetic.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace mlir::mirage {

enum class TermKind : uint8_t {
  Input,    ///< element `index`, counted over all inputs
  Constant, ///< `value`, finite
  Ln2,
  MinusInfinity,
  Undefined, ///< a quotient by zero, arithmetic with minus infinity
  Add,       ///< of two or more, sorted, none of them an Add
  Mul,       ///< likewise
  Max,       ///< likewise, and all different
  Min,
  Div,
  Exp,
  Sqrt,
  Abs,
  Log,
  Erf,
  Pow,
};

using TermId = uint32_t;

struct Term {
  TermKind kind;
  uint32_t index = 0;
  uint32_t firstOperand = 0, numOperands = 0;
  double value = 0;
  /// Not defined everywhere: a root, a logarithm, a power or a fraction feeds
  /// it.
  bool isPartial = false;
};

/// Terms in an order in which operands stand before their users. The
/// constructors below apply the laws that hold for special values too, and no
/// others: neutral elements, order and nesting of sums, products and maxima,
/// sums of whole numbers, one fraction for a product or quotient of fractions
/// and for a sum of those over one denominator, constant factors of several
/// summands in front of their sum. (x / y / z is x / (y·z), as a product is
/// zero only where a factor is; x / (y / z) is not x·z / y, which is defined
/// where z is zero; and zero times what is not defined everywhere is not zero.)
class TermTable {
public:
  enum class Laws : uint8_t {
    /// Those above.
    Fields,
    /// Further ones, whose sides are equal over the real numbers wherever the
    /// left one is defined. Of roots, √s·√t = √(s·t) and √s·√s = s. Of
    /// exponentials, which are never zero, exp(s + t) = exp s·exp t, exp(−s) =
    /// 1/exp s, s·exp t/exp t = s and s/(t/exp u) = s·exp u/t; with m a
    /// maximum, s/exp m + t/(exp m·u) = (s + t/u)/exp m. In a field s·t may be
    /// a square though s and t are none. So such terms say what is equal, and
    /// not which trials count.
    Reals,
  };
  explicit TermTable(Laws laws = Laws::Fields);

  const Term &operator[](TermId term) const { return terms[term]; }
  llvm::ArrayRef<TermId> getOperands(TermId term) const {
    return llvm::ArrayRef(operands).slice(terms[term].firstOperand,
                                          terms[term].numOperands);
  }
  size_t size() const { return terms.size(); }
  /// Words that the table occupies, roughly; grows with long sums.
  size_t getCost() const { return terms.size() + operands.size(); }

  TermId getInput(uint32_t index);
  TermId getConstant(double value); ///< finite, or minus infinity
  TermId getLn2();
  TermId getUndefined() const { return undefined; }
  TermId add(llvm::ArrayRef<TermId> list);
  TermId mul(TermId lhs, TermId rhs);
  TermId div(TermId lhs, TermId rhs);
  TermId pick(TermKind kind, llvm::ArrayRef<TermId> list); ///< Max or Min
  /// Exp, Sqrt, Abs, Log, Erf; Pow takes two.
  TermId apply(TermKind kind, TermId lhs, TermId rhs = 0);
  /// A term of another table, given what its operands are in this one.
  TermId rebuild(const Term &term, llvm::ArrayRef<TermId> list);

private:
  TermId intern(TermKind kind, llvm::ArrayRef<TermId> list, uint32_t index = 0,
                double value = 0);
  /// Undefined if it is among the terms, else minus infinity if that is.
  TermId findSpecial(llvm::ArrayRef<TermId> list) const;
  bool isPositiveConstant(TermId term) const;
  void joinWholeConstants(std::vector<TermId> &summands);
  bool isPartial(TermKind kind, llvm::ArrayRef<TermId> list) const;
  bool isNeverZero(TermId term) const;
  /// The factors of a product, or the term itself: to be copied before another
  /// term is made.
  llvm::ArrayRef<TermId> getFactors(const TermId &term) const;
  TermId makeProduct(llvm::ArrayRef<TermId> factors);
  TermId multiply(llvm::ArrayRef<TermId> factors);
  TermId multiplyFractions(TermId lhs, TermId rhs);
  TermId divideByProduct(TermId lhs, TermId product);
  /// What may stand in front of a sum: the denominator of a Div, or the
  /// constants of a Mul, ascending.
  struct Scale {
    TermKind kind = TermKind::Mul;
    llvm::SmallVector<TermId, 2> factors;

    bool operator<(const Scale &other) const {
      return std::tie(kind, factors) < std::tie(other.kind, other.factors);
    }
  };
  Scale getScale(TermId term) const;
  TermId dropScale(TermId term);
  TermId applyScale(TermId term, const Scale &scale);
  bool joinEqualScales(std::vector<TermId> &summands);
  void flatten(TermKind kind, llvm::ArrayRef<TermId> list,
               std::vector<TermId> &flat) const;

  //===--------------------------------------------------------------------===//
  // Laws of the real numbers (RealLaws.cpp)
  //===--------------------------------------------------------------------===//

  bool joinRoots(std::vector<TermId> &factors);
  TermId splitExp(TermId exponent);
  bool collectExps(TermId exponent, bool isBelow, unsigned cuts,
                   std::vector<TermId> &above, std::vector<TermId> &below);
  bool isExp(TermId term) const { return terms[term].kind == TermKind::Exp; }
  bool isExpOfMaximum(TermId term) const;
  std::vector<TermId> getExps(TermId term) const;
  TermId dropFactors(TermId term, llvm::ArrayRef<TermId> factors);
  std::optional<TermId> cancelExps(TermId lhs, TermId rhs);
  std::optional<TermId> takeOutMaxima(llvm::ArrayRef<TermId> summands);

  Laws laws;
  std::vector<Term> terms;
  std::vector<TermId> operands;
  std::unordered_multimap<uint64_t, TermId> byHash;
  TermId zero, one, infinity, undefined;
};

/// Arithmetic with terms, one word an element. Once the table is larger than
/// `maxCost` nothing more is built and `overflowed` holds.
class TermArithmetic : public SymbolicArithmetic {
public:
  TermArithmetic(TermTable &table, size_t maxCost)
      : table(table), maxCost(maxCost) {}

  bool overflowed() const { return table.getCost() > maxCost; }

protected:
  bool isExhausted() const override { return overflowed(); }
  TermId makeNumber(double value) override;
  TermId makeLn2() override;
  TermId makeUndefined() override;
  bool isMinusInfinity(TermId term) const override;
  TermId applyTo(ScalarFunction function, TermId lhs, TermId rhs) override;
  TermId add(llvm::ArrayRef<TermId> summands) override;
  TermId max(llvm::ArrayRef<TermId> operands) override;

private:
  TermTable &table;
  size_t maxCost;
};

} // namespace mlir::mirage

#endif // MIRAGE_LIB_VERIFY_TERMTABLE_H
