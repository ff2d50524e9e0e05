//===- MutationTest.cpp - Mutants that differ are rejected ----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every mutation at every place of every program in examples/, of block graphs
// of other programs and of random programs. The float64 reference says which of
// the mutants really differ; the judge may call none of these equal. What it
// counts is in docs/Verification.md, "Mutants".
//
//===----------------------------------------------------------------------===//

#include "../TestSizes.h"
#include "ExamplePrograms.h"
#include "Mirage/Graph/ComposedOperators.h"
#include "Mirage/Verify/ExactProof.h"
#include "Mutants.h"
#include "Programs.h"
#include "RandomGraphs.h"
#include "ReferenceNumbers.h"
#include "gtest/gtest.h"
#include <array>
#include <map>

using namespace mlir::mirage;
using namespace mlir::mirage::test;

static constexpr unsigned kAllMutants = ~0u;

namespace {
/// Of the mutants that one mutation made, or all.
struct Tally {
  unsigned made = 0;
  std::array<unsigned, kNumFloatAnswers> answers = {}; ///< of the reference
  /// Verdicts on those that differ.
  unsigned different = 0, unknown = 0, equal = 0;
  unsigned equalByTrials = 0; ///< where no witness may be looked for
  unsigned provedEqual = 0;   ///< exactly, which is tried at full size

  unsigned count(FloatAnswer answer) const {
    return answers[static_cast<unsigned>(answer)];
  }
  unsigned getDiffering() const { return count(FloatAnswer::Differ); }

  void operator+=(const Tally &other) {
    made += other.made;
    for (unsigned i = 0; i < kNumFloatAnswers; ++i)
      answers[i] += other.answers[i];
    different += other.different;
    unknown += other.unknown;
    equal += other.equal;
    equalByTrials += other.equalByTrials;
    provedEqual += other.provedEqual;
  }
  void print(llvm::StringRef name) const {
    std::printf("  %-36s %6u %7u %7u %9u %7u %6u\n", name.str().c_str(), made,
                made - getDiffering(), getDiffering(), different, unknown,
                equal);
  }
};

/// By canonical forms that are not too large.
bool provesEqual(const Graph &lhs, const Graph &rhs) {
  exact::Limits limits;
  limits.maxWork = 1 << 14;
  return proveEqual(expandComposed(lhs), expandComposed(rhs), limits).outcome ==
         ExactProof::Proved;
}

/// Judges mutants and counts.
class MutationRun {
public:
  explicit MutationRun(size_t maxTerms = VerifyOptions().maxTerms) {
    options.findWitness = findRoundedWitness;
    options.maxTowers = 16;
    options.maxTerms = maxTerms;
  }

  /// Mutants of `fused`, `maxMutants` drawn of them, against `program`.
  void judge(llvm::StringRef name, const Graph &program, const Graph &fused,
             unsigned maxMutants) {
    std::vector<Mutant> mutants = makeMutants(fused);
    ReferenceNumbers numbers(program);
    EXPECT_NE(numbers.compare(fused), FloatAnswer::Differ) << name.str();
    RandomStream random(hashToSeed(name));
    for (unsigned i = 0; i < mutants.size() && i < maxMutants; ++i) {
      std::swap(mutants[i], mutants[i + random.uniform(mutants.size() - i)]);
      judge(name, program, numbers, mutants[i]);
    }
  }

  const Tally &getTotal() const { return total; }
  unsigned countMutations() const {
    return llvm::count_if(tallies, [](const auto &entry) {
      return entry.second.getDiffering() > 0;
    });
  }

  void printByMutation() const {
    std::printf("  %-36s %6s %7s %7s %9s %7s %6s\n", "mutation", "made", "same",
                "differ", "different", "unknown", "equal");
    for (const Mutation &mutation : listMutations())
      if (auto found = tallies.find(mutation.name); found != tallies.end())
        found->second.print(mutation.name);
      else
        Tally().print(mutation.name);
    total.print("all");
  }

  void printTotal() const {
    std::printf("  %u mutants; of those that are not counted %u agree, %u do "
                "where both have numbers, %u are unclear, %u have none\n",
                total.made, total.count(FloatAnswer::Agree),
                total.count(FloatAnswer::Defined),
                total.count(FloatAnswer::Unclear),
                total.count(FloatAnswer::Nowhere));
    std::printf("  %u mutations made %u mutants that differ, of which %u are "
                "rejected: %u different, %u unknown; %u called equal, %u by "
                "trials without witnesses, %u proved equal exactly\n",
                countMutations(), total.getDiffering(),
                total.different + total.unknown, total.different, total.unknown,
                total.equal, total.equalByTrials, total.provedEqual);
  }

private:
  void judge(llvm::StringRef name, const Graph &program,
             const ReferenceNumbers &numbers, const Mutant &mutant) {
    Tally tally;
    tally.made = 1;
    FloatAnswer answer = numbers.compare(mutant.graph);
    ++tally.answers[static_cast<unsigned>(answer)];
    if (answer == FloatAnswer::Differ)
      judgeDiffering(name, program, mutant, tally);
    tallies[mutant.mutation] += tally;
    total += tally;
  }

  /// By the judge with and without witnesses, and by canonical forms.
  void judgeDiffering(llvm::StringRef name, const Graph &program,
                      const Mutant &mutant, Tally &tally) const {
    Verdict verdict =
        llvm::cantFail(verifyEqual(program, mutant.graph, options));
    tally.different = verdict.kind == Verdict::Different;
    tally.unknown = verdict.kind == Verdict::Unknown;
    tally.equal = verdict.kind == Verdict::Equal;
    if (verdict.kind == Verdict::Different)
      EXPECT_TRUE(confirmsWitness(program, mutant.graph, *verdict.witness))
          << name.str() << ", " << mutant.mutation.str();
    VerifyOptions blind = options;
    blind.findWitness = {};
    tally.equalByTrials =
        llvm::cantFail(verifyEqual(program, mutant.graph, blind)).kind ==
        Verdict::Equal;
    if (isFullSize())
      tally.provedEqual = provesEqual(program, mutant.graph);
    EXPECT_FALSE(tally.equal || tally.equalByTrials || tally.provedEqual)
        << name.str() << ", " << mutant.mutation.str() << ":\n"
        << toString(program) << toString(mutant.graph);
  }

  VerifyOptions options;
  std::map<llvm::StringRef, Tally> tallies; ///< by mutation
  Tally total;
};
} // namespace

/// The mean of (x - mean x)² of each row.
static Graph variance(int64_t m, int64_t n) {
  Graph graph;
  Builder b(graph);
  ValueId x = b.input({m, n});
  ValueId distance = b.op(Opcode::Sub, {x, b.reduce(Opcode::Mean, x, 1)});
  b.output(b.reduce(Opcode::Mean, b.op(Opcode::Square, {distance}), 1));
  return graph;
}

static Graph varianceFused(int64_t m, int64_t n, int64_t tileM, int64_t tileN) {
  TileGraph tiles;
  Builder b(tiles);
  tiles.grid = {ceilDiv(m, tileM)};
  tiles.loop = ceilDiv(n, tileN);
  ValueId x = b.input({tileM, tileN});
  tiles.tileInputs = {{{0}, 1}};
  b.output(b.accumulate(x, Opcode::Variance, {1}));
  tiles.tileOutputs = {{{0}}};
  return wrap(tiles, {{m, n}}, {{m, 1}});
}

static std::vector<FusedProgram> listMoreFusedPrograms() {
  std::vector<FusedProgram> programs = listFusedPrograms();
  programs.push_back({"online attention", attention(2, 6, 3, true),
                      attentionOnline(2, 6, 3, 2)});
  programs.push_back({"online attention", attention(2, 9, 3, true),
                      attentionOnline(2, 9, 3, 2, 2)});
  programs.push_back(
      {"normalised attention", qkNorm(2, 3, 2), qkNormLate(2, 3, 2)});
  programs.push_back({"variance", variance(4, 6), varianceFused(4, 6, 2, 3)});
  programs.push_back({"variance", variance(3, 5), varianceFused(3, 5, 2, 2)});
  return programs;
}

static void judgeExamples(MutationRun &run) {
  std::vector<ExamplePair> pairs = readExamplePairs();
  EXPECT_GE(pairs.size(), 14u);
  for (const ExamplePair &pair : pairs)
    run.judge(pair.name, pair.program, pair.example, kAllMutants);
}

static void judgeKernels(MutationRun &run) {
  for (const FusedProgram &program : listMoreFusedPrograms())
    run.judge(program.name, program.plain, program.fused, kAllMutants);
}

static void judgeRandomPrograms(
    MutationRun &run,
    llvm::function_ref<std::optional<Graph>(const Graph &)> makeFused) {
  RandomStream random(hashToSeed("mutated programs"));
  for (unsigned i = 0; i < (isFullSize() ? 600u : 30u); ++i) {
    Graph program = makeRandomProgram(random);
    if (std::optional<Graph> fused = makeFused(program))
      run.judge("random program " + std::to_string(i), program, *fused, 40);
  }
}

static void judgePlainPrograms(MutationRun &run) {
  judgeRandomPrograms(run, [](const Graph &program) { return program; });
}

static void judgeTiledPrograms(MutationRun &run) {
  unsigned numPrograms = 0, numBlocks = 0, numLoops = 0;
  judgeRandomPrograms(run, [&](const Graph &program) {
    std::optional<Graph> tiled = makeTiled(program);
    ++numPrograms;
    numBlocks += tiled ? countBlocks(*tiled) : 0;
    numLoops += tiled ? countLoops(*tiled) : 0;
    return tiled;
  });
  EXPECT_GT(numBlocks, 5 * numPrograms);
  EXPECT_GT(numLoops, numPrograms / 2);
}

TEST(Mutation, MutantsThatDifferAreRejected) {
  MutationRun run;
  auto judge = [&](const char *what, void (*judgeAll)(MutationRun &)) {
    unsigned before = run.getTotal().getDiffering();
    judgeAll(run);
    unsigned differing = run.getTotal().getDiffering() - before;
    std::printf("  of %s, %u mutants differ\n", what, differing);
    EXPECT_GE(differing, 500u) << what;
  };
  judge("examples", judgeExamples);
  judge("other kernels", judgeKernels);
  judge("random programs", judgePlainPrograms);
  judge("random programs in tiles", judgeTiledPrograms);
  run.printByMutation();
  run.printTotal();
  EXPECT_GE(run.getTotal().getDiffering(), isFullSize() ? 20000u : 5000u);
  EXPECT_GE(run.countMutations(), isFullSize() ? 70u : 60u);
}

static std::vector<FusedProgram> listLargerPrograms() {
  return {
      {"rms_norm, linear", rmsLinear(8, 32, 24),
       rmsLinearFused(8, 32, 24, 8, 12)},
      {"gated MLP", gatedMlp(8, 30, 24), gatedMlpFused(8, 30, 24, 8, 12)},
      {"softmax", softmax(30, 12, true), softmaxFused(30, 12, 4)},
      {"LoRA", lora(8, 32, 24, 4), loraFused(8, 32, 24, 4, 8, 12)},
      {"attention", attention(8, 24, 6, true), attentionFused(8, 24, 6, 4, 2)},
      {"online attention", attention(8, 24, 6, true),
       attentionOnline(8, 24, 6, 4, 2)},
      {"variance", variance(12, 32), varianceFused(12, 32, 4, 8)}};
}

/// Of graphs that are too large to be written out: one trial at their own
/// sizes, and what smaller sizes say.
TEST(Mutation, MutantsOfLargerGraphsAreRejected) {
  constexpr size_t kMaxTerms = 1000; // enough for smaller sizes alone
  MutationRun run(kMaxTerms);
  VerifyOptions options;
  options.maxTerms = kMaxTerms;
  for (const FusedProgram &program : listLargerPrograms()) {
    EXPECT_TRUE(
        llvm::cantFail(verifyEqual(program.plain, program.fused, options))
            .isLarge);
    run.judge(program.name, program.plain, program.fused, kAllMutants);
    run.judge(program.name, program.plain, program.plain, kAllMutants);
  }
  run.printTotal();
  EXPECT_GE(run.getTotal().getDiffering(), 1500u);
}
