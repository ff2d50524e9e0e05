//===- Verify.cpp - Are two graphs equal? ---------------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Verify/Verify.h"
#include "Comparison.h"
#include "DegreeBound.h"
#include "ExpNesting.h"
#include "Mirage/Graph/MachineMemory.h"
#include "Mirage/Verify/SmallerSizes.h"
#include "Mirage/Verify/VerdictJSON.h"
#include "TrialMemory.h"
#include "WrittenGraph.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace mlir::mirage;

llvm::StringRef mlir::mirage::getVerdictName(Verdict::Kind kind) {
  switch (kind) {
  case Verdict::Equal:
    return "equal";
  case Verdict::Different:
    return "different";
  case Verdict::Unknown:
    return "unknown";
  }
  return "";
}

static std::string printShape(const TensorSpec &type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleave(type.shape, os, "x");
  return text;
}

static std::string printInputs(const Graph &graph) {
  std::string text;
  for (ValueId input = 0; input < graph.getNumInputs(); ++input)
    text += (input ? ", " : "") + printShape(graph.getType(input));
  return text;
}

/// Element types may differ: a cast changes no value over a field.
static llvm::Error checkTypes(const Graph &lhs, llvm::ArrayRef<ValueId> lhsIds,
                              const Graph &rhs, llvm::ArrayRef<ValueId> rhsIds,
                              llvm::StringRef what) {
  if (lhsIds.size() != rhsIds.size())
    return llvm::createStringError("expects graphs with as many " + what +
                                   "s, got " + llvm::Twine(lhsIds.size()) +
                                   " and " + llvm::Twine(rhsIds.size()));
  for (auto [number, left, right] : llvm::enumerate(lhsIds, rhsIds))
    if (lhs.getType(left).shape != rhs.getType(right).shape)
      return llvm::createStringError("expects " + what + " " +
                                     llvm::Twine(number) +
                                     " to have one shape in both graphs, got " +
                                     printShape(lhs.getType(left)) + " and " +
                                     printShape(rhs.getType(right)));
  return llvm::Error::success();
}

static llvm::Error checkInterfaces(const Graph &lhs, const Graph &rhs) {
  auto inputs = [](const Graph &graph) {
    return llvm::to_vector(llvm::seq<ValueId>(0, graph.getNumInputs()));
  };
  if (llvm::Error error =
          checkTypes(lhs, inputs(lhs), rhs, inputs(rhs), "input"))
    return error;
  return checkTypes(lhs, lhs.getOutputs(), rhs, rhs.getOutputs(), "output");
}

namespace {
/// One judgement; the phases are its methods.
class Judge {
public:
  Judge(const Graph &lhs, const Graph &rhs, const VerifyOptions &options)
      : lhs(lhs), rhs(rhs), options(options), comparison(lhs) {}

  llvm::Expected<Verdict> run();

private:
  bool areBatchesSmall() const;
  bool writeOutTerms();
  bool collectDifferences();

  bool haveDifferentRoots() const;
  void runSmall();
  bool addBatch(unsigned number);
  FieldTower drawTower(const Seed &seed) const;
  void addBounds(const TrialBatch &batch);
  bool isEnough(unsigned numTowers);

  void runLarge();
  void addLargeTrial(unsigned number, bool multiplicativeRoots);

  llvm::Expected<Verdict> conclude();
  llvm::Expected<Verdict> concludeDisagreement();
  llvm::Expected<Verdict> concludeSilence(const llvm::Twine &reason);
  void concludeBound();
  Verdict unknown(const llvm::Twine &reason) const;
  std::string describe(size_t element) const;

  const Graph &lhs, &rhs;
  const VerifyOptions &options;
  Comparison comparison;
  Verdict verdict;
  unsigned height = 1;
  size_t numInputs = 0; ///< elements of all inputs together

  // Where elements are written out as terms.
  TermTable table;
  std::vector<TermId> lhsTerms, rhsTerms; ///< by output element
  ExponentSets exponents{table};
  std::vector<ElementDifference> differences;
  size_t batchWork = 0;           ///< for the bounds of one batch
  std::vector<BatchBound> bounds; ///< by output element, over all batches
  llvm::StringRef whatEndedTrials;
  std::optional<LiveTerms> live;
  std::vector<RootGroups> groups;
};
} // namespace

llvm::Expected<Verdict> Judge::run() {
  height = 1 + std::max(computeExpNesting(lhs), computeExpNesting(rhs));
  if (height > FieldTower::kMaxHeight)
    return unknown("expects at most " +
                   llvm::Twine(FieldTower::kMaxHeight - 1) +
                   " nested exponentials, got " + llvm::Twine(height - 1));
  if (!options.primes.empty() && options.primes.size() < height)
    return unknown("expects a tower of height " + llvm::Twine(height) +
                   ", got " + llvm::Twine(options.primes.size()));
  numInputs = countInputElements(lhs);
  if (areBatchesSmall() && writeOutTerms() && collectDifferences())
    runSmall();
  else
    runLarge();
  return conclude();
}

//===----------------------------------------------------------------------===//
// Small graphs: every element a term, a bound for every output element
//===----------------------------------------------------------------------===//

/// Few terms may still pass through large values, which movements make.
bool Judge::areBatchesSmall() const {
  double limit = getMaxTrialBytes(options);
  return llvm::all_of(llvm::ArrayRef({&lhs, &rhs}), [&](const Graph *graph) {
    return estimateEvaluationBytes(*graph, height, kernels::kLanes) <= limit;
  });
}

bool Judge::writeOutTerms() {
  std::optional<std::vector<TermId>> left, right;
  left = writeOut(lhs, table, options.maxTerms);
  if (left)
    right = writeOut(rhs, table, options.maxTerms);
  if (!right)
    return false;
  lhsTerms = std::move(*left);
  rhsTerms = std::move(*right);
  return true;
}

/// \returns false if their bounds would be too much work.
bool Judge::collectDifferences() {
  batchWork = table.size();
  for (auto [left, right] : llvm::zip(lhsTerms, rhsTerms)) {
    differences.emplace_back(table, left, right, exponents);
    batchWork += differences.back().getWork();
    if (batchWork > options.maxBatchWork)
      return false;
  }
  return true;
}

/// Whether one graph takes a root that the other does not.
bool Judge::haveDifferentRoots() const {
  LiveTerms lhsLive(table, lhsTerms), rhsLive(table, rhsTerms);
  for (TermId term = 0; term < table.size(); ++term)
    if (table[term].kind == TermKind::Sqrt &&
        lhsLive.isLiveAnywhere(term) != rhsLive.isLiveAnywhere(term))
      return true;
  return false;
}

void Judge::runSmall() {
  std::vector<TermId> outputs = lhsTerms;
  llvm::append_range(outputs, rhsTerms);
  live.emplace(table, outputs);
  for (unsigned component = 0; component < live->getHeight(); ++component)
    groups.emplace_back(table, *live, component, numInputs);
  bounds.resize(differences.size());

  verdict.whereBothDefined = haveDifferentRoots();
  for (unsigned number = 0; number < options.maxTowers; ++number) {
    if (!addBatch(number) || isEnough(verdict.bound.towers))
      return;
  }
}

FieldTower Judge::drawTower(const Seed &seed) const {
  if (!options.primes.empty())
    return FieldTower(options.primes);
  RandomStream random(seed);
  return FieldTower::draw(height, random);
}

/// \returns false if there is nothing more to learn.
bool Judge::addBatch(unsigned number) {
  Seed seed = deriveSeed(options.seed, "batch", number);
  // Roots of constants exist modulo one prime in two; no input changes that.
  constexpr unsigned kMaxTowers = 64;
  std::optional<TrialBatch> batch;
  for (unsigned attempt = 0; attempt < kMaxTowers; ++attempt) {
    Seed own = deriveSeed(seed, "tower", attempt);
    batch.emplace(table, *live, groups, drawTower(own), numInputs, own);
    if (batch->hasFixedRoots())
      break;
  }
  std::vector<std::vector<uint32_t>> inputs;
  for (unsigned component = 0; component < height; ++component)
    inputs.push_back(batch->getInputs(component).vec());
  comparison.add(evaluateInFields(lhs, batch->getFields(), inputs, height),
                 evaluateInFields(rhs, batch->getFields(), inputs, height),
                 kernels::kLanes);
  ++verdict.bound.towers;
  if (comparison.getDisagreement() || comparison.getOneSided())
    return false;
  addBounds(*batch);
  return true;
}

void Judge::addBounds(const TrialBatch &batch) {
  double numTowers = 0;
  if (options.primes.empty()) {
    // How many have the roots of constants is not known.
    bool anyTower = llvm::all_of(groups, [](const RootGroups &group) {
      return group.getFixedRoots().empty();
    });
    numTowers = anyTower ? FieldTower::countTowers(height) : 1;
  }
  std::vector<BatchWeights> weights = exponents.weigh(batch);
  for (auto [element, difference] : llvm::enumerate(differences)) {
    BatchBound more =
        difference.bound(batch, weights, groups[0],
                         comparison.getCountedLast(element), numTowers);
    bounds[element].provedLog2 += more.provedLog2;
    bounds[element].conjecturedLog2 += more.conjecturedLog2;
    bounds[element].cause = more.cause;
  }
}

bool Judge::isEnough(unsigned numTowers) {
  if (numTowers < options.minTowers)
    return false;
  auto isProved = [&](const BatchBound &bound) {
    return bound.provedLog2 <= -double(options.errorBoundBits);
  };
  if (llvm::all_of(bounds, isProved))
    return true;
  // No theorem speaks about some element: the conjecture has to do.
  bool isHopeless = llvm::any_of(bounds, [&](const BatchBound &bound) {
    return bound.provedLog2 == 0 && numTowers >= 4 * options.minTowers;
  });
  if (isHopeless)
    whatEndedTrials = "more trials would prove nothing";
  else if (numTowers * batchWork > options.maxWork)
    whatEndedTrials = "more trials would take too long";
  else if (numTowers == options.maxTowers)
    whatEndedTrials = "no more trials were allowed";
  return !whatEndedTrials.empty();
}

//===----------------------------------------------------------------------===//
// Large graphs: trials at their own size
//===----------------------------------------------------------------------===//

void Judge::addLargeTrial(unsigned number, bool multiplicativeRoots) {
  Seed seed = deriveSeed(options.seed, "large", number);
  FieldBatch batch(drawTower(deriveSeed(seed, "tower", 0)), /*words=*/1,
                   deriveSeed(seed, "fields", 0));
  std::vector<std::vector<uint32_t>> inputs(height);
  for (unsigned component = 0; component < height; ++component) {
    RandomStream random(deriveSeed(seed, "inputs", component));
    inputs[component].resize(numInputs);
    random.fillUniform(inputs[component], batch.tower[component].getPrime());
  }
  comparison.add(
      evaluateInFields(lhs, batch, inputs, height, multiplicativeRoots),
      evaluateInFields(rhs, batch, inputs, height, multiplicativeRoots), 1);
  ++verdict.bound.towers;
}

void Judge::runLarge() {
  verdict.isLarge = true;
  // Roots as multiplicative functions first. These are true roots wherever
  // roots exist, so that agreement everywhere says no less than agreement of
  // the elements whose roots exist, and no draw is lost.
  Comparison empty = comparison;
  addLargeTrial(0, /*multiplicativeRoots=*/true);
  if (!comparison.getDisagreement() && !comparison.getOneSided())
    return;
  // A disagreement counts only where roots do exist.
  comparison = std::move(empty);
  for (unsigned trial = 1; trial <= options.maxLargeTrials; ++trial) {
    addLargeTrial(trial, /*multiplicativeRoots=*/false);
    if (comparison.getDisagreement() || comparison.getOneSided() ||
        comparison.getCounted(comparison.getLeastCounted()) > 0)
      return;
  }
}

//===----------------------------------------------------------------------===//
// The verdict
//===----------------------------------------------------------------------===//

std::string Judge::describe(size_t element) const {
  auto [output, index] = comparison.getPlace(element);
  return ("element " + llvm::Twine(index) + " of output " + llvm::Twine(output))
      .str();
}

Verdict Judge::unknown(const llvm::Twine &reason) const {
  Verdict result = verdict;
  result.kind = Verdict::Unknown;
  result.reason = reason.str();
  result.bound = {};
  return result;
}

llvm::Expected<Verdict> Judge::concludeDisagreement() {
  size_t element = *comparison.getDisagreement();
  auto [output, index] = comparison.getPlace(element);
  verdict.disagreement = Verdict::Place{output, index};
  std::string place = describe(element);
  if (!options.findWitness)
    return unknown(place + " differs over a field, and no float64 input was "
                           "tried");
  llvm::Expected<std::optional<Witness>> witness =
      options.findWitness(lhs, rhs);
  if (!witness)
    return witness.takeError();
  if (!*witness)
    return unknown(place + " differs over a field, but on no float64 input "
                           "that was tried: equality would need a law that "
                           "fields do not have");
  verdict.kind = Verdict::Different;
  verdict.reason = place + " differs";
  verdict.bound = {};
  verdict.witness = *witness;
  return verdict;
}

/// The trials say nothing: no field element stands for a number that a float
/// may well be. A float64 input may still tell the graphs apart.
llvm::Expected<Verdict> Judge::concludeSilence(const llvm::Twine &reason) {
  std::string text = reason.str();
  if (!options.findWitness)
    return unknown(text);
  llvm::Expected<std::optional<Witness>> witness =
      options.findWitness(lhs, rhs);
  if (!witness)
    return witness.takeError();
  verdict = unknown(text);
  if (*witness) {
    verdict.kind = Verdict::Different;
    verdict.witness = *witness;
  }
  return verdict;
}

/// The bound is that of the worst element.
void Judge::concludeBound() {
  auto isWorse = [](auto member) {
    return [member](const BatchBound &a, const BatchBound &b) {
      return a.*member < b.*member;
    };
  };
  auto worst = llvm::max_element(bounds, isWorse(&BatchBound::provedLog2));
  verdict.bound.provedLog2 = worst->provedLog2;
  verdict.bound.conjecturedLog2 =
      llvm::max_element(bounds, isWorse(&BatchBound::conjecturedLog2))
          ->conjecturedLog2;
  if (verdict.meetsBound())
    return;
  size_t element = worst - bounds.begin();
  verdict.whyWeaker =
      describe(element) + ": " + differences[element].describe(worst->cause);
  if (!whatEndedTrials.empty())
    verdict.whyWeaker += "; " + whatEndedTrials.str();
}

llvm::Expected<Verdict> Judge::conclude() {
  if (comparison.getDisagreement())
    return concludeDisagreement();
  if (comparison.getOneSided())
    return concludeSilence(
        "zero denominator: " + describe(*comparison.getOneSided()) +
        " is undefined in one graph alone");
  size_t least = comparison.getLeastCounted();
  verdict.bound.trials = comparison.getCounted(least);
  if (verdict.bound.trials == 0)
    return concludeSilence(
        "no trial counted for " + describe(least) +
        ": a denominator is always zero, or roots do not exist at "
        "once");
  verdict.askedBits = options.errorBoundBits;
  if (!verdict.isLarge)
    concludeBound();
  verdict.sizes = verdict.isLarge ? "" : printInputs(lhs);
  verdict.kind = Verdict::Equal;
  return verdict;
}

/// The verdict on the same graphs with small sizes; an error says why there is
/// none.
static llvm::Expected<Verdict> judgeSmallerSizes(const Graph &lhs,
                                                 const Graph &rhs,
                                                 const VerifyOptions &options) {
  llvm::Expected<SmallerGraphs> pair = withSmallerSizes(lhs, rhs);
  if (!pair)
    return pair.takeError();
  if (estimateTrialBytes(pair->lhs, pair->rhs) > getMaxTrialBytes(options))
    return llvm::createStringError("these are too large, too");
  VerifyOptions smallOptions = options;
  smallOptions.findWitness = {};
  llvm::Expected<Verdict> verdict =
      Judge(pair->lhs, pair->rhs, smallOptions).run();
  if (verdict && verdict->isLarge)
    return llvm::createStringError("these are too large, too");
  if (verdict)
    verdict->literals = std::move(pair->literals);
  return verdict;
}

/// Trials at the graphs' own sizes agree, but smaller sizes do not: these were
/// too few, or large, to see it.
static llvm::Error concludeSmallDisagreement(const Graph &lhs, const Graph &rhs,
                                             const VerifyOptions &options,
                                             const Verdict &small,
                                             Verdict &verdict) {
  verdict.kind = Verdict::Unknown;
  verdict.reason = llvm::formatv(
      "trials at its own sizes agree, but at smaller ones element "
      "{0} of output {1} differs over a field",
      small.disagreement->element, small.disagreement->output);
  verdict.bound = {};
  verdict.whyWeaker.clear();
  if (!options.findWitness)
    return llvm::Error::success();
  llvm::Expected<std::optional<Witness>> witness =
      options.findWitness(lhs, rhs);
  if (!witness)
    return witness.takeError();
  verdict.witness = *witness;
  if (*witness)
    verdict.kind = Verdict::Different;
  return llvm::Error::success();
}

/// Adds to a verdict that proves too little what smaller sizes prove.
static llvm::Error addSmallerSizes(const Graph &lhs, const Graph &rhs,
                                   const VerifyOptions &options,
                                   Verdict &verdict) {
  llvm::Expected<Verdict> small = judgeSmallerSizes(lhs, rhs, options);
  std::string problem;
  if (!small)
    problem = llvm::toString(small.takeError());
  else if (small->disagreement)
    return concludeSmallDisagreement(lhs, rhs, options, *small, verdict);
  else if (small->kind != Verdict::Equal)
    problem = small->reason;
  if (!problem.empty()) {
    if (verdict.isLarge)
      verdict.whyWeaker = "too large to be written out at these sizes, and "
                          "smaller sizes do not help: " +
                          problem;
    return llvm::Error::success();
  }
  if (!verdict.isLarge && small->bound.provedLog2 >= verdict.bound.provedLog2)
    return llvm::Error::success();
  verdict.bound = small->bound;
  verdict.whyWeaker = small->whyWeaker;
  verdict.sizes = small->sizes;
  verdict.literals = std::move(small->literals);
  verdict.whereBothDefined = small->whereBothDefined;
  return llvm::Error::success();
}

double mlir::mirage::estimateTrialBytes(const Graph &lhs, const Graph &rhs) {
  double field = 0, float64 = 0;
  unsigned height =
      1 + std::max(computeExpNesting(lhs), computeExpNesting(rhs));
  for (const Graph *graph : {&lhs, &rhs}) {
    field = std::max(field, estimateEvaluationBytes(*graph, height, 1));
    float64 = std::max(float64, estimateFloat64Bytes(*graph));
  }
  return std::max(field, float64);
}

double mlir::mirage::getMaxTrialBytes(const VerifyOptions &options) {
  return std::min(options.maxBytes, getMachineMemoryBytes() / 2);
}

/// Nothing is allocated at the graphs' own sizes. That they agree at smaller
/// ones is worth saying, but what goes wrong at the edge of a tile need not.
static Verdict refuseSizes(const Graph &lhs, const Graph &rhs,
                           const VerifyOptions &options) {
  constexpr double kGiB = 1u << 30;
  Verdict verdict;
  verdict.reason = llvm::formatv(
      "expects graphs whose trials fit {0:f1} GiB of memory, got "
      "graphs whose trials may take {1:f1} GiB; ",
      getMaxTrialBytes(options) / kGiB, estimateTrialBytes(lhs, rhs) / kGiB);
  llvm::Expected<Verdict> small = judgeSmallerSizes(lhs, rhs, options);
  verdict.reason +=
      "at smaller sizes: " +
      (small ? toString(*small) : llvm::toString(small.takeError()));
  return verdict;
}

llvm::Expected<Verdict>
mlir::mirage::verifyEqual(const Graph &lhs, const Graph &rhs,
                          const VerifyOptions &options) {
  if (llvm::Error error = checkInterfaces(lhs, rhs))
    return std::move(error);
  if (estimateTrialBytes(lhs, rhs) > getMaxTrialBytes(options))
    return refuseSizes(lhs, rhs, options);
  llvm::Expected<Verdict> verdict = Judge(lhs, rhs, options).run();
  if (!verdict || verdict->kind != Verdict::Equal ||
      (!verdict->isLarge && verdict->meetsBound()))
    return verdict;
  if (llvm::Error error = addSmallerSizes(lhs, rhs, options, *verdict))
    return std::move(error);
  return verdict;
}
