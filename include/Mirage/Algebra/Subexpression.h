//===- Subexpression.h - Can a prefix still lead to the target? -*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tensor is worth computing only if some expression equal to the target
// contains its expression c. In a polynomial world the contexts c+y, c·y, c/y
// and Σc compose to
//
//   T = m·c + r         with ONE monomial m and any rest r,
//
// and the other contexts (a denominator, an exponent, a radicand, an argument
// of a function) lead one level down, where the same question is asked. So
// there is nothing to prove per state: the levels of the target are listed
// once, and the test is a quotient of monomials and a few look-ups. Example:
//
//   T = Σ_k x[m,k]·w[k,n] / √(Σ_k x[m,k]·x[m,k])
//   c = Σ_k x·w   m = 1/√..., r empty: yes      c = x/w   no
//   c = Σ_k x·x   in the radicand: yes          c = Σ_k x no: w depends on k,
//                                                which c has summed already
//
// The last one is the *index rule*: m may not depend on a letter that c binds.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_ALGEBRA_SUBEXPRESSION_H
#define MIRAGE_ALGEBRA_SUBEXPRESSION_H

#include "Mirage/Algebra/Expression.h"
#include "Mirage/Algebra/Pruner.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::mirage {

struct SubexpressionOptions {
  /// c may be negative only where the target is. False: any sign may be mended
  /// by a factor −1, as the laws allow; what oracles are compared with.
  bool strictSigns = true;
  /// With strict signs: x - y is contained in y - x, and with constants beside
  /// it. For functions that have a sign in them: 1/(1 + exp(y - x)).
  bool flipsDifferences = false;
  /// With strict signs: so is -x in x, as for 1/(1 + exp(-(-x))).
  bool flipsTerms = false;
  /// A quotient of denominators or radicands may have monomials that are only
  /// a size: what 1·x = x read backwards under a sum allows; for oracles.
  bool sizeOnlyQuotients = false;
  /// Monomials of quotients may be 1: 1 + x is a factor of 1 + x + y + x·y.
  /// Without, nothing that adds a one to something is on offer.
  bool onesInQuotients = false;
};

/// Exact division of monomials and forms.
class QuotientFinder {
public:
  QuotientFinder(ExpressionContext &context, SubexpressionOptions options)
      : context(context), options(options) {}

  /// One way to write t = m·c: m with t's letters, and where c's free letters
  /// go.
  struct Match {
    Monomial rest;
    LetterMap letters;
  };
  /// All ways to write the open monomial `t` as m·c with a monomial m. Free
  /// letters of the names in `freeLetters` may go to any letter of `places`
  /// with that name, or to one that t binds; letters not in `freeLetters` stay.
  llvm::SmallVector<Match> divide(const Monomial &t, MonomialId c,
                                  const Letters &freeLetters,
                                  const Letters &places);
  /// V with V·c = t, letters as they are.
  std::optional<FormId> divide(FormId t, FormId c);
  /// Whether `level` contains match.rest · c, with counts.
  bool containsProduct(FormId level, const Match &match, FormId c);

private:
  bool mayDivide(const Monomial &t, const Monomial &c) const;
  bool dividesOne(FormId factor) const;
  void assignLetters(const Monomial &t, MonomialId c,
                     llvm::ArrayRef<Letter> todo, const Letters &places,
                     LetterMap &map, llvm::SmallVectorImpl<Match> &matches);
  std::optional<Monomial> divideParts(const Monomial &t, MonomialId c,
                                      const LetterMap &map);
  bool divideFactor(FormId t, FormId c, FormId &result);
  std::optional<FormId> divideUncached(FormId t, FormId c);
  bool divideRest(FormId rest, FormId c, FormId &quotient);
  FormId multiply(const Monomial &rest, FormId c, const LetterMap &map);

  ExpressionContext &context;
  SubexpressionOptions options;
  llvm::DenseMap<std::pair<uint32_t, uint32_t>, std::optional<FormId>> memo;
  /// What was left of some form and could not be divided: many orders of the
  /// quotient's monomials lead there.
  llvm::DenseSet<std::pair<uint32_t, uint32_t>> indivisible;
};

/// The subexpression test for the outputs of one program.
class SubexpressionTest : public Pruner {
public:
  SubexpressionTest(ExpressionContext &context, llvm::ArrayRef<FormId> targets,
                    SubexpressionOptions options = {});

  bool contains(FormId candidate) override;
  /// Whether the candidate stands in the target as it is, or squared, with
  /// nothing multiplied to it but constants and signs; `orAsSummand`: or in a
  /// factor that is a sum. The place of constant factors and signs
  /// (docs/Search.md).
  bool containsWhole(FormId candidate, bool orAsSummand);
  /// The target and what its denominators, exponents, radicands and arguments
  /// are, letters opened.
  std::vector<FormId> getLevelForms() const;
  /// The level that the candidate is contained in, if it is one alone and
  /// stands in one place of one target: whatever contains the candidate is used
  /// for that place.
  std::optional<FormId> getOnlyPlace(FormId candidate);
  /// No subexpression has more monomials than this.
  uint64_t getMaxTotal() const { return maxTotal; }

private:
  /// A form that c is compared with, each of its monomials opened.
  struct Level {
    FormId form;
    std::vector<Monomial> opened;
    bool hasOnePlace = true; ///< in all targets
  };

  void addLevel(FormId form);
  void addLevelsInside(const Level &level);
  void addLevelsInside(const Monomial &opened);
  void addLevelsInside(const Atom &atom, uint16_t firstScope);
  bool isContainedIn(FormId candidate, const Level &level,
                     bool asWhole = false);
  bool isTheSame(const QuotientFinder::Match &match, FormId candidate);
  bool isContainedInLevels(FormId candidate);
  bool isContainedAsMax(const Atom &bareMax);
  bool decide(FormId candidate);

  ExpressionContext &context;
  QuotientFinder quotients;
  std::vector<Level> levels;
  llvm::DenseMap<uint32_t, bool> memo;
  llvm::DenseMap<uint32_t, std::optional<FormId>> onlyPlaces;
  uint64_t maxTotal = 0;
};

} // namespace mlir::mirage

#endif // MIRAGE_ALGEBRA_SUBEXPRESSION_H
