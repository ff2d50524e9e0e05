//===- DegreeBound.cpp - What one batch of trials proves ------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DegreeBound.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>
#include <cmath>
#include <set>

using namespace mlir::mirage;
using kernels::kLanes;

//===----------------------------------------------------------------------===//
// What feeds the difference
//===----------------------------------------------------------------------===//

ElementDifference::ElementDifference(const TermTable &table, TermId lhs,
                                     TermId rhs, ExponentSets &exponents)
    : table(table), lhs(lhs), rhs(rhs), exponents(&exponents) {
  std::vector<TermId> arguments;
  collect({lhs, rhs}, arguments);
  auto sortUnique = [](std::vector<TermId> &list) {
    llvm::sort(list);
    list.erase(std::unique(list.begin(), list.end()), list.end());
  };
  for (auto *list : {&terms, &roots, &signs, &arguments, &picks})
    sortUnique(*list);
  exponentSet = exponents.add(std::move(arguments));
}

void ElementDifference::collect(std::vector<TermId> stack,
                                std::vector<TermId> &arguments) {
  llvm::DenseSet<TermId> seen;
  while (!stack.empty()) {
    TermId term = stack.back();
    stack.pop_back();
    if (!seen.insert(term).second)
      continue;
    terms.push_back(term);
    switch (table[term].kind) {
    case TermKind::Exp:
      arguments.push_back(table.getOperands(term)[0]);
      continue;
    case TermKind::Input:
      inputs.push_back(table[term].index);
      break;
    case TermKind::Ln2:
      hasLn2 = true;
      break;
    case TermKind::Sqrt:
      roots.push_back(term);
      break;
    case TermKind::Max:
    case TermKind::Min:
      picks.push_back(term);
      break;
    case TermKind::Abs:
      signs.push_back(term);
      break;
    case TermKind::Log:
    case TermKind::Erf:
    case TermKind::Pow:
      ++numRandomFunctions;
      break;
    default:
      break;
    }
    llvm::append_range(stack, table.getOperands(term));
  }
}

/// What given maxima and minima compare.
std::set<TermId>
ElementDifference::getCompared(llvm::ArrayRef<TermId> list) const {
  std::set<TermId> compared;
  for (TermId pick : list)
    for (TermId operand : table.getOperands(pick))
      compared.insert(operand);
  return compared;
}

/// The chance that given maxima and minima pick what a telling pattern wants:
/// 1/m! for m compared values; for n comparisons with zero, which all meet the
/// one rank of zero, 1/((n+1)·C(n, n/2)).
double ElementDifference::getPatternLog2(llvm::ArrayRef<TermId> list) const {
  if (list.empty())
    return 0;
  bool onlyRelu = true;
  for (TermId pick : list) {
    llvm::ArrayRef<TermId> operands = table.getOperands(pick);
    bool hasZero = llvm::any_of(operands, [&](TermId operand) {
      return table[operand].kind == TermKind::Constant &&
             table[operand].value == 0;
    });
    onlyRelu &= operands.size() == 2 && hasZero;
  }
  auto logFactorial = [](double n) { return std::lgamma(n + 1) / M_LN2; };
  if (!onlyRelu)
    return -logFactorial(getCompared(list).size());
  double n = list.size(), half = std::floor(n / 2);
  double binomial =
      logFactorial(n) - logFactorial(half) - logFactorial(n - half);
  return -std::log2(n + 1) - binomial;
}

//===----------------------------------------------------------------------===//
// Signs: of absolute values, and whether roots exist
//===----------------------------------------------------------------------===//

/// How deeply roots of component 0 are nested below a term.
static unsigned getRootDepth(const TermTable &table, TermId term,
                             std::map<TermId, unsigned> &known) {
  if (auto entry = known.find(term); entry != known.end())
    return entry->second;
  unsigned depth = 0;
  if (table[term].kind != TermKind::Exp)
    for (TermId operand : table.getOperands(term))
      depth = std::max(depth, getRootDepth(table, operand, known));
  return known[term] = depth + (table[term].kind == TermKind::Sqrt);
}

/// Whether what is below some terms is one formula, whatever other signs are
/// and whatever maxima pick, here and inside exponents.
static bool haveOneFormula(const TermTable &table,
                           llvm::ArrayRef<TermId> list) {
  std::vector<TermId> stack;
  for (TermId term : list)
    llvm::append_range(stack, table.getOperands(term));
  std::set<TermId> seen;
  while (!stack.empty()) {
    TermId term = stack.back();
    stack.pop_back();
    TermKind kind = table[term].kind;
    if (kind == TermKind::Abs || kind == TermKind::Max || kind == TermKind::Min)
      return false;
    if (seen.insert(term).second)
      llvm::append_range(stack, table.getOperands(term));
  }
  return true;
}

/// Whether vectors over F2 hold as many affinely independent ones as the space
/// they lie in can have, one more than its dimension.
static bool spanAffinely(llvm::ArrayRef<uint64_t> vectors, unsigned dimension) {
  if (vectors.empty())
    return dimension == 0;
  std::vector<uint64_t> rows;
  for (size_t i = 1; i < vectors.size(); ++i) {
    uint64_t row = vectors[i] ^ vectors[0];
    for (uint64_t other : rows)
      row = std::min(row, row ^ other);
    if (row)
      rows.push_back(row);
  }
  return rows.size() == dimension;
}

namespace {
/// Roots and absolute values by how deeply roots are nested in them, in the
/// numbering of TrialBatch::getSigned.
class SignLevels {
public:
  SignLevels(const TermTable &table, const TrialBatch &batch,
             llvm::ArrayRef<TermId> roots, llvm::ArrayRef<TermId> signs)
      : batch(batch) {
    std::map<TermId, unsigned> known;
    for (TermId root : roots)
      levels[getRootDepth(table, root, known)].roots.push_back(find(root));
    for (TermId sign : signs)
      levels[getRootDepth(table, sign, known) + 1].signs.push_back(find(sign));
  }

  /// Whether the characters seen rule out, in every level, that a product of
  /// operands is a constant times a square.
  bool areIndependent() const {
    std::vector<unsigned> lowerRoots, signs;
    for (const auto &[depth, level] : levels) {
      llvm::append_range(signs, level.signs);
      std::vector<unsigned> own = signs;
      llvm::append_range(own, level.roots);
      if (own.size() > 63 ||
          !spanAffinely(getVectors(lowerRoots, own), own.size()))
        return false;
      llvm::append_range(lowerRoots, level.roots);
    }
    return true;
  }

private:
  struct Level {
    std::vector<unsigned> roots, signs;
  };

  unsigned find(TermId term) const {
    llvm::ArrayRef<TermId> all = batch.getSigned();
    auto entry = llvm::lower_bound(all, term);
    assert(entry != all.end() && *entry == term && "not live in component 0");
    return entry - all.begin();
  }

  /// One vector for each draw in which all lower roots exist.
  std::vector<uint64_t> getVectors(llvm::ArrayRef<unsigned> lowerRoots,
                                   llvm::ArrayRef<unsigned> own) const {
    std::vector<uint64_t> vectors;
    for (const CharacterSample &sample : batch.getSamples()) {
      auto is = [&](int8_t character) {
        return [&sample, character](unsigned number) {
          return sample.characters[number] == character;
        };
      };
      if (!llvm::all_of(lowerRoots, is(1)) || llvm::any_of(own, is(0)))
        continue;
      uint64_t vector = 0;
      for (auto [bit, number] : llvm::enumerate(own))
        vector |= uint64_t(sample.characters[number] < 0) << bit;
      vectors.push_back(vector);
    }
    return vectors;
  }

  const TrialBatch &batch;
  std::map<unsigned, Level> levels;
};
} // namespace

/// Whether the draws of a batch show that all signs, and all roots' existence,
/// vary freely *within* its tower. What is a constant times a square does not:
/// χ(2x) = χ(2)·χ(x), where χ(2) is the tower's, and so is the sign of the root
/// of a constant. Absolute values must also be free of what other roots have to
/// exist for.
bool ElementDifference::signsAreIndependent(
    const TrialBatch &batch, llvm::ArrayRef<TermId> conditions) const {
  llvm::ArrayRef<TermId> relevant = conditions;
  if (signs.empty())
    relevant = roots;
  return haveOneFormula(table, relevant) && haveOneFormula(table, signs) &&
         SignLevels(table, batch, relevant, signs).areIndependent();
}

/// The S radicands that are squares in every trial that counts, as far as that
/// conditions what feeds the difference.
std::vector<TermId>
ElementDifference::getConditions(const RootGroups &groups) const {
  std::set<TermId> conditions(roots.begin(), roots.end());
  std::set<int> touched;
  for (uint32_t input : inputs)
    touched.insert(groups.getGroupOfInput(input));
  if (!getExponents().getArguments().empty())
    touched.insert(groups.getGroupOfInput(groups.getNumInputs()));
  if (hasLn2)
    touched.insert(groups.getGroupOfInput(groups.getNumInputs() + 1));
  for (auto [number, root] : llvm::enumerate(groups.getRoots()))
    if (touched.count(groups.getGroup(number)))
      conditions.insert(root);
  return {conditions.begin(), conditions.end()};
}

//===----------------------------------------------------------------------===//
// The bound
//===----------------------------------------------------------------------===//

const DegreeOfDifference &
ElementDifference::getDegree(const ExponentWeights &weights) {
  auto known = degrees.find(weights.number);
  if (known == degrees.end())
    known = degrees
                .emplace(weights.number,
                         computeDegree(table, lhs, rhs, terms,
                                       getExponents().getArguments(),
                                       weights.powers))
                .first;
  return known->second;
}

void ElementBound::add(const BatchBound &batch) {
  bool isWorst = batch.provedLog2 >= proved.worstLog2;
  if (isWorst || exponentPattern == 1)
    cause = batch.cause;
  if (batch.cause == MissCause::NoTrials)
    return;
  ++numBatches;
  exponentPattern = batch.exponentPattern;
  for (auto [chance, log2] : {std::pair(&proved, batch.provedLog2),
                              std::pair(&conjectured, batch.conjecturedLog2)}) {
    chance->sumLog2 += log2;
    chance->worstLog2 = std::max(chance->worstLog2, log2);
  }
}

double ElementBound::getLog2(const Chance &chance) const {
  if (numBatches == 0 || exponentPattern == 1)
    return chance.sumLog2;
  return std::min(
      numBatches * chance.worstLog2 + std::log2(1 + exponentPattern), 0.0);
}

BatchBound ElementDifference::bound(const TrialBatch &batch,
                                    llvm::ArrayRef<BatchWeights> weights,
                                    const RootGroups &groups, unsigned counted,
                                    double numTowers) {
  if (lhs == rhs)
    return {-HUGE_VAL, -HUGE_VAL, MissCause::Degree};
  const BatchWeights &own = weights[exponentSet];
  if (counted == 0)
    return {0, 0, MissCause::NoTrials};
  double exponentPattern = std::exp2(getPatternLog2(getExponents().getPicks()));
  if (!own.weights)
    return {0, 0, MissCause::ExponentRank, exponentPattern};
  const FieldTower &tower = batch.getFields().tower;
  bool hasExponentials = !getExponents().getArguments().empty();
  double q = tower[hasExponentials ? 1 : 0].getPrime();
  const DegreeOfDifference &degree = getDegree(*own.weights);
  std::vector<TermId> conditions = getConditions(groups);
  if (!signsAreIndependent(batch, conditions))
    return {0, 0, MissCause::DependentSigns, exponentPattern};
  double numRoots = roots.size(), numConditions = conditions.size();

  // Random functions are fresh variables unless two arguments collide.
  double numCollisions = numRandomFunctions * (numRandomFunctions - 1.0) / 2;
  double collisions = numCollisions * degree.argument;
  double zeros = std::exp2(numConditions) * degree.denominator / q;
  auto getChance = [&](double ofDegree) {
    double chance = std::exp2(numRoots + numConditions) * ofDegree / q;
    return zeros < 1 ? chance / (1 - zeros) : 1;
  };
  double numSigns = signs.size(), picksLog2 = getPatternLog2(picks);
  double miss = getChance(degree.numerator + collisions) +
                (1 - std::exp2(picksLog2 - numSigns));
  double exponentPicks = 1 - exponentPattern;

  // Primes modulo which D vanishes although it is not zero, or two arguments of
  // random functions are one. The norm over all signs of roots has 2^R factors.
  auto getPrimes = [&](double log2Norm) {
    double norm = log2Norm * std::exp2(numRoots);
    bool mayVanish = numTowers > 0 && norm >= std::log2(q);
    return mayVanish ? std::ceil(norm / 28) / numTowers : 0;
  };
  double primes = getPrimes(degree.log2Norm) +
                  numCollisions * getPrimes(degree.argumentLog2Norm);

  double trials = std::pow(std::min(miss, 1.0), counted);
  double log2 = std::log2(std::min(1.0, trials + (exponentPicks + primes)));
  if (!own.isProved)
    return {0, log2, MissCause::ExponentRank, exponentPattern};
  std::pair<double, MissCause> shares[] = {
      {getChance(degree.numerator), MissCause::Degree},
      {getChance(collisions), MissCause::RandomFunctions},
      {1 - std::exp2(picksLog2), MissCause::Picks},
      {1 - std::exp2(-numSigns), MissCause::Signs}};
  std::pair<double, MissCause> batchShares[] = {
      {trials, llvm::max_element(shares)->second},
      {exponentPicks, MissCause::ExponentPicks},
      {primes, MissCause::Primes}};
  return {log2, log2, llvm::max_element(batchShares)->second, exponentPattern};
}

std::string ElementDifference::describeExponents() const {
  const ExponentSet &set = getExponents();
  if (set.hasSigns())
    return "no theorem speaks about an absolute value inside an exponent";
  return llvm::formatv("the {0} exponents that feed it were not seen to be "
                       "independent; the {1} points of a batch show that of "
                       "no more than {1}",
                       set.getArguments().size(), kLanes);
}

std::string ElementDifference::describe(MissCause cause) const {
  switch (cause) {
  case MissCause::NoTrials:
    return "no trial of the last batch counted for it";
  case MissCause::ExponentRank:
    return describeExponents();
  case MissCause::Degree:
    return llvm::formatv("its degree is too high for primes of 31 bits: {0} "
                         "square roots and {1} exponentials feed it",
                         roots.size(), getExponents().getArguments().size());
  case MissCause::Picks:
    return llvm::formatv("max, min or relu over {0} values may pick another "
                         "one than a difference needs",
                         getCompared(picks).size());
  case MissCause::Signs:
    return llvm::formatv("{0} absolute values, whose signs may fall otherwise "
                         "than a difference needs",
                         signs.size());
  case MissCause::DependentSigns:
    return llvm::formatv("the signs of the {0} absolute values and {1} square "
                         "roots that feed it were not seen to be independent; "
                         "no theorem speaks about others",
                         signs.size(), roots.size());
  case MissCause::RandomFunctions:
    return llvm::formatv("{0} values of log, erf or pow, whose arguments may "
                         "collide",
                         numRandomFunctions);
  case MissCause::ExponentPicks:
    return llvm::formatv("max, min or relu over {0} values inside an exponent "
                         "picks but once in a batch of {1} trials, and maybe "
                         "another one than a difference needs",
                         getCompared(getExponents().getPicks()).size(), kLanes);
  case MissCause::Primes:
    return "its coefficients are so large that they may vanish modulo the "
           "primes that were drawn";
  }
  return "";
}
