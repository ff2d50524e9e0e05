//===- VerifySpeed.cpp - How many structures a second are tested ----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Takes what a search of a program finds, wrong ones made of it as well, and
// does with each what the search does before it asks the verifier: builds the
// structure at two sets of small sizes and tries it on 16 trials each
// (Mirage/Search/TestPairs.h). Prints how many structures and sizes one core
// tests in a second of its own time, with and without building them; then how
// long RMSNorm and linear takes at its own size.
//
//===----------------------------------------------------------------------===//

#include "Mirage/Search/Search.h"
#include "Mirage/Verify/Verify.h"
#include "Programs.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <chrono>
#include <cstdio>
#include <ctime>

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using namespace mlir::mirage::test;

namespace {
struct FoundStructure {
  TargetProgram program;
  Structure structure;
  std::vector<KernelPlan> plans;
};
} // namespace

/// The search goes on to others after that many.
static constexpr size_t kMaxStructures = 256;
/// Of the processor's time for each figure.
static constexpr double kSeconds = 1;
static constexpr unsigned kRuns = 5;

/// Another arithmetic operator somewhere: what most wrong structures are like.
static std::optional<Structure> makeWrong(Structure structure) {
  for (KernelStructure &kernel : structure.kernels)
    for (StructureOperator &op : kernel.operators) {
      if (op.opcode != Opcode::Div && op.opcode != Opcode::Mul &&
          op.opcode != Opcode::Add)
        continue;
      op.opcode = op.opcode == Opcode::Mul ? Opcode::Add : Opcode::Mul;
      return structure;
    }
  return std::nullopt;
}

static std::vector<FoundStructure> findStructures(const Graph &graph) {
  std::vector<FoundStructure> found;
  auto add = [&](const TargetProgram &program, const Structure &structure) {
    if (std::optional<std::vector<KernelPlan>> plans =
            planKernels(program, structure))
      found.push_back({program, structure, std::move(*plans)});
  };
  SearchOptions options;
  options.numThreads = 1;
  options.cutsProgram = false;
  options.judgesCandidates = false;
  options.onStructure = [&](const TargetProgram &program,
                            const Structure &structure) {
    if (found.size() >= kMaxStructures)
      return;
    add(program, structure);
    if (std::optional<Structure> wrong = makeWrong(structure))
      add(program, *wrong);
  };
  llvm::cantFail(superoptimize(graph, options));
  return found;
}

static double getCpuSeconds() { return double(std::clock()) / CLOCKS_PER_SEC; }

/// How often a second `checkAll`, which counts what it does, does it: the
/// median of a few runs.
static double measureRate(llvm::function_ref<size_t()> checkAll) {
  checkAll(); // draws the programs' trials
  std::vector<double> rates;
  for (unsigned run = 0; run < kRuns; ++run) {
    double start = getCpuSeconds(), seconds = 0;
    size_t count = 0;
    while (seconds < kSeconds) {
      count += checkAll();
      seconds = getCpuSeconds() - start;
    }
    rates.push_back(count / seconds);
  }
  llvm::sort(rates);
  return rates[kRuns / 2];
}

static void measureSmallSizes(const char *name, const Graph &graph) {
  std::vector<FoundStructure> found = findStructures(graph);
  TestPairFilter filter(/*seed=*/0);
  size_t rejected = 0;
  auto check = [&](llvm::ArrayRef<TestPair> pairs) {
    for (const TestPair &pair : pairs)
      rejected += filter.rejects(pair);
    return pairs.size();
  };
  double whole = measureRate([&] {
    size_t count = 0;
    for (const auto &[program, structure, plans] : found)
      count += check(buildTestPairs(program, structure, plans));
    return count;
  });
  std::vector<TestPair> pairs;
  for (const auto &[program, structure, plans] : found)
    llvm::append_range(pairs, buildTestPairs(program, structure, plans));
  rejected = 0;
  check(pairs);
  size_t numWrong = rejected;
  double trials = measureRate([&] { return check(pairs); });
  std::printf("| %s | %zu | %zu of %zu | %.0f | %.1f | %.0f |\n", name,
              found.size(), numWrong, pairs.size(), whole, 1e6 / whole, trials);
}

/// The program and its cheapest structure at the program's own size.
/// \returns false if these are not found equal: then there is no time to state.
static bool measureOwnSize(const char *name, const Graph &graph) {
  SearchOptions options;
  options.numThreads = 1;
  SearchResult result = llvm::cantFail(superoptimize(graph, options));
  std::vector<double> times;
  for (unsigned run = 0; run < kRuns; ++run) {
    auto start = std::chrono::steady_clock::now();
    Verdict verdict =
        llvm::cantFail(verifyEqual(graph, result.getBest(), VerifyOptions()));
    std::chrono::duration<double> time =
        std::chrono::steady_clock::now() - start;
    if (verdict.kind != Verdict::Equal) {
      std::fprintf(stderr, "%s was not found equal: %s\n", name,
                   verdict.reason.c_str());
      return false;
    }
    times.push_back(time.count());
  }
  llvm::sort(times);
  std::printf("\n%s: verified in %.2f s\n", name, times[kRuns / 2]);
  return true;
}

int main(int argc, char **argv) {
  if (argc > 2) {
    std::fprintf(stderr, "usage: %s [part of a program's name]\n", argv[0]);
    return 1;
  }
  struct Program {
    const char *name;
    Graph graph;
  };
  const Program programs[] = {
      {"RMSNorm + linear", rmsNormLinear(8, 4096, 6144)},
      {"gated MLP", gatedMlp(8, 4096, 4096)},
      {"GQA attention", attention(2, 256, 4096, 64)},
      {"LoRA", lora(16, 256, 16, 4096)}};
  std::printf("| program | structures | told apart | structures and sizes a "
              "second | us each | without building |\n"
              "| --- | --- | --- | --- | --- | --- |\n");
  for (const Program &program : programs)
    if (argc == 1 || llvm::StringRef(program.name).contains(argv[1]))
      measureSmallSizes(program.name, program.graph);
  if (argc > 1)
    return 0;
  return measureOwnSize("RMSNorm + linear, 8x4096x6144", programs[0].graph) ? 0
                                                                            : 1;
}
