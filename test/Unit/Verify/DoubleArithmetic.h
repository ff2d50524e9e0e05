//===- DoubleArithmetic.h - Float64 witnesses for tests ---------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TEST_UNIT_VERIFY_DOUBLEARITHMETIC_H
#define MIRAGE_TEST_UNIT_VERIFY_DOUBLEARITHMETIC_H

#include "GraphEvaluator.h"
#include "Mirage/Verify/Verify.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <cstring>

namespace mlir::mirage::test {

/// Double precision, two words an element: which mutants really differ.
class DoubleArithmetic : public Arithmetic {
public:
  DoubleArithmetic() : Arithmetic(2) {}

  void constant(uint32_t *result, double value) override {
    std::memcpy(result, &value, sizeof(double));
  }
  void ln2(uint32_t *result) override { constant(result, M_LN2); }
  void apply(ScalarFunction function, uint32_t *result, Source lhs, Source rhs,
             size_t count) override {
    for (size_t i = 0; i < count; i += 2)
      put(result + i, apply(function, get(lhs.data + (lhs.repeats ? 0 : i)),
                            get(rhs.data + (rhs.repeats ? 0 : i))));
  }
  void vanish(uint32_t *result, const uint32_t *operand,
              const uint32_t *exponent, size_t count) override {
    for (size_t i = 0; i < count; i += 2)
      put(result + i, get(exponent + i) == -INFINITY ? 0 : get(operand + i));
  }
  void reduce(Combiner combiner, uint32_t *result, const uint32_t *operand,
              size_t outer, size_t reduced, size_t inner) override {
    for (size_t o = 0; o < outer; ++o)
      for (size_t i = 0; i < inner; i += 2) {
        double total = getNeutral(combiner);
        for (size_t r = 0; r < reduced; ++r)
          total = combine(combiner, total,
                          get(operand + (o * reduced + r) * inner + i));
        put(result + o * inner + i, total);
      }
  }
  void matmul(uint32_t *result, const uint32_t *lhs, const uint32_t *rhs,
              size_t m, size_t n, size_t k) override {
    for (size_t i = 0; i < m; ++i)
      for (size_t j = 0; j < n; ++j) {
        double total = 0;
        for (size_t x = 0; x < k; ++x)
          total += get(lhs + 2 * (i * k + x)) * get(rhs + 2 * (x * n + j));
        put(result + 2 * (i * n + j), total);
      }
  }

  static double get(const uint32_t *from) {
    double value;
    std::memcpy(&value, from, sizeof(double));
    return value;
  }
  static void put(uint32_t *to, double value) {
    std::memcpy(to, &value, sizeof(double));
  }

private:
  static double apply(ScalarFunction function, double x, double y) {
    switch (function) {
    case ScalarFunction::Add:
      return x + y;
    case ScalarFunction::Mul:
      return x * y;
    case ScalarFunction::Div:
      return x / y;
    case ScalarFunction::Max:
      return std::max(x, y);
    case ScalarFunction::Min:
      return std::min(x, y);
    case ScalarFunction::Exp:
      return std::exp(x);
    case ScalarFunction::Sqrt:
      return std::sqrt(x);
    case ScalarFunction::Abs:
      return std::fabs(x);
    case ScalarFunction::Log:
      return std::log(x);
    case ScalarFunction::Erf:
      return std::erf(x);
    case ScalarFunction::Pow:
      return std::pow(x, y);
    case ScalarFunction::Vanish:
      return y == -INFINITY ? 0 : x;
    default:
      return std::nan("");
    }
  }
};

/// The outputs in float64 on random inputs from [-range, range].
inline std::vector<std::vector<double>>
evaluateDouble(const Graph &graph, uint64_t seed, double range) {
  DoubleArithmetic arithmetic;
  RandomStream random(deriveSeed(Seed{}, "doubles", seed));
  std::vector<std::vector<uint32_t>> inputs;
  llvm::SmallVector<const uint32_t *> starts;
  for (unsigned input = 0; input < graph.getNumInputs(); ++input) {
    std::vector<uint32_t> data(2 * graph.getType(input).getNumElements());
    for (size_t i = 0; i < data.size(); i += 2)
      DoubleArithmetic::put(&data[i],
                            range * (random.next() / 2147483648.0 - 1));
    inputs.push_back(std::move(data));
    starts.push_back(inputs.back().data());
  }
  std::vector<std::vector<double>> outputs;
  for (const auto &words : GraphEvaluator(arithmetic).evaluate(graph, starts)) {
    outputs.emplace_back();
    for (size_t i = 0; i < words.size(); i += 2)
      outputs.back().push_back(DoubleArithmetic::get(&words[i]));
  }
  return outputs;
}

/// Calls `visit(seed, output, element, x, y)` for all outputs of two graphs on
/// a few inputs, until it returns true. \returns whether it did.
template <typename Visit>
bool anyOutput(const Graph &lhs, const Graph &rhs, Visit visit) {
  for (uint64_t seed = 0; seed < 6; ++seed) {
    double range = seed % 2 ? 2 : 0.7;
    auto left = evaluateDouble(lhs, seed, range);
    auto right = evaluateDouble(rhs, seed, range);
    for (unsigned output = 0; output < left.size(); ++output)
      for (size_t i = 0; i < left[output].size(); ++i)
        if (visit(seed, output, i, left[output][i], right[output][i]))
          return true;
  }
  return false;
}

/// Outputs that are not finite in both say nothing.
inline std::optional<Witness> findDifference(const Graph &lhs,
                                             const Graph &rhs) {
  std::optional<Witness> found;
  anyOutput(
      lhs, rhs,
      [&](uint64_t seed, unsigned output, int64_t element, double x, double y) {
        if (std::isfinite(x) && std::isfinite(y) &&
            std::fabs(x - y) > 1e-9 * (1 + std::fabs(x) + std::fabs(y)))
          found = Witness{seed, output, element, x, y};
        return found.has_value();
      });
  return found;
}

/// Whether outputs are finite in both graphs or in neither.
inline bool haveNumbersAlike(const Graph &lhs, const Graph &rhs) {
  return !anyOutput(lhs, rhs,
                    [](uint64_t, unsigned, int64_t, double x, double y) {
                      return std::isfinite(x) != std::isfinite(y);
                    });
}

inline llvm::Expected<std::optional<Witness>> findWitness(const Graph &lhs,
                                                          const Graph &rhs) {
  return findDifference(lhs, rhs);
}

} // namespace mlir::mirage::test

#endif // MIRAGE_TEST_UNIT_VERIFY_DOUBLEARITHMETIC_H
