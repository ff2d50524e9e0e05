//===- FieldJudge.cpp - Two graphs over fields, at their own sizes --------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FieldJudge.h"
#include "ExpNesting.h"
#include "RealTerms.h"
#include "SignDegree.h"
#include "TrialMemory.h"
#include "UsedFunctions.h"
#include "WitnessSearch.h"
#include "WrittenGraph.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <map>
#include <set>
#include <thread>

using namespace mlir::mirage;

static constexpr llvm::StringLiteral kCancelled =
    "cancelled before all trials were made";

llvm::Expected<Verdict> FieldJudge::run() {
  height = 1 + std::max(computeExpNesting(lhs), computeExpNesting(rhs));
  if (height > FieldTower::kMaxHeight)
    return unknown("expects at most " +
                   llvm::Twine(FieldTower::kMaxHeight - 1) +
                   " nested exponentials, got " + llvm::Twine(height - 1));
  if (!options.primes.empty() && options.primes.size() < height)
    return unknown("expects a tower of height " + llvm::Twine(height) +
                   ", got " + llvm::Twine(options.primes.size()));
  numInputs = countInputElements(lhs);
  bool isSmall = areBatchesSmall() && writeOutTerms();
  if (isSmall) {
    prepareDraws();
    isSmall = collectDifferences();
  }
  if (verdict.isCancelled)
    return unknown(kCancelled);
  if (!isSmall && !options.triesOwnSizes) {
    verdict.isLarge = true;
    return unknown("is too large to be written out");
  }
  if (isSmall || !isTooLargeAsAWhole())
    comparison = Comparison(lhs);
  else if (!takeSample())
    return refuse();
  if (llvm::Error error = isSmall ? runSmall() : runLarge())
    return std::move(error);
  return conclude();
}

//===----------------------------------------------------------------------===//
// Small graphs: every element a term, a bound for every output element
//===----------------------------------------------------------------------===//

/// Few terms may still pass through large values, which movements make. Which
/// graphs are small is part of what a certificate says, and the machine is not.
bool FieldJudge::areBatchesSmall() const {
  double limit = std::min(options.maxBytes, kMaxSmallBytes);
  return llvm::all_of(llvm::ArrayRef({&lhs, &rhs}), [&](const Graph *graph) {
    return estimateEvaluationBytes(*graph, height, kernels::kLanes) <= limit;
  });
}

bool FieldJudge::writeOutTerms() {
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

/// What is drawn anew until it exists.
void FieldJudge::prepareDraws() {
  std::vector<TermId> outputs = lhsTerms;
  llvm::append_range(outputs, rhsTerms);
  live.emplace(table, outputs);
  for (unsigned component = 0; component < live->getHeight(); ++component) {
    const RootGroups &group =
        groups.emplace_back(table, *live, component, numInputs);
    if (component > 0 && (!haveOneFormula(table, group.getRoots()) ||
                          !haveOneFormula(table, group.getFixedRoots())))
      exponents.setPicksBiased();
  }
}

/// \returns false if their bounds would be too much work, or if that was
/// cancelled. Elements that are one pair of terms count as if they were not:
/// which graphs are small, and how often these are tried, is part of what a
/// certificate says.
bool FieldJudge::collectDifferences() {
  batchWork = table.size();
  constexpr size_t kWorkPerQuestion = size_t(1) << 16;
  size_t workDone = 0;
  RealTerms real(table, options.maxTerms);
  std::map<std::pair<TermId, TermId>, size_t> numbers;
  for (auto [left, right] : llvm::zip(lhsTerms, rhsTerms)) {
    auto [entry, isNew] =
        numbers.try_emplace({left, right}, differences.size());
    if (isNew) {
      differences.emplace_back(table, left,
                               real.areEqual(left, right) ? left : right,
                               groups[0], exponents);
      workDone += differences.back().getWork();
    }
    if (workDone >= kWorkPerQuestion) {
      workDone = 0;
      if (isCancelled())
        return false;
    }
    differenceOf.push_back(entry->second);
    batchWork += differences[entry->second].getWork();
    if (batchWork > options.maxBatchWork)
      return false;
  }
  return true;
}

/// The roots, logarithms and powers below a term, in exponents as well: numbers
/// have none of many others, unlike quotients.
static std::set<TermId> findDomains(const TermTable &table, TermId root) {
  std::set<TermId> seen, domains;
  std::vector<TermId> stack = {root};
  while (!stack.empty()) {
    TermId term = stack.back();
    stack.pop_back();
    if (!table[term].isPartial || !seen.insert(term).second)
      continue;
    TermKind kind = table[term].kind;
    if (kind == TermKind::Sqrt || kind == TermKind::Log ||
        kind == TermKind::Pow)
      domains.insert(term);
    llvm::append_range(stack, table.getOperands(term));
  }
  return domains;
}

/// Whether for some output element one graph takes something of these that the
/// other does not.
bool FieldJudge::haveDifferentDomains() const {
  std::set<std::pair<TermId, TermId>> pairs;
  for (auto [left, right] : llvm::zip_equal(lhsTerms, rhsTerms))
    if (left != right && pairs.insert({left, right}).second &&
        findDomains(table, left) != findDomains(table, right))
      return true;
  return false;
}

llvm::Error FieldJudge::runSmall() {
  bounds.resize(differenceOf.size());
  verdict.whereBothDefined = haveDifferentDomains();
  for (unsigned number = 0; number < options.maxTowers; ++number) {
    if (isCancelled() || !addBatch(number) || isEnough(verdict.bound.towers))
      break;
    if (getLeastCount() == 0 && !search)
      if (llvm::Error error = lookForWitness())
        return error;
    if (search && search->found)
      break;
  }
  return llvm::Error::success();
}

bool FieldJudge::isCancelled() {
  verdict.isCancelled |= options.isCancelled && options.isCancelled();
  return verdict.isCancelled;
}

FieldTower FieldJudge::drawTower(const Seed &seed) const {
  if (!options.primes.empty())
    return FieldTower(llvm::ArrayRef(options.primes).take_front(height));
  RandomStream random(seed);
  return FieldTower::draw(height, random);
}

/// Both graphs on the same draws: by two threads, where that is worth their
/// while and both fit the memory together.
void FieldJudge::compare(unsigned words,
                         llvm::function_ref<Outputs(bool isLhs)> evaluate) {
  constexpr double kLeastWork = 1 << 22;
  double work = words * (sample ? sample->work
                                : std::min(countWork(lhs), countWork(rhs)));
  double bytes = sample
                     ? estimateSampleBytes(lhs, sample->lhs, height, words) +
                           estimateSampleBytes(rhs, sample->rhs, height, words)
                     : estimateEvaluationBytes(lhs, height, words) +
                           estimateEvaluationBytes(rhs, height, words);
  bool isParallel = work >= kLeastWork && bytes <= getMaxTrialBytes(options);
  Outputs left, right;
  if (isParallel) {
    // A thread of its own: the threads of a pool are not there in a process
    // that was forked.
    std::thread other([&] { left = evaluate(/*isLhs=*/true); });
    right = evaluate(/*isLhs=*/false);
    other.join();
  } else {
    left = evaluate(/*isLhs=*/true);
    right = evaluate(/*isLhs=*/false);
  }
  comparison.add(left, right, words);
}

/// Batches whose trials convince, where theorems say little.
static constexpr unsigned kEnoughTowers = 64;

/// \returns false if there is nothing more to learn.
bool FieldJudge::addBatch(unsigned number) {
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
  compare(kernels::kLanes, [&](bool isLhs) {
    return evaluateInFields(isLhs ? lhs : rhs, batch->getFields(), inputs,
                            height);
  });
  ++verdict.bound.towers;
  if (comparison.getDisagreement() || comparison.getOneSided())
    return false;
  addBounds(*batch);
  return true;
}

void FieldJudge::addBounds(const TrialBatch &batch) {
  double numTowers = 0;
  if (options.primes.empty()) {
    // How many have the roots of constants is not known.
    bool anyTower = llvm::all_of(groups, [](const RootGroups &group) {
      return group.getFixedRoots().empty();
    });
    numTowers = anyTower ? FieldTower::countTowers(height) : 1;
  }
  std::vector<BatchWeights> weights = exponents.weigh(batch);
  // Elements that are one pair of terms mostly count in the same trials.
  std::map<std::pair<size_t, unsigned>, BatchBound> known;
  for (auto [element, number] : llvm::enumerate(differenceOf)) {
    unsigned counted = comparison.getCountedLast(element);
    auto [entry, isNew] = known.try_emplace({number, counted});
    if (isNew)
      entry->second =
          differences[number].bound(batch, weights, counted, numTowers);
    bounds[element].add(entry->second);
  }
}

bool FieldJudge::isEnough(unsigned numTowers) {
  if (numTowers < options.minTowers)
    return false;
  auto isProved = [&](const ElementBound &bound) {
    return bound.getProvedLog2() <= -double(options.errorBoundBits);
  };
  if (llvm::all_of(bounds, isProved))
    return true;
  // No theorem speaks about some element: the conjecture has to do. Or one that
  // promises so little of a batch that as many as are allowed are not enough.
  double worst = -HUGE_VAL;
  for (const ElementBound &bound : bounds)
    worst = std::max(worst, bound.getProvedLog2());
  bool isOutOfReach =
      worst / numTowers * options.maxTowers > -double(options.errorBoundBits);
  if (worst == 0 && numTowers >= 4 * options.minTowers)
    whatEndedTrials = "more trials would prove nothing";
  else if (isOutOfReach && numTowers >= kEnoughTowers)
    whatEndedTrials = "as many as are allowed would not prove what was asked";
  else if (numTowers * batchWork > options.maxWork)
    whatEndedTrials = "more trials would take too long";
  else if (numTowers == options.maxTowers)
    whatEndedTrials = "no more trials were allowed";
  return !whatEndedTrials.empty();
}

//===----------------------------------------------------------------------===//
// Large graphs: trials at their own size
//===----------------------------------------------------------------------===//

bool FieldJudge::isTooLargeAsAWhole() const {
  return estimateTrialBytes(lhs, rhs) > getMaxTrialBytes(options) ||
         std::max(countWork(lhs), countWork(rhs)) > options.maxWholeWork;
}

/// \returns false if even one element takes too much.
bool FieldJudge::takeSample() {
  sample = drawSample(
      lhs, rhs, height, deriveSeed(options.seed, "sample", 0),
      {options.sampleWork, options.maxSampleWork, getMaxTrialBytes(options)});
  if (!sample || sample->work > options.maxSampleWork)
    return false;
  comparison = Comparison(lhs, sample->outputs);
  for (auto [output, region] :
       llvm::zip_equal(lhs.getOutputs(), sample->outputs))
    verdict.ownSizes.samples.push_back(
        {getShape(region), lhs.getType(output).shape});
  return true;
}

/// Nothing is allocated at the graphs' own sizes.
Verdict FieldJudge::refuse() const {
  constexpr double kGiB = 1u << 30;
  std::string reason =
      sample ? llvm::formatv("expects graphs of which some elements take at "
                             "most {0:e1} multiply-adds, got {1:e1}",
                             options.maxSampleWork, sample->work)
                   .str()
             : llvm::formatv(
                   "expects graphs whose trials fit {0:f1} GiB of memory, if "
                   "only of some elements, got graphs whose trials may take "
                   "{1:f1} GiB",
                   getMaxTrialBytes(options) / kGiB,
                   estimateTrialBytes(lhs, rhs) / kGiB)
                   .str();
  Verdict refused = unknown(reason);
  refused.isTooLarge = true;
  refused.ownSizes = {};
  return refused;
}

void FieldJudge::addLargeTrial(bool multiplicativeRoots) {
  Seed seed = deriveSeed(options.seed, "large", numLargeTrials++);
  FieldBatch batch(drawTower(deriveSeed(seed, "tower", 0)), /*words=*/1,
                   deriveSeed(seed, "fields", 0));
  std::vector<DrawnInputs> inputs;
  for (unsigned component = 0; component < height; ++component)
    inputs.emplace_back(deriveSeed(seed, "inputs", component),
                        batch.tower[component].getPrime());
  compare(/*words=*/1, [&](bool isLhs) {
    const auto *part = !sample ? nullptr : isLhs ? &sample->lhs : &sample->rhs;
    return evaluateInFields(isLhs ? lhs : rhs, batch, inputs,
                            multiplicativeRoots, part);
  });
  ++verdict.bound.towers;
}

llvm::Error FieldJudge::runLarge() {
  verdict.isLarge = true;
  for (ScalarFunction function :
       {ScalarFunction::Sqrt, ScalarFunction::Log, ScalarFunction::Pow})
    verdict.whereBothDefined |=
        usesFunction(lhs, function) != usesFunction(rhs, function);
  // Roots as multiplicative functions first. These are true roots wherever
  // roots exist, so that agreement everywhere says no less than agreement of
  // the elements whose roots exist, and no draw is lost.
  Comparison empty = comparison;
  // A denominator may be zero in some trial for some of many elements.
  wantedCount = (options.minLargeTrials + 1) / 2;
  while (agrees() && numLargeTrials < options.minLargeTrials && !isCancelled())
    addLargeTrial(/*multiplicativeRoots=*/true);
  if (agrees() || verdict.isCancelled)
    return llvm::Error::success();
  if (llvm::Error error = lookForWitness())
    return error;
  if (search->found || !(takesRoots(lhs) || takesRoots(rhs)))
    return llvm::Error::success();
  // A disagreement counts only where roots do exist. Some of them may lose a
  // sign there, which trial by trial may come out one way or the other.
  comparison = std::move(empty);
  wantedCount = kSignTrials;
  for (unsigned trial = 0; trial < options.maxLargeTrials; ++trial) {
    if (isCancelled())
      break;
    addLargeTrial(/*multiplicativeRoots=*/false);
    if (!agrees() || getLeastCount() >= wantedCount)
      break;
  }
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// The verdict
//===----------------------------------------------------------------------===//

std::string FieldJudge::describe(size_t element) const {
  auto [output, index] = comparison.getPlace(element);
  return ("element " + llvm::Twine(index) + " of output " + llvm::Twine(output))
      .str();
}

Verdict FieldJudge::unknown(const llvm::Twine &reason) const {
  Verdict result = verdict;
  result.kind = Verdict::Unknown;
  result.reason = reason.str();
  result.bound = {};
  return result;
}

/// As a whole, the graphs take too much in float64, too.
llvm::Expected<WitnessSearch> FieldJudge::searchWhereSampleDiffers() const {
  std::optional<size_t> element = comparison.getDisagreement();
  if (!element)
    element = comparison.getOneSided();
  if (!element)
    return searchWitnessInSample(lhs, rhs, options);
  auto [output, index] = comparison.getPlace(*element);
  return searchWitnessAt(lhs, rhs, output, index, options);
}

llvm::Error FieldJudge::lookForWitness() {
  if (search)
    return llvm::Error::success();
  llvm::Expected<WitnessSearch> result =
      sample ? searchWhereSampleDiffers() : searchWitness(lhs, rhs, options);
  if (!result)
    return result.takeError();
  search = std::move(*result);
  return llvm::Error::success();
}

llvm::Expected<Verdict> FieldJudge::concludeDisagreement() {
  size_t element = *comparison.getDisagreement();
  auto [output, index] = comparison.getPlace(element);
  verdict.disagreement = Verdict::Place{output, index};
  std::string place = describe(element);
  if (llvm::Error error = lookForWitness())
    return std::move(error);
  if (!search->whyNot.empty())
    return unknown(place + " differs over a field, and " + search->whyNot);
  if (!search->found)
    return unknown(place + " differs over a field, but on no float64 input "
                           "that was tried: it takes others, or equality needs "
                           "a law that fields do not have");
  verdict.kind = Verdict::Different;
  verdict.reason = place + " differs";
  verdict.bound = {};
  verdict.witness = search->found;
  return verdict;
}

/// The trials say nothing: no field element stands for a number that a float
/// may well be. A float64 input may still tell the graphs apart.
llvm::Expected<Verdict> FieldJudge::concludeSilence(const llvm::Twine &reason) {
  verdict = unknown(reason);
  if (llvm::Error error = lookForWitness())
    return std::move(error);
  if (search->found) {
    verdict.kind = Verdict::Different;
    verdict.witness = search->found;
    verdict.lacksTrials = false;
  }
  return verdict;
}

/// The bound is that of the worst element.
void FieldJudge::concludeBound() {
  auto worst = llvm::max_element(bounds, [](auto &a, auto &b) {
    return a.getProvedLog2() < b.getProvedLog2();
  });
  verdict.bound.provedLog2 = worst->getProvedLog2();
  verdict.bound.conjecturedLog2 = -HUGE_VAL;
  for (const ElementBound &bound : bounds)
    verdict.bound.conjecturedLog2 =
        std::max(verdict.bound.conjecturedLog2, bound.getConjecturedLog2());
  if (verdict.meetsBound())
    return;
  verdict.mayHideSigns = mayHideSigns();
  size_t element = worst - bounds.begin();
  verdict.whyWeaker =
      describe(element) + ": " +
      differences[differenceOf[element]].describe(worst->getCause());
  if (!whatEndedTrials.empty())
    verdict.whyWeaker += "; " + whatEndedTrials.str();
}

/// Whether some element of which too little is proved may differ in a pattern
/// of signs that no trial had which counted for it.
bool FieldJudge::mayHideSigns() {
  size_t degree = std::max(computeSignDegree(lhs), computeSignDegree(rhs));
  for (auto [element, number] : llvm::enumerate(differenceOf)) {
    size_t own = std::min(differences[number].getNumSigns(), degree);
    if (!isProvedEnough(bounds[element].getProvedLog2(), options) &&
        mayMissPattern(own, comparison.getCounted(element)))
      return true;
  }
  return false;
}

llvm::Expected<Verdict> FieldJudge::conclude() {
  if (comparison.getDisagreement())
    return concludeDisagreement();
  if (search && search->found)
    return concludeSilence("");
  if (verdict.isCancelled)
    return unknown(kCancelled);
  if (std::optional<size_t> element = comparison.getOneSided()) {
    auto [output, index] = comparison.getPlace(*element);
    verdict.oneSided = Verdict::Place{output, index};
    return concludeSilence(
        describe(*element) +
        " is undefined in one graph alone, by a zero denominator or an "
        "infinity");
  }
  size_t least = comparison.getLeastCounted();
  verdict.bound.trials = comparison.getCounted(least);
  verdict.ownSizes.trials = verdict.bound.trials;
  verdict.lacksTrials = verdict.bound.trials == 0 ||
                        (verdict.isLarge && verdict.bound.trials < wantedCount);
  if (verdict.bound.trials == 0)
    return concludeSilence(
        "no trial counted for " + describe(least) +
        ": a denominator is always zero, roots do not exist at once, or it is "
        "computed from an infinity");
  if (verdict.lacksTrials)
    return concludeSilence("roots exist in " +
                           llvm::Twine(verdict.bound.trials) + " of " +
                           llvm::Twine(numLargeTrials) + " trials for " +
                           describe(least) + ", which says too little");
  verdict.askedBits = options.errorBoundBits;
  if (verdict.isLarge)
    verdict.mayHideSigns =
        mayMissPattern(std::max(computeSignDegree(lhs), computeSignDegree(rhs)),
                       verdict.bound.trials);
  else
    concludeBound();
  verdict.sizes = verdict.isLarge ? "" : printInputSizes(lhs);
  verdict.kind = Verdict::Equal;
  return verdict;
}
