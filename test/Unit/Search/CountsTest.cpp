//===- CountsTest.cpp - How many states and structures programs have ------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An independent prototype counted what there is in these spaces. Wherever the
// search has fewer structures, the row says why; nowhere does it need twice the
// states. What it has is counted exactly: docs/Search.md has the figures.
//
//===----------------------------------------------------------------------===//

#include "CountedPrograms.h"
#include "KernelEnumeration.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using namespace mlir::mirage::test;

namespace {

constexpr AtomReading kAtoms = AtomReading::Function;
constexpr AtomReading kWrittenOut = AtomReading::WrittenOut;
constexpr GridJoins kJoinsBlocks{/*inOutputs=*/false, /*inKernel=*/true};

struct Counts {
  uint64_t states; ///< of one pass with the most operators
  size_t structures;
};

/// Why the search has fewer structures than the prototype.
enum class Reason : uint8_t {
  None,
  /// Factors, signs and sums have one place. With them anywhere there are no
  /// fewer structures than the prototype's, and all are respellings of those
  /// that are here (RespellingTest).
  Places,
  /// 1/(Σ·r), of sums over the keys and norms of the values, has names of which
  /// neither has all; with these there are exactly as many as the prototype
  /// has (QuotientsByOuterProductsAreLeftOut).
  OuterProducts,
};

struct Row {
  const char *name;
  Graph graph;
  AtomReading reading;
  Counts prototype, found;
  Reason reason = Reason::None;
  unsigned maxOperators = 11;
};

void expectCounts(const Row &row, const Counts &found) {
  SCOPED_TRACE(row.name);
  EXPECT_EQ(found.states, row.found.states);
  EXPECT_EQ(found.structures, row.found.structures);
  bool hasFewer = found.structures < row.prototype.structures;
  EXPECT_EQ(hasFewer, row.reason != Reason::None);
  EXPECT_LE(found.states, 2 * row.prototype.states);
}

Counts count(const Row &row, unsigned maxGridAxes, GridJoins joins) {
  KernelSpace space;
  space.maxOperators = row.maxOperators;
  space.maxGridAxes = maxGridAxes;
  space.joins = joins;
  FoundKernels found = enumerateKernels(row.graph, row.reading, space);
  return {found.states, found.structures.size()};
}

/// 2 axes, over names that outputs have.
TEST(CountsTest, OneKernel) {
  Row rows[] = {
      {"rms norm + linear",
       rmsNormLinear(8, 64, 48),
       kWrittenOut,
       {1264, 16},
       {340, 24}},
      {"epsilon, weight",
       rmsNormWeightLinear(8, 64, 48),
       kWrittenOut,
       {724, 24},
       {324, 28}},
      {"gated mlp", gatedMlp(8, 64, 48), kAtoms, {80, 8}, {72, 8}},
      {"silu spelled", gatedMlpSpelled(8, 64, 48), kAtoms, {80, 8}, {72, 8}},
      {"silu written out",
       gatedMlpSpelled(8, 64, 48),
       kWrittenOut,
       {564, 24},
       {964, 56}},
      {"lora", lora(8, 64, 4, 48), kWrittenOut, {1828, 52}, {284, 52}},
      {"attention", attention(2, 8, 64, 16), kWrittenOut, {385, 35}, {175, 35}},
      {"keys transposed",
       attention(2, 8, 64, 16, 1, true),
       kWrittenOut,
       {287, 35},
       {175, 35}},
      {"scaled attention",
       attention(2, 8, 64, 16, 0.125),
       kWrittenOut,
       {539, 49},
       {196, 35},
       Reason::Places},
      {"clamped attention",
       clampedAttention(),
       kWrittenOut,
       {308, 35},
       {196, 35}},
      {"masked attention",
       causalAttention(2, 8, 64, 16, false),
       kWrittenOut,
       {308, 35},
       {217, 35}},
      {"repeated heads",
       repeatedAttention(2, 4, 3, 64, 16),
       kWrittenOut,
       {451, 55},
       {275, 55}},
      {"normed q and v",
       normedAttention(2, 8, 64, 16, {0, 2}),
       kAtoms,
       {2360, 88},
       {1512, 76},
       Reason::OuterProducts},
      {"normed q and k",
       qkNormAttention(2, 8, 64, 16),
       kAtoms,
       {2360, 88},
       {3325, 133}},
      {"normed q, k and v",
       normedAttention(2, 8, 64, 16, {0, 1, 2}),
       kAtoms,
       {5381, 60},
       {8316, 180},
       Reason::None,
       12},
      {"attention + linear",
       attentionLinear(false),
       kWrittenOut,
       {2524, 92},
       {456, 92}},
      {"normalized step",
       normalizedStep(8, 64),
       kAtoms,
       {8706, 106},
       {7054, 106}},
      {"rms + gated mlp",
       rmsNormGatedMlp(8, 64, 48),
       kAtoms,
       {3188, 32},
       {400, 44}},
      {"gated mlp + linear", gatedMlpLinear(), kAtoms, {124, 12}, {112, 12}},
      {"residual mlp", residualMlp(), kAtoms, {1102, 44}, {512, 44}},
      {"x - rms(y) w",
       minusNormLinear(),
       kWrittenOut,
       {628, 24},
       {548, 24},
       Reason::None,
       9},
      {"rope", rotatedLinear(), kWrittenOut, {13500, 120}, {3652, 120}},
      {"layer norm + linear",
       layerNormLinear(8, 64, 48, false),
       kAtoms,
       {5264, 80},
       {1096, 56},
       Reason::Places},
      {"softmax + linear",
       plainSoftmaxLinear(),
       kWrittenOut,
       {104, 12},
       {56, 12}},
  };
  for (const Row &row : rows)
    expectCounts(row, count(row, 2, {}));
}

/// 3 axes, over any names: blocks are joined in mid-kernel.
std::vector<Row> getRowsThatJoinBlocks() {
  return {
      {"rms norm + linear",
       rmsNormLinear(8, 64, 48),
       kWrittenOut,
       {12340, 44},
       {856, 44}},
      {"gated mlp", gatedMlp(8, 64, 48), kAtoms, {256, 24}, {216, 24}},
      {"lora", lora(8, 64, 4, 48), kWrittenOut, {16458, 264}, {2092, 264}},
      {"attention",
       attention(2, 8, 64, 16),
       kWrittenOut,
       {1774, 148},
       {827, 148}},
      {"scaled attention",
       attention(2, 8, 64, 16, 0.125),
       kWrittenOut,
       {4057, 263},
       {894, 148},
       Reason::Places},
      {"normed q and v",
       normedAttention(2, 8, 64, 16, {0, 2}),
       kAtoms,
       {6495, 152},
       {3585, 132},
       Reason::OuterProducts},
      {"normed q and k",
       qkNormAttention(2, 8, 64, 16),
       kAtoms,
       {6495, 152},
       {6547, 257}},
      {"attention + linear",
       attentionLinear(false),
       kWrittenOut,
       {27660, 985},
       {5648, 985}},
      {"normalized step",
       normalizedStep(8, 64),
       kAtoms,
       {8706, 106},
       {7054, 106}},
      {"rms + gated mlp",
       rmsNormGatedMlp(8, 64, 48),
       kAtoms,
       {8272, 32},
       {492, 44}},
      {"gated mlp + linear", gatedMlpLinear(), kAtoms, {886, 66}, {595, 66}},
      {"residual mlp", residualMlp(), kAtoms, {2396, 96}, {1102, 96}},
      {"softmax rows", softmaxRows(8, 64), kWrittenOut, {40, 2}, {24, 4}},
  };
}

TEST(CountsTest, OneKernelThatJoinsBlocks) {
  for (const Row &row : getRowsThatJoinBlocks())
    expectCounts(row, count(row, 3, kJoinsBlocks));
}

/// Up to 15 operators.
TEST(CountsTest, OneLongKernel) {
  Row rows[] = {
      {"rms + gated mlp",
       rmsNormGatedMlp(8, 64, 48),
       kAtoms,
       {892, 44},
       {400, 44},
       Reason::None,
       15},
      {"residual mlp",
       residualMlpOfAnother(),
       kAtoms,
       {6048, 104},
       {1032, 104},
       Reason::None,
       15},
      {"attention + linear",
       attentionLinear(true),
       kWrittenOut,
       {37000, 168},
       {856, 168},
       Reason::None,
       15},
      {"projected attention",
       projectedAttention(),
       kAtoms,
       {41118, 917},
       {40292, 917},
       Reason::None,
       12},
  };
  for (const Row &row : rows)
    expectCounts(row, count(row, 2, {}));
}

/// With 5, 6, .. 11 operators.
TEST(CountsTest, ByTheMostOperators) {
  struct Series {
    const char *name;
    Graph graph;
    std::array<uint64_t, 7> prototype, found; ///< states
  } all[] = {{"rms norm + linear",
              rmsNormLinear(8, 64, 48),
              {112, 232, 428, 784, 1352, 2300, 3496},
              {180, 260, 324, 340, 340, 340, 340}},
             {"lora",
              lora(8, 64, 4, 48),
              {312, 496, 748, 1008, 1312, 1592, 1828},
              {228, 284, 284, 284, 284, 284, 284}},
             {"attention",
              attention(2, 8, 64, 16),
              {161, 238, 287, 336, 364, 371, 385},
              {126, 175, 175, 175, 175, 175, 175}}};
  for (Series &series : all)
    for (unsigned i = 0; i < series.found.size(); ++i) {
      Row row{series.name, series.graph, kWrittenOut, {}, {}};
      row.maxOperators = 5 + i;
      uint64_t states = count(row, 2, {}).states;
      EXPECT_EQ(states, series.found[i]) << series.name;
      EXPECT_LE(states, 2 * series.prototype[i]) << series.name;
    }
}

/// Structures that do not use some operators of the table.
std::vector<KernelStructure> enumerateWithout(llvm::ArrayRef<Opcode> opcodes,
                                              const Graph &graph) {
  auto isOne = [&](const StructureOperator &op) {
    return llvm::is_contained(
        opcodes, op.opcode == Opcode::Accumulate ? op.reduction : op.opcode);
  };
  KernelSpace space;
  space.joins = {};
  std::vector<KernelStructure> structures =
      enumerateKernels(graph, kWrittenOut, space).structures;
  llvm::erase_if(structures, [&](const KernelStructure &structure) {
    return llvm::any_of(structure.operators, isOne);
  });
  return structures;
}

size_t countOperatorsOfLooped(llvm::ArrayRef<KernelStructure> structures) {
  size_t fewest = ~size_t(0);
  for (const KernelStructure &structure : structures)
    if (isLooped(structure))
      fewest = std::min(fewest, structure.operators.size());
  return fewest;
}

/// The prototype has neither sigmoids nor norms as operators when these are
/// written out: 24 structures of silu. It writes a mean as a sum and a factor,
/// which has two places in a loop: so 16 of the norm, and 7 operators.
TEST(CountsTest, WithTheOperatorsOfThePrototype) {
  EXPECT_EQ(enumerateWithout({Opcode::Sigmoid, Opcode::Silu},
                             gatedMlpSpelled(8, 64, 48))
                .size(),
            24u);
  std::vector<KernelStructure> norms =
      enumerateWithout({Opcode::Rms}, rmsNormLinear(8, 64, 48));
  EXPECT_EQ(norms.size(), 12u);
  EXPECT_EQ(countOperatorsOfLooped(norms), 6u);
}

} // namespace
