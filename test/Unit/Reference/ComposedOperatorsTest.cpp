//===- ComposedOperatorsTest.cpp - Norms by their formulas ---------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Graph/ComposedOperators.h"
#include "Mirage/Reference/Reference.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <cmath>
#include <functional>

using namespace mlir::mirage;

static TensorSpec f32(Shape shape) { return {shape, ElementType::F32}; }

static HostTensor makeInput(Shape shape, unsigned seed, double scale = 1) {
  std::vector<double> values(f32(shape).getNumElements());
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = scale * (int((i * 37 + seed * 11) % 101) - 50) / 16.0;
  return encode(f32(shape), values);
}

static std::vector<double> evaluate(const Graph &graph,
                                    llvm::ArrayRef<HostTensor> inputs) {
  auto outputs = evaluateReference(graph, inputs, {2, true});
  EXPECT_TRUE(static_cast<bool>(outputs))
      << (outputs ? "" : llvm::toString(outputs.takeError()));
  return outputs->front().values;
}

/// One operator of inputs.
static std::vector<double> evaluate(Opcode opcode, Attributes attributes,
                                    llvm::ArrayRef<HostTensor> inputs,
                                    Shape result) {
  Graph graph;
  llvm::SmallVector<ValueId> operands;
  for (const HostTensor &input : inputs)
    operands.push_back(graph.addInput(input.type));
  graph.addOutput(graph.add(opcode, operands, f32(result), attributes));
  return evaluate(graph, inputs);
}

constexpr int64_t kX = 4, kY = 5, kZ = 7;

/// Calls `check` with each set of dimensions, and for each result of a
/// reduction over them the numbers of the elements that it is of.
static void forEachGroup(
    llvm::function_ref<void(Shape dims, const std::vector<int64_t> &group)>
        check) {
  for (unsigned mask = 1; mask < 8; ++mask) {
    Shape dims;
    for (unsigned dim = 0; dim < 3; ++dim)
      if (mask >> dim & 1)
        dims.push_back(dim);
    std::map<std::array<int64_t, 3>, std::vector<int64_t>> groups;
    for (int64_t i = 0; i < kX * kY * kZ; ++i)
      groups[{mask & 1 ? 0 : i / (kY * kZ), mask & 2 ? 0 : i / kZ % kY,
              mask & 4 ? 0 : i % kZ}]
          .push_back(i);
    for (const auto &[key, group] : groups)
      check(dims, group);
  }
}

using Formula = std::function<std::vector<double>(std::vector<double>)>;

/// The operator over all sets of dimensions against a formula of the elements
/// of a group.
static void check(Opcode opcode, double epsilon, const Formula &formula,
                  double scale = 1) {
  HostTensor input = makeInput({kX, kY, kZ}, 3, scale);
  std::vector<double> values = decode(input), found;
  Shape before;
  forEachGroup([&](Shape dims, const std::vector<int64_t> &group) {
    if (dims != before) {
      Attributes attributes;
      attributes.dims = before = dims;
      if (opcode != Opcode::Softmax)
        attributes.scalars = {epsilon};
      found = evaluate(opcode, attributes, {input}, {kX, kY, kZ});
    }
    std::vector<double> elements;
    for (int64_t i : group)
      elements.push_back(values[i]);
    std::vector<double> expected = formula(elements);
    for (auto [i, y] : llvm::zip_equal(group, expected))
      ASSERT_NEAR(found[i], y, 1e-13 * (1 + std::fabs(y))) << toString(dims);
  });
}

static double sum(const std::vector<double> &list,
                  const std::function<double(double)> &of) {
  double total = 0;
  for (double x : list)
    total += of(x);
  return total;
}

static std::vector<double> map(std::vector<double> list,
                               const std::function<double(double)> &of) {
  for (double &x : list)
    x = of(x);
  return list;
}

TEST(ComposedOperators, RmsNorm) {
  for (double epsilon : {0.0, 0.25})
    check(Opcode::RmsNorm, epsilon, [&](std::vector<double> list) {
      double mean = sum(list, [](double x) { return x * x; }) / list.size();
      return map(list, [&](double x) { return x / std::sqrt(mean + epsilon); });
    });
}

TEST(ComposedOperators, L2Norm) {
  check(Opcode::L2Norm, 0.25, [&](std::vector<double> list) {
    double squares = sum(list, [](double x) { return x * x; });
    return map(list, [&](double x) { return x / std::sqrt(squares + 0.25); });
  });
}

TEST(ComposedOperators, LayerNorm) {
  check(Opcode::LayerNorm, 0.25, [&](std::vector<double> list) {
    double mean = sum(list, [](double x) { return x; }) / list.size();
    double variance =
        sum(list, [&](double x) { return (x - mean) * (x - mean); }) /
        list.size();
    return map(list, [&](double x) {
      return (x - mean) / std::sqrt(variance + 0.25);
    });
  });
}

TEST(ComposedOperators, Softmax) {
  check(Opcode::Softmax, 0, [&](std::vector<double> list) {
    double total = sum(list, [](double x) { return std::exp(x); });
    return map(list, [&](double x) { return std::exp(x) / total; });
  });
}

/// exp(31250) is no double.
TEST(ComposedOperators, SoftmaxOfLargeElementsDoesNotOverflow) {
  check(
      Opcode::Softmax, 0,
      [&](std::vector<double> list) {
        double largest = *std::max_element(list.begin(), list.end());
        double total =
            sum(list, [&](double x) { return std::exp(x - largest); });
        return map(list,
                   [&](double x) { return std::exp(x - largest) / total; });
      },
      /*scale=*/10000);
}

TEST(ComposedOperators, WeightAndBiasFollow) {
  HostTensor x = makeInput({3, 8}, 1), w = makeInput({8}, 2),
             b = makeInput({3, 1}, 5);
  Attributes attributes;
  attributes.dims = {1};
  attributes.scalars = {0.5};
  std::vector<double> plain =
      evaluate(Opcode::LayerNorm, attributes, {x}, {3, 8});
  std::vector<double> weighted =
      evaluate(Opcode::LayerNorm, attributes, {x, w}, {3, 8});
  std::vector<double> biased =
      evaluate(Opcode::LayerNorm, attributes, {x, w, b}, {3, 8});
  std::vector<double> weight = decode(w), bias = decode(b);
  for (int64_t i = 0; i < 24; ++i) {
    EXPECT_EQ(weighted[i], plain[i] * weight[i % 8]);
    EXPECT_EQ(biased[i], plain[i] * weight[i % 8] + bias[i / 8]);
  }
}

TEST(ComposedOperators, Repeat) {
  HostTensor x = makeInput({2, 3}, 1);
  std::vector<double> values = decode(x),
                      found = evaluate(Opcode::Repeat, {}, {x}, {4, 9});
  for (int64_t i = 0; i < 36; ++i)
    EXPECT_EQ(found[i], values[i / 9 % 2 * 3 + i % 9 % 3]);
}

/// A chain of composed operators, with outputs among them.
TEST(ComposedOperators, ExpandedGraphsComputeTheSame) {
  Graph graph;
  Attributes attributes;
  attributes.dims = {0};
  ValueId x = graph.addInput(f32({6, 4}), "x");
  ValueId s = graph.add(Opcode::Softmax, {x}, f32({6, 4}), attributes);
  ValueId e = graph.add(Opcode::Exp, {s}, f32({6, 4}));
  attributes.scalars = {0};
  ValueId n = graph.add(Opcode::RmsNorm, {e}, f32({6, 4}), attributes);
  graph.addOutput(n);
  graph.addOutput(s);
  Graph expanded = expandComposed(graph);
  EXPECT_FALSE(static_cast<bool>(verify(expanded)));
  EXPECT_EQ(expanded.getInputName(0), "x");
  for (const Node &node : expanded.getNodes())
    EXPECT_FALSE(isComposed(node.opcode));
  EXPECT_EQ(expanded.getTypes(expanded.getOutputs()),
            graph.getTypes(graph.getOutputs()));
  HostTensor input = makeInput({6, 4}, 1);
  EXPECT_EQ(evaluate(expanded, {input}), evaluate(graph, {input}));
}

/// Nothing but the result is rounded.
TEST(ComposedOperators, StepsAreF32) {
  Attributes attributes;
  attributes.dims = {1};
  TensorSpec x{{8, 64}, ElementType::F16};
  Graph definition =
      llvm::cantFail(defineComposed(Opcode::Softmax, attributes, {x}, x));
  for (const Node &node : llvm::ArrayRef(definition.getNodes()).drop_back())
    EXPECT_EQ(definition.getType(node.results[0]).element, ElementType::F32);
  EXPECT_EQ(definition.getType(definition.getOutputs()[0]), x);
}
