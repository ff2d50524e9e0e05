//===- CanonicalGraphTest.cpp - Tests of canonical forms and hashes -------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Graph/CanonicalGraph.h"
#include "Mirage/Algebra/Random.h"
#include "TileGraphs.h"
#include "gtest/gtest.h"
#include <set>

using namespace mlir::mirage;
using namespace mlir::mirage::test;

static std::string hashSizeless(const Graph &graph) {
  llvm::Expected<std::string> hash = hashWithoutSizes(graph);
  return hash ? *hash : llvm::toString(hash.takeError());
}

static Attributes over(int64_t dim, int64_t count = 0) {
  Attributes attributes;
  attributes.dims = {dim};
  attributes.count = count;
  return attributes;
}

/// rms(X)·W written out, M x K by K x N.
static Graph rmsLinear(int64_t m, int64_t k, int64_t n, int64_t count = 0) {
  Graph graph;
  ValueId x = graph.addInput(f16({m, k}), "x");
  ValueId w = graph.addInput(f16({k, n}), "w");
  ValueId square = graph.add(Opcode::Square, {x}, f32({m, k}));
  ValueId mean = graph.add(Opcode::Mean, {square}, f32({m, 1}), over(1, count));
  ValueId root = graph.add(Opcode::Sqrt, {mean}, f32({m, 1}));
  ValueId product = graph.add(Opcode::Matmul, {x, w}, f32({m, n}));
  graph.addOutput(graph.add(Opcode::Div, {product, root}, f16({m, n})));
  return graph;
}

/// Operations of `graph` in an order that is drawn, and other names of inputs.
static Graph shuffle(const Graph &graph, RandomStream &random) {
  Graph result;
  std::vector<ValueId> newIds(graph.getNumValues(), ~ValueId(0));
  for (ValueId input = 0; input < graph.getNumInputs(); ++input)
    newIds[input] = result.addInput(graph.getType(input),
                                    "n" + std::to_string(random.next()));
  std::vector<const Node *> left;
  for (const Node &node : graph.getNodes())
    left.push_back(&node);
  while (!left.empty()) {
    size_t drawn = random.uniform(left.size());
    const Node &node = *left[drawn];
    if (llvm::any_of(node.operands,
                     [&](ValueId v) { return newIds[v] == ~ValueId(0); }))
      continue;
    llvm::SmallVector<ValueId> operands;
    for (ValueId operand : node.operands)
      operands.push_back(newIds[operand]);
    newIds[node.results[0]] = result.add(
        node.opcode, operands, graph.getType(node.results[0]), node.attributes);
    left.erase(left.begin() + drawn);
  }
  for (ValueId output : graph.getOutputs())
    result.addOutput(newIds[output]);
  return result;
}

/// So many operations on two inputs, all of them needed.
static Graph drawGraph(RandomStream &random, unsigned numOperations) {
  Graph graph;
  graph.addInput(f32({8, 64})), graph.addInput(f32({8, 64}));
  std::set<ValueId> unused;
  constexpr Opcode kOpcodes[] = {Opcode::Exp, Opcode::Square, Opcode::Add,
                                 Opcode::Sub, Opcode::Mul};
  for (unsigned i = 0; i < numOperations; ++i) {
    Opcode opcode = kOpcodes[random.uniform(5)];
    llvm::SmallVector<ValueId> operands;
    for (unsigned k = 0; k < getOperatorInfo(opcode).numOperands; ++k)
      operands.push_back(random.uniform(graph.getNumValues()));
    for (ValueId operand : operands)
      unused.erase(operand);
    unused.insert(graph.add(opcode, operands, f32({8, 64})));
  }
  for (ValueId value : unused)
    graph.addOutput(value);
  return graph;
}

TEST(CanonicalGraph, DoesNotDependOnOrderOrNames) {
  RandomStream random(hashToSeed("canonical graphs"));
  for (unsigned i = 0; i < 200; ++i) {
    Graph graph = drawGraph(random, 1 + i % 12);
    Graph other = shuffle(graph, random);
    ASSERT_EQ(toString(canonicalize(other)), toString(canonicalize(graph)));
    ASSERT_EQ(hashGraph(other), hashGraph(graph));
    ASSERT_EQ(hashSizeless(other), hashSizeless(graph));
  }
}

TEST(CanonicalGraph, ItsOwnFormIsItself) {
  RandomStream random(hashToSeed("canonical twice"));
  for (unsigned i = 0; i < 50; ++i) {
    Graph once = canonicalize(drawGraph(random, 9));
    EXPECT_EQ(verifyMessage(once), "");
    EXPECT_EQ(toString(canonicalize(once)), toString(once));
  }
}

TEST(CanonicalGraph, LeavesOutWhatNoOutputNeeds) {
  Graph graph = rmsLinear(8, 64, 32);
  std::string hash = hashGraph(graph);
  graph.add(Opcode::Exp, {0}, f32({8, 64}));
  EXPECT_EQ(hashGraph(graph), hash);
  EXPECT_EQ(canonicalize(graph).getNodes().size(), 5u);
}

/// Small changes one by one, each of which makes another program.
TEST(CanonicalGraph, WhatMeansSomethingCounts) {
  std::set<std::string> hashes, sizeless;
  auto add = [&](const Graph &graph) {
    bool isNew = hashes.insert(hashGraph(graph)).second;
    return sizeless.insert(hashSizeless(graph)).second && isNew;
  };
  auto build = [](llvm::function_ref<void(Graph &)> add,
                  ElementType element = ElementType::F16) {
    Graph graph;
    graph.addInput({{8, 64}, element}), graph.addInput({{8, 64}, element});
    add(graph);
    return graph;
  };
  auto binary = [&](Opcode opcode, ValueId lhs, ValueId rhs,
                    TensorSpec type = f32({8, 64})) {
    return build([&](Graph &graph) {
      graph.addOutput(graph.add(opcode, {lhs, rhs}, type));
    });
  };
  EXPECT_TRUE(add(binary(Opcode::Sub, 0, 1)));
  EXPECT_FALSE(add(binary(Opcode::Sub, 0, 1)));
  EXPECT_TRUE(add(binary(Opcode::Sub, 1, 0)));
  EXPECT_TRUE(add(binary(Opcode::Add, 0, 1)));
  EXPECT_TRUE(add(binary(Opcode::Add, 1, 0)));
  EXPECT_TRUE(add(binary(Opcode::Add, 0, 0)));
  EXPECT_TRUE(add(binary(Opcode::Add, 0, 1, f16({8, 64}))));
  for (double factor : {2.0, 2.5, 1e-30, -0.0, 0.0}) {
    Attributes attributes;
    attributes.scalars = {factor};
    EXPECT_TRUE(add(build([&](Graph &graph) {
      graph.addOutput(graph.add(Opcode::Scale, {0}, f32({8, 64}), attributes));
    }))) << factor;
  }
  for (int64_t dim : {0, 1})
    EXPECT_TRUE(add(build([&](Graph &graph) {
      Shape shape = {8, 64};
      shape[dim] = 1;
      graph.addOutput(graph.add(Opcode::Sum, {0}, f32(shape), over(dim)));
    })));
  auto twoOutputs = [](ValueId first, ValueId second) {
    return [=](Graph &graph) {
      graph.add(Opcode::Exp, {0}, f32({8, 64}));
      graph.add(Opcode::Square, {0}, f32({8, 64}));
      graph.addOutput(first), graph.addOutput(second);
    };
  };
  EXPECT_TRUE(add(build(twoOutputs(2, 3))));
  EXPECT_TRUE(add(build(twoOutputs(3, 2))));
  EXPECT_TRUE(add(build(twoOutputs(2, 2))));
  EXPECT_TRUE(add(build(twoOutputs(2, 3), ElementType::BF16)));
  Graph rounded = binary(Opcode::Sub, 0, 1);
  rounded.f32Products = F32Products::TF32;
  EXPECT_TRUE(add(rounded));
}

TEST(CanonicalGraph, OneOperationUsedTwiceIsNotTwo) {
  auto build = [](bool isShared) {
    Graph graph;
    ValueId x = graph.addInput(f32({8, 64}));
    ValueId lhs = graph.add(Opcode::Exp, {x}, f32({8, 64}));
    ValueId rhs = isShared ? lhs : graph.add(Opcode::Exp, {x}, f32({8, 64}));
    graph.addOutput(graph.add(Opcode::Add, {lhs, rhs}, f32({8, 64})));
    return graph;
  };
  EXPECT_NE(hashGraph(build(true)), hashGraph(build(false)));
}

TEST(CanonicalGraph, SizesCountInOneHashOnly) {
  Graph graph = rmsLinear(8, 64, 32);
  for (const Graph &other : {rmsLinear(16, 64, 32), rmsLinear(8, 100, 32),
                             rmsLinear(8, 64, 8), rmsLinear(64, 64, 64)}) {
    EXPECT_NE(hashGraph(other), hashGraph(graph));
    EXPECT_EQ(hashSizeless(other), hashSizeless(graph));
  }
  // A dimension of size 1 has no name: the program is another one.
  EXPECT_NE(hashSizeless(rmsLinear(1, 64, 32)), hashSizeless(graph));
}

TEST(CanonicalGraph, NamesCountWithoutSizes) {
  auto build = [](Shape lhs, Shape rhs, Shape result) {
    Graph graph;
    ValueId x = graph.addInput(f32(lhs)), y = graph.addInput(f32(rhs));
    graph.addOutput(graph.add(Opcode::Add, {x, y}, f32(result)));
    return hashSizeless(graph);
  };
  std::string rows = build({8, 64}, {8, 1}, {8, 64});
  EXPECT_EQ(build({64, 8}, {64, 1}, {64, 8}), rows);
  EXPECT_NE(build({8, 64}, {1, 64}, {8, 64}), rows);
  EXPECT_NE(build({8, 64}, {8, 64}, {8, 64}), rows);
}

TEST(CanonicalGraph, AMeanOfAllNeedsNoCount) {
  EXPECT_EQ(hashGraph(rmsLinear(8, 64, 32, 64)),
            hashGraph(rmsLinear(8, 64, 32)));
  EXPECT_EQ(hashSizeless(rmsLinear(8, 64, 32, 64)),
            hashSizeless(rmsLinear(8, 96, 32, 96)));
  EXPECT_NE(hashGraph(rmsLinear(8, 64, 32, 60)),
            hashGraph(rmsLinear(8, 64, 32)));
  EXPECT_NE(hashSizeless(rmsLinear(8, 64, 32, 60)),
            hashSizeless(rmsLinear(8, 64, 32)));
}

TEST(CanonicalGraph, NestedGraphsHaveTheirForms) {
  std::string hash = hashGraph(program(
      {8, 4096}, {4096, 6144}, fusedRmsLinear(8, 4096, 64, 64, 32, 192)));
  // The same, written with the product before the mean.
  auto tiles = std::make_shared<TileGraph>();
  tiles->grid = {192};
  tiles->loop = 64;
  tiles->addInput(f16({8, 64})), tiles->addInput(f16({64, 32}));
  tiles->tileInputs = {{{kReplicated}, 1}, {{1}, 0}};
  ValueId product = tiles->add(Opcode::Matmul, {0, 1}, f32({8, 32}));
  ValueId sum = tiles->add(Opcode::Accumulate, {product}, f32({8, 32}));
  ValueId rms = tiles->add(Opcode::Accumulate, {0}, f32({8, 1}),
                           accumulate(Opcode::Rms, {1}, 4096));
  tiles->addOutput(tiles->add(Opcode::Div, {sum, rms}, f32({8, 32})));
  tiles->tileOutputs = {{{1}}};
  Graph graph = program({8, 4096}, {4096, 6144}, tiles);
  EXPECT_EQ(hashGraph(graph), hash);
  EXPECT_EQ(verifyMessage(canonicalize(graph)), "");
  auto named = std::make_shared<TileGraph>();
  named->addInput(f16({8, 64}), "X"), named->addInput(f16({64, 32}), "W");
  for (const Node &node : tiles->getNodes())
    named->add(node.opcode, node.operands, tiles->getType(node.results[0]),
               node.attributes);
  named->grid = tiles->grid, named->loop = tiles->loop;
  named->tileInputs = tiles->tileInputs;
  named->tileOutputs = tiles->tileOutputs;
  named->addOutput(sum + 2);
  EXPECT_EQ(hashGraph(program({8, 4096}, {4096, 6144}, named)), hash);
  tiles->threads = 256;
  EXPECT_NE(hashGraph(graph), hash);
  EXPECT_EQ(hashSizeless(graph),
            "expects a graph without nested ones, whose tiles have sizes");
}

/// What a cache on disk relies on: a change of these is one of
/// kGraphHashVersion too.
TEST(CanonicalGraph, HashesStayWhatTheyAre) {
  EXPECT_EQ(hashGraph(rmsLinear(8, 64, 32)),
            "f92815f903efe5c1fb78b237d6f83fa61bae0e883a1dcd488471a3d8944e982c");
  EXPECT_EQ(hashSizeless(rmsLinear(8, 64, 32)),
            "20fc5f7fc46729cb45e001b86f99a674df24d05ff032aecbb79e21a470e88aaa");
}

/// As deep as a program may be: the stack is none of the machine's.
TEST(CanonicalGraph, DeepGraphs) {
  Graph graph;
  ValueId x = graph.addInput(f32({8, 64}));
  for (unsigned i = 0; i < 100000; ++i)
    x = graph.add(Opcode::Exp, {x}, f32({8, 64}));
  graph.addOutput(x);
  EXPECT_EQ(canonicalize(graph).getNodes().size(), 100000u);
}
