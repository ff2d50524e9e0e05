//===- BoundTest.cpp - Observed false accepts stay under the bound --------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The bounds are statements about probabilities; with primes of 31 bits one
// would hardly see a false accept. So random pairs that differ are tried
//
// - trial by trial over one tower of 8-bit primes, of which random field
//   elements are often enough zeros of a difference, and
// - batch by batch over many towers of 11 to 14 bits, where what a whole tower
//   or batch has in common shows: signs, primes, maxima in exponents.
//
// How often they agree is compared with what the bound allows.
//
//===----------------------------------------------------------------------===//

#include "Comparison.h"
#include "DegreeBound.h"
#include "DoubleArithmetic.h"
#include "ExpNesting.h"
#include "Mutants.h"
#include "Programs.h"
#include "gtest/gtest.h"
#include <array>

using namespace mlir::mirage;
using namespace mlir::mirage::test;

using Opcodes = llvm::ArrayRef<Opcode>;
static const Opcode kUnary[] = {Opcode::Exp,  Opcode::Square,
                                Opcode::Sqrt, Opcode::Sigmoid,
                                Opcode::Neg,  Opcode::Reciprocal};
static const Opcode kBinary[] = {Opcode::Add, Opcode::Mul, Opcode::Div,
                                 Opcode::Sub};
/// With those that fields know by order, sign or name alone.
static const Opcode kMoreUnary[] = {Opcode::Exp,  Opcode::Square, Opcode::Sqrt,
                                    Opcode::Neg,  Opcode::Abs,    Opcode::Abs,
                                    Opcode::Relu, Opcode::Log,    Opcode::Erf};
static const Opcode kMoreBinary[] = {Opcode::Add, Opcode::Mul, Opcode::Sub,
                                     Opcode::Maximum, Opcode::Minimum};

/// A few random operations over two small inputs.
static Graph makeRandomGraph(RandomStream &random, Opcodes unary,
                             Opcodes binary) {
  Graph graph;
  Builder b(graph);
  b.input({2}), b.input({2});
  unsigned numOperations = 3 + random.uniform(4);
  for (unsigned i = 0; i < numOperations; ++i) {
    auto operand = [&] { return random.uniform(graph.getNumValues()); };
    ValueId first = i == 0 ? operand() : graph.getNumValues() - 1;
    switch (random.uniform(5)) {
    case 0:
    case 1:
      b.op(unary[random.uniform(unary.size())], {first});
      break;
    case 2:
      b.scale(first, 1 + random.uniform(5));
      break;
    default:
      b.op(binary[random.uniform(binary.size())], {first, operand()});
    }
  }
  b.output(b.reduce(Opcode::Sum, graph.getNumValues() - 1, 0));
  return graph;
}

namespace {
struct Observation {
  unsigned trials = 0, agreements = 0;
  double bound = 0; ///< sum over the trials of what the bound allows
};
} // namespace

namespace {
/// Two graphs over four input elements, one output element each.
class Pair {
public:
  Pair(const Graph &lhs, const Graph &rhs)
      : lhs(lhs), rhs(rhs),
        height(1 + std::max(computeExpNesting(lhs), computeExpNesting(rhs))) {
    TermArithmetic arithmetic(table, 10000);
    std::vector<uint32_t> inputs;
    for (uint32_t i = 0; i < 4; ++i)
      inputs.push_back(table.getInput(i));
    auto writeOut = [&](const Graph &graph) {
      return GraphEvaluator(arithmetic)
          .evaluate(graph, {inputs.data(), inputs.data() + 2})[0][0];
    };
    TermId left = writeOut(lhs), right = writeOut(rhs);
    live.emplace(table, std::vector<TermId>{left, right});
    for (unsigned component = 0; component < live->getHeight(); ++component)
      groups.emplace_back(table, *live, component, 4);
    difference.emplace(table, left, right, exponents);
  }

  unsigned getHeight() const { return height; }

  TrialBatch draw(llvm::ArrayRef<uint32_t> primes, uint64_t number) const {
    return TrialBatch(table, *live, groups, FieldTower(primes), 4,
                      deriveSeed(hashToSeed("bound"), "batch", number));
  }

  /// What the bound allows for that many trials.
  double getBound(const TrialBatch &batch, unsigned counted,
                  double numTowers = 0) {
    return std::exp2(difference
                         ->bound(batch, exponents.weigh(batch), groups[0],
                                 counted, numTowers)
                         .provedLog2);
  }

  /// Trials that count, and those that agree.
  std::pair<unsigned, unsigned> count(const TrialBatch &batch) const {
    std::vector<uint32_t> x = evaluate(lhs, batch), y = evaluate(rhs, batch);
    unsigned counted = 0, agreed = 0;
    for (unsigned lane = 0; lane < kernels::kLanes; ++lane) {
      if (kernels::isSpecial(x[lane]) || kernels::isSpecial(y[lane]))
        continue;
      ++counted;
      agreed += x[lane] == y[lane];
    }
    return {counted, agreed};
  }

private:
  std::vector<uint32_t> evaluate(const Graph &graph,
                                 const TrialBatch &batch) const {
    std::vector<std::vector<uint32_t>> drawn;
    for (unsigned component = 0; component < height; ++component)
      drawn.push_back(batch.getInputs(component).vec());
    return evaluateInFields(graph, batch.getFields(), drawn, height)[0];
  }

  const Graph &lhs, &rhs;
  unsigned height;
  TermTable table;
  std::optional<LiveTerms> live;
  std::vector<RootGroups> groups;
  ExponentSets exponents{table};
  std::optional<ElementDifference> difference;
};
} // namespace

/// Tries one pair; none if the bound does not speak about it.
static std::optional<Observation> observe(Pair &pair, uint64_t number) {
  if (pair.getHeight() > 2)
    return std::nullopt;
  Observation observation;
  for (uint64_t i = 0; i < 8; ++i) {
    TrialBatch batch = pair.draw({167, 83}, number * 8 + i);
    if (!batch.hasFixedRoots())
      return std::nullopt;
    double bound = pair.getBound(batch, 1);
    if (bound == 1)
      continue;
    auto [counted, agreed] = pair.count(batch);
    observation.trials += counted;
    observation.agreements += agreed;
    observation.bound += counted * bound;
  }
  if (observation.trials == 0)
    return std::nullopt;
  return observation;
}

/// All towers p0 = 2·m·p1 + 1 of these sizes, m as FieldTower::draw has it.
static std::vector<std::array<uint32_t, 2>> listTowers(uint32_t from,
                                                       uint32_t to) {
  std::vector<std::array<uint32_t, 2>> towers;
  for (uint32_t p1 = from / 14 | 3; 2 * p1 < to; p1 += 4)
    for (uint32_t m : {1, 3, 5, 7})
      if (uint32_t p0 = 2 * m * p1 + 1;
          p0 >= from && p0 < to && p1 % 4 == 3 && isPrime(p1) && isPrime(p0))
        towers.push_back({p0, p1});
  return towers;
}

/// Batches over fresh towers: a "trial" is a batch whose trials all agree.
static std::optional<Observation>
observeBatches(Pair &pair, llvm::ArrayRef<std::array<uint32_t, 2>> towers,
               RandomStream &random, uint64_t number) {
  if (pair.getHeight() > 2)
    return std::nullopt;
  // The bound counts 28 bits of a coefficient for each prime, these have 10.
  double numTowers = towers.size() * 10 / 28.0;
  Observation observation;
  for (uint64_t i = 0; i < 24; ++i) {
    TrialBatch batch = pair.draw(towers[random.uniform(towers.size())],
                                 (uint64_t(1) << 32) + number * 24 + i);
    if (!batch.hasFixedRoots())
      continue;
    auto [counted, agreed] = pair.count(batch);
    double bound = pair.getBound(batch, counted, numTowers);
    if (counted == 0 || bound == 1)
      continue;
    ++observation.trials;
    observation.agreements += agreed == counted;
    observation.bound += bound;
  }
  if (observation.trials == 0)
    return std::nullopt;
  return observation;
}

/// `observeOne(lhs, rhs, number)` for random pairs that differ.
template <typename Observe>
static void expectUnderBound(llvm::StringRef name, unsigned numPairs,
                             Opcodes unary, Opcodes binary,
                             Observe observeOne) {
  RandomStream random(hashToSeed(name));
  unsigned pairs = 0;
  Observation total;
  for (unsigned number = 0; pairs < numPairs; ++number) {
    Graph graph = makeRandomGraph(random, unary, binary);
    std::optional<Mutant> mutant = drawMutant(graph, random);
    if (!mutant || !findDifference(graph, mutant->graph))
      continue;
    Pair pair(graph, mutant->graph);
    std::optional<Observation> seen = observeOne(pair, number);
    if (!seen)
      continue;
    ++pairs;
    total.trials += seen->trials;
    total.agreements += seen->agreements;
    total.bound += seen->bound;
    // Five standard deviations above what is allowed: 3,000 pairs do not reach
    // that by chance.
    double slack = 5 * std::sqrt(seen->bound + 1);
    EXPECT_LE(seen->agreements, seen->bound + slack)
        << toString(graph) << toString(mutant->graph) << "of " << seen->trials;
  }
  std::printf("  %u pairs, %u trials, %u agreed, the bound allows %.0f\n",
              pairs, total.trials, total.agreements, total.bound);
  EXPECT_LE(total.agreements, total.bound);
  EXPECT_GT(total.agreements, 0u); // the primes are small enough to see some
}

TEST(Bound, FalseAcceptsStayUnderIt) {
  expectUnderBound("pairs", 3000, kUnary, kBinary, observe);
}

TEST(Bound, FalseAcceptsOfPatternsStayUnderIt) {
  expectUnderBound("patterns", 600, kMoreUnary, kMoreBinary, observe);
}

TEST(Bound, FalseAcceptsOfBatchesStayUnderIt) {
  auto towers = listTowers(1 << 10, 1 << 14);
  ASSERT_GT(towers.size(), 100u);
  RandomStream random(hashToSeed("towers"));
  expectUnderBound("batches", 600, kMoreUnary, kMoreBinary,
                   [&](Pair &pair, uint64_t number) {
                     return observeBatches(pair, towers, random, number);
                   });
}

/// Pairs that a tower tells apart or not, in all trials at once.
TEST(Bound, WhatTowersDecideStaysUnderIt) {
  auto towers = listTowers(1 << 10, 1 << 14);
  RandomStream random(hashToSeed("decided"));
  auto make = [](auto formula) {
    Graph graph;
    Builder b(graph);
    ValueId x = b.input({2}), y = b.input({2});
    b.output(b.reduce(Opcode::Sum, formula(b, x, y), 0));
    return graph;
  };
  auto rootOf = [](Builder &b, ValueId x, double value) {
    Attributes attributes;
    attributes.scalars = {value};
    return b.op(Opcode::Sqrt,
                {b.op(Opcode::Offset, {b.scale(x, 0)}, attributes)});
  };
  std::pair<Graph, Graph> pairs[] = {
      {make([](Builder &b, ValueId x, ValueId) {
         return b.op(Opcode::Abs, {b.scale(x, 5)});
       }),
       make([](Builder &b, ValueId x, ValueId) {
         return b.scale(b.op(Opcode::Abs, {x}), -5);
       })},
      {make([&](Builder &b, ValueId x, ValueId y) {
         return b.op(Opcode::Mul, {y, rootOf(b, x, 25)});
       }),
       make([](Builder &b, ValueId, ValueId y) { return b.scale(y, -5); })}};
  for (auto &[lhs, rhs] : pairs) {
    Pair pair(lhs, rhs);
    Observation total;
    unsigned accepts = 0;
    for (uint64_t number = 0; number < 200; ++number) {
      TrialBatch batch = pair.draw(towers[random.uniform(towers.size())],
                                   (uint64_t(1) << 33) + number);
      auto [counted, agreed] = pair.count(batch);
      accepts += counted > 0 && counted == agreed;
      total.bound += pair.getBound(batch, counted);
    }
    EXPECT_LE(accepts, total.bound);
    EXPECT_GT(accepts, 20u);
  }
}
