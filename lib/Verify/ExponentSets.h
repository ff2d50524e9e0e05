//===- ExponentSets.h - Independent variables of exponentials ---*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_VERIFY_EXPONENTSETS_H
#define MIRAGE_LIB_VERIFY_EXPONENTSETS_H

#include "LinearForms.h"
#include "TermDegree.h"
#include "TrialBatch.h"
#include <map>
#include <optional>

namespace mlir::mirage {

/// Whether what is below some terms is one formula, whatever signs are and
/// whatever maxima pick, here and inside exponents.
bool haveOneFormula(const TermTable &table, llvm::ArrayRef<TermId> list);

/// The exponentials of an output element as products of powers of independent
/// variables.
struct ExponentWeights {
  /// Different for each set and choice of maxima, the same for equal ones: what
  /// follows from the powers can be kept under it.
  unsigned number = 0;
  /// Arguments whose exponentials are the variables; none if linear relations
  /// could not be found, and all arguments count as independent.
  std::optional<llvm::SmallVector<TermId>> basis;
  ExponentPowers powers;
};

/// The same in one batch.
struct BatchWeights {
  /// Null if the batch's tower is too low for exponentials. Valid until weights
  /// of another batch are asked for.
  const ExponentWeights *weights = nullptr;
  /// Whether a theorem, or a conjecture, speaks about such exponents.
  bool isSpokenOf = false;
  /// Whether the batch's points show the independence.
  bool isProved = false;
};

/// The arguments of all exponentials that feed an output element, and what
/// feeds these. Elements of one row mostly have the same.
class ExponentSet {
public:
  /// \param arguments  ascending.
  ExponentSet(const TermTable &table, std::vector<TermId> arguments);

  llvm::ArrayRef<TermId> getArguments() const { return arguments; }
  /// Maxima and minima below the arguments.
  llvm::ArrayRef<TermId> getPicks() const { return picks; }
  /// Those that relations between arguments depend on: the ones that sums and
  /// products lead to.
  llvm::ArrayRef<TermId> getLinearPicks() const { return linearPicks; }
  bool hasSigns() const { return signs; }
  /// Absolute values and roots below the arguments.
  size_t getNumSigns() const { return numSigns; }
  /// Of what is divided by below the arguments, where something is picked:
  /// points at which that is zero do not count. Infinite where it is not known.
  double getDivisorDegree() const { return divisorDegree; }
  size_t getNumTerms() const { return numTerms; }

private:
  std::vector<TermId> arguments, picks, linearPicks;
  bool signs = false;
  double divisorDegree = 0;
  size_t numTerms = 0, numSigns = 0;
};

/// The sets of all output elements, equal ones once. Linear relations between
/// arguments depend on the batch only by what maxima pick, so those of earlier
/// choices are kept.
class ExponentSets {
public:
  explicit ExponentSets(const TermTable &table) : table(table), forms(table) {}

  /// What maxima pick decides which roots inside exponents exist, so that the
  /// points of a batch, on which they do, tell one pattern from another.
  void setPicksBiased() { picksAreBiased = true; }
  bool arePicksBiased() const { return picksAreBiased; }
  /// \returns the number of the set.
  unsigned add(std::vector<TermId> arguments);
  const ExponentSet &operator[](unsigned number) const {
    return entries[number].set;
  }
  /// The weights of every set in a batch.
  std::vector<BatchWeights> weigh(const TrialBatch &batch);

private:
  struct Entry {
    ExponentSet set;
    /// By the operand that each linear pick of the set picks.
    std::map<std::vector<TermId>, ExponentWeights> known;
  };
  /// Choices that are kept for one set; then it begins anew.
  static constexpr size_t kMaxKnown = 64;

  BatchWeights weigh(Entry &entry, const TrialBatch &batch);
  ExponentWeights computeWeights(const ExponentSet &set,
                                 llvm::ArrayRef<TermId> picked);

  const TermTable &table;
  LinearForms forms;
  std::vector<Entry> entries;
  std::map<std::vector<TermId>, unsigned> numbers; ///< by arguments
  unsigned numWeights = 0;
  bool picksAreBiased = false;
};

} // namespace mlir::mirage

#endif // MIRAGE_LIB_VERIFY_EXPONENTSETS_H
