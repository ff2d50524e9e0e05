//===- FloatAgreementTest.cpp - Verdicts and floats do not contradict -----===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Judge and float64 reference share the operator table and no code that
// evaluates. On pairs of small random graphs no verdict is `equal` where floats
// differ, and none `different` where they agree; and pairs that are equal by
// construction are accepted.
//
//===----------------------------------------------------------------------===//

#include "../TestSizes.h"
#include "ExamplePrograms.h"
#include "Mirage/Graph/ComposedOperators.h"
#include "Mirage/Verify/CandidateFilter.h"
#include "Mutants.h"
#include "Programs.h"
#include "RandomGraphs.h"
#include "ReferenceNumbers.h"
#include "gtest/gtest.h"
#include <array>

using namespace mlir::mirage;
using namespace mlir::mirage::test;

static Verdict judge(const Graph &lhs, const Graph &rhs,
                     bool wantsExactProof = false) {
  VerifyOptions options;
  options.wantsExactProof = wantsExactProof;
  options.findWitness = findRoundedWitness;
  options.maxTowers = 16;
  return llvm::cantFail(verifyEqual(lhs, rhs, options));
}

/// A few laws at random places; the program itself if none applies.
static Graph respellOften(const Graph &program, RandomStream &random) {
  Graph graph = program;
  for (unsigned i = 0; i < 12; ++i)
    if (std::optional<Graph> other = respell(graph, random))
      graph = std::move(*other);
  return graph;
}

static Graph mutate(const Graph &graph, RandomStream &random) {
  std::optional<Mutant> mutant = drawMutant(graph, random);
  return mutant ? std::move(mutant->graph) : graph;
}

//===----------------------------------------------------------------------===//
// Any pairs
//===----------------------------------------------------------------------===//

namespace {
/// Pairs by what floats and the judge say of them.
class Contradictions {
public:
  void judgePair(const Graph &lhs, const Graph &rhs) {
    FloatAnswer answer = ReferenceNumbers(lhs).compare(rhs);
    Verdict verdict = judge(lhs, rhs);
    ++counts[static_cast<unsigned>(answer)][verdict.kind];
    ++numPairs;
    if (answer == FloatAnswer::Differ)
      EXPECT_NE(verdict.kind, Verdict::Equal) << toString(lhs) << toString(rhs);
    if (verdict.kind == Verdict::Different)
      EXPECT_TRUE(confirmsWitness(lhs, rhs, *verdict.witness))
          << toString(lhs) << toString(rhs) << verdict.witness->lhs << " and "
          << verdict.witness->rhs;
    numWitnessesAlone +=
        verdict.kind == Verdict::Different && answer != FloatAnswer::Differ;
  }

  void print(llvm::StringRef what) const {
    static const char *const kAnswers[kNumFloatAnswers] = {
        "differ", "agree", "agree where both have numbers", "are unclear",
        "have no numbers"};
    std::printf("  %u pairs of %s; floats, and verdicts:\n", numPairs,
                what.str().c_str());
    for (unsigned i = 0; i < kNumFloatAnswers; ++i)
      std::printf("    %-30s %6u equal %6u different %6u unknown\n",
                  kAnswers[i], counts[i][Verdict::Equal],
                  counts[i][Verdict::Different], counts[i][Verdict::Unknown]);
    std::printf("    unknown: %.2f %%; floats differ on the judge's inputs and "
                "not on the first: %u\n",
                100.0 * countUnknown() / numPairs, numWitnessesAlone);
  }

  unsigned countUnknown() const {
    unsigned count = 0;
    for (const auto &row : counts)
      count += row[Verdict::Unknown];
    return count;
  }
  unsigned count(FloatAnswer answer, Verdict::Kind kind) const {
    return counts[static_cast<unsigned>(answer)][kind];
  }

private:
  std::array<std::array<unsigned, 3>, kNumFloatAnswers> counts = {};
  unsigned numPairs = 0;
  /// Different only on the judge's inputs, where floats confirm it.
  unsigned numWitnessesAlone = 0;
};
} // namespace

/// Of all operators, where most pairs differ and few are equal by chance.
TEST(FloatAgreement, TinyPrograms) {
  RandomStream random(hashToSeed("tiny programs"));
  Contradictions seen;
  for (unsigned i = 0; i < (isFullSize() ? 100000u : 10000u); ++i) {
    Graph program = makeTinyProgram(random);
    Graph other = i % 2   ? makeTinyProgram(random)
                  : i % 4 ? mutate(program, random)
                          : mutate(mutate(program, random), random);
    seen.judgePair(program, other);
  }
  seen.print("tiny programs");
  EXPECT_GT(seen.count(FloatAnswer::Agree, Verdict::Equal), 500u);
  EXPECT_GT(seen.count(FloatAnswer::Differ, Verdict::Different), 5000u);
}

/// One side spelled anew or as block graphs, half of the time with a mistake.
TEST(FloatAgreement, ProgramsAndTheirKernels) {
  RandomStream random(hashToSeed("programs and kernels"));
  Contradictions respelled, tiled;
  unsigned numPairs = isFullSize() ? 10000 : 1000;
  for (unsigned i = 0; i < numPairs; ++i) {
    Graph program = makeRandomProgram(random);
    std::optional<Graph> kernels;
    if (i % 3)
      kernels = makeTiled(program);
    Graph other = kernels ? std::move(*kernels) : respellOften(program, random);
    if (i % 2)
      other = mutate(other, random);
    (kernels ? tiled : respelled).judgePair(program, other);
  }
  respelled.print("programs that are spelled anew");
  tiled.print("programs and their kernels");
  for (const Contradictions *seen : {&respelled, &tiled}) {
    EXPECT_GT(seen->count(FloatAnswer::Agree, Verdict::Equal), numPairs / 10);
    EXPECT_GT(seen->count(FloatAnswer::Differ, Verdict::Different),
              numPairs / 10);
  }
}

//===----------------------------------------------------------------------===//
// Pairs that are equal by construction
//===----------------------------------------------------------------------===//

namespace {
class EqualPairs {
public:
  void expectEqual(llvm::StringRef name, const Graph &lhs, const Graph &rhs) {
    Verdict verdict = judge(lhs, rhs);
    if (verdict.kind == Verdict::Unknown) {
      verdict = judge(lhs, rhs, /*wantsExactProof=*/true);
      numExact += verdict.kind == Verdict::Equal;
    }
    EXPECT_EQ(verdict.kind, Verdict::Equal)
        << name.str() << ": " << verdict.reason << "\n"
        << toString(lhs) << toString(rhs);
    FloatAnswer answer = ReferenceNumbers(lhs).compare(rhs);
    EXPECT_NE(answer, FloatAnswer::Differ) << toString(lhs) << toString(rhs);
    ++numPairs;
    numAccepted += verdict.kind == Verdict::Equal;
    numProved += verdict.kind == Verdict::Equal && !verdict.exactProof &&
                 verdict.meetsBound();
  }

  unsigned numPairs = 0, numAccepted = 0;
  unsigned numProved = 0; ///< with an error below 2^-64
  unsigned numExact = 0;  ///< by canonical forms, as trials prove nothing
};
} // namespace

/// With tiles of all sizes.
static void expectKernelsEqual(EqualPairs &pairs) {
  for (int64_t m : {2, 3})
    for (int64_t k : {4, 6, 7})
      for (int64_t n : {4, 5})
        for (int64_t tileK : {2, 3})
          for (int64_t tileN : {2, 3}) {
            pairs.expectEqual("rms, linear", rmsLinear(m, k, n),
                              rmsLinearFused(m, k, n, tileK, tileN));
            pairs.expectEqual("gated MLP", gatedMlp(m, k, n),
                              gatedMlpFused(m, k, n, tileK, tileN));
            pairs.expectEqual("LoRA", lora(m, k, n, 2),
                              loraFused(m, k, n, 2, tileK, tileN));
          }
  for (int64_t keys : {4, 5, 6})
    for (int64_t split : {1, 2}) {
      pairs.expectEqual("attention", attention(2, keys, 3, false),
                        attentionFused(2, keys, 3, 2, split));
      pairs.expectEqual("online attention", attention(2, keys, 3, true),
                        attentionOnline(2, keys, 3, 2, split));
    }
}

static unsigned countAny(const Graph &graph, llvm::ArrayRef<Opcode> opcodes) {
  return llvm::count_if(graph.getNodes(), [&](const Node &operation) {
    return llvm::is_contained(opcodes, operation.opcode);
  });
}

/// No theorem speaks of roots and maxima together (docs/Verification.md, "The
/// bound", 5), roots of roots seldom exist all at once, and canonical forms of
/// either are large.
static bool isBeyondProofs(const Graph &program) {
  Graph graph = expandComposed(program);
  unsigned numRoots =
      countAny(graph, {Opcode::Abs, Opcode::Sqrt, Opcode::Rsqrt, Opcode::Rms});
  unsigned numMaxima =
      countAny(graph, {Opcode::Max, Opcode::Maximum, Opcode::Minimum,
                       Opcode::Relu, Opcode::Clamp});
  return numRoots > 1 || (numRoots > 0 && numMaxima > 0);
}

/// Not x/0 or an infinity that spreads, or more roots than exist at once.
static bool hasFieldValues(const Graph &program) {
  Graph expanded = expandComposed(program);
  llvm::Expected<CandidateFilter> filter =
      CandidateFilter::create(expanded, Seed{});
  if (filter)
    return filter->test(expanded) == CandidateFilter::Answer::Agrees;
  llvm::consumeError(filter.takeError());
  return false;
}

TEST(FloatAgreement, PairsThatAreEqualByConstructionAreAccepted) {
  EqualPairs pairs;
  for (const ExamplePair &pair : readExamplePairs())
    pairs.expectEqual(pair.name, pair.program, pair.example);
  for (const FusedProgram &program : listFusedPrograms())
    pairs.expectEqual(program.name, program.plain, program.fused);
  expectKernelsEqual(pairs);
  RandomStream random(hashToSeed("equal by construction"));
  unsigned numSkipped = 0, numTiled = 0;
  for (unsigned i = 0; i < (isFullSize() ? 5000u : 1200u); ++i) {
    Graph program = makeRandomProgram(random);
    Graph other = respellOften(program, random);
    if (isBeyondProofs(program) || isBeyondProofs(other) ||
        !hasFieldValues(program)) {
      ++numSkipped;
      continue;
    }
    pairs.expectEqual("respelled", program, other);
    if (std::optional<Graph> tiled = makeTiled(other)) {
      pairs.expectEqual("respelled, tiled", program, *tiled);
      ++numTiled;
    }
  }
  std::printf("  %u pairs are equal by construction, %u accepted: %u by trials "
              "that prove it to 2^-64, %u by such that prove less, %u exactly; "
              "%u programs were left out\n",
              pairs.numPairs, pairs.numAccepted, pairs.numProved,
              pairs.numAccepted - pairs.numProved - pairs.numExact,
              pairs.numExact, numSkipped);
  EXPECT_GE(pairs.numPairs, 1000u);
  EXPECT_GE(numTiled, 500u);
  EXPECT_EQ(pairs.numAccepted, pairs.numPairs);
}
