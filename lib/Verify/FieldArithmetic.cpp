//===- FieldArithmetic.cpp - Elements of a tower of fields ----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FieldArithmetic.h"
#include "SymbolicConstant.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cassert>
#include <cstring>

using namespace mlir::mirage;
using kernels::kLanes;

ComponentDraw::ComponentDraw(const FieldTower &tower, unsigned component,
                             unsigned words, RandomStream &random)
    : order(random, words == 1), functions(random, words == 1) {
  const PrimeField &field = tower[component];
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    bool isNew = lane == 0 || words > 1;
    ln2[lane] = isNew ? 1 + random.uniform(field.getPrime() - 1) : ln2[0];
    inverseLn2[lane] = field.inverse(ln2[lane]);
  }
  if (component + 1 == tower.getHeight())
    return;
  for (auto &row : weights)
    random.fillUniform(row, tower[component + 1].getPrime());
  // The combination makes exponents uniform, so one root does for all trials.
  powers.emplace(field, tower[component + 1],
                 tower.drawRoot(component, random));
}

FieldBatch::FieldBatch(FieldTower towerIn, unsigned words, const Seed &seed)
    : tower(std::move(towerIn)), words(words) {
  for (unsigned i = 0; i < tower.getHeight(); ++i) {
    RandomStream random(deriveSeed(seed, "component", i));
    draws.push_back(std::make_unique<ComponentDraw>(tower, i, words, random));
  }
}

void FieldBatch::raise(unsigned component, uint32_t *power,
                       const uint32_t *exponent) const {
  const ComponentDraw &draw = *draws[component];
  if (const uint32_t *known = draw.memo.find(exponent)) {
    std::memcpy(power, known, kLanes * sizeof(uint32_t));
    return;
  }
  alignas(64) uint32_t combined[kLanes];
  kernels::combinePoints(tower[component + 1], combined, exponent, draw.weights,
                         kLanes);
  draw.powers->exp(power, combined, kLanes);
}

void FieldBatch::remember(unsigned component, const ExponentTape &exponents) {
  assert(words > 1 && "a single trial has exponents of one point");
  auto add = [&](const uint32_t *exponent) {
    alignas(64) uint32_t power[kLanes];
    raise(component, power, exponent);
    draws[component]->memo.insert(exponent, power);
  };
  // What fills partial tiles.
  const uint32_t zero[kLanes] = {};
  add(zero);
  for (const std::vector<uint32_t> &values : exponents.getApplications())
    for (size_t i = 0; i < values.size(); i += kLanes)
      add(&values[i]);
}

FieldArithmetic::FieldArithmetic(const FieldBatch &batch, unsigned component,
                                 ExponentTape exponents)
    : Arithmetic(batch.words), batch(batch), field(batch.tower[component]),
      draw(*batch.draws[component]), component(component),
      exponents(std::move(exponents)) {}

void FieldArithmetic::constant(uint32_t *result, double value) {
  SymbolicConstant symbol = classifyConstant(value);
  if (symbol.kind == SymbolicConstant::Rational) {
    bool isFinite = std::isfinite(value);
    uint32_t word = isFinite    ? field.fromDouble(value)
                    : value < 0 ? kernels::kMinusInfinity
                                : kernels::kUndefined;
    std::fill(result, result + kLanes, word);
    return;
  }
  const uint32_t *from =
      symbol.kind == SymbolicConstant::Ln2 ? draw.ln2 : draw.inverseLn2;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    result[lane] = symbol.isNegative ? field.sub(0, from[lane]) : from[lane];
}

void FieldArithmetic::ln2(uint32_t *result) {
  std::memcpy(result, draw.ln2, sizeof(draw.ln2));
}

void FieldArithmetic::scale(uint32_t *result, Source lhs, Source positive,
                            size_t count) {
  kernels::mul(field, result, lhs, positive, count, kernels::kMinusInfinity);
}

static void vanishPairs(uint32_t *result, Arithmetic::Source lhs,
                        Arithmetic::Source rhs, size_t count) {
  auto get = [](Arithmetic::Source operand, size_t i) {
    return operand.data[operand.repeats ? i % kLanes : i];
  };
  for (size_t i = 0; i < count; ++i)
    result[i] = get(rhs, i) == kernels::kMinusInfinity ? 0 : get(lhs, i);
}

void FieldArithmetic::apply(ScalarFunction function, uint32_t *result,
                            Source lhs, Source rhs, size_t count) {
  enum Tag : uint32_t { LogTag = 1, ErfTag, PowTag };
  switch (function) {
  case ScalarFunction::Add:
    return kernels::add(field, result, lhs, rhs, count);
  case ScalarFunction::Mul:
    return kernels::mul(field, result, lhs, rhs, count);
  case ScalarFunction::Div:
    return divide(result, lhs, rhs, count);
  case ScalarFunction::Max:
    return pick(result, lhs, rhs, count, /*isMaximum=*/true);
  case ScalarFunction::Min:
    return pick(result, lhs, rhs, count, /*isMaximum=*/false);
  case ScalarFunction::Exp:
    return exp(result, lhs, count);
  case ScalarFunction::Sqrt:
    return kernels::sqrt(field, result, lhs, count, nonSquareResult);
  case ScalarFunction::Abs:
    return kernels::abs(field, result, lhs, count);
  case ScalarFunction::Log:
    return kernels::randomFunction(field, draw.functions, LogTag, result, lhs,
                                   lhs, count);
  case ScalarFunction::Erf:
    return kernels::randomFunction(field, draw.functions, ErfTag, result, lhs,
                                   lhs, count);
  case ScalarFunction::Pow:
    return kernels::randomFunction(field, draw.functions, PowTag, result, lhs,
                                   rhs, count);
  case ScalarFunction::Vanish:
    return vanishPairs(result, lhs, rhs, count);
  case ScalarFunction::Argument:
  case ScalarFunction::Parameter:
  case ScalarFunction::Constant:
  case ScalarFunction::Ln2:
  case ScalarFunction::Size:
    break;
  }
  assert(false && "a leaf is not applied");
}

/// Neighbours that are the same are inverted once: what rows are divided by was
/// stretched along them.
/// \param result  not the operand.
static void invertRuns(const PrimeField &field, uint32_t *result,
                       const uint32_t *operand, size_t count) {
  llvm::SmallVector<size_t> runs = {0}; // where they begin
  for (size_t i = kLanes; i < count; i += kLanes)
    if (!kernels::areSame(operand + i, operand + i - kLanes))
      runs.push_back(i);
  size_t numWords = runs.size() * kLanes;
  if (numWords == count)
    return kernels::inverse(field, result, operand, count);
  // In front of the results, which are spread from the last one on.
  std::vector<uint32_t> firsts(numWords);
  for (auto [number, run] : llvm::enumerate(runs))
    std::copy_n(operand + run, kLanes, &firsts[number * kLanes]);
  kernels::inverse(field, result, firsts.data(), numWords);
  for (size_t number = runs.size(), end = count; number-- > 0;
       end = runs[number])
    for (size_t i = end; i > runs[number]; i -= kLanes)
      std::copy_n(result + number * kLanes, kLanes, result + i - kLanes);
}

void FieldArithmetic::divide(uint32_t *result, Source lhs, Source rhs,
                             size_t count) {
  size_t numDivisors = rhs.repeats ? kLanes : count;
  std::unique_ptr<uint32_t[]> inverses(new uint32_t[numDivisors]);
  if (getWords() == 1)
    kernels::inverse(field, inverses.get(), rhs.data, numDivisors);
  else
    invertRuns(field, inverses.get(), rhs.data, numDivisors);
  kernels::mul(field, result, lhs, {inverses.get(), rhs.repeats}, count);
}

void ExponentTape::add(kernels::Source operand, size_t count) {
  if (!operand.repeats) {
    applications.emplace_back(operand.data, operand.data + count);
    return;
  }
  std::vector<uint32_t> &arguments = applications.emplace_back(count);
  for (size_t i = 0; i < count; ++i)
    arguments[i] = operand.data[i % kLanes];
}

void FieldArithmetic::exp(uint32_t *result, Source operand, size_t count) {
  if (component > 0)
    arguments.add(operand, count);
  if (!draw.powers) {
    // Nothing in component 0 depends on this, unless the tower is too low.
    std::fill(result, result + count, kernels::kUndefined);
    return;
  }
  std::vector<uint32_t> values = exponents.takeNext();
  assert(values.size() == count && "the next component met other exponentials");
  if (getWords() == 1)
    draw.powers->exp(result, values.data(), count);
  else
    for (size_t i = 0; i < count; i += kLanes)
      batch.raise(component, result + i, &values[i]);
}

void FieldArithmetic::pick(uint32_t *result, Source lhs, Source rhs,
                           size_t count, bool isMaximum) {
  if (hasPoints())
    return pickPoints(result, lhs, rhs, count, isMaximum);
  if (isMaximum)
    return kernels::maximum(draw.order, result, lhs, rhs, count);
  return kernels::minimum(draw.order, result, lhs, rhs, count);
}

namespace {
/// One element at all points, with its rank.
struct RankedPoints {
  const uint32_t *values;
  uint64_t rank;
};
} // namespace

static std::vector<uint64_t> rankPoints(const KeyedPermutation &order,
                                        const uint32_t *points, size_t words) {
  std::vector<uint64_t> ranks(words / kLanes);
  kernels::rankPoints(order, ranks.data(), points, ranks.size());
  return ranks;
}

/// One operand at all points, so that its combination is one of the operands'.
/// `result` may be the values of an operand. \returns the result's rank.
static uint64_t pickElement(const KeyedPermutation &order, uint32_t *result,
                            RankedPoints a, RankedPoints b, bool isMaximum) {
  bool isGreater = a.rank > b.rank;
  if (a.values[0] == kernels::kMinusInfinity ||
      b.values[0] == kernels::kMinusInfinity)
    isGreater = b.values[0] == kernels::kMinusInfinity;
  const RankedPoints &picked = isGreater == isMaximum ? a : b;
  bool isSpecial = false;
  for (unsigned t = 0; t < kLanes; ++t) {
    uint32_t worst = std::max(a.values[t], b.values[t]);
    isSpecial |= worst >= kernels::kUndefined;
    result[t] = worst >= kernels::kUndefined ? worst : picked.values[t];
  }
  return isSpecial ? rankPoints(order, result, kLanes)[0] : picked.rank;
}

void FieldArithmetic::pickPoints(uint32_t *result, Source lhs, Source rhs,
                                 size_t count, bool isMaximum) {
  auto rank = [&](Source operand) {
    return rankPoints(draw.order, operand.data,
                      operand.repeats ? kLanes : count);
  };
  std::vector<uint64_t> lhsRanks = rank(lhs), rhsRanks = rank(rhs);
  auto get = [](Source operand, llvm::ArrayRef<uint64_t> ranks,
                size_t element) -> RankedPoints {
    size_t number = operand.repeats ? 0 : element;
    return {operand.data + number * kLanes, ranks[number]};
  };
  for (size_t element = 0; element < count / kLanes; ++element)
    pickElement(draw.order, result + element * kLanes,
                get(lhs, lhsRanks, element), get(rhs, rhsRanks, element),
                isMaximum);
}

/// The maxima of `reduced` rows of `inner` words.
void FieldArithmetic::reducePoints(uint32_t *result, const uint32_t *operand,
                                   size_t reduced, size_t inner) {
  std::vector<uint64_t> ranks =
      rankPoints(draw.order, operand, reduced * inner);
  std::memcpy(result, operand, inner * sizeof(uint32_t));
  size_t numElements = inner / kLanes;
  for (size_t element = 0; element < numElements; ++element) {
    RankedPoints best = {result + element * kLanes, ranks[element]};
    for (size_t row = 1; row < reduced; ++row) {
      size_t number = row * numElements + element;
      best.rank = pickElement(draw.order, result + element * kLanes, best,
                              {operand + number * kLanes, ranks[number]},
                              /*isMaximum=*/true);
    }
  }
}

void FieldArithmetic::vanish(uint32_t *result, const uint32_t *operand,
                             const uint32_t *exponent, size_t count) {
  for (size_t i = 0; i < count; ++i)
    result[i] = exponent[i] == kernels::kMinusInfinity ? 0 : operand[i];
}

/// The larger half is kept until one is left, so that many are compared at a
/// time however few there are side by side.
void FieldArithmetic::pickLargest(uint32_t *result, const uint32_t *operand,
                                  size_t count, size_t inner) {
  std::vector<uint32_t> left(operand, operand + count * inner);
  while (count > 1) {
    size_t half = count / 2;
    count -= half;
    pick(left.data(), {left.data()}, {left.data() + count * inner},
         half * inner, /*isMaximum=*/true);
  }
  std::copy_n(left.data(), inner, result);
}

void FieldArithmetic::reduce(Combiner combiner, uint32_t *result,
                             const uint32_t *operand, size_t outer,
                             size_t reduced, size_t inner) {
  if (combiner == Combiner::Add)
    return kernels::sum(field, result, operand, outer, reduced, inner);
  for (size_t o = 0; o < outer; ++o) {
    uint32_t *to = result + o * inner;
    const uint32_t *from = operand + o * reduced * inner;
    if (hasPoints()) {
      reducePoints(to, from, reduced, inner);
      continue;
    }
    pickLargest(to, from, reduced, inner);
  }
}

void FieldArithmetic::matmul(uint32_t *result, const uint32_t *lhs,
                             const uint32_t *rhs, size_t m, size_t n,
                             size_t k) {
  unsigned words = getWords();
  matmuls({result,
           {lhs, m * k * words},
           {rhs, k * n * words},
           kernels::MatrixProducts::Places{0, 0, 0},
           m,
           n,
           k});
}

void FieldArithmetic::matmuls(const kernels::MatrixProducts &products) {
  kernels::matmul(field, products, getWords());
}
