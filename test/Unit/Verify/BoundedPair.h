//===- BoundedPair.h - A difference over small primes -----------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bounds are statements about probabilities; with primes of 31 bits one
// would hardly see a false accept. Over primes of 8 bits random field elements
// are often enough zeros of a difference, and how often trials agree can be
// compared with what the judge says at most.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TEST_UNIT_VERIFY_BOUNDEDPAIR_H
#define MIRAGE_TEST_UNIT_VERIFY_BOUNDEDPAIR_H

#include "DegreeBound.h"
#include "Mirage/Graph/Graph.h"
#include <optional>

namespace mlir::mirage::test {

/// What the judge says of one batch over a tower modulo whose primes the
/// difference does not vanish.
struct BatchClaim {
  double ofTrial = 1; ///< the chance that a trial that counts agrees
  /// The chance of what all trials of the batch have in common, maxima in
  /// exponents, after which nothing is said of them.
  double ofBatch = 0;

  /// The chance for one trial by itself.
  double getTotal() const { return std::min(1.0, ofTrial + ofBatch); }
};

/// Two graphs without composed operators and one output element in which they
/// differ, tried as the judge tries them: all elements together.
class BoundedPair {
public:
  /// \param element  counted over all outputs.
  BoundedPair(const Graph &lhs, const Graph &rhs, size_t element);

  /// Whether the graphs could be written out; if not, nothing below holds.
  bool isWritten() const { return difference.has_value(); }
  /// One more than the deepest nesting of exponentials.
  unsigned getHeight() const { return height; }

  TrialBatch draw(llvm::ArrayRef<uint32_t> primes, const Seed &seed) const;

  /// What the batch proves, of so many trials that counted.
  double getBound(const TrialBatch &batch, unsigned counted,
                  double numTowers = 0) {
    return bound(batch, batch, counted, numTowers);
  }
  /// Whether maxima in exponents have a say in what a batch proves. Claims are
  /// then the worst of any batch.
  bool dependsOnPicks() const { return !exponents[0].getPicks().empty(); }
  /// The same where `certified`, another batch over the tower, is asked whether
  /// signs are independent. That is so or not, whatever a batch's own draws
  /// show, which may hang together with what its trials do.
  BatchClaim getClaim(const TrialBatch &certified, const TrialBatch &batch);
  /// Whether coefficients are so small that no prime of the tower takes them
  /// for zero. If not, only towers drawn at random promise something.
  bool hasSmallCoefficients(const TrialBatch &certified) {
    return bound(certified, certified, 1, /*numTowers=*/1) < 1;
  }

  struct Count {
    unsigned trials = 0; ///< that count for the element
    unsigned agreements = 0;
  };
  Count count(const TrialBatch &batch) const;

private:
  double bound(const TrialBatch &certified, const TrialBatch &batch,
               unsigned counted, double numTowers);
  /// The element's 16 words.
  std::vector<uint32_t> evaluate(const Graph &graph,
                                 const TrialBatch &batch) const;

  const Graph &lhs, &rhs;
  size_t element, numInputs;
  unsigned height;
  TermTable table;
  std::optional<LiveTerms> live;
  std::vector<RootGroups> groups;
  ExponentSets exponents{table};
  std::optional<ElementDifference> difference;
};

/// Agreements over some batches that were drawn independently, as far as
/// claims allow them.
class AllowedAgreements {
public:
  /// \param ofWorst  all batches claim what the worst does (ElementBound).
  void add(unsigned trials, BatchClaim claim, bool ofWorst = false);
  /// Largest expectation that the claims allow.
  double getMean() const;
  /// An upper bound, as a logarithm to base 2, of the chance of so many
  /// agreements or more (Chernoff): with probability e the n trials of a batch
  /// do anything, else each agrees with probability m at most, whatever others
  /// do, so that E[exp(tA)] <= Π (e·exp(tn) + (1 - e)·(1 + m·(exp(t) - 1))^n).
  double getTailLog2(unsigned agreements) const;

private:
  struct Batch {
    unsigned trials;
    BatchClaim claim;
  };
  /// Log of that product over exp(t·agreements).
  double getExponent(double t, unsigned agreements) const;

  std::vector<Batch> batches;
  std::optional<BatchClaim> worst; ///< if it is every batch's
};

} // namespace mlir::mirage::test

#endif // MIRAGE_TEST_UNIT_VERIFY_BOUNDEDPAIR_H
