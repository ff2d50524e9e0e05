//===- DegreeBound.cpp - What one batch of trials proves ------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DegreeBound.h"
#include "LinearForms.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>
#include <set>

using namespace mlir::mirage;
using kernels::kLanes;

//===----------------------------------------------------------------------===//
// What feeds the difference
//===----------------------------------------------------------------------===//

ElementDifference::ElementDifference(const TermTable &table, TermId lhs,
                                     TermId rhs)
    : table(table), lhs(lhs), rhs(rhs) {
  collect(lhs);
  collect(rhs);
  auto sortUnique = [](std::vector<TermId> &list) {
    llvm::sort(list);
    list.erase(std::unique(list.begin(), list.end()), list.end());
  };
  for (auto *list : {&terms, &roots, &arguments, &picks, &exponentPicks})
    sortUnique(*list);
}

void ElementDifference::collect(TermId root) {
  std::vector<TermId> stack = {root};
  std::set<TermId> seen(terms.begin(), terms.end());
  while (!stack.empty()) {
    TermId term = stack.back();
    stack.pop_back();
    if (!seen.insert(term).second)
      continue;
    terms.push_back(term);
    switch (table[term].kind) {
    case TermKind::Exp:
      arguments.push_back(table.getOperands(term)[0]);
      collectExponent(table.getOperands(term)[0]);
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
      ++numSigns;
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

void ElementDifference::collectExponent(TermId argument) {
  std::vector<TermId> stack = {argument};
  while (!stack.empty()) {
    TermId term = stack.back();
    stack.pop_back();
    // Exponents share much, such as the maximum that all of a row subtract.
    if (!exponentTerms.insert(term).second)
      continue;
    TermKind kind = table[term].kind;
    if (kind == TermKind::Max || kind == TermKind::Min)
      exponentPicks.push_back(term);
    hasExponentSigns |= kind == TermKind::Abs;
    llvm::append_range(stack, table.getOperands(term));
  }
}

/// The chance that given maxima and minima pick what a telling pattern wants:
/// 1/m! for m compared values; for n comparisons with zero, which all meet the
/// one rank of zero, 1/((n+1)·C(n, n/2)).
double ElementDifference::getPatternLog2(llvm::ArrayRef<TermId> list) const {
  if (list.empty())
    return 0;
  std::set<TermId> compared;
  bool onlyRelu = true;
  for (TermId pick : list) {
    llvm::ArrayRef<TermId> operands = table.getOperands(pick);
    compared.insert(operands.begin(), operands.end());
    bool hasZero = llvm::any_of(operands, [&](TermId operand) {
      return table[operand].kind == TermKind::Constant &&
             table[operand].value == 0;
    });
    onlyRelu &= operands.size() == 2 && hasZero;
  }
  auto logFactorial = [](double n) { return std::lgamma(n + 1) / M_LN2; };
  if (!onlyRelu)
    return -logFactorial(compared.size());
  double n = list.size(), half = std::floor(n / 2);
  double binomial =
      logFactorial(n) - logFactorial(half) - logFactorial(n - half);
  return -std::log2(n + 1) - binomial;
}

//===----------------------------------------------------------------------===//
// Exponentials
//===----------------------------------------------------------------------===//

/// By argument: the exponents of the independent variables whose product the
/// exponential is. `isProved` if the batch's points show the independence.
struct ElementDifference::Weights {
  std::vector<llvm::SmallVector<int64_t>> powers;
  bool isProved = true;
};

/// The rank of the vectors of values that some terms have at the 16 points.
static unsigned computeRank(const TrialBatch &batch,
                            llvm::ArrayRef<TermId> terms) {
  const PrimeField &field = batch.getFields().tower[1];
  std::vector<std::vector<uint32_t>> rows;
  for (TermId term : terms) {
    const uint32_t *value = batch.getValues().get(term, 1);
    std::vector<uint32_t> row(value, value + kLanes);
    if (llvm::any_of(row, kernels::isSpecial))
      return 0;
    for (const auto &other : rows) {
      size_t pivot = llvm::find_if(other, [](uint32_t x) { return x != 0; }) -
                     other.begin();
      uint32_t factor = field.mul(row[pivot], field.inverse(other[pivot]));
      for (unsigned t = 0; t < kLanes; ++t)
        row[t] = field.sub(row[t], field.mul(factor, other[t]));
    }
    if (llvm::any_of(row, [](uint32_t x) { return x != 0; }))
      rows.push_back(std::move(row));
  }
  return rows.size();
}

std::optional<ElementDifference::Weights>
ElementDifference::weighExponentials(const TrialBatch &batch) const {
  Weights weights;
  if (arguments.empty())
    return weights;
  if (batch.getFields().tower.getHeight() < 2)
    return std::nullopt;
  auto resolve = [&](TermId pick) {
    // The operand that was picked, at all points alike.
    const uint32_t *value = batch.getValues().get(pick, 1);
    for (TermId operand : table.getOperands(pick))
      if (std::equal(value, value + kLanes, batch.getValues().get(operand, 1)))
        return operand;
    return table.getOperands(pick)[0];
  };
  std::optional<ExponentBasis> basis =
      LinearForms(table, resolve).findBasis(arguments);
  if (!basis) { // as if all were independent
    for (unsigned j = 0; j < arguments.size(); ++j) {
      weights.powers.emplace_back(arguments.size(), 0);
      weights.powers.back()[j] = 1;
    }
    weights.isProved = false;
    return weights;
  }
  std::vector<TermId> independent;
  for (unsigned j : basis->basis)
    independent.push_back(arguments[j]);
  weights.isProved = !hasExponentSigns && independent.size() <= kLanes &&
                     computeRank(batch, independent) == independent.size();
  weights.powers = std::move(basis->coefficients);
  return weights;
}

//===----------------------------------------------------------------------===//
// Degrees
//===----------------------------------------------------------------------===//

namespace {
/// A factor of denominators: a term that is divided by, a variable of an
/// exponential, or 2.
struct Factor {
  enum Kind : uint8_t { Term, Exponential, Two } kind;
  uint32_t number;
  bool operator<(const Factor &other) const {
    return std::tie(kind, number) < std::tie(other.kind, other.number);
  }
};
struct Size {
  double degree = 0;
  double log2Norm = 0; ///< of the sum of absolute coefficients
};
/// The power of each factor, with the factor's own size.
struct Power {
  double exponent = 0;
  Size size;
};
using Denominator = std::map<Factor, Power>;
} // namespace

struct ElementDifference::Degree {
  Size numerator;
  Denominator denominator;
  /// Of the whole difference: the largest degree of an argument of a random
  /// function.
  double argumentDegree = 0;
};

static Size measure(const Denominator &denominator) {
  Size total;
  for (const auto &[factor, power] : denominator) {
    total.degree += power.exponent * power.size.degree;
    total.log2Norm += power.exponent * power.size.log2Norm;
  }
  return total;
}

static void multiplyInto(Denominator &product, const Denominator &other) {
  for (const auto &[factor, power] : other) {
    Power &entry = product[factor];
    entry.size = power.size;
    entry.exponent += power.exponent;
  }
}

static void joinInto(Denominator &multiple, const Denominator &other) {
  for (const auto &[factor, power] : other) {
    Power &entry = multiple[factor];
    entry.size = power.size;
    entry.exponent = std::max(entry.exponent, power.exponent);
  }
}

static double addLog2(double a, double b) {
  double high = std::max(a, b), low = std::min(a, b);
  return high + std::log2(1 + std::exp2(low - high));
}

/// Over the least common denominator of some fractions: the degree of the
/// largest numerator, and the norm of all together.
template <typename Degree>
static Degree joinFractions(llvm::ArrayRef<const Degree *> list) {
  Degree result;
  for (const Degree *entry : list)
    joinInto(result.denominator, entry->denominator);
  Size common = measure(result.denominator);
  result.numerator.log2Norm = -HUGE_VAL;
  for (const Degree *entry : list) {
    Size own = measure(entry->denominator);
    result.numerator.degree =
        std::max(result.numerator.degree,
                 entry->numerator.degree + common.degree - own.degree);
    result.numerator.log2Norm =
        addLog2(result.numerator.log2Norm,
                entry->numerator.log2Norm + common.log2Norm - own.log2Norm);
  }
  return result;
}

/// A finite double as an odd integer over a power of two.
template <typename Degree>
static Degree degreeOfConstant(double value) {
  Degree result;
  if (value == 0)
    return result;
  int exponent;
  double mantissa = std::ldexp(std::frexp(std::fabs(value), &exponent), 53);
  exponent -= 53;
  while (std::fmod(mantissa, 2) == 0)
    mantissa /= 2, ++exponent;
  result.numerator.log2Norm = std::log2(mantissa) + std::max(exponent, 0);
  if (exponent < 0)
    result.denominator[{Factor::Two, 0}] = {double(-exponent), {0, 1}};
  return result;
}

ElementDifference::Degree
ElementDifference::computeDegree(const Weights &weights) const {
  std::map<TermId, Degree> degrees;
  double argumentDegree = 0;
  for (TermId term : terms) {
    llvm::SmallVector<const Degree *> operands;
    if (table[term].kind != TermKind::Exp)
      for (TermId operand : table.getOperands(term))
        operands.push_back(&degrees.at(operand));
    Degree result;
    switch (table[term].kind) {
    case TermKind::Constant:
      result = degreeOfConstant<Degree>(table[term].value);
      break;
    case TermKind::Add:
    case TermKind::Max:
    case TermKind::Min:
      result = joinFractions<Degree>(operands);
      break;
    case TermKind::Mul:
      for (const Degree *operand : operands) {
        result.numerator.degree += operand->numerator.degree;
        result.numerator.log2Norm += operand->numerator.log2Norm;
        multiplyInto(result.denominator, operand->denominator);
      }
      break;
    case TermKind::Div: {
      Size above = measure(operands[1]->denominator);
      result = *operands[0];
      result.numerator.degree += above.degree;
      result.numerator.log2Norm += above.log2Norm;
      Power divisor{1, operands[1]->numerator};
      multiplyInto(result.denominator,
                   {{{Factor::Term, table.getOperands(term)[1]}, divisor}});
      break;
    }
    case TermKind::Exp: {
      size_t number = llvm::lower_bound(arguments, table.getOperands(term)[0]) -
                      arguments.begin();
      for (auto [i, power] : llvm::enumerate(weights.powers[number]))
        if (power > 0)
          result.numerator.degree += power;
        else if (power < 0)
          result.denominator[{Factor::Exponential, uint32_t(i)}] = {
              double(-power), {1, 0}};
      break;
    }
    case TermKind::Sqrt: {
      // sqrt(N/D) = sqrt(N·D)/D.
      Size below = measure(operands[0]->denominator);
      result.denominator = operands[0]->denominator;
      result.numerator.degree =
          (operands[0]->numerator.degree + below.degree) / 2;
      result.numerator.log2Norm =
          (operands[0]->numerator.log2Norm + below.log2Norm) / 2;
      break;
    }
    case TermKind::Abs:
      result = *operands[0];
      break;
    case TermKind::Log:
    case TermKind::Erf:
    case TermKind::Pow:
      for (const Degree *operand : operands)
        argumentDegree =
            std::max(argumentDegree, operand->numerator.degree +
                                         measure(operand->denominator).degree);
      [[fallthrough]]; // a fresh variable
    case TermKind::Input:
    case TermKind::Ln2:
      result.numerator.degree = 1;
      break;
    case TermKind::MinusInfinity:
    case TermKind::Undefined:
      break;
    }
    degrees[term] = std::move(result);
  }
  Degree result = joinFractions<Degree>({&degrees.at(lhs), &degrees.at(rhs)});
  result.argumentDegree = argumentDegree;
  return result;
}

//===----------------------------------------------------------------------===//
// Roots
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
static bool spanAffinely(std::vector<uint64_t> vectors, unsigned dimension) {
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

/// Quadratic characters that vary freely rule out that a product of radicands
/// is a constant times a square. Nested roots level by level: the samples in
/// which all lower radicands are squares.
bool ElementDifference::rootsAreIndependent(const TrialBatch &batch,
                                            const RootGroups &groups) const {
  std::map<TermId, unsigned> known;
  std::map<unsigned, std::vector<unsigned>> levels; ///< numbers of radicands
  for (TermId root : roots) {
    auto entry = llvm::lower_bound(groups.getRoots(), root);
    if (entry == groups.getRoots().end() || *entry != root)
      continue; // of a constant, and drawn so that it exists
    levels[getRootDepth(table, root, known)].push_back(
        entry - groups.getRoots().begin());
  }
  std::vector<unsigned> lower;
  for (const auto &[depth, level] : levels) {
    if (level.size() > 63)
      return false;
    std::vector<uint64_t> vectors;
    for (const CharacterSample &sample : batch.getSamples()) {
      auto is = [&](int8_t character) {
        return [&, character](unsigned number) {
          return sample.characters[number] == character;
        };
      };
      if (!llvm::all_of(lower, is(1)) || llvm::any_of(level, is(0)))
        continue;
      uint64_t vector = 0;
      for (auto [bit, number] : llvm::enumerate(level))
        vector |= uint64_t(sample.characters[number] < 0) << bit;
      vectors.push_back(vector);
    }
    if (!spanAffinely(std::move(vectors), level.size()))
      return false;
    llvm::append_range(lower, level);
  }
  return true;
}

/// The number S of radicands that are squares in every trial that counts, as
/// far as that conditions what feeds the difference.
unsigned ElementDifference::countConditions(const RootGroups &groups) const {
  std::set<TermId> conditions(roots.begin(), roots.end());
  std::set<int> touched;
  for (uint32_t input : inputs)
    touched.insert(groups.getGroupOfInput(input));
  if (!arguments.empty())
    touched.insert(groups.getGroupOfInput(groups.getNumInputs()));
  if (hasLn2)
    touched.insert(groups.getGroupOfInput(groups.getNumInputs() + 1));
  for (auto [number, root] : llvm::enumerate(groups.getRoots()))
    if (touched.count(groups.getGroup(number)))
      conditions.insert(root);
  return conditions.size();
}

//===----------------------------------------------------------------------===//
// The bound
//===----------------------------------------------------------------------===//

BatchBound ElementDifference::bound(const TrialBatch &batch,
                                    const RootGroups &groups, unsigned counted,
                                    double numTowers) const {
  if (lhs == rhs)
    return {-HUGE_VAL, -HUGE_VAL};
  std::optional<Weights> weights = weighExponentials(batch);
  if (!weights || counted == 0)
    return {};
  const FieldTower &tower = batch.getFields().tower;
  double q = tower[arguments.empty() ? 0 : 1].getPrime();
  Degree degree = computeDegree(*weights);
  double numRoots = roots.size(), numConditions = countConditions(groups);

  // Random functions are fresh variables unless two arguments collide.
  double collisions = numRandomFunctions * (numRandomFunctions - 1.0) / 2;
  double zeros =
      std::exp2(numConditions) * measure(degree.denominator).degree / q;
  double miss = std::exp2(numRoots + numConditions) *
                (degree.numerator.degree + collisions * degree.argumentDegree) /
                q;
  miss = zeros < 1 ? miss / (1 - zeros) : 1;

  double patternLog2 = getPatternLog2(picks) - numSigns;
  if (!rootsAreIndependent(batch, groups))
    patternLog2 -= numRoots;
  miss += 1 - std::exp2(patternLog2);
  double perBatch = 1 - std::exp2(getPatternLog2(exponentPicks));

  // Primes modulo which D vanishes although it is not zero. The norm over all
  // signs of roots has 2^R factors.
  double norm = degree.numerator.log2Norm * std::exp2(numRoots);
  if (numTowers > 0 && norm >= std::log2(q))
    perBatch += std::ceil(norm / 28) / numTowers;

  double batchMiss =
      std::min(1.0, std::pow(std::min(miss, 1.0), counted) + perBatch);
  double log2 = std::log2(batchMiss);
  return {weights->isProved ? log2 : 0, log2};
}
