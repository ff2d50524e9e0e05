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
#include <limits>
#include <set>

using namespace mlir::mirage;
using kernels::kLanes;

//===----------------------------------------------------------------------===//
// What feeds the difference
//===----------------------------------------------------------------------===//

static std::vector<TermId> listOperands(const TermTable &table,
                                        llvm::ArrayRef<TermId> some,
                                        llvm::ArrayRef<TermId> others = {}) {
  std::vector<TermId> operands;
  for (llvm::ArrayRef<TermId> list : {some, others})
    for (TermId term : list)
      llvm::append_range(operands, table.getOperands(term));
  return operands;
}

ElementDifference::ElementDifference(const TermTable &table, TermId lhs,
                                     TermId rhs, const RootGroups &groups,
                                     ExponentSets &exponents)
    : table(table), lhs(lhs), rhs(rhs), exponents(&exponents) {
  Fed fed = collect({lhs, rhs});
  terms = std::move(fed.terms);
  exponentSet = exponents.add(std::move(fed.arguments));
  classify();
  findConditions(groups);
  fed = collect(listOperands(table, conditions, signs));
  characterTerms = std::move(fed.terms);
  characterSet = exponents.add(std::move(fed.arguments));
}

ElementDifference::Fed
ElementDifference::collect(llvm::ArrayRef<TermId> list) const {
  std::vector<TermId> stack(list);
  std::set<TermId> seen, arguments;
  while (!stack.empty()) {
    TermId term = stack.back();
    stack.pop_back();
    if (!seen.insert(term).second)
      continue;
    if (table[term].kind == TermKind::Exp)
      arguments.insert(table.getOperands(term)[0]);
    else
      llvm::append_range(stack, table.getOperands(term));
  }
  return {{seen.begin(), seen.end()}, {arguments.begin(), arguments.end()}};
}

void ElementDifference::classify() {
  for (TermId term : terms)
    switch (table[term].kind) {
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
}

/// Whether what some terms are is a matter of orders, or of random functions,
/// which are drawn with a tower.
static bool dependsOnKeys(const TermTable &table, llvm::ArrayRef<TermId> list) {
  std::vector<TermId> stack(list);
  std::set<TermId> seen;
  while (!stack.empty()) {
    TermId term = stack.back();
    stack.pop_back();
    if (llvm::is_contained({TermKind::Max, TermKind::Min, TermKind::Log,
                            TermKind::Erf, TermKind::Pow},
                           table[term].kind))
      return true;
    if (seen.insert(term).second)
      llvm::append_range(stack, table.getOperands(term));
  }
  return false;
}

/// The S radicands that are squares in every trial that counts, as far as that
/// conditions what feeds the difference.
void ElementDifference::findConditions(const RootGroups &groups) {
  std::set<TermId> found(roots.begin(), roots.end());
  std::set<int> touched;
  for (uint32_t input : inputs)
    touched.insert(groups.getGroupOfInput(input));
  if (!getExponents().getArguments().empty())
    touched.insert(groups.getGroupOfInput(groups.getNumInputs()));
  if (hasLn2)
    touched.insert(groups.getGroupOfInput(groups.getNumInputs() + 1));
  for (auto [number, root] : llvm::enumerate(groups.getRoots()))
    if (touched.count(groups.getGroup(number)))
      found.insert(root);
  conditions.assign(found.begin(), found.end());
  // Towers are drawn until roots of constants exist, in each trial.
  towersAreBiased =
      dependsOnKeys(table, listOperands(table, groups.getFixedRoots()));
}

size_t ElementDifference::getWork() const {
  size_t work = terms.size() + characterTerms.size();
  for (unsigned number : {exponentSet, characterSet}) {
    const ExponentSet &set = (*exponents)[number];
    work += set.getNumTerms() +
            set.getArguments().size() * set.getArguments().size();
  }
  return work;
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

/// Whether the draws of a batch show that all signs, and the existence of all
/// roots that draws are conditioned by, vary freely *within* its tower. What is
/// a constant times a square does not: χ(2x) = χ(2)·χ(x), where χ(2) is the
/// tower's, and so is the sign of the root of a constant. And what maxima pick
/// may not decide which draws count, or trials that count are those that pick
/// one thing.
bool ElementDifference::signsAreIndependent(const TrialBatch &batch) const {
  return haveOneFormula(table, conditions) && haveOneFormula(table, signs) &&
         SignLevels(table, batch, conditions, signs).areIndependent();
}

/// Let f1..fk be the operands, N/D as polynomials N·D of degree e together,
/// none of whose products is a constant times a square. Then (χ(f1)..χ(fk)) is
/// each of the 2^k patterns with a chance that differs from 2^-k by at most
/// 2·e/√p: the sum over the nontrivial characters of the group (±1)^k, each of
/// which is E χ(Π f_j), by Weil's theorem at most e/√p on a line along one
/// input, but for a share of 2·e²/p of the lines, on which that product is a
/// square; beyond e = √p/2 nothing is said anyway. An exponential is w^(k·n), w
/// uniform in the field of p = n·q + 1 elements. Below other roots fields are
/// extended, and a root counts for its conjugates.
double ElementDifference::getCharacterError(llvm::ArrayRef<TermId> characters,
                                            const ExponentWeights &weights,
                                            const FieldTower &tower) const {
  if (characters.empty())
    return 0;
  const ExponentSet &set = (*exponents)[characterSet];
  double p = tower[0].getPrime();
  bool hasExponentials = !set.getArguments().empty();
  double perPower = hasExponentials ? (p - 1) / double(tower[1].getPrime()) : 1;
  double numNested = llvm::count_if(characterTerms, [&](TermId term) {
    return table[term].kind == TermKind::Sqrt;
  });
  double degree = computeDegreeOfCharacters(
      table, listOperands(table, characters), characterTerms,
      set.getArguments(), weights.powers, perPower);
  return 2 * std::exp2(numNested) * degree / std::sqrt(p);
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
  // What a batch of the telling pattern leaves differs by how many of its
  // trials count.
  constexpr double kKinds = kLanes + 1;
  return std::min(numBatches * chance.worstLog2 +
                      std::log2(1 + kKinds * exponentPattern),
                  0.0);
}

namespace {
/// What a trial that counts may see of a difference.
struct Sight {
  double zeros;     ///< chance that its numerator vanishes
  double undefined; ///< that something it is divided by does
  double numConditions, numSigns;
  double picks; ///< chance of a pattern of what maxima pick
  /// By how much the chance that all conditions hold, and that of a pattern of
  /// signs besides, may differ from those of independent ones.
  double conditionError, signError;

  double getMiss() const {
    double independent = std::exp2(-numConditions);
    double least = independent - conditionError;
    if (least <= undefined)
      return 1;
    if (numSigns == 0 && picks == 1)
      return std::min(zeros / (least - undefined), 1.0);
    // What counts in other patterns may count always.
    double seen = numSigns == 0
                      ? 1 - (zeros + undefined) / least
                      : (independent * std::exp2(-numSigns) - signError -
                         zeros - undefined) /
                            std::min(independent + conditionError, 1.0);
    return 1 - picks * std::max(seen, 0.0);
  }
};
} // namespace

/// Primes modulo which something with coefficients of that norm vanishes though
/// it is not zero, as a share of the towers.
static double getShareOfPrimes(double log2Norm, double q, double numTowers) {
  bool mayVanish = numTowers > 0 && log2Norm >= std::log2(q);
  return mayVanish ? std::ceil(log2Norm / 28) / numTowers : 0;
}

BatchBound ElementDifference::bound(const TrialBatch &batch,
                                    llvm::ArrayRef<BatchWeights> weights,
                                    unsigned counted, double numTowers,
                                    double errorScale) {
  if (lhs == rhs)
    return {-HUGE_VAL, -HUGE_VAL, MissCause::Degree};
  const BatchWeights &own = weights[exponentSet],
                     &ofCharacters = weights[characterSet];
  if (counted == 0)
    return {0, 0, MissCause::NoTrials};
  double pattern = std::exp2(getPatternLog2(getExponents().getPicks()));
  if (!own.weights || !ofCharacters.weights || !own.isSpokenOf ||
      !ofCharacters.isSpokenOf)
    return {0, 0, MissCause::ExponentRank, pattern};
  bool dependsOnDraws =
      !picks.empty() || !signs.empty() || numRandomFunctions > 0 || pattern < 1;
  if ((towersAreBiased && dependsOnDraws) || !signsAreIndependent(batch))
    return {0, 0, MissCause::DependentSigns, pattern};
  const FieldTower &tower = batch.getFields().tower;
  bool hasExponentials = !getExponents().getArguments().empty();
  double q = tower[hasExponentials ? 1 : 0].getPrime();
  const DegreeOfDifference &degree = getDegree(*own.weights);

  // Random functions are fresh variables unless two arguments collide. The norm
  // over all signs of roots has 2^R factors.
  double conjugates = std::exp2(double(roots.size()));
  double numCollisions = numRandomFunctions * (numRandomFunctions - 1.0) / 2;
  double collisions = numCollisions * degree.argument;
  std::vector<TermId> characters(conditions);
  llvm::append_range(characters, signs);
  Sight sight;
  // Equal values have no order.
  double numCompared = getCompared(picks).size();
  double ties = numCompared * (numCompared - 1) / 2 * degree.compared;
  sight.zeros = conjugates * (degree.numerator + collisions + ties) / q;
  sight.undefined = conjugates * degree.denominator / q;
  sight.numConditions = conditions.size();
  sight.numSigns = signs.size();
  sight.picks = std::exp2(getPatternLog2(picks));
  sight.conditionError =
      errorScale * getCharacterError(conditions, *ofCharacters.weights, tower);
  sight.signError =
      errorScale * getCharacterError(characters, *ofCharacters.weights, tower);

  // The points of a batch count if none of them divides by zero.
  double exponentPicks = 0;
  if (pattern < 1) {
    double undefined = kLanes * getExponents().getDivisorDegree() / q;
    exponentPicks = 1 - pattern * std::max(1 - undefined, 0.0);
  }
  double primes =
      getShareOfPrimes(degree.log2Norm * conjugates, q, numTowers) +
      numCollisions *
          getShareOfPrimes(degree.argumentLog2Norm * conjugates, q, numTowers);

  double trials = std::pow(sight.getMiss(), counted);
  double log2 = std::log2(std::min(1.0, trials + (exponentPicks + primes)));
  if (!own.isProved || !ofCharacters.isProved)
    return {0, log2, MissCause::ExponentRank, pattern};
  double exists =
      std::max(std::exp2(-sight.numConditions) - sight.conditionError,
               std::numeric_limits<double>::min());
  std::pair<double, MissCause> shares[] = {
      {conjugates * degree.numerator / q / exists, MissCause::Degree},
      {conjugates * collisions / q / exists, MissCause::RandomFunctions},
      {1 - sight.picks, MissCause::Picks},
      {1 - std::exp2(-sight.numSigns), MissCause::Signs}};
  std::pair<double, MissCause> batchShares[] = {
      {trials, llvm::max_element(shares)->second},
      {exponentPicks, MissCause::ExponentPicks},
      {primes, MissCause::Primes}};
  return {log2, log2, llvm::max_element(batchShares)->second, pattern};
}

std::string ElementDifference::describeExponents() const {
  const ExponentSet &set = getExponents();
  if (set.hasSigns())
    return "no theorem speaks about an absolute value inside an exponent";
  if (exponents->arePicksBiased() && !set.getPicks().empty())
    return "no theorem speaks about maxima inside exponents where roots of "
           "what maxima pick have to exist";
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
    return llvm::formatv(
        "the signs of the {0} absolute values that feed it and "
        "of what {1} square roots are taken of were not seen "
        "to be independent; no theorem speaks about others",
        signs.size(), conditions.size());
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
