//===- RoundedEvaluation.cpp - Float64 with error bounds ------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Running error analysis (Higham, Accuracy and Stability of Numerical
// Algorithms, 2002, section 3.3): each step adds its own rounding to what its
// operands' errors become. Bounds are computed in float64, too; a factor above
// 1 covers the rounding of that.
//
//===----------------------------------------------------------------------===//

#include "Mirage/Verify/RoundedEvaluation.h"
#include "GraphEvaluator.h"
#include "Mirage/Graph/ComposedOperators.h"
#include "Mirage/Verify/OutputOrder.h"
#include "SymbolicConstant.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <cstring>

using namespace mlir::mirage;

static constexpr double kUnit = 0x1p-53; ///< relative, of one rounding
/// Of a function of the C library, in units; glibc states at most 2.
static constexpr double kLibraryUnits = 8;
/// Of a result that underflows.
static constexpr double kTiny = 0x1p-1060;

static RoundedNumber getUnknown() { return {std::nan(""), 0}; }
static bool isExactInfinity(RoundedNumber x) { return std::isinf(x.value); }
/// Nothing rounds with it, so that roots of what relu cut off exist.
static bool isExactZero(RoundedNumber x) {
  return x.value == 0 && x.error == 0;
}
static double getLowest(RoundedNumber x) {
  return (x.value - x.error) - 4 * kUnit * (std::fabs(x.value) + x.error);
}
/// Whether the exact number cannot be zero or have another sign.
static bool hasKnownSign(RoundedNumber x) {
  // Less its error, an infinity would be no number.
  return isExactInfinity(x) || getLowest({std::fabs(x.value), x.error}) > 0;
}

/// A result with the error that operands cause, after `numRoundings`
/// roundings of its own.
static RoundedNumber finish(double value, double error, double numRoundings) {
  if (!std::isfinite(value) || !std::isfinite(error))
    return getUnknown();
  double own = numRoundings * kUnit * std::fabs(value);
  return {value, (error + own) * (1 + 64 * kUnit) + kTiny};
}

static RoundedNumber add(RoundedNumber x, RoundedNumber y) {
  double value = x.value + y.value;
  if (isExactInfinity(x) || isExactInfinity(y))
    return {value, 0};
  if (isExactZero(x) || isExactZero(y))
    return isExactZero(x) ? y : x;
  return finish(value, x.error + y.error, 1);
}

static RoundedNumber multiply(RoundedNumber x, RoundedNumber y) {
  double value = x.value * y.value;
  if (isExactInfinity(x) || isExactInfinity(y))
    return hasKnownSign(x) && hasKnownSign(y) ? RoundedNumber{value, 0}
                                              : getUnknown();
  // Of what is no number, there is no product either.
  if (value == 0 && (isExactZero(x) || isExactZero(y)))
    return {0, 0};
  double error = std::fabs(x.value) * y.error + std::fabs(y.value) * x.error +
                 x.error * y.error;
  return finish(value, error, 1);
}

static RoundedNumber divide(RoundedNumber x, RoundedNumber y) {
  double value = x.value / y.value;
  if (!hasKnownSign(y) || isExactInfinity(y))
    return getUnknown();
  if (isExactInfinity(x))
    return {value, 0};
  if (isExactZero(x))
    return x;
  double lowest = getLowest({std::fabs(y.value), y.error});
  return finish(value, (x.error + std::fabs(value) * y.error) / lowest, 2);
}

/// max is 1-Lipschitz, and min.
static RoundedNumber pick(RoundedNumber x, RoundedNumber y, bool isMaximum) {
  if (std::isnan(x.value) || std::isnan(y.value))
    return getUnknown();
  RoundedNumber picked = (x.value > y.value) == isMaximum ? x : y;
  if (isExactInfinity(x) || isExactInfinity(y))
    return picked;
  return {picked.value, std::max(x.error, y.error)};
}

static RoundedNumber exponentiate(RoundedNumber x) {
  if (isExactInfinity(x))
    return x.value < 0 ? RoundedNumber{0, 0} : getUnknown();
  double value = std::exp(x.value);
  double growth = std::expm1(x.error) * (1 + kLibraryUnits * kUnit);
  return finish(value, value * growth, kLibraryUnits * (1 + growth));
}

/// |√X - √x| <= |X - x|/√x.
static RoundedNumber takeRoot(RoundedNumber x) {
  if (isExactZero(x))
    return x;
  if (isExactInfinity(x) || !(getLowest(x) > 0))
    return getUnknown();
  double value = std::sqrt(x.value);
  return finish(value, x.error / value, 2);
}

static RoundedNumber takeLog(RoundedNumber x) {
  if (isExactInfinity(x) || !(getLowest(x) > 0))
    return getUnknown();
  return finish(std::log(x.value), x.error / getLowest(x), kLibraryUnits);
}

static RoundedNumber takeErf(RoundedNumber x) {
  if (isExactInfinity(x))
    return getUnknown();
  constexpr double kSteepest = 1.13; // 2/√π
  return finish(std::erf(x.value), kSteepest * x.error, kLibraryUnits);
}

/// x^y = e^(y·log x) for x > 0; of others only exact operands.
static RoundedNumber takePower(RoundedNumber x, RoundedNumber y) {
  if (isExactInfinity(x) || isExactInfinity(y))
    return getUnknown();
  double value = std::pow(x.value, y.value);
  if (x.error == 0 && y.error == 0)
    return finish(value, 0, kLibraryUnits);
  if (!(getLowest(x) > 0))
    return getUnknown();
  double ofLog = x.error / getLowest(x);
  double ofExponent = std::fabs(y.value) * ofLog +
                      y.error * (std::fabs(std::log(x.value)) + ofLog + kUnit);
  double growth = std::expm1(ofExponent) * (1 + kLibraryUnits * kUnit);
  return finish(value, value * growth, kLibraryUnits * (1 + growth));
}

static RoundedNumber apply(ScalarFunction function, RoundedNumber x,
                           RoundedNumber y) {
  switch (function) {
  case ScalarFunction::Add:
    return add(x, y);
  case ScalarFunction::Mul:
    return multiply(x, y);
  case ScalarFunction::Div:
    return divide(x, y);
  case ScalarFunction::Max:
    return pick(x, y, /*isMaximum=*/true);
  case ScalarFunction::Min:
    return pick(x, y, /*isMaximum=*/false);
  case ScalarFunction::Exp:
    return exponentiate(x);
  case ScalarFunction::Sqrt:
    return takeRoot(x);
  case ScalarFunction::Abs:
    return {std::fabs(x.value), x.error};
  case ScalarFunction::Log:
    return takeLog(x);
  case ScalarFunction::Erf:
    return takeErf(x);
  case ScalarFunction::Pow:
    return takePower(x, y);
  case ScalarFunction::Vanish:
    return isExactInfinity(y) && y.value < 0 ? RoundedNumber{0, 0} : x;
  case ScalarFunction::Argument:
  case ScalarFunction::Parameter:
  case ScalarFunction::Constant:
  case ScalarFunction::Ln2:
  case ScalarFunction::Size:
    break;
  }
  assert(false && "a leaf is not applied");
  return getUnknown();
}

namespace {
class RoundedArithmetic : public Arithmetic {
public:
  static constexpr unsigned kWords = sizeof(RoundedNumber) / sizeof(uint32_t);
  RoundedArithmetic() : Arithmetic(kWords) {}

  static RoundedNumber get(const uint32_t *from) {
    RoundedNumber number;
    std::memcpy(&number, from, sizeof(number));
    return number;
  }
  static void put(uint32_t *to, RoundedNumber number) {
    std::memcpy(to, &number, sizeof(number));
  }

  void constant(uint32_t *result, double value) override {
    // The nearest f32 to log2 e and log2 e itself are 2^-24 apart.
    bool isSymbol = classifyConstant(value).kind != SymbolicConstant::Rational;
    fill(result, {value, isSymbol ? 0x1p-24 : 0});
  }
  void ln2(uint32_t *result) override { fill(result, {M_LN2, kUnit}); }

  void apply(ScalarFunction function, uint32_t *result, Source lhs, Source rhs,
             size_t count) override {
    for (size_t i = 0; i < count; i += kWords)
      put(result + i, ::apply(function, get(lhs.data + (lhs.repeats ? 0 : i)),
                              get(rhs.data + (rhs.repeats ? 0 : i))));
  }

  void vanish(uint32_t *result, const uint32_t *operand,
              const uint32_t *exponent, size_t count) override {
    for (size_t i = 0; i < count; i += kWords)
      put(result + i, get(exponent + i).value == -INFINITY ? RoundedNumber{0, 0}
                                                           : get(operand + i));
  }

  void reduce(Combiner combiner, uint32_t *result, const uint32_t *operand,
              size_t outer, size_t reduced, size_t inner) override {
    for (size_t o = 0; o < outer; ++o)
      for (size_t i = 0; i < inner; i += kWords) {
        const uint32_t *first = operand + o * reduced * inner + i;
        RoundedNumber joined = get(first);
        for (size_t r = 1; r < reduced; ++r) {
          RoundedNumber next = get(first + r * inner);
          joined = combiner == Combiner::Add
                       ? add(joined, next)
                       : pick(joined, next, /*isMaximum=*/true);
        }
        put(result + o * inner + i, joined);
      }
  }

  void matmul(uint32_t *result, const uint32_t *lhs, const uint32_t *rhs,
              size_t m, size_t n, size_t k) override {
    std::vector<RoundedNumber> row(n);
    std::vector<double> magnitudes(n);
    for (size_t i = 0; i < m; ++i) {
      std::fill(row.begin(), row.end(), RoundedNumber{0, 0});
      std::fill(magnitudes.begin(), magnitudes.end(), 0);
      for (size_t x = 0; x < k; ++x)
        addProducts(get(lhs + (i * k + x) * kWords), rhs + x * n * kWords, row,
                    magnitudes);
      for (size_t j = 0; j < n; ++j)
        put(result + (i * n + j) * kWords, finishSum(row[j], magnitudes[j], k));
    }
  }

private:
  static void fill(uint32_t *result, RoundedNumber number) {
    for (unsigned i = 0; i < kConstantWords; i += kWords)
      put(result + i, number);
  }

  static void addProducts(RoundedNumber factor, const uint32_t *others,
                          std::vector<RoundedNumber> &row,
                          std::vector<double> &magnitudes) {
    for (size_t j = 0; j < row.size(); ++j) {
      RoundedNumber other = get(others + j * kWords);
      double product = factor.value * other.value;
      row[j].value += product;
      row[j].error += std::fabs(factor.value) * other.error +
                      std::fabs(other.value) * factor.error +
                      factor.error * other.error;
      magnitudes[j] += std::fabs(product);
    }
  }

  /// A sum of k products is off by at most k·u/(1 - k·u) times the sum of their
  /// magnitudes; the sums of errors and magnitudes may be as much too small.
  static RoundedNumber finishSum(RoundedNumber sum, double magnitude,
                                 size_t k) {
    double share = 2 * (k + 8.0) * kUnit;
    return finish(sum.value,
                  (sum.error + share * magnitude) * (1 + share) + k * kTiny, 0);
  }
};
} // namespace

namespace {
/// Inputs of which parts are read.
class RoundedInputs : public InputElements {
public:
  explicit RoundedInputs(ReadInput readInput) : readInput(readInput) {}

  const uint32_t *getAll(unsigned) const override { return nullptr; }
  void read(unsigned input, size_t first,
            llvm::MutableArrayRef<uint32_t> elements) const override {
    constexpr unsigned kWords = RoundedArithmetic::kWords;
    std::vector<double> values(elements.size() / kWords);
    readInput(input, first, values);
    for (auto [i, value] : llvm::enumerate(values))
      RoundedArithmetic::put(&elements[i * kWords], {value, 0});
  }

private:
  ReadInput readInput;
};
} // namespace

/// \param sample  of a graph without composed operators; null for all.
static std::vector<std::vector<RoundedNumber>>
evaluateNeeded(const Graph &graph, const InputElements &inputs,
               const Sample *sample) {
  constexpr unsigned kWords = RoundedArithmetic::kWords;
  RoundedArithmetic arithmetic;
  std::vector<std::vector<RoundedNumber>> outputs;
  for (const auto &output :
       GraphEvaluator(arithmetic).evaluate(graph, inputs, sample)) {
    outputs.emplace_back();
    for (size_t i = 0; i < output.size(); i += kWords)
      outputs.back().push_back(RoundedArithmetic::get(&output[i]));
  }
  return outputs;
}

std::vector<std::vector<RoundedNumber>>
mlir::mirage::evaluateRounded(const Graph &graph,
                              llvm::ArrayRef<std::vector<double>> inputs) {
  constexpr unsigned kWords = RoundedArithmetic::kWords;
  std::vector<std::vector<uint32_t>> words;
  llvm::SmallVector<const uint32_t *> starts;
  for (const std::vector<double> &input : inputs) {
    words.emplace_back(input.size() * kWords);
    for (auto [i, value] : llvm::enumerate(input))
      RoundedArithmetic::put(&words.back()[i * kWords], {value, 0});
    starts.push_back(words.back().data());
  }
  return evaluateNeeded(expandComposed(graph), StoredInputs(starts),
                        /*sample=*/nullptr);
}

std::vector<RoundedNumber>
mlir::mirage::evaluateRounded(const Graph &graph, ReadInput read,
                              unsigned output,
                              llvm::ArrayRef<int64_t> elements) {
  Graph one = withOutputs(expandComposed(graph), {output});
  const Shape &shape = one.getType(one.getOutputs()[0]).shape;
  Region region = makeRegionOf(shape, elements);
  Sample sample = findSample(one, {region});
  std::vector<RoundedNumber> kept =
      evaluateNeeded(one, RoundedInputs(read), &sample)[0];
  // What is kept ascends, and may be more than was asked for.
  std::vector<int64_t> places = listElements(shape, region);
  std::vector<RoundedNumber> numbers;
  for (int64_t element : elements)
    numbers.push_back(
        kept[llvm::lower_bound(places, element) - places.begin()]);
  return numbers;
}

std::vector<RoundedNumber> mlir::mirage::evaluateRounded(
    const Graph &graph, llvm::ArrayRef<std::vector<double>> inputs,
    unsigned output, llvm::ArrayRef<int64_t> elements) {
  auto read = [&](unsigned input, size_t first,
                  llvm::MutableArrayRef<double> values) {
    llvm::copy(llvm::ArrayRef(inputs[input]).slice(first, values.size()),
               values.begin());
  };
  return evaluateRounded(graph, read, output, elements);
}
