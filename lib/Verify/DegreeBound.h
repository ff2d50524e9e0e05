//===- DegreeBound.h - What one batch of trials proves ----------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_VERIFY_DEGREEBOUND_H
#define MIRAGE_LIB_VERIFY_DEGREEBOUND_H

#include "TrialBatch.h"
#include "llvm/ADT/DenseSet.h"
#include <optional>

namespace mlir::mirage {

/// The chance that a batch of trials misses a difference, as a logarithm to
/// base 2; at most 0.
struct BatchBound {
  double provedLog2 = 0;
  double conjecturedLog2 = 0;
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
/// the chance of one pattern. See docs/Verification.md.
class ElementDifference {
public:
  ElementDifference(const TermTable &table, TermId lhs, TermId rhs);

  /// \param groups   of component 0, in whose order samples count radicands.
  /// \param counted  trials of the batch that counted for this element.
  /// \param numTowers  that the batch's tower was drawn from; 0 if it was not.
  BatchBound bound(const TrialBatch &batch, const RootGroups &groups,
                   unsigned counted, double numTowers) const;

  /// What the time of one bound() grows with: the terms that feed the element,
  /// and each exponential against each other.
  size_t getWork() const {
    return terms.size() + exponentTerms.size() +
           arguments.size() * arguments.size();
  }

private:
  struct Degree; ///< of one term as a fraction
  struct Weights;

  void collect(TermId root);
  void collectExponent(TermId argument);
  unsigned countConditions(const RootGroups &groups) const;
  double getPatternLog2(llvm::ArrayRef<TermId> picks) const;
  bool rootsAreIndependent(const TrialBatch &batch,
                           const RootGroups &groups) const;
  std::optional<Weights> weighExponentials(const TrialBatch &batch) const;
  Degree computeDegree(const Weights &weights) const;

  const TermTable &table;
  TermId lhs, rhs;
  std::vector<TermId> terms;     ///< of component 0, ascending
  std::vector<TermId> roots;     ///< among them
  std::vector<TermId> arguments; ///< of the exponentials among them
  std::vector<TermId> picks, exponentPicks;
  llvm::DenseSet<TermId> exponentTerms; ///< below the arguments
  std::vector<uint32_t> inputs;         ///< that feed it in component 0
  bool hasLn2 = false;
  unsigned numSigns = 0, numRandomFunctions = 0;
  bool hasExponentSigns = false;
};

} // namespace mlir::mirage

#endif // MIRAGE_LIB_VERIFY_DEGREEBOUND_H
