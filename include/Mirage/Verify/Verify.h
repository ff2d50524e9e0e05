//===- Verify.h - Are two graphs equal? -------------------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Judges two µGraphs equal by evaluating both on random inputs over towers of
// finite fields (Mirage/Algebra/FieldTower.h). Over a field there is no
// rounding: graphs that are equal as formulas agree always, and graphs that are
// not disagree on almost every input, with a probability that is proved.
// The mathematics: docs/Verification.md.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_VERIFY_VERIFY_H
#define MIRAGE_VERIFY_VERIFY_H

#include "Mirage/Algebra/Random.h"
#include "Mirage/Graph/Graph.h"
#include "Mirage/Verify/ExactProof.h"
#include <functional>
#include <limits>
#include <optional>
#include <string>

namespace mlir::mirage {

/// What the agreement of all trials proves: the probability that graphs that
/// are not equal pass is at most 2^log2. Minus infinity if equality is proved
/// outright.
struct ErrorBound {
  /// By theorems alone; 0 where none applies.
  double provedLog2 = 0;
  /// Where exponents have a higher rank than points were used, under the
  /// conjecture that the analysis of ITCS 2026 leaves open; else as proved.
  double conjecturedLog2 = 0;
  /// Trials that counted, for the output element with the fewest.
  unsigned trials = 0;
  unsigned towers = 0; ///< batches of trials, each over primes of its own
};

/// A float64 input on which the graphs differ by more than rounding, of
/// intermediate values as well, can explain.
struct Witness {
  uint64_t seed = 0; ///< that the finder made the inputs from
  unsigned output = 0;
  int64_t element = 0; ///< row-major
  double lhs = 0, rhs = 0;
};

/// Evaluates both graphs in float64 on some inputs. `std::nullopt` if they
/// agree on all that were tried.
using FindWitness = std::function<llvm::Expected<std::optional<Witness>>(
    const Graph &lhs, const Graph &rhs)>;

/// The same at some elements of an output, row-major, where graphs are too
/// large to be evaluated as a whole.
using FindWitnessAt = std::function<llvm::Expected<std::optional<Witness>>(
    const Graph &lhs, const Graph &rhs, unsigned output,
    llvm::ArrayRef<int64_t> elements)>;

struct VerifyOptions {
  Seed seed = {};
  /// Trials go on until the proved bound is 2^-errorBoundBits, where a theorem
  /// allows that.
  unsigned errorBoundBits = 64;
  unsigned minTowers = 4;
  unsigned maxTowers = 2048;
  /// Elements are written out as terms, from which the bound follows, while
  /// the terms number no more than this; larger graphs are tested at their size
  /// without a bound.
  size_t maxTerms = size_t(1) << 18;
  /// Every element gets a bound of its own, whose work grows with the terms
  /// that feed the element and the pairs of its exponentials, also where
  /// elements share them all. Graphs of more work for one batch are large, too;
  size_t maxBatchWork = size_t(1) << 20;
  /// and no batch after `minTowers` is begun once all together had this much.
  size_t maxWork = size_t(1) << 26;
  /// Trials of such graphs, at least. Those that lose signs, and of which
  /// nothing is proved, have 16 in any case.
  unsigned minLargeTrials = 1;
  /// Trials of such graphs where roots have to exist: until every output
  /// element counted in 16, at most this many.
  unsigned maxLargeTrials = 64;
  /// Whether graphs that are too large to be written out are tried at their own
  /// sizes. If not, what is proved at smaller ones is the verdict.
  bool triesOwnSizes = true;
  /// Memory that trials of two graphs may take, by `estimateTrialBytes`; never
  /// more than half of what the machine has. Of graphs that take more, trials
  /// at their own sizes evaluate a sample of the outputs' elements that takes
  /// less.
  double maxBytes = 64.0 * (1u << 30);
  /// Multiply-adds of either graph, operations on single elements being eight
  /// each, beyond which trials at their own sizes evaluate a sample, too,
  double maxWholeWork = std::numeric_limits<double>::infinity();
  /// that takes about so many, if less is enough for one element of each
  /// output,
  double sampleWork = 2e9;
  /// and never more than these: else there are no trials at their own sizes.
  double maxSampleWork = std::numeric_limits<double>::infinity();
  /// Whether there are trials of graphs that are one, too, which is what equal
  /// canonical forms say: for who asks for trials. Else these are equal without
  /// any, since a graph does what it does.
  bool triesSameGraphs = false;
  /// Asked before each batch of trials, and while it is looked at what these
  /// will prove: once it is true, no more are begun, and what they would have
  /// decided is Unknown.
  std::function<bool()> isCancelled = {};
  /// Needed for the verdict Different.
  FindWitness findWitness = {};
  FindWitnessAt findWitnessAt = {}; ///< where trials are of a sample
  /// Asks for a proof by canonical forms (ExactProof.h): what has none is not
  /// Equal, whatever trials say.
  bool wantsExactProof = false;
  exact::Limits exactLimits = {};
  /// For experiments with the bound: this tower in every batch, and a fixed
  /// number of batches. Largest prime first.
  llvm::SmallVector<uint32_t, 4> primes = {};
};

/// Which elements of an output were tried: those whose index is, along each
/// dimension, one of some.
struct SampledShape {
  Shape tried; ///< by dimension, how many indices
  Shape whole;
};

/// Trials at the graphs' own sizes.
struct OwnSizeTrials {
  /// That counted, for the element with the fewest of those that were tried.
  unsigned trials = 0;
  /// By output, where not all elements were tried; else empty.
  std::vector<SampledShape> samples = {};

  bool isSampled() const { return !samples.empty(); }
};

struct OtherSizeTrials {
  /// That counted at each of these sizes, for the element with the fewest.
  unsigned trials = 0;
  std::vector<std::string> sizes = {}; ///< shapes of the inputs, "7x8, 8x11"
  /// What is wrong at the last of them, if something is: they disagree, or
  /// decide nothing.
  std::string problem = {};
  /// Why there were no such trials, if they were asked for.
  std::string whyNone = {};
  /// Whether there were too few to see all that may be picked, and all patterns
  /// of signs, but for a chance of 2^-10.
  bool areFew = false;
  bool isCancelled = false; ///< there were to be more
};

struct Verdict {
  enum Kind : uint8_t {
    Equal,     ///< all counted trials agree
    Different, ///< a float64 input shows it, and nothing is proved: a trial
               ///< disagrees, none counts for some element, or no theorem helps
    Unknown,   ///< `reason` says why
  } kind = Unknown;
  std::string reason = {};
  ErrorBound bound = {};
  /// Of an Equal: the bound that was asked for,
  /// `VerifyOptions::errorBoundBits`, and why less was proved, or nothing:
  /// which operators are to blame, and what ended the trials. Empty if it was
  /// met.
  unsigned askedBits = 0;
  std::string whyWeaker = {};
  /// Equal because both are the same graph, operation by operation, composed
  /// operators written out; there were no trials, or they came to nothing.
  bool isSameGraph = false;
  /// What is proved is proved, at `sizes`, by trials in which functions are
  /// symbols, so that what a maximum does not pick is not hidden, and all roots
  /// exist; each trial is over two primes of its own.
  bool hasFreeFunctions = false;
  /// Equal only where both are defined: one graph takes a root of something
  /// that the other does not.
  bool whereBothDefined = false;
  /// The graphs were too large to write out, and were tested at their own size
  /// without a bound. The bound is of smaller sizes (SmallerSizes.h), or has
  /// free functions; where neither is, `whyWeaker` says so and there is none.
  bool isLarge = false;
  /// What was tried at the graphs' own sizes, whatever the bound is of. That
  /// samples agree adds nothing to the bound; and it is no Equal if smaller
  /// sizes do not agree.
  OwnSizeTrials ownSizes = {};
  /// Unknown because trials at the graphs' own sizes take too much, even of a
  /// sample.
  bool isTooLarge = false;
  /// The shapes of the inputs that the bound is of, "4x6, 6x8".
  std::string sizes = {};
  /// Whether what is proved, of some piece at least, is proved at smaller sizes
  /// than the graphs' own.
  bool isOfSmallerSizes = false;
  /// Trials at small sizes that the bound is not of, which are asked for where
  /// what is proved is proved at small sizes, and something is picked or signs
  /// are lost: they decide whether this is Equal, but bound nothing.
  OtherSizeTrials otherSizes = {};
  /// The bound is a sum over so many pieces of the graphs, which were cut where
  /// they have values in common, and the sizes are those of the piece with the
  /// weakest; 0 where they were judged as they are.
  unsigned pieces = 0;
  /// What is another number at these sizes: all literals that are near a
  /// function of a large size, and offsets of masks.
  ReplacedNumbers replaced = {};
  /// What the exact mode came to, if it was asked for: at the graphs' own
  /// sizes, or where these are too large at smaller ones.
  std::optional<ExactProof> exactProof = std::nullopt;
  /// Where a trial disagreed, if one did.
  struct Place {
    unsigned output;
    int64_t element;
  };
  std::optional<Place> disagreement = std::nullopt;
  /// Where a trial found one graph undefined and the other one not.
  std::optional<Place> oneSided = std::nullopt;
  /// Unknown because `VerifyOptions::isCancelled` was true before all trials
  /// were made.
  bool isCancelled = false;
  /// Of the signs of absolute values and roots trials see too few patterns: a
  /// difference in one may hide from them.
  bool mayHideSigns = false;
  /// Unknown because no trial counted for some element, or too few did.
  bool lacksTrials = false;
  std::optional<Witness> witness = std::nullopt;

  bool meetsBound() const { return bound.provedLog2 <= -double(askedBits); }
};

llvm::StringRef getVerdictName(Verdict::Kind kind); // "equal", ...

/// Of two verdicts on parts of a pair of graphs, the one on both: errors add
/// up, and everything else is that of the weaker.
Verdict join(Verdict lhs, Verdict rhs);

/// Memory that trials of two graphs at their own sizes take at most, in bytes:
/// field elements of every value. A witness may take more, and is not looked
/// for where that exceeds the limit.
double estimateTrialBytes(const Graph &lhs, const Graph &rhs);

/// What `options` and this machine allow for that.
double getMaxTrialBytes(const VerifyOptions &options);

/// Judges graphs with the same inputs and outputs, matched in order: at their
/// own sizes, and if these are large, at smaller ones as well; where that
/// proves too little, piece by piece, if they have values in common to be cut
/// at; and where nothing is proved, at their own sizes with functions as
/// symbols. The same graph is equal before all of that. Where something may
/// hide, what was proved at smaller sizes has to agree at others, too
/// (OtherSizeTrials). Both are verified graphs.
/// With an exact proof asked for, Equal is what is proved by one at the graphs'
/// own sizes; or proved by one at smaller sizes, and trials at their own agree;
/// or the same graph. Those of which even samples take too much at their own
/// sizes are Unknown; the reason says how much, and what smaller sizes say.
/// \returns a verdict, or an error if shapes or counts of inputs or outputs
/// differ, or from `findWitness`.
llvm::Expected<Verdict> verifyEqual(const Graph &lhs, const Graph &rhs,
                                    const VerifyOptions &options);

/// The same at the graphs' own sizes alone: Equal says that the trials agree,
/// and if they are a sample's nothing else.
llvm::Expected<Verdict> verifyAtOwnSizes(const Graph &lhs, const Graph &rhs,
                                         const VerifyOptions &options);

} // namespace mlir::mirage

#endif // MIRAGE_VERIFY_VERIFY_H
