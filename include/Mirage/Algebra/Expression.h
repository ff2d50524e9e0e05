//===- Expression.h - Abstract expressions in normal form -------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An abstract expression says what a tensor means in terms of a program's
// inputs, and forgets how it is laid out and computed. Two expressions that are
// equal by the laws below have the *same normal form*, and forms are interned:
// equality is equality of two integers. Worked example, RMSNorm and a linear
// layer, once as written and once with the division moved behind the matmul:
//
//   Σ_k (x[m,k] / r[m]) · w[k,n]      and      (Σ_k x[m,k] · w[k,n]) / r[m]
//
// Both are the form with one monomial {bound k; atoms x[m,k], w[k,n]; divided
// by r[m]}.
//
//   atom      an input read at letters, a constant, or a function of forms
//   monomial  ± Σ over its bound letters of (product of atoms) · exp(e) · √q /
//   d
//             with at most one exponent e, one radicand q, one denominator d,
//             each a form; times symbols (Letter.h) that say which part of a
//             sum is meant
//   form      a sum of monomials: a multiset, so x + x is 2 of x
//
// Laws (all of them in ExpressionLaws.h; after Wu et al., "Mirage", OSDI 2025,
// Table 2): + and · are commutative and associative and distribute; (x/z)+(y/z)
// = (x+y)/z; x·(y/z) = (x·y)/z; (x/y)/z = x/(y·z); sums merge, distribute over
// + and let pass a factor that does not depend on the summed letter;
// exp(x)·exp(y) = exp(x+y); √x·√y = √(x·y); max over i of max over j is max
// over both; 1·x = x; signs multiply. There is no cancellation: x/x, x−x and
// √x·√x stay as they are. docs/Expressions.md argues what follows.
//
// Bound letters make a monomial an Einstein sum, unique up to the choice of
// letters; the context chooses them (`Letter`), so that Σ_k x[k] · Σ_k y[k] and
// Σ_k x[k]·y[k] differ although both mention only x, y and k.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_ALGEBRA_EXPRESSION_H
#define MIRAGE_ALGEBRA_EXPRESSION_H

#include "Mirage/Algebra/Letter.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Allocator.h"
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace mlir::mirage {

/// Identities of interned things, valid in the context that made them.
enum class AtomId : uint32_t {};
enum class MonomialId : uint32_t {};
enum class FormId : uint32_t { None = ~0u };

struct Atom {
  enum class Kind : uint8_t {
    Input,    ///< tensor `payload` read at `letters`, one per dimension
    Constant, ///< a positive number; `payload` has its bits
    Extent,   ///< how many values the name of `letters`, which is one, takes
    Function, ///< function `payload` of `arguments`, over bound `letters`
  };
  Kind kind = Kind::Input;
  uint64_t payload = 0;
  llvm::SmallVector<Letter, 4> letters;
  SymbolPowers symbols;  ///< Function: the part of the bound letters meant
  bool commutes = false; ///< Function: arguments are kept sorted
  llvm::SmallVector<FormId, 1> arguments;

  Letters freeLetters; ///< derived
  uint16_t height = 0; ///< derived: the largest scope bound inside
  double namings = 0;  ///< derived: as of Form, of all arguments
};

struct Monomial {
  Letters bound;
  SymbolPowers symbols;
  bool isNegative = false;
  llvm::SmallVector<AtomId, 4> atoms; ///< ascending; may repeat
  FormId exponent = FormId::None;
  FormId radicand = FormId::None;
  FormId denominator = FormId::None;

  Letters freeLetters; ///< derived
  uint16_t height = 0; ///< derived: as of Atom, own binders included
  double namings = 1;  ///< derived: as of Form

  /// True of 1 and nothing else.
  bool isOne() const {
    return isOnlySize() && bound.empty() && symbols.empty() && !isNegative;
  }
  /// True of a number made of extents alone: Σ_k 1, 1, symbols.
  bool isOnlySize() const {
    return atoms.empty() && exponent == FormId::None &&
           radicand == FormId::None && denominator == FormId::None;
  }
};

/// Monomials with how often each occurs.
using MonomialCounts = llvm::SmallVector<std::pair<MonomialId, unsigned>, 2>;

struct Form {
  MonomialCounts monomials; ///< ascending by identity
  Letters freeLetters;      ///< derived
  uint16_t height = 0;      ///< derived
  uint64_t total = 0;       ///< derived: monomials counted with multiplicity
  /// Derived: factors of the longest monomial, those of its exponent, radicand
  /// and denominator included.
  uint64_t length = 0;
  /// Derived: how many monomials are made to choose the letters that it binds,
  /// inside of it as well; what renaming it takes.
  double namings = 0;
};

/// Gives every list of words a number, the same for equal lists.
class WordListInterner {
public:
  /// \returns the number and whether it is new.
  std::pair<uint32_t, bool> intern(llvm::ArrayRef<uint32_t> words);

private:
  llvm::BumpPtrAllocator storage;
  llvm::DenseMap<llvm::ArrayRef<uint32_t>, uint32_t> numbers;
};

/// Makes and keeps normal forms. Identities never order anything that a user
/// sees: printing sorts by content. Not thread-safe; give each worker its own.
class ExpressionContext {
public:
  ExpressionContext();

  // Names.
  //-----------------------------------------------------------===//
  NameId addName(llvm::StringRef text);
  /// The extent of an axis that splits dimension `splits`.
  SymbolId addSymbol(llvm::StringRef text, NameId splits);
  NameId getSplitName(SymbolId symbol) const { return symbols[symbol].second; }
  llvm::StringRef getName(NameId name) const { return names[name]; }
  llvm::StringRef getSymbol(SymbolId symbol) const {
    return symbols[symbol].first;
  }
  unsigned getNumNames() const { return names.size(); }
  unsigned getNumSymbols() const { return symbols.size(); }
  /// What a function atom is called.
  llvm::StringRef getFunctionName(const Atom &atom) const {
    return texts[atom.payload];
  }

  // Building.

  FormId one() const { return oneForm; }
  FormId minusOne() const { return minusOneForm; }
  FormId input(unsigned number, llvm::ArrayRef<NameId> dimensions);
  /// A constant other than 0; its sign becomes the monomial's.
  FormId constant(double value);
  /// A number with a name and no value known to the laws, such as ln 2.
  FormId namedConstant(llvm::StringRef text);
  /// How many values the names take together: a factor for each, which stay in
  /// place.
  FormId extent(llvm::ArrayRef<NameId> dimensions);

  FormId add(FormId lhs, FormId rhs);
  FormId mul(FormId lhs, FormId rhs);
  /// `rhs` is not taken apart; a fraction inside it stays inside.
  FormId div(FormId lhs, FormId rhs);
  FormId negate(FormId operand);
  FormId exp(FormId operand);
  FormId sqrt(FormId operand);
  /// Sum over a free name, or over the part of it that `part` says (k·l⁻¹).
  FormId sum(FormId operand, NameId over, const SymbolPowers &part = {});
  /// Times a symbol: what joining the parts along an axis does to a sum.
  FormId multiplySymbol(FormId operand, SymbolId symbol);
  /// Maximum over a free name, or a part of it; of nested ones, one.
  FormId max(FormId operand, NameId over, const SymbolPowers &part = {});
  /// What joining the parts along an axis does to a maximum: of a form that is
  /// one bare maximum its part grows; none of any other form.
  std::optional<FormId> joinMax(FormId operand, SymbolId symbol);
  /// The atom, if the form is one bare maximum.
  const Atom *getBareMax(FormId form) const;
  /// Any other function, equal only to itself with equal arguments. Arguments
  /// of a commutative one are a multiset. `over` are free names that the
  /// function binds (rms over k).
  FormId function(llvm::StringRef text, llvm::ArrayRef<FormId> arguments,
                  bool commutes = false, llvm::ArrayRef<NameId> over = {},
                  const SymbolPowers &part = {});
  /// The sum of two forms without the second, if it is contained in the first.
  std::optional<FormId> subtract(FormId lhs, FormId rhs);

  // Reading.

  const Atom &get(AtomId id) const { return atoms[unsigned(id)]; }
  const Monomial &get(MonomialId id) const { return monomials[unsigned(id)]; }
  const Form &get(FormId id) const { return forms[unsigned(id)]; }
  /// The largest number of monomials that `mul` of these would have.
  uint64_t countProduct(FormId lhs, FormId rhs) const;
  bool isFunction(const Atom &atom, llvm::StringRef text) const;
  /// Whether a monomial is a number of the program: a product of constants and
  /// extents, with a sign or none. Parts of sums are none.
  bool isConstant(const Monomial &monomial) const;
  /// A monomial without its factors that are numbers of the program.
  Monomial dropConstants(Monomial monomial) const;

  /// The form as text, deterministic: monomials sorted by their text. Forms of
  /// contexts with the same names have the same text if they are equal, and
  /// only then; terms with more than 720 orders of their bound letters may have
  /// several (docs/Expressions.md).
  std::string toString(FormId id) const;
  /// Sums over one name in different scopes look alike there.
  std::string toStringWithoutScopes(FormId id) const;

  // Letters (for those who take forms apart).

  /// The monomial with its bound letters renamed to fresh open ones, from scope
  /// `firstScope` on, so that its parts may be looked at one by one.
  Monomial open(MonomialId id, uint16_t firstScope);
  /// The smallest scope at or above kFirstOpenScope that `letters` do not use.
  static uint16_t getFreshScope(const Letters &letters);
  AtomId rename(AtomId id, const LetterMap &map);
  FormId rename(FormId id, const LetterMap &map);
  void renameParts(Monomial &monomial, const LetterMap &map);
  /// Interns a monomial whose parts may stand in any order and whose bound
  /// letters may have any scopes that its parts do not bind.
  MonomialId close(Monomial monomial);
  /// The product of monomials with disjoint bound letters, not closed.
  Monomial multiplyOpen(const Monomial &lhs, const Monomial &rhs);
  uint64_t countFactors(const Monomial &monomial) const;
  FormId makeForm(MonomialCounts monomials);
  FormId makeForm(Monomial monomial);

private:
  AtomId internAtom(Atom atom);
  MonomialId internMonomial(Monomial monomial);
  FormId atomForm(Atom atom);
  FormId bindFunction(Atom atom, llvm::ArrayRef<NameId> over, uint16_t scope);
  FormId multiplyOut(FormId lhs, FormId rhs);
  FormId mapMonomials(FormId operand,
                      llvm::function_ref<void(Monomial &)> change);
  uint64_t internText(llvm::StringRef text);

  std::vector<std::string> names;
  std::vector<std::pair<std::string, NameId>> symbols;
  std::vector<std::string> texts;
  std::deque<Atom> atoms;
  std::deque<Monomial> monomials;
  std::deque<Form> forms;
  WordListInterner atomNumbers, monomialNumbers, formNumbers;
  // Forms share parts, which are multiplied and renamed once, not in each
  // place.
  llvm::DenseMap<std::pair<uint32_t, uint32_t>, FormId> products;
  WordListInterner renamingNumbers;
  std::vector<FormId> renamedForms; ///< by number of a renaming
  FormId oneForm, minusOneForm;
};

} // namespace mlir::mirage

#endif // MIRAGE_ALGEBRA_EXPRESSION_H
