//===- MustBeFoundTest.cpp - What the default search has to find ----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of each program a fused structure that people know by name, with its hash:
// the first one, by number of operators and text, that is what they mean. It is
// verified, and proved by canonical forms. A hash that changes says that what
// is found first has changed.
//
//===----------------------------------------------------------------------===//

#include "Mirage/Search/Search.h"
#include "Mirage/Verify/ExactProof.h"
#include "Programs.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <chrono>

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using namespace mlir::mirage::test;

namespace {

/// What a structure is known by.
using Property = std::function<bool(const Structure &, const TargetProgram &)>;

bool isLooped(const KernelStructure &kernel) {
  return kernel.loopName != kNoName;
}

bool isOneLoopedKernel(const Structure &structure, const TargetProgram &) {
  return structure.kernels.size() == 1 && isLooped(structure.kernels[0]);
}

bool isOneKernel(const Structure &structure, const TargetProgram &) {
  return structure.kernels.size() == 1;
}

/// The name of the keys: what keys and values have, and queries have not.
NameId findKeys(const TargetProgram &program) {
  NameSet queries = program.getNames(program.inputs[0]),
          keys = program.getNames(program.inputs[1]),
          values = program.getNames(program.inputs[2]);
  return toList(keys & values & ~queries)[0];
}

NameId findQueries(const TargetProgram &program) {
  NameSet queries = program.getNames(program.inputs[0]),
          keys = program.getNames(program.inputs[1]);
  return toList(queries & ~keys).back();
}

bool hasAxis(const KernelStructure &kernel, NameId name) {
  return llvm::is_contained(kernel.gridNames, name);
}

/// Blocks share the keys and leave their parts to a second kernel, which reads
/// nothing else.
bool isSplitKV(const Structure &structure, const TargetProgram &program) {
  if (structure.kernels.size() != 2 || !isLooped(structure.kernels[0]))
    return false;
  auto isPartOfKeys = [&](NameId name) {
    auto part = program.getPart(name);
    return part && part->of == findKeys(program);
  };
  unsigned numInputs = program.graph.getNumInputs();
  llvm::ArrayRef<unsigned> read = structure.kernels[1].inputs;
  return read.size() == 2 && llvm::all_of(read, [&](unsigned input) {
           return input >= numInputs &&
                  llvm::any_of(structure.results[input - numInputs].layout,
                               isPartOfKeys);
         });
}

/// Blocks share the keys and join their sums.
bool joinsKeys(const Structure &structure, const TargetProgram &program) {
  const KernelStructure &kernel = structure.kernels[0];
  return isOneLoopedKernel(structure, program) &&
         llvm::count_if(kernel.operators, [&](const StructureOperator &op) {
           return op.gridAxis &&
                  kernel.gridNames[*op.gridAxis] == findKeys(program);
         }) == 2;
}

/// FlashAttention: blocks have queries each, and loop over the keys.
bool loopsOverKeys(const Structure &structure, const TargetProgram &program) {
  return isOneLoopedKernel(structure, program) &&
         structure.kernels[0].loopName == findKeys(program) &&
         hasAxis(structure.kernels[0], findQueries(program)) &&
         !hasAxis(structure.kernels[0], findKeys(program));
}

struct Wanted {
  const char *name;
  Graph graph;
  Property property;
  const char *hash;
  llvm::SmallVector<unsigned, 2> numOperators; ///< of each kernel
};

llvm::SmallVector<unsigned, 2> countOperators(const Structure &structure) {
  llvm::SmallVector<unsigned, 2> numbers;
  for (const KernelStructure &kernel : structure.kernels)
    numbers.push_back(kernel.operators.size());
  return numbers;
}

class Finder {
public:
  explicit Finder(const Wanted &wanted) : wanted(wanted) {}

  void run() {
    SearchOptions options;
    options.cutsProgram = false; // parts are other programs
    options.onStructure = [&](const TargetProgram &program,
                              const Structure &structure) {
      consider(program, structure);
    };
    SearchResult result = llvm::cantFail(superoptimize(wanted.graph, options));
    EXPECT_FALSE(result.candidates.empty());
  }

  const std::optional<Structure> &getFound() const { return found; }

  /// At small sizes.
  bool isRight() const {
    StructureVerifier verifier = makeFieldVerifier(/*seed=*/0);
    return llvm::all_of(
        buildTestPairs(*program, *found, *planKernels(*program, *found)),
        [&](const TestPair &pair) {
          return verifier(pair.program, pair.candidate);
        });
  }

  /// At the same sizes.
  void expectProvedExactly() const {
    for (const TestPair &pair :
         buildTestPairs(*program, *found, *planKernels(*program, *found))) {
      auto start = std::chrono::steady_clock::now();
      ExactProof proof = proveEqual(pair.program, pair.candidate);
      std::chrono::duration<double, std::milli> time =
          std::chrono::steady_clock::now() - start;
      EXPECT_EQ(proof.outcome, ExactProof::Proved)
          << proof.reason << " at " << proof.sizes;
      std::printf("  %s at %s: %zu operations on terms, %.1f ms\n", wanted.name,
                  proof.sizes.c_str(), proof.work, time.count());
    }
  }

private:
  static auto getKey(const Structure &structure) {
    return std::make_pair(structure.getNumOperators(), toString(structure));
  }

  void consider(const TargetProgram &from, const Structure &structure) {
    if (!wanted.property(structure, from) ||
        (found && getKey(*found) <= getKey(structure)))
      return;
    found = structure;
    program = from;
  }

  const Wanted &wanted;
  std::optional<TargetProgram> program;
  std::optional<Structure> found;
};

void expectFound(const Wanted &wanted) {
  SCOPED_TRACE(wanted.name);
  Finder finder(wanted);
  finder.run();
  ASSERT_TRUE(finder.getFound());
  EXPECT_TRUE(finder.isRight());
  finder.expectProvedExactly();
  EXPECT_EQ(getHash(*finder.getFound()), wanted.hash)
      << toString(*finder.getFound());
  EXPECT_EQ(countOperators(*finder.getFound()), wanted.numOperators);
}

//===----------------------------------------------------------------------===//
// Normalisations, gates and low ranks
//===----------------------------------------------------------------------===//

TEST(MustBeFoundTest, RmsNormLinear) {
  expectFound({"one kernel",
               rmsNormLinear(8, 512, 768),
               isOneLoopedKernel,
               "07ddfe5528942d79",
               {4}});
}

TEST(MustBeFoundTest, RmsNormWithEpsilonAndWeightThenLinear) {
  expectFound({"one kernel",
               rmsNormWeightLinear(8, 512, 192),
               isOneLoopedKernel,
               "9d13dc1a7bef3c14",
               {8}});
}

/// (Σ x·w - mean x · Σ w) / sqrt(variance x + epsilon), all of one pass.
TEST(MustBeFoundTest, LayerNormLinear) {
  for (bool isSpelled : {false, true})
    expectFound({"one kernel",
                 layerNormLinear(8, 512, 192, isSpelled),
                 isOneLoopedKernel,
                 "7f8755a859b5f822",
                 {10}});
}

/// Fourteen operators.
TEST(MustBeFoundTest, LayerNormWithWeightAndBiasThenLinear) {
  expectFound({"one kernel",
               affineLayerNormLinear(8, 512, 192),
               isOneLoopedKernel,
               "250c6299b2f8ccbf",
               {14}});
}

TEST(MustBeFoundTest, GatedMlp) {
  expectFound({"one kernel",
               gatedMlp(8, 512, 192),
               isOneLoopedKernel,
               "5f3d964ab002d4f3",
               {6}});
}

TEST(MustBeFoundTest, GatedMlpWithSiluSpelled) {
  expectFound({"one kernel",
               gatedMlpSpelled(8, 512, 192),
               isOneLoopedKernel,
               "5f3d964ab002d4f3",
               {6}});
}

TEST(MustBeFoundTest, GatedMlpOnASharedNorm) {
  expectFound({"one kernel",
               rmsNormGatedMlp(8, 512, 192),
               isOneLoopedKernel,
               "349dc8689d6a2096",
               {9}});
}

/// X·(W + A·B).
TEST(MustBeFoundTest, Lora) {
  expectFound({"one kernel",
               lora(16, 256, 16, 200),
               isOneLoopedKernel,
               "0ff7dad78fedf18a",
               {4}});
}

TEST(MustBeFoundTest, NormalizedTransformerStep) {
  expectFound({"one kernel",
               normalizedStep(8, 512),
               isOneKernel,
               "4c858e866d8cdc4b",
               {7}});
}

/// The maximum is stripped first.
TEST(MustBeFoundTest, SoftmaxLinear) {
  expectFound({"one kernel",
               softmaxLinear(8, 512, 192),
               isOneLoopedKernel,
               "99c0d11f7cf1c553",
               {5}});
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

/// \param numMore  operators that norms of its inputs take, all in the first
///                 kernel.
void expectAttention(const Graph &graph, std::array<const char *, 3> hashes,
                     unsigned numMore = 0) {
  expectFound({"split-KV", graph, isSplitKV, hashes[0], {5 + numMore, 3}});
  expectFound({"keys joined", graph, joinsKeys, hashes[1], {8 + numMore}});
  expectFound(
      {"FlashAttention", graph, loopsOverKeys, hashes[2], {6 + numMore}});
}

TEST(MustBeFoundTest, Attention) {
  expectAttention(attention(2, 40, 512, 32),
                  {"a5ce60bc87513dae", "82412033d2b0ea44", "ea084f06e9341aa8"});
}

TEST(MustBeFoundTest, AttentionWithRepeatedHeads) {
  expectAttention(repeatedAttention(2, 4, 40, 512, 32),
                  {"9510bc61683cc40b", "f393363de149c0a7", "b217b5d97d46633d"});
}

TEST(MustBeFoundTest, AttentionOnNormedQueriesAndKeys) {
  expectAttention(qkNormAttention(2, 40, 512, 32),
                  {"e2f4d5e03f7937ab", "bf0ce77ce590f7f4", "3d4c82d131d89e14"},
                  4);
}

TEST(MustBeFoundTest, AttentionOnNormedQueriesAndValues) {
  expectAttention(normedAttention(2, 40, 512, 32, {0, 2}),
                  {"7b1153fe670506b4", "47880d661928cb9f", "1e434176dc171463"},
                  4);
}

TEST(MustBeFoundTest, SafeAttention) {
  expectAttention(safeAttention(2, 40, 512, 32),
                  {"e1db0125a83806be", "23d04718ec7f472e", "ea084f06e9341aa8"});
}

} // namespace
