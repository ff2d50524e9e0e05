//===- DegreeBound.h - What one batch of trials proves ----------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_VERIFY_DEGREEBOUND_H
#define MIRAGE_LIB_VERIFY_DEGREEBOUND_H

#include "ExponentSets.h"
#include <cmath>
#include <set>
#include <string>

namespace mlir::mirage {

/// What the chance to miss a difference is mostly due to.
enum class MissCause : uint8_t {
  NoTrials,        ///< none counted
  ExponentRank,    ///< no theorem speaks about the exponents
  Degree,          ///< random field elements that are zeros of the difference
  Picks,           ///< what maxima and minima pick
  Signs,           ///< of absolute values
  DependentSigns,  ///< no theorem speaks about signs that hang together
  RandomFunctions, ///< arguments that collide
  ExponentPicks,   ///< maxima in exponents, which pick once a batch
  Primes,          ///< modulo which the difference vanishes altogether
};

/// The chance that a batch of trials misses a difference, as a logarithm to
/// base 2; at most 0.
struct BatchBound {
  double provedLog2 = 0;
  double conjecturedLog2 = 0;
  MissCause cause = MissCause::NoTrials;
  /// The chance π of one pattern of what maxima in exponents pick; 1 if there
  /// are none. What is proved may be of the pattern that came up.
  double exponentPattern = 1;
};

/// The same of all batches. They multiply, but for maxima in exponents: what a
/// batch proves is then of its own pattern of picks, and a difference may show
/// in another one alone. Either that one is among those seen, or all batches
/// are of the 1 - π that miss it; so n batches prove the n-th power of what the
/// worst of them does. As they end where that is enough, either may be the
/// case, which costs a factor of 1 + 17·π (docs/Verification.md).
class ElementBound {
public:
  void add(const BatchBound &batch);

  double getProvedLog2() const { return getLog2(proved); }
  double getConjecturedLog2() const { return getLog2(conjectured); }
  /// What the bound is mostly due to.
  MissCause getCause() const { return cause; }

private:
  struct Chance {
    double sumLog2 = 0, worstLog2 = -HUGE_VAL;
  };
  double getLog2(const Chance &chance) const;

  unsigned numBatches = 0; ///< in which trials counted
  Chance proved, conjectured;
  double exponentPattern = 1;
  MissCause cause = MissCause::NoTrials;
};

/// What feeds the difference of one pair of output elements. With D that
/// difference over the least common denominator, as a polynomial in inputs,
/// roots and exponentials:
///
///   degree d   roots weigh half their radicand, exponentials the exponents of
///              the independent variables they are products of
///   R          radicands, equal ones once
///   S          these and all others that had to exist for the trial to count:
///              those in a group with an input that feeds the difference
///   patterns   ways in which maxima can pick and signs can fall
///
/// a trial that counts misses with probability at most 1 - π + 2^(R+S)·d/q, π
/// the chance of one pattern, but for the error of character sums. That is
/// proved of a batch only if its draws show that signs are independent. See
/// docs/Verification.md.
class ElementDifference {
public:
  /// Adds the arguments of its exponentials to `exponents`, which outlives it,
  /// and those that feed its conditions.
  /// \param groups  of component 0.
  ElementDifference(const TermTable &table, TermId lhs, TermId rhs,
                    const RootGroups &groups, ExponentSets &exponents);

  /// \param weights  of the batch, by exponent set.
  /// \param counted  trials of the batch that counted for this element.
  /// \param numTowers  that the batch's tower was drawn from; 0 if it was not.
  /// \param errorScale  what the error of character sums is multiplied by: 0 in
  ///                    experiments over primes so small that it exceeds all
  ///                    chances.
  BatchBound bound(const TrialBatch &batch,
                   llvm::ArrayRef<BatchWeights> weights, unsigned counted,
                   double numTowers, double errorScale = 1);

  /// The operators that a cause is about, and how many there are: "a maximum
  /// or minimum over 4 values inside an exponent picks once in 16 trials".
  std::string describe(MissCause cause) const;

  /// Absolute values, and roots, that feed it, in exponents as well; of equal
  /// terms nothing hides.
  size_t getNumSigns() const {
    return lhs == rhs
               ? 0
               : signs.size() + roots.size() + getExponents().getNumSigns();
  }

  /// What the time of one bound() grows with: the terms that feed the element,
  /// and each exponential against each other.
  size_t getWork() const;

private:
  /// What feeds some terms outside exponents, and the arguments of the
  /// exponentials among it, both ascending.
  struct Fed {
    std::vector<TermId> terms, arguments;
  };
  Fed collect(llvm::ArrayRef<TermId> list) const;
  void classify();
  void findConditions(const RootGroups &groups);
  const ExponentSet &getExponents() const { return (*exponents)[exponentSet]; }
  const DegreeOfDifference &getDegree(const ExponentWeights &weights);
  std::set<TermId> getCompared(llvm::ArrayRef<TermId> picks) const;
  double getPatternLog2(llvm::ArrayRef<TermId> picks) const;
  std::string describeExponents() const;
  bool signsAreIndependent(const TrialBatch &batch) const;
  /// By how much the chance that given characters fall in given ways may differ
  /// from that of independent ones.
  double getCharacterError(llvm::ArrayRef<TermId> characters,
                           const ExponentWeights &weights,
                           const FieldTower &tower) const;

  const TermTable &table;
  TermId lhs, rhs;
  const ExponentSets *exponents;
  unsigned exponentSet = 0;
  std::vector<TermId> terms;    ///< of component 0, ascending
  std::vector<TermId> roots;    ///< among them
  std::vector<TermId> signs;    ///< among them: absolute values
  std::vector<TermId> picks;    ///< among them
  std::vector<uint32_t> inputs; ///< that feed it in component 0
  /// Roots that have to exist for a trial to count, or that conditioned the
  /// draws of what feeds the difference: the S radicands.
  std::vector<TermId> conditions;
  std::vector<TermId> characterTerms; ///< that feed conditions and signs
  unsigned characterSet = 0;          ///< of exponentials among these
  /// Draws are made anew, tower and all, by what picks of constants.
  bool towersAreBiased = false;
  bool hasLn2 = false;
  unsigned numRandomFunctions = 0;
  std::map<unsigned, DegreeOfDifference> degrees; ///< by number of the weights
};

} // namespace mlir::mirage

#endif // MIRAGE_LIB_VERIFY_DEGREEBOUND_H
