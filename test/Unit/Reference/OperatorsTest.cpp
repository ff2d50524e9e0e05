//===- OperatorsTest.cpp - Each operator against its formula --------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Reference/Reference.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "gtest/gtest.h"
#include <cmath>
#include <functional>

using namespace mlir::mirage;

static TensorSpec f32(Shape shape) { return {shape, ElementType::F32}; }

/// Numbers exact in f32, positive and negative, or positive only.
static HostTensor makeInput(Shape shape, bool positive, unsigned seed) {
  TensorSpec type = f32(shape);
  std::vector<double> values(type.getNumElements());
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = (static_cast<int>((i * 37 + seed * 11) % 101) - 50) / 16.0;
  if (positive)
    for (double &value : values)
      value = std::fabs(value) + 0.125;
  return encode(type, values);
}

static ReferenceOutput evaluate(const Graph &graph,
                                llvm::ArrayRef<HostTensor> inputs,
                                unsigned threads = 2) {
  llvm::Expected<std::vector<ReferenceOutput>> outputs =
      evaluateReference(graph, inputs, {threads, true});
  EXPECT_TRUE(static_cast<bool>(outputs))
      << (outputs ? "" : llvm::toString(outputs.takeError()));
  return outputs->front();
}

using Unary = std::function<double(double)>;
using Binary = std::function<double(double, double)>;

static double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

TEST(Operators, UnaryOnesByTheirFormulas) {
  llvm::StringMap<Unary> formulas;
  formulas["exp"] = [](double x) { return std::exp(x); };
  formulas["exp2"] = [](double x) { return std::exp2(x); };
  formulas["log"] = [](double x) { return std::log(x); };
  formulas["square"] = [](double x) { return x * x; };
  formulas["sqrt"] = [](double x) { return std::sqrt(x); };
  formulas["rsqrt"] = [](double x) { return 1 / std::sqrt(x); };
  formulas["reciprocal"] = [](double x) { return 1 / x; };
  formulas["neg"] = [](double x) { return -x; };
  formulas["abs"] = [](double x) { return std::fabs(x); };
  formulas["sigmoid"] = sigmoid;
  formulas["silu"] = [](double x) { return x * sigmoid(x); };
  formulas["gelu"] = [](double x) {
    return x / 2 * std::erfc(-x / std::sqrt(2.0));
  };
  formulas["gelu_tanh"] = [](double x) {
    return x / 2 *
           (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
  };
  formulas["relu"] = [](double x) { return std::fmax(x, 0); };
  formulas["tanh"] = [](double x) { return std::tanh(x); };
  formulas["erf"] = [](double x) { return std::erf(x); };
  formulas["scale"] = [](double x) { return -0.75 * x; };
  formulas["unscale"] = [](double x) { return x / -0.75; };
  formulas["offset"] = [](double x) { return -0.75 + x; };
  formulas["clamp"] = [](double x) {
    return std::fmin(std::fmax(x, -0.75), 1.25);
  };
  for (const OperatorInfo &row : getOperatorTable()) {
    if (row.kind != OperatorKind::Elementwise || row.numOperands != 1)
      continue;
    ASSERT_TRUE(formulas.count(row.name)) << row.name.str();
    bool positive = row.name == "log" || row.name == "sqrt" ||
                    row.name == "rsqrt" || row.name == "reciprocal";
    HostTensor input = makeInput({7, 5, 101}, positive, 1);
    Graph graph;
    Attributes attributes;
    attributes.scalars = {-0.75, 1.25};
    attributes.scalars.resize(row.parameters.size());
    ValueId x = graph.addInput(input.type);
    graph.addOutput(graph.add(row.opcode, {x}, input.type, attributes));
    std::vector<double> found = evaluate(graph, input).values;
    for (auto [x, y] : llvm::zip_equal(decode(input), found)) {
      double expected = formulas[row.name](x);
      ASSERT_NEAR(y, expected, 1e-14 * (1 + std::fabs(expected)))
          << row.name.str() << " of " << x;
    }
  }
}

TEST(Operators, BinaryOnesByTheirFormulasWithBroadcast) {
  llvm::StringMap<Binary> formulas;
  formulas["add"] = [](double x, double y) { return x + y; };
  formulas["sub"] = [](double x, double y) { return x - y; };
  formulas["mul"] = [](double x, double y) { return x * y; };
  formulas["div"] = [](double x, double y) { return x / y; };
  formulas["maximum"] = [](double x, double y) { return std::fmax(x, y); };
  formulas["minimum"] = [](double x, double y) { return std::fmin(x, y); };
  formulas["pow"] = [](double x, double y) { return std::pow(x, y); };
  const int64_t a = 3, b = 4, c = 600;
  for (const OperatorInfo &row : getOperatorTable()) {
    if (row.kind != OperatorKind::Elementwise || row.numOperands != 2 ||
        !row.existsAt(Level::Kernel))
      continue;
    ASSERT_TRUE(formulas.count(row.name)) << row.name.str();
    HostTensor lhs = makeInput({a, 1, c}, true, 1);
    HostTensor rhs = makeInput({b, 1}, true, 2);
    Graph graph;
    ValueId x = graph.addInput(lhs.type), y = graph.addInput(rhs.type);
    graph.addOutput(graph.add(row.opcode, {x, y}, f32({a, b, c})));
    std::vector<double> found = evaluate(graph, {lhs, rhs}).values;
    std::vector<double> left = decode(lhs), right = decode(rhs);
    for (int64_t i = 0; i < a * b * c; ++i)
      ASSERT_DOUBLE_EQ(
          found[i],
          formulas[row.name](left[i / (b * c) * c + i % c], right[i / c % b]))
          << row.name.str();
  }
}

/// One reduced element by its formula.
static double reduce(llvm::StringRef name, llvm::ArrayRef<double> list) {
  double sum = 0, squares = 0, largest = -INFINITY;
  for (double x : list) {
    sum += x;
    squares += x * x;
    largest = std::fmax(largest, x);
  }
  if (name == "sum")
    return sum;
  if (name == "mean")
    return sum / list.size();
  if (name == "rms")
    return std::sqrt(squares / list.size());
  EXPECT_EQ(name, "max");
  return largest;
}

TEST(Operators, ReductionsOverAnyDimensions) {
  HostTensor input = makeInput({6, 5, 300}, false, 3);
  std::vector<double> values = decode(input);
  for (const OperatorInfo &row : getOperatorTable()) {
    if (row.kind != OperatorKind::Reduction || !row.existsAt(Level::Kernel))
      continue;
    for (unsigned mask = 1; mask < 8; ++mask) {
      Attributes attributes;
      Shape shape = {6, 5, 300};
      for (unsigned dim = 0; dim < 3; ++dim)
        if (mask >> dim & 1) {
          attributes.dims.push_back(dim);
          shape[dim] = 1;
        }
      std::vector<std::vector<double>> lists(f32(shape).getNumElements());
      for (int64_t i = 0; i < 6 * 5 * 300; ++i) {
        int64_t x = i / 1500 % shape[0], y = i / 300 % 5 % shape[1],
                z = i % 300 % shape[2];
        lists[(x * shape[1] + y) * shape[2] + z].push_back(values[i]);
      }
      Graph graph;
      ValueId x = graph.addInput(input.type);
      graph.addOutput(graph.add(row.opcode, {x}, f32(shape), attributes));
      std::vector<double> found = evaluate(graph, input).values;
      for (auto [list, y] : llvm::zip_equal(lists, found))
        ASSERT_NEAR(y, reduce(row.name, list), 1e-10)
            << row.name.str() << " " << mask;
    }
  }
}

TEST(Operators, MeanCountsWhatItIsTold) {
  Graph graph;
  ValueId x = graph.addInput(f32({2, 4}));
  Attributes attributes;
  attributes.dims = {1};
  attributes.count = 3;
  graph.addOutput(graph.add(Opcode::Mean, {x}, f32({2, 1}), attributes));
  EXPECT_EQ(
      evaluate(graph, encode(f32({2, 4}), {1, 2, 3, 0, 4, 5, 6, 0})).values,
      (std::vector<double>{2, 5}));
}

/// Products of all sizes around the blocks that the implementation works in.
TEST(Operators, MatmulOfManySizes) {
  for (auto [m, k, n] : {std::array<int64_t, 3>{1, 1, 1},
                         {3, 5, 7},
                         {4, 128, 8},
                         {5, 129, 9},
                         {9, 300, 257},
                         {2, 3, 600}}) {
    HostTensor lhs = makeInput({m, k}, false, 1);
    HostTensor rhs = makeInput({k, n}, false, 2);
    Graph graph;
    ValueId x = graph.addInput(lhs.type), y = graph.addInput(rhs.type);
    graph.addOutput(graph.add(Opcode::Matmul, {x, y}, f32({m, n})));
    ReferenceOutput found = evaluate(graph, {lhs, rhs});
    std::vector<double> a = decode(lhs), b = decode(rhs);
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        double sum = 0, magnitudes = 0;
        for (int64_t l = 0; l < k; ++l) {
          sum += a[i * k + l] * b[l * n + j];
          magnitudes += std::fabs(a[i * k + l] * b[l * n + j]);
        }
        ASSERT_EQ(found.values[i * n + j], sum);
        ASSERT_EQ(found.scales[i * n + j], magnitudes);
      }
  }
}

TEST(Operators, MatmulBroadcastsBatches) {
  const int64_t m = 3, k = 4, n = 5;
  HostTensor lhs = makeInput({2, 1, m, k}, false, 1);
  HostTensor rhs = makeInput({6, k, n}, false, 2);
  Graph graph;
  ValueId x = graph.addInput(lhs.type), y = graph.addInput(rhs.type);
  graph.addOutput(graph.add(Opcode::Matmul, {x, y}, f32({2, 6, m, n})));
  std::vector<double> found = evaluate(graph, {lhs, rhs}).values;
  std::vector<double> a = decode(lhs), b = decode(rhs);
  for (int64_t p = 0; p < 2; ++p)
    for (int64_t q = 0; q < 6; ++q)
      for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < n; ++j) {
          double sum = 0;
          for (int64_t l = 0; l < k; ++l)
            sum += a[(p * m + i) * k + l] * b[(q * k + l) * n + j];
          ASSERT_EQ(found[((p * 6 + q) * m + i) * n + j], sum);
        }
}

TEST(Operators, Movements) {
  HostTensor input = makeInput({2, 3, 4}, false, 1);
  std::vector<double> values = decode(input);
  Graph graph;
  ValueId x = graph.addInput(input.type);
  Attributes rotate;
  rotate.dims = {2, 0, 1};
  ValueId t = graph.add(Opcode::Transpose, {x}, f32({4, 2, 3}), rotate);
  ValueId r = graph.add(Opcode::Reshape, {t}, f32({8, 1, 3}));
  ValueId b = graph.add(Opcode::Broadcast, {r}, f32({2, 8, 5, 3}));
  graph.addOutput(
      graph.add(Opcode::Cast, {b}, {{2, 8, 5, 3}, ElementType::F16}));
  std::vector<double> found = evaluate(graph, input).values;
  for (int64_t i = 0; i < 2 * 8 * 5 * 3; ++i) {
    int64_t e = i / 15 % 8, last = i % 3; // e = 2 · (dim 2) + (dim 0)
    EXPECT_EQ(found[i], values[(e % 2 * 3 + last) * 4 + e / 2]);
  }
}

TEST(Operators, ScalesFollowTheMatmulsResult) {
  Graph graph;
  ValueId x = graph.addInput(f32({2, 2})), y = graph.addInput(f32({2, 3}));
  Attributes swap;
  swap.dims = {1, 0};
  ValueId product = graph.add(Opcode::Matmul, {x, y}, f32({2, 3}));
  graph.addOutput(graph.add(Opcode::Transpose, {product}, f32({3, 2}), swap));
  graph.addOutput(graph.add(Opcode::Exp, {product}, f32({2, 3})));
  auto outputs = llvm::cantFail(
      evaluateReference(graph, {encode(f32({2, 2}), {1, -1, 2, 3}),
                                encode(f32({2, 3}), {1, 2, 3, 4, 5, -6})}));
  EXPECT_EQ(outputs[0].values, (std::vector<double>{-3, 14, -3, 19, 9, -12}));
  EXPECT_EQ(outputs[0].scales, (std::vector<double>{5, 14, 7, 19, 9, 24}));
  EXPECT_TRUE(outputs[1].scales.empty());
}

/// Results may take the place of operands, but not of what is read again: here
/// through a reshape, as an output, and twice by one operation.
TEST(Operators, WhatIsReadAgainIsKept) {
  Graph graph;
  ValueId x = graph.addInput(f32({2, 3}));
  ValueId a = graph.add(Opcode::Exp, {x}, f32({2, 3}));
  ValueId b = graph.add(Opcode::Reshape, {a}, f32({3, 2}));
  ValueId c = graph.add(Opcode::Square, {a}, f32({2, 3}));
  ValueId d = graph.add(Opcode::Mul, {c, c}, f32({2, 3}));
  ValueId e = graph.add(Opcode::Exp, {c}, f32({2, 3}));
  for (ValueId output : {b, d, e, x})
    graph.addOutput(output);
  HostTensor input = makeInput({2, 3}, false, 1);
  auto outputs = llvm::cantFail(evaluateReference(graph, {input}));
  for (auto [number, value] : llvm::enumerate(decode(input))) {
    EXPECT_DOUBLE_EQ(outputs[0].values[number], std::exp(value));
    EXPECT_DOUBLE_EQ(outputs[1].values[number], std::pow(std::exp(value), 4));
    EXPECT_DOUBLE_EQ(outputs[2].values[number],
                     std::exp(std::exp(value) * std::exp(value)));
    EXPECT_DOUBLE_EQ(outputs[3].values[number], value);
  }
}

/// Those of what an output depends on, inputs apart.
TEST(Operators, StoredTypesAreThoseOfResults) {
  Graph graph;
  ValueId x = graph.addInput({{2}, ElementType::BF16});
  ValueId half = graph.add(Opcode::Cast, {x}, {{2}, ElementType::F16});
  ValueId wide = graph.add(Opcode::Exp, {half}, f32({2}));
  ValueId other = graph.add(Opcode::Exp, {x}, f32({2}));
  graph.addOutput(wide);
  graph.addOutput(other);
  HostTensor input = encode({{2}, ElementType::BF16}, {1, 2});
  auto outputs = llvm::cantFail(evaluateReference(graph, {input}));
  using Types = std::vector<ElementType>;
  EXPECT_EQ(outputs[0].storedTypes,
            (Types{ElementType::F32, ElementType::F16}));
  EXPECT_EQ(outputs[1].storedTypes, (Types{ElementType::F32}));
}

TEST(Operators, ThreadsDoNotMatter) {
  HostTensor x = makeInput({70, 300}, false, 1),
             w = makeInput({300, 500}, false, 2);
  Graph graph;
  ValueId a = graph.addInput(x.type), b = graph.addInput(w.type);
  ValueId p = graph.add(Opcode::Matmul, {a, b}, f32({70, 500}));
  ValueId e = graph.add(Opcode::Tanh, {p}, f32({70, 500}));
  Attributes first;
  first.dims = {0};
  graph.addOutput(graph.add(Opcode::Sum, {e}, f32({1, 500}), first));
  EXPECT_EQ(evaluate(graph, {x, w}, 1).values,
            evaluate(graph, {x, w}, 7).values);
}

static std::string messageOf(const Graph &graph,
                             llvm::ArrayRef<HostTensor> inputs) {
  auto outputs = evaluateReference(graph, inputs);
  return outputs ? "" : llvm::toString(outputs.takeError());
}

TEST(Operators, WhatCannotBeEvaluatedIsSaid) {
  Graph graph;
  ValueId x = graph.addInput(f32({2, 3}));
  graph.addOutput(graph.add(Opcode::Exp, {x}, f32({2, 3})));
  EXPECT_EQ(messageOf(graph, {}), "expects 1 inputs, got 0");
  EXPECT_EQ(messageOf(graph, makeInput({3, 2}, true, 1)),
            "expects input 0 of type tensor<2x3xf32>, got tensor<3x2xf32>");
  Graph large;
  ValueId y = large.addInput(f32({1 << 20, 1}));
  large.addOutput(large.add(Opcode::Broadcast, {y}, f32({1 << 20, 1 << 20})));
  EXPECT_EQ(messageOf(large, makeInput({1 << 20, 1}, true, 1)),
            "the reference takes tensors of at most 2147483648 elements, got "
            "%1 of type tensor<1048576x1048576xf32>");
  Graph stray;
  ValueId z = stray.addInput(f32({2, 3}));
  stray.addOutput(stray.add(Opcode::Accumulate, {z}, f32({2, 3})));
  EXPECT_EQ(
      messageOf(stray, makeInput({2, 3}, true, 1)),
      "operation 0 (accumulate): expects operators of the kernel level, got "
      "accumulate, which exists from the block to the thread level only");
}
