//===- StabilityTest.cpp - What fields cannot tell apart, floats do -------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Softmax that subtracts a wrong number instead of its maximum is the same
// graph to the judge. On hard inputs (Mirage/Reference/Stability.h) floats
// catch every such mutant, and no graph that is right.
//
//===----------------------------------------------------------------------===//

#include "Mirage/Reference/Stability.h"
#include "ExamplePrograms.h"
#include "Programs.h"
#include "ReferenceNumbers.h"
#include "StabilityMutants.h"
#include "gtest/gtest.h"
#include <map>

using namespace mlir::mirage;
using namespace mlir::mirage::test;

static std::optional<Instability> search(const Graph &program,
                                         const Graph &graph) {
  return llvm::cantFail(findInstability(program, graph));
}

static void expectStable(llvm::StringRef name, const Graph &program,
                         const Graph &graph) {
  std::optional<Instability> found = search(program, graph);
  EXPECT_FALSE(found) << name.str() << ": " << toString(*found, program);
}

/// Of numbers as they are.
static bool takesAnyExponential(llvm::StringRef example) {
  return example == "softmax.mlir" || example == "mugraphs/split_kv.mlir";
}

TEST(Stability, ExponentialsOfLargeNumbersAreUnstable) {
  for (const ExamplePair &pair : readExamplePairs())
    if (takesAnyExponential(pair.name))
      EXPECT_TRUE(search(pair.program, pair.example)) << pair.name;
}

TEST(Stability, StableGraphsKeepTheirNumbers) {
  for (const StableProgram &stable : listStablePrograms())
    expectStable(stable.name, stable.program, stable.graph);
  for (const ExamplePair &pair : readExamplePairs())
    if (!takesAnyExponential(pair.name))
      expectStable(pair.name, pair.program, pair.example);
  expectStable("rms_norm, linear", rmsLinear(3, 7, 5),
               rmsLinearFused(3, 7, 5, 3, 2));
  expectStable("gated MLP", gatedMlp(3, 5, 7), gatedMlpFused(3, 5, 7, 2, 3));
  expectStable("LoRA", lora(3, 5, 7, 2), loraFused(3, 5, 7, 2, 2, 3));
}

namespace {
struct StabilityCounts {
  unsigned mutants = 0, caught = 0;
  /// What the judge says: by trials, exactly, or not.
  unsigned byTrials = 0, exactly = 0, unknown = 0;
};

class StabilityRun {
public:
  void expectCaught(llvm::StringRef name, const Graph &program,
                    const StabilityMutant &mutant) {
    StabilityCounts &counts = byStabilizer[mutant.what];
    ++counts.mutants;
    judge(name, program, mutant, counts);
    std::optional<Instability> found = search(program, mutant.graph);
    EXPECT_TRUE(found) << name.str() << ", " << mutant.what << ":\n"
                       << toString(mutant.graph);
    if (!found)
      return;
    ++counts.caught;
    ++byClass[found->inputClass];
  }

  StabilityCounts print() const {
    StabilityCounts total;
    std::printf("  %-28s %7s %6s   judge: %9s %7s %7s\n", "subtracted",
                "mutants", "caught", "by trials", "exactly", "unknown");
    for (const auto &[name, counts] : byStabilizer) {
      print(name, counts);
      total.mutants += counts.mutants;
      total.caught += counts.caught;
      total.byTrials += counts.byTrials;
      total.exactly += counts.exactly;
      total.unknown += counts.unknown;
    }
    print("all", total);
    std::printf("  caught by the first class that does:");
    for (const auto &[inputClass, count] : byClass)
      std::printf(" %s %u", getInputClassName(inputClass).str().c_str(), count);
    std::printf("\n");
    return total;
  }

private:
  static void print(llvm::StringRef name, const StabilityCounts &counts) {
    std::printf("  %-28s %7u %6u          %9u %7u %7u\n", name.str().c_str(),
                counts.mutants, counts.caught, counts.byTrials, counts.exactly,
                counts.unknown);
  }

  static void judge(llvm::StringRef name, const Graph &program,
                    const StabilityMutant &mutant, StabilityCounts &counts) {
    VerifyOptions options;
    options.findWitness = findRoundedWitness;
    options.maxTowers = 4;
    Verdict verdict =
        llvm::cantFail(verifyEqual(program, mutant.graph, options));
    counts.byTrials += verdict.kind == Verdict::Equal;
    if (verdict.kind == Verdict::Unknown) {
      options.wantsExactProof = true;
      verdict = llvm::cantFail(verifyEqual(program, mutant.graph, options));
      ++(verdict.kind == Verdict::Equal ? counts.exactly : counts.unknown);
    }
    EXPECT_NE(verdict.kind, Verdict::Different)
        << name.str() << ", " << mutant.what << ":\n"
        << toString(mutant.graph);
  }

  std::map<std::string, StabilityCounts> byStabilizer;
  std::map<InputClass, unsigned> byClass;
};
} // namespace

TEST(Stability, WrongStabilizersAreCaught) {
  StabilityRun run;
  for (const StableProgram &stable : listStablePrograms())
    for (const StabilityMutant &mutant : makeStabilityMutants(stable.graph))
      run.expectCaught(stable.name, stable.program, mutant);
  for (int64_t split : {1, 2})
    for (int64_t keys : {8, 7})
      for (const StabilityMutant &mutant :
           makeStaleOnlineAttention(2, keys, 3, 2, split))
        run.expectCaught("online attention", attention(2, keys, 3, true),
                         mutant);
  StabilityCounts total = run.print();
  EXPECT_GE(total.byTrials + total.exactly, 400u);
  EXPECT_EQ(total.caught, total.mutants);
}
