//===- BoundTest.cpp - Observed false accepts stay under the bound --------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The bounds are statements about probabilities; with primes of 31 bits one
// would never see a false accept. So random pairs that differ are tried over a
// tower of 8-bit primes, and how often a trial agrees is compared with what the
// bound says about a trial.
//
//===----------------------------------------------------------------------===//

#include "Comparison.h"
#include "DegreeBound.h"
#include "DoubleArithmetic.h"
#include "ExpNesting.h"
#include "Mutants.h"
#include "Programs.h"
#include "gtest/gtest.h"

using namespace mlir::mirage;
using namespace mlir::mirage::test;

/// A few random operations over two small inputs.
static Graph makeRandomGraph(RandomStream &random) {
  Graph graph;
  Builder b(graph);
  b.input({2}), b.input({2});
  const Opcode unary[] = {Opcode::Exp,     Opcode::Square, Opcode::Sqrt,
                          Opcode::Sigmoid, Opcode::Neg,    Opcode::Reciprocal};
  const Opcode binary[] = {Opcode::Add, Opcode::Mul, Opcode::Div, Opcode::Sub};
  unsigned numOperations = 3 + random.uniform(4);
  for (unsigned i = 0; i < numOperations; ++i) {
    auto operand = [&] { return random.uniform(graph.getNumValues()); };
    ValueId first = i == 0 ? operand() : graph.getNumValues() - 1;
    switch (random.uniform(5)) {
    case 0:
    case 1:
      b.op(unary[random.uniform(6)], {first});
      break;
    case 2:
      b.scale(first, 1 + random.uniform(5));
      break;
    default:
      b.op(binary[random.uniform(4)], {first, operand()});
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

/// Tries one pair; none if the bound does not speak about it.
static std::optional<Observation> observe(const Graph &lhs, const Graph &rhs,
                                          uint64_t number) {
  unsigned height =
      1 + std::max(computeExpNesting(lhs), computeExpNesting(rhs));
  if (height > 2)
    return std::nullopt;
  TermTable table;
  TermArithmetic arithmetic(table, 10000);
  std::vector<uint32_t> inputs;
  for (uint32_t i = 0; i < 4; ++i)
    inputs.push_back(table.getInput(i));
  auto writeOut = [&](const Graph &graph) {
    return GraphEvaluator(arithmetic)
        .evaluate(graph, {inputs.data(), inputs.data() + 2})[0][0];
  };
  TermId left = writeOut(lhs), right = writeOut(rhs);
  LiveTerms live(table, {left, right});
  std::vector<RootGroups> groups;
  for (unsigned component = 0; component < live.getHeight(); ++component)
    groups.emplace_back(table, live, component, 4);
  ExponentSets exponents(table);
  ElementDifference difference(table, left, right, exponents);
  Observation observation;
  for (uint64_t i = 0; i < 8; ++i) {
    TrialBatch batch(table, live, groups, FieldTower({167, 83}), 4,
                     deriveSeed(hashToSeed("bound"), "batch", number * 8 + i));
    if (!batch.hasFixedRoots())
      return std::nullopt;
    std::vector<std::vector<uint32_t>> drawn;
    for (unsigned component = 0; component < height; ++component)
      drawn.push_back(batch.getInputs(component).vec());
    auto values = [&](const Graph &graph) {
      return evaluateInFields(graph, batch.getFields(), drawn, height)[0];
    };
    std::vector<uint32_t> x = values(lhs), y = values(rhs);
    double log2 =
        difference.bound(batch, exponents.weigh(batch), groups[0], 1, 0)
            .provedLog2;
    if (log2 == 0)
      continue;
    for (unsigned lane = 0; lane < kernels::kLanes; ++lane) {
      if (kernels::isSpecial(x[lane]) || kernels::isSpecial(y[lane]))
        continue;
      ++observation.trials;
      observation.agreements += x[lane] == y[lane];
      observation.bound += std::exp2(log2);
    }
  }
  if (observation.trials == 0)
    return std::nullopt;
  return observation;
}

TEST(Bound, FalseAcceptsStayUnderIt) {
  RandomStream random(hashToSeed("pairs"));
  unsigned pairs = 0;
  Observation total;
  for (unsigned number = 0; pairs < 3000; ++number) {
    Graph graph = makeRandomGraph(random);
    std::vector<Mutant> mutants = makeMutants(graph);
    if (mutants.empty())
      continue;
    const Graph &mutant = mutants[random.uniform(mutants.size())].graph;
    if (!findDifference(graph, mutant))
      continue;
    std::optional<Observation> seen = observe(graph, mutant, number);
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
        << toString(graph) << toString(mutant) << "of " << seen->trials;
  }
  std::printf("  %u pairs, %u trials, %u agreed, the bound allows %.0f\n",
              pairs, total.trials, total.agreements, total.bound);
  EXPECT_LE(total.agreements, total.bound);
  EXPECT_GT(total.agreements, 0u); // the primes are small enough to see some
}
