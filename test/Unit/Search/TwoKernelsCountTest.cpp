//===- TwoKernelsCountTest.cpp - How many second kernels programs have ----===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two kernels of up to 11 operators each, with 3 axes and joined blocks, every
// one at any cost. Counted are the last kernels, once for each boundary that
// they start from, and the states of the passes with 11 operators. An
// independent prototype limits what a kernel reads, as it seems to four
// tensors; those that read more are counted apart.
//
//===----------------------------------------------------------------------===//

#include "CountedPrograms.h"
#include "Mirage/Search/Explorer.h"
#include "Mirage/Search/ItemRecords.h"
#include "gtest/gtest.h"
#include <set>

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using namespace mlir::mirage::test;

namespace {

constexpr AtomReading kAtoms = AtomReading::Function;
constexpr AtomReading kWrittenOut = AtomReading::WrittenOut;
constexpr unsigned kMaxBlockOps = 11;

struct Counts {
  uint64_t states = 0;
  size_t secondKernels = 0;
};

/// What an item is, out of its name: "<..> read 0 4 grid 1 last 11".
struct ItemName {
  explicit ItemName(llvm::StringRef name) {
    auto [what, inputs] = name.split(" read");
    numRead = inputs.split(" grid").first.count(' ');
    isLast = name.contains(" last ");
    auto [before, size] = name.split(isLast ? " last " : " other ");
    size.split(' ').first.getAsInteger(10, numOperators);
  }

  size_t numRead = 0;
  bool isLast = false;
  unsigned numOperators = 0;
};

/// Every item that was enumerated.
class AllItems : public ItemRecords {
public:
  AllItems() : ItemRecords(/*minTrials=*/0) {}

  Counts count(size_t maxRead) const {
    Counts counts;
    for (const auto &[text, entry] : records) {
      ItemName name(text);
      if (name.numRead > maxRead)
        continue;
      if (name.numOperators == kMaxBlockOps)
        counts.states += entry.record.counts.states;
      if (name.isLast)
        counts.secondKernels += entry.record.found.size();
    }
    return counts;
  }
};

struct Row {
  const char *name;
  Graph graph;
  AtomReading reading;
  Counts prototype;
  Counts found;       ///< kernels that read up to four tensors
  Counts readingMore; ///< and those that read more
  bool hasFewer = false;
};

void expectEqual(const Counts &found, const Counts &wanted) {
  EXPECT_EQ(found.states, wanted.states);
  EXPECT_EQ(found.secondKernels, wanted.secondKernels);
}

void expectCounts(const Row &row) {
  SCOPED_TRACE(row.name);
  TargetProgram program = llvm::cantFail(makeTargetProgram(row.graph));
  AllItems items;
  ExplorationLimits limits;
  limits.maxBlockOps = kMaxBlockOps;
  limits.maxOps = 2 * kMaxBlockOps;
  limits.minKernels = limits.maxKernels = 2;
  limits.joins.inKernel = true;
  limits.maxStates = 1000000000;
  limits.records = {&items};
  Explorer explorer(program, row.reading, limits);
  auto stop = explorer.run([](const Structure &, double) { return true; });
  EXPECT_EQ(stop, Explorer::Stop::Exhausted);
  Counts found = items.count(4), all = items.count(~size_t(0));
  expectEqual(found, row.found);
  expectEqual(
      {all.states - found.states, all.secondKernels - found.secondKernels},
      row.readingMore);
  EXPECT_EQ(found.secondKernels < row.prototype.secondKernels, row.hasFewer);
  EXPECT_LE(found.states, row.prototype.states);
}

/// Scaled attention has a factor in one place, the prototype in several: as in
/// one kernel, 148 of 263.
TEST(TwoKernelsCountTest, LastKernelsOfEveryBoundary) {
  Row rows[] = {
      {"rms norm + linear",
       rmsNormLinear(8, 64, 48),
       kAtoms,
       {3848, 92},
       {386, 92},
       {0, 0}},
      {"gated mlp",
       gatedMlp(8, 64, 48),
       kAtoms,
       {18420, 184},
       {2272, 184},
       {0, 0}},
      {"attention",
       attention(2, 8, 64, 16),
       kWrittenOut,
       {130924, 1198},
       {29509, 1354},
       {0, 0}},
      {"scaled attention",
       attention(2, 8, 64, 16, 0.125),
       kWrittenOut,
       {629826, 2777},
       {38648, 1477},
       {0, 0},
       /*hasFewer=*/true},
      {"gated mlp + linear",
       gatedMlpLinear(),
       kAtoms,
       {70128, 628},
       {11387, 734},
       {3314, 0}},
      {"rms + gated mlp",
       rmsNormGatedMlp(8, 64, 48),
       kAtoms,
       {167228, 1688},
       {22602, 1724},
       {3856, 0}},
      {"lora",
       lora(8, 64, 4, 48),
       kWrittenOut,
       {275659, 706},
       {12030, 891},
       {0, 0}},
      {"normed q and v",
       normedAttention(2, 8, 64, 16, {0, 2}),
       kAtoms,
       {713196, 4459},
       {576430, 9432},
       {1288987, 6648}},
  };
  for (const Row &row : rows)
    expectCounts(row);
}

/// softmax(Q·K)·V·W: blocks have parts of Q·K, which the second kernel sums
/// before it loops over columns of V.
TEST(TwoKernelsTest, TheSecondJoinsBlocksBeforeItsLoop) {
  TargetProgram program =
      llvm::cantFail(makeTargetProgram(attentionLinear(false)));
  ExplorationLimits limits;
  limits.maxOps = 8;
  limits.minKernels = limits.maxKernels = 2;
  limits.maxStates = 1000000;
  std::set<std::string> kernels;
  Explorer(program, kWrittenOut, limits).run([&](const Structure &s, double) {
    if (s.kernels[0].operators.size() == 1)
      kernels.insert(toString(s.kernels[1]));
    return true;
  });
  EXPECT_TRUE(kernels.count(R"(grid {} loop d inputs %2 %3 %4
  3 = matmul over d (0, 1)
  4 = sum over f (2)
  5 = exp (4)
  6 = sum over c (5)
  7 = matmul over c (3, 5)
  8 = accumulate sum (7)
  9 = div (8, 6)
  results 9
)"));
}

} // namespace
