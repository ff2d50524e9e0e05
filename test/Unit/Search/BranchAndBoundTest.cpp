//===- BranchAndBoundTest.cpp - Nothing within the limit is cut -----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Branch and bound may leave out what costs more than the limit, and nothing
// else. With a cost model that is simple enough to say by hand what a structure
// cannot go below, that is tested of all structures of small programs, at
// limits that some of them set.
//
//===----------------------------------------------------------------------===//

#include "Mirage/Search/Explorer.h"
#include "Mirage/Search/KernelTraffic.h"
#include "Programs.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <map>

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using namespace mlir::mirage::test;

namespace {
/// Asks for what the tiles of a kernel's inputs take at the least. A loop makes
/// them small and takes an operator more, so that the cheapest ways to a
/// boundary come late.
class TileBytesModel : public CostModel {
public:
  double boundTrafficUs(const KernelTraffic &traffic) const override {
    double us = 1;
    for (const KernelTraffic::Input &input : traffic.inputs)
      us += input.leastTileBytes;
    return us;
  }
  double getFurtherKernelUs() const override { return 1; }

  // Branch and bound asks for nothing else.
  double estimateKernelUs(const TileGraph &, llvm::ArrayRef<TensorSpec>,
                          llvm::ArrayRef<TensorSpec>) const override {
    llvm_unreachable("of tilings");
  }
  std::optional<BlockSize>
  chooseBlockSize(const TileGraph &, llvm::ArrayRef<TensorSpec>,
                  llvm::ArrayRef<TensorSpec>) const override {
    llvm_unreachable("of tilings");
  }
  double boundUs(const KernelWork &) const override {
    llvm_unreachable("of tilings");
  }
  double estimateUs(const Graph &) const override {
    llvm_unreachable("of tilings");
  }
  double estimateLibraryUs(const LibraryMatmul &) const override {
    llvm_unreachable("of baselines");
  }

  /// Of all kernels.
  double boundUs(const TargetProgram &program,
                 const Structure &structure) const {
    auto plans = planKernels(program, structure);
    double us = 0;
    for (const KernelPlan &plan : *plans)
      us += boundTrafficUs(getTraffic(program, plan)) +
            (plan.position == 0 ? 0 : getFurtherKernelUs());
    return us;
  }
};

struct Walk {
  std::map<std::string, double> bounds; ///< by text of a structure
  unsigned cuts = 0;
  EnumerationCounts counts;
};

Walk explore(const TargetProgram &program, ExplorationLimits limits) {
  TileBytesModel model;
  Walk walk;
  limits.maxStates = 1000000;
  Explorer explorer(program, AtomReading::Function, limits);
  Explorer::Stop stop = explorer.run([&](const Structure &structure, double) {
    return walk.bounds
        .insert({toString(structure), model.boundUs(program, structure)})
        .second;
  });
  EXPECT_EQ(stop, Explorer::Stop::Exhausted);
  for (const SearchRound &round : explorer.getRounds()) {
    walk.cuts += round.cuts;
    walk.counts += round.counts;
  }
  return walk;
}

/// \returns how many structures were left out, at all limits together.
size_t expectNothingWithinTheLimitIsCut(const Graph &graph,
                                        ExplorationLimits limits) {
  TargetProgram program = llvm::cantFail(makeTargetProgram(graph));
  limits.joins.inKernel = true;
  Walk all = explore(program, limits);
  EXPECT_EQ(all.cuts, 0u);
  std::vector<double> levels;
  for (const auto &[text, us] : all.bounds)
    levels.push_back(us);
  llvm::sort(levels);
  TileBytesModel model;
  limits.costModel = &model;
  size_t numLeftOut = 0;
  for (unsigned share : {0, 1, 5, 15}) {
    double limitUs = levels[levels.size() * share / 16];
    limits.getLimitUs = [&] { return limitUs; };
    Walk some = explore(program, limits);
    numLeftOut += all.bounds.size() - some.bounds.size();
    for (const auto &[text, us] : all.bounds)
      EXPECT_TRUE(us > limitUs || some.bounds.count(text))
          << us << " is within " << limitUs << ":\n"
          << text;
  }
  return numLeftOut;
}

/// What a kernel leaves depends on how many operators may come after it, and
/// that on which ways to it are cut off. So walks that cut off others than
/// those that made the records find what they find without records.
TEST(BranchAndBoundTest, RecordsOfOtherWalksChangeNothing) {
  TileBytesModel model;
  uint64_t numUsed = 0;
  for (const Graph &graph : {lora(8, 10, 5, 7), attention(2, 8, 10, 5)}) {
    TargetProgram program = llvm::cantFail(makeTargetProgram(graph));
    ExplorationLimits plain;
    plain.minKernels = 2;
    plain.maxKernels = 3;
    plain.maxOps = plain.maxBlockOps = 6;
    plain.joins.inKernel = true;
    ItemRecords made(/*minTrials=*/0);
    plain.records = {&made};
    Walk all = explore(program, plain);
    std::vector<double> levels;
    for (const auto &[text, us] : all.bounds)
      levels.push_back(us);
    llvm::sort(levels);
    for (unsigned share : {0, 1, 4}) {
      ExplorationLimits cutting = plain;
      cutting.costModel = &model;
      double limitUs = levels[levels.size() * share / 16];
      cutting.getLimitUs = [&] { return limitUs; };
      Walk recalled = explore(program, cutting);
      cutting.records = {};
      Walk own = explore(program, cutting);
      EXPECT_GT(own.cuts, 0u);
      EXPECT_EQ(recalled.counts, own.counts);
      EXPECT_EQ(recalled.cuts, own.cuts);
      EXPECT_TRUE(recalled.bounds == own.bounds);
    }
    numUsed += made.getNumUsed();
  }
  EXPECT_GT(numUsed, 0u);
}

TEST(BranchAndBoundTest, OfTwoKernelsNothingWithinTheLimitIsCut) {
  ExplorationLimits limits;
  limits.minKernels = limits.maxKernels = 2;
  limits.maxOps = limits.maxBlockOps = 5;
  for (const Graph &graph : {rmsNormLinear(8, 10, 12), lora(8, 10, 5, 7),
                             twoOutputs(8, 10, 7), attention(2, 8, 10, 5)})
    EXPECT_GT(expectNothingWithinTheLimitIsCut(graph, limits), 0u);
}

/// Sums along the cheapest ways, of which there are several to a boundary
/// between the second kernel and the third.
TEST(BranchAndBoundTest, OfThreeKernelsNothingWithinTheLimitIsCut) {
  ExplorationLimits limits;
  limits.minKernels = limits.maxKernels = 3;
  limits.maxOps = limits.maxBlockOps = 4;
  for (const Graph &graph :
       {rmsNormLinear(8, 10, 12), lora(8, 10, 5, 7), twoOutputs(8, 10, 7)})
    EXPECT_GT(expectNothingWithinTheLimitIsCut(graph, limits), 0u);
}
} // namespace
