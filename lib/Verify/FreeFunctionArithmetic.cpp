//===- FreeFunctionArithmetic.cpp - Functions as symbols ------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FreeFunctionArithmetic.h"
#include "AddLog2.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cassert>
#include <cmath>

using namespace mlir::mirage;

static constexpr FractionSize kVariable = {1, 0, 0, 0};

static FreeFunctionArithmetic::Fields drawFields(const Seed &seed) {
  RandomStream random(deriveSeed(seed, "primes", 0));
  WidePrimeField first = WidePrimeField::draw(random);
  return {first, WidePrimeField::draw(random)};
}

FreeFunctionArithmetic::FreeFunctionArithmetic(const Seed &seed, size_t maxCost)
    : FreeFunctionArithmetic(seed, maxCost, drawFields(seed)) {}

FreeFunctionArithmetic::FreeFunctionArithmetic(const Seed &seed, size_t maxCost,
                                               const Fields &fields)
    : random(deriveSeed(seed, "variables", 0)), fields(fields),
      maxCost(maxCost) {
  sizes.push_back(&sizeNumbers.try_emplace(FractionSize{}, 0).first->first);
  Value one = {fields[0].getOne(), fields[1].getOne()};
  append(Value(0, 0), {}, Sign::Any); // undefined
  append(Value(0, 0), {}, Sign::Any); // minus infinity
  append(Value(0, 0), {}, Sign::NotNegative);
  append(one, {}, Sign::Positive, /*isScalar=*/true);
  append(drawVariable(), kVariable, Sign::Positive, /*isScalar=*/true); // ln 2
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// Sizes that overflow are none, and prove nothing.
uint32_t FreeFunctionArithmetic::append(const Number &made,
                                        const FractionSize &size) {
  if (!std::isfinite(size.top + size.bottom + size.logTop + size.logBottom)) {
    isTooHigh = true;
    return append(made, {});
  }
  const FractionSize &last = *sizes[lastSize];
  if (last < size || size < last) {
    auto [entry, isNew] = sizeNumbers.try_emplace(size, sizes.size());
    if (isNew)
      sizes.push_back(&entry->first);
    lastSize = entry->second;
  }
  Number &number = nodes.emplace_back(made);
  number.size = lastSize;
  return nodes.size() - 1;
}

uint32_t FreeFunctionArithmetic::append(Value value, const FractionSize &size,
                                        Sign sign, bool isScalar) {
  Number number;
  number.value = value;
  number.sign = sign;
  number.isScalar = isScalar;
  return append(number, size);
}

FreeFunctionArithmetic::Value FreeFunctionArithmetic::drawVariable() {
  uint64_t first = fields[0].drawUnit(random);
  return {first, fields[1].drawUnit(random)};
}

uint32_t FreeFunctionArithmetic::makeVariable(Sign sign) {
  return append(drawVariable(), kVariable, sign);
}

FreeFunctionArithmetic::Value
FreeFunctionArithmetic::addValues(Value lhs, Value rhs) const {
  return {fields[0].add(lhs.first, rhs.first),
          fields[1].add(lhs.second, rhs.second)};
}

FreeFunctionArithmetic::Value
FreeFunctionArithmetic::multiplyValues(Value lhs, Value rhs) const {
  return {fields[0].mul(lhs.first, rhs.first),
          fields[1].mul(lhs.second, rhs.second)};
}

/// A double as m·2^e with the smallest whole m.
static FractionSize measure(double value) {
  int exponent;
  double fraction = std::frexp(std::fabs(value), &exponent);
  while (fraction != std::floor(fraction)) {
    fraction *= 2;
    --exponent;
  }
  FractionSize size;
  size.logTop = std::max(std::log2(fraction) + std::max(exponent, 0), 0.0);
  size.logBottom = std::max(-exponent, 0);
  return size;
}

uint32_t FreeFunctionArithmetic::makeNumber(double value) {
  if (!std::isfinite(value))
    return value < 0 ? kMinusInfinityId : kUndefinedId;
  if (value == 0)
    return kZeroId;
  if (value == 1)
    return kOneId;
  auto [entry, isNew] = constants.try_emplace(value, 0);
  if (isNew)
    entry->second =
        append({fields[0].fromDouble(value), fields[1].fromDouble(value)},
               measure(value), value > 0 ? Sign::Positive : Sign::Any,
               /*isScalar=*/true);
  return entry->second;
}

//===----------------------------------------------------------------------===//
// Sums, products, quotients
//===----------------------------------------------------------------------===//

namespace {
/// The size of a sum of fractions, over the product of their denominators.
class SizeOfSum {
public:
  void add(const FractionSize &size) {
    bottom += size.bottom;
    logBottom += size.logBottom;
    excess = std::max(excess, size.top - size.bottom);
    logExcess = std::max(logExcess, size.logTop - size.logBottom);
    ++count;
  }
  FractionSize get() const {
    return {bottom + excess, bottom, logBottom + logExcess + std::log2(count),
            logBottom};
  }

private:
  double bottom = 0, logBottom = 0;
  double excess = -HUGE_VAL, logExcess = -HUGE_VAL; ///< above over below
  double count = 0;
};
} // namespace

static FractionSize multiplySizes(const FractionSize &lhs,
                                  const FractionSize &rhs) {
  return {lhs.top + rhs.top, lhs.bottom + rhs.bottom, lhs.logTop + rhs.logTop,
          lhs.logBottom + rhs.logBottom};
}

FreeFunctionArithmetic::Sign FreeFunctionArithmetic::signSum(Sign lhs,
                                                             Sign rhs) const {
  return std::min(lhs, rhs) == Sign::Any ? Sign::Any : std::max(lhs, rhs);
}

FreeFunctionArithmetic::Sign
FreeFunctionArithmetic::signProduct(uint32_t lhs, uint32_t rhs) const {
  Sign sign = std::min(nodes[lhs].sign, nodes[rhs].sign);
  return lhs == rhs ? std::max(sign, Sign::NotNegative) : sign;
}

uint32_t FreeFunctionArithmetic::addTwo(uint32_t lhs, uint32_t rhs) {
  if (lhs == kZeroId)
    return rhs;
  if (rhs == kZeroId)
    return lhs;
  SizeOfSum size;
  size.add(getSize(lhs));
  size.add(getSize(rhs));
  Number sum;
  sum.value = addValues(nodes[lhs].value, nodes[rhs].value);
  sum.origin = Origin::Sum;
  sum.lhs = lhs;
  sum.rhs = rhs;
  sum.sign = signSum(nodes[lhs].sign, nodes[rhs].sign);
  return append(sum, size.get());
}

uint32_t FreeFunctionArithmetic::add(llvm::ArrayRef<uint32_t> summands) {
  if (llvm::is_contained(summands, kUndefinedId))
    return kUndefinedId;
  if (llvm::is_contained(summands, kMinusInfinityId))
    return kMinusInfinityId;
  llvm::SmallVector<uint32_t> others;
  llvm::copy_if(summands, std::back_inserter(others),
                [](uint32_t id) { return id != kZeroId; });
  if (others.empty())
    return kZeroId;
  if (others.size() == 1)
    return others[0];
  if (others.size() == 2)
    return addTwo(others[0], others[1]);
  SizeOfSum size;
  Value value = {0, 0};
  Sign sign = Sign::NotNegative;
  for (uint32_t id : others) {
    size.add(getSize(id));
    value = addValues(value, nodes[id].value);
    sign = signSum(sign, nodes[id].sign);
  }
  return append(value, size.get(), sign);
}

uint32_t FreeFunctionArithmetic::multiply(uint32_t lhs, uint32_t rhs) {
  if (lhs == kUndefinedId || rhs == kUndefinedId)
    return kUndefinedId;
  if (lhs == kMinusInfinityId || rhs == kMinusInfinityId) {
    uint32_t other = lhs == kMinusInfinityId ? rhs : lhs;
    return nodes[other].sign == Sign::Positive ? kMinusInfinityId
                                               : kUndefinedId;
  }
  if (lhs == kZeroId || rhs == kZeroId)
    return kZeroId;
  if (lhs == kOneId)
    return rhs;
  if (rhs == kOneId)
    return lhs;
  if (std::optional<uint32_t> square = multiplyRoots(lhs, rhs))
    return *square;
  Number product;
  product.value = multiplyValues(nodes[lhs].value, nodes[rhs].value);
  product.sign = signProduct(lhs, rhs);
  product.isScalar = nodes[lhs].isScalar && nodes[rhs].isScalar;
  if (nodes[lhs].isScalar || nodes[rhs].isScalar) {
    product.origin = Origin::Scaled;
    product.lhs = nodes[lhs].isScalar ? lhs : rhs;
    product.rhs = nodes[lhs].isScalar ? rhs : lhs;
  }
  return append(product, multiplySizes(getSize(lhs), getSize(rhs)));
}

/// Of what is not zero modulo either prime.
uint32_t FreeFunctionArithmetic::invert(uint32_t id) {
  const Number number = nodes[id];
  const FractionSize size = getSize(id);
  return append({fields[0].inverse(number.value.first),
                 fields[1].inverse(number.value.second)},
                {size.bottom, size.top, size.logBottom, size.logTop},
                number.sign, number.isScalar);
}

/// The product of a root and itself, each times a scalar.
std::optional<uint32_t> FreeFunctionArithmetic::multiplyRoots(uint32_t lhs,
                                                              uint32_t rhs) {
  if (radicands.empty())
    return std::nullopt;
  uint32_t scalars[2] = {kOneId, kOneId}, roots[2] = {lhs, rhs};
  for (unsigned side = 0; side < 2; ++side)
    if (const Number &number = nodes[roots[side]];
        number.origin == Origin::Scaled) {
      scalars[side] = number.lhs;
      roots[side] = number.rhs;
    }
  auto radicand = radicands.find(roots[0]);
  if (roots[0] != roots[1] || radicand == radicands.end())
    return std::nullopt;
  return multiply(multiply(scalars[0], scalars[1]), radicand->second);
}

uint32_t FreeFunctionArithmetic::divide(uint32_t lhs, uint32_t rhs) {
  Value divisor = nodes[rhs].value;
  if (isSpecial(lhs) || isSpecial(rhs) || divisor.first == 0 ||
      divisor.second == 0)
    return kUndefinedId;
  addCondition(ScalarFunction::Div, rhs);
  return rhs == kOneId ? lhs : multiply(lhs, invert(rhs));
}

void FreeFunctionArithmetic::matmul(uint32_t *result, const uint32_t *lhs,
                                    const uint32_t *rhs, size_t m, size_t n,
                                    size_t k) {
  for (size_t i = 0; i < m; ++i)
    for (size_t j = 0; j < n; ++j) {
      if (isExhausted())
        return std::fill(result, result + m * n, uint32_t(kUndefinedId));
      SizeOfSum size;
      Value value = {0, 0};
      Sign sign = Sign::NotNegative;
      bool isUndefined = false, isEmpty = true;
      for (size_t x = 0; x < k; ++x) {
        uint32_t a = lhs[i * k + x], b = rhs[x * n + j];
        isUndefined |= isSpecial(a) || isSpecial(b);
        if (a == kZeroId || b == kZeroId)
          continue;
        isEmpty = false;
        size.add(multiplySizes(getSize(a), getSize(b)));
        value =
            addValues(value, multiplyValues(nodes[a].value, nodes[b].value));
        sign = signSum(sign, signProduct(a, b));
      }
      result[i * n + j] = isUndefined ? uint32_t(kUndefinedId)
                          : isEmpty   ? uint32_t(kZeroId)
                                      : append(value, size.get(), sign);
    }
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

void FreeFunctionArithmetic::noteCompared(uint32_t id) {
  const FractionSize &size = getSize(id);
  largest.top = std::max(largest.top, size.top);
  largest.bottom = std::max(largest.bottom, size.bottom);
  largest.logTop = std::max(largest.logTop, size.logTop);
  largest.logBottom = std::max(largest.logBottom, size.logBottom);
}

/// \param id  of a divisor, a radicand, a base, or what a logarithm is of.
void FreeFunctionArithmetic::addCondition(ScalarFunction function,
                                          uint32_t id) {
  const Number &number = nodes[id];
  bool isHarmless =
      number.sign == Sign::Positive ||
      (function == ScalarFunction::Div && number.isScalar) ||
      (function == ScalarFunction::Sqrt && number.sign != Sign::Any);
  isConditional |= !isHarmless;
}

uint32_t FreeFunctionArithmetic::applyFree(ScalarFunction function,
                                           uint32_t lhs, uint32_t rhs) {
  if (isSpecial(lhs) || isSpecial(rhs))
    return kUndefinedId;
  bool keepsZero =
      function == ScalarFunction::Sqrt || function == ScalarFunction::Abs;
  bool isPartial =
      function != ScalarFunction::Abs && function != ScalarFunction::Erf;
  if (isPartial)
    addCondition(function, lhs);
  std::pair<Value, Value> operands = {compare(lhs), compare(rhs)};
  if (keepsZero && (isZero(lhs) || lhs == kOneId))
    return lhs;
  auto [entry, isNew] = results.try_emplace(
      {static_cast<unsigned>(function), operands}, uint32_t(0));
  if (!isNew)
    return entry->second;
  entry->second = makeVariable(keepsZero ? Sign::NotNegative : Sign::Any);
  if (function == ScalarFunction::Sqrt)
    radicands[entry->second] = lhs;
  return entry->second;
}

/// Of two operands one that is a maximum, of the other one among others.
std::optional<uint32_t>
FreeFunctionArithmetic::findPicked(const Picks &known,
                                   llvm::ArrayRef<uint32_t> operands) {
  if (operands.size() != 2 || isSpecial(operands[0]) || isSpecial(operands[1]))
    return std::nullopt;
  for (unsigned side : {0, 1}) {
    auto nested = known.operands.find(compare(operands[side]));
    Value other = compare(operands[1 - side]);
    if (nested != known.operands.end() &&
        std::binary_search(nested->second->begin(), nested->second->end(),
                           other))
      return operands[side];
  }
  return std::nullopt;
}

/// The operands of what is a maximum itself take its place.
uint32_t FreeFunctionArithmetic::pick(ScalarFunction function,
                                      llvm::ArrayRef<uint32_t> operands) {
  if (llvm::is_contained(operands, kUndefinedId))
    return kUndefinedId;
  if (function == ScalarFunction::Min &&
      llvm::is_contained(operands, kMinusInfinityId))
    return kMinusInfinityId;
  Picks &known = picks[function];
  if (std::optional<uint32_t> picked = findPicked(known, operands))
    return *picked;
  std::vector<Value> values;
  uint32_t some = kMinusInfinityId;
  Sign least = Sign::Positive, most = Sign::Any;
  for (uint32_t id : operands) {
    if (id == kMinusInfinityId)
      continue;
    some = id;
    least = std::min(least, nodes[id].sign);
    most = std::max(most, nodes[id].sign);
    Value value = compare(id);
    auto nested = known.operands.find(value);
    if (nested == known.operands.end())
      values.push_back(value);
    else
      llvm::append_range(values, *nested->second);
  }
  // To sort them takes about as long as to make a quarter as many numbers.
  otherCost += values.size() / 4;
  llvm::sort(values);
  values.erase(llvm::unique(values), values.end());
  if (values.size() <= 1)
    return some;
  auto [entry, isNew] = known.results.try_emplace(std::move(values), 0);
  if (!isNew)
    return entry->second;
  otherCost += entry->first.size();
  entry->second = makeVariable(function == ScalarFunction::Max ? most : least);
  known.operands[compare(entry->second)] = &entry->first;
  return entry->second;
}

uint32_t FreeFunctionArithmetic::exp(uint32_t id) {
  if (id == kUndefinedId)
    return kUndefinedId;
  return id == kMinusInfinityId ? uint32_t(kZeroId)
                                : expScaled(kOneId, id, /*depth=*/0);
}

uint32_t FreeFunctionArithmetic::expScaled(uint32_t factor, uint32_t id,
                                           unsigned depth) {
  // Sums of the same, with other factors, have exponentials without end.
  constexpr size_t kCostOfStep = 16;
  otherCost += kCostOfStep;
  if (isExhausted())
    return kUndefinedId;
  uint32_t exponent = multiply(factor, id);
  Value value = compare(exponent);
  ++numCompared; // the negative one, below
  if (isZero(exponent))
    return kOneId;
  if (auto known = exponentials.find(value); known != exponentials.end())
    return known->second;
  Value negative = {fields[0].sub(0, value.first),
                    fields[1].sub(0, value.second)};
  auto inverse = exponentials.find(negative);
  uint32_t result = inverse == exponentials.end() ? makeExp(factor, id, depth)
                                                  : invert(inverse->second);
  exponentials[value] = result;
  return result;
}

/// Of an exponent that is new.
uint32_t FreeFunctionArithmetic::makeExp(uint32_t factor, uint32_t id,
                                         unsigned depth) {
  // What is deeper is a number like any other.
  constexpr unsigned kMaxDepth = 256;
  const Number number = nodes[id]; // which moves when others are made
  if (depth < kMaxDepth && number.origin == Origin::Sum) {
    uint32_t first = expScaled(factor, number.lhs, depth + 1);
    return multiply(first, expScaled(factor, number.rhs, depth + 1));
  }
  if (depth < kMaxDepth && number.origin == Origin::Scaled)
    return expScaled(multiply(factor, number.lhs), number.rhs, depth + 1);
  return makeVariable(Sign::Positive);
}

uint32_t FreeFunctionArithmetic::applyTo(ScalarFunction function, uint32_t lhs,
                                         uint32_t rhs) {
  switch (function) {
  case ScalarFunction::Add:
    return add({lhs, rhs});
  case ScalarFunction::Mul:
    return multiply(lhs, rhs);
  case ScalarFunction::Div:
    return divide(lhs, rhs);
  case ScalarFunction::Max:
  case ScalarFunction::Min:
    return pick(function, {lhs, rhs});
  case ScalarFunction::Exp:
    return exp(lhs);
  case ScalarFunction::Sqrt:
  case ScalarFunction::Abs:
  case ScalarFunction::Log:
  case ScalarFunction::Erf:
    return applyFree(function, lhs, lhs);
  case ScalarFunction::Pow:
    return applyFree(function, lhs, rhs);
  case ScalarFunction::Vanish:
    return rhs == kMinusInfinityId ? uint32_t(kZeroId) : lhs;
  case ScalarFunction::Argument:
  case ScalarFunction::Parameter:
  case ScalarFunction::Constant:
  case ScalarFunction::Ln2:
  case ScalarFunction::Size:
    break;
  }
  assert(false && "a leaf is not applied");
  return kUndefinedId;
}

//===----------------------------------------------------------------------===//
// What equal values prove
//===----------------------------------------------------------------------===//

bool FreeFunctionArithmetic::areSame(uint32_t lhs, uint32_t rhs) {
  if (isSpecial(lhs) || isSpecial(rhs))
    return lhs == rhs && lhs == kMinusInfinityId;
  noteCompared(lhs);
  noteCompared(rhs);
  ++numOutputs;
  return nodes[lhs].value == nodes[rhs].value;
}

double FreeFunctionArithmetic::getErrorLog2() const {
  if (isTooHigh)
    return 0;
  double degree = largest.top + largest.bottom;
  double bits = largest.logTop + largest.logBottom + 1;
  double pairs = numCompared * (numCompared - 1) / 2 + numOutputs;
  // A random input, and a prime that divides all coefficients.
  uint64_t least = std::min(fields[0].getPrime(), fields[1].getPrime());
  double ofInput = std::log2(degree) - std::log2(double(least - 1));
  double ofPrime = std::log2(bits / WidePrimeField::kLog2Least) -
                   WidePrimeField::kLog2Primes;
  double ofPair = addLog2(ofInput, ofPrime);
  return std::min(std::log2(pairs) + fields.size() * ofPair, 0.0);
}
