//===- KernelSketchTest.cpp - Sketches against block graphs ---------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sketch says without a block graph what the block graph does. Bounds go by
// it (BoundsTest.cpp), and would be as low if it said less; so what both say is
// compared, number by number.
//
//===----------------------------------------------------------------------===//

#include "Mirage/Search/KernelSketch.h"
#include "Mirage/Search/Search.h"
#include "Programs.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using namespace mlir::mirage::test;

namespace {
class SketchChecker {
public:
  /// Some tilings of the kernels of all structures.
  void check(const Graph &graph) {
    SearchOptions options;
    options.maxOps = options.maxBlockOps = 6;
    options.cutsKernels = options.cutsProgram = false;
    options.judgesCandidates = false;
    options.numCandidates = 1;
    options.onStructure = [&](const TargetProgram &program,
                              const Structure &structure) {
      ASSERT_FALSE(program.isStripped) << "maxima of tiles are not sketched";
      auto plans = planKernels(program, structure);
      llvm::SmallVector<int64_t> extents = program.getExtents();
      for (const KernelPlan &plan : *plans) {
        TilingSpace space(plan.kernel, extents);
        if (space.size() == 0)
          return;
        for (size_t i = 0; i < space.size(); i += 1 + space.size() / 7)
          check(program, plan, extents, space.get(i));
        // What later kernels read has as many parts as this one left.
        setPartExtents(program, plan, space.get(0), extents);
      }
    };
    llvm::cantFail(superoptimize(graph, options));
  }

  unsigned numKernels = 0, numProducts = 0, numExactProducts = 0,
           numAccumulations = 0, numTilesMoved = 0;

private:
  void check(const TargetProgram &program, const KernelPlan &plan,
             llvm::SmallVector<int64_t> extents, const Tiling &tiling) {
    setPartExtents(program, plan, tiling, extents);
    TileGraph tiles = buildTileGraph(program, plan, extents, tiling);
    KernelWork built = getWork(tiles, plan.getInputTypes(extents),
                               plan.getResultTypes(extents));
    KernelWork sketched = KernelSketch(program, plan, extents).getWork(tiling);
    SCOPED_TRACE(toString(plan.kernel));
    ++numKernels;
    EXPECT_EQ(sketched.numBlocks, built.numBlocks);
    EXPECT_EQ(sketched.loop, built.loop);
    EXPECT_EQ(sketched.storedBytes, built.storedBytes);
    EXPECT_EQ(sketched.accumulators, built.accumulators);
    EXPECT_LE(sketched.joins.size(), built.joins.size());
    EXPECT_LE(sketched.sharedBytes, built.sharedBytes);
    EXPECT_LE(sketched.stageBytes, built.stageBytes);
    checkLoads(sketched, built);
    checkOperations(tiles, sketched, built);
  }

  static void checkLoads(const KernelWork &sketched, const KernelWork &built) {
    ASSERT_EQ(sketched.loads.size(), built.loads.size());
    for (auto [ours, theirs] : llvm::zip(sketched.loads, built.loads)) {
      EXPECT_EQ(ours.tile, theirs.tile);
      EXPECT_EQ(ours.tensor, theirs.tensor);
      EXPECT_EQ(ours.isInLoop, theirs.isInLoop);
    }
  }

  /// Operators come in the structure's order, and movements between them.
  void checkOperations(const TileGraph &tiles, const KernelWork &sketched,
                       const KernelWork &built) {
    const auto *next = sketched.operations.begin();
    for (auto [node, theirs] : llvm::zip(tiles.getNodes(), built.operations)) {
      if (getOperatorInfo(node.opcode).kind == OperatorKind::Movement) {
        ++numTilesMoved;
        continue;
      }
      ASSERT_NE(next, sketched.operations.end());
      const KernelWork::Operation &ours = *next++;
      EXPECT_EQ(ours.applied, theirs.applied);
      EXPECT_EQ(ours.isInLoop, theirs.isInLoop);
      EXPECT_EQ(ours.elements, theirs.elements);
      EXPECT_EQ(ours.bytes, theirs.bytes);
      EXPECT_EQ(ours.length, theirs.length);
      EXPECT_EQ(ours.isOnTensorCores, theirs.isOnTensorCores);
      numAccumulations += node.opcode == Opcode::Accumulate;
      if (!ours.isOnTensorCores)
        continue;
      // Layouts may leave a choice, and then the sketch has the best.
      EXPECT_LE(ours.matrixTiles, theirs.matrixTiles);
      ++numProducts;
      numExactProducts += ours.matrixTiles == theirs.matrixTiles;
    }
    EXPECT_EQ(next, sketched.operations.end());
  }
};

TEST(KernelSketch, CountsAreThoseOfTheBlockGraph) {
  SketchChecker checker;
  for (const Graph &graph :
       {rmsNormLinear(8, 512, 768), rmsNormLinear(5, 203, 77),
        gatedMlp(8, 512, 512), lora(8, 300, 20, 70), attention(2, 40, 96, 32),
        distances(20, 30, 64), twoOutputs(20, 64, 48)})
    checker.check(graph);
  EXPECT_GT(checker.numKernels, 1000u);
  EXPECT_GT(checker.numProducts, 500u);
  EXPECT_GT(checker.numExactProducts, checker.numProducts / 2);
  EXPECT_GT(checker.numAccumulations, 500u);
  EXPECT_GT(checker.numTilesMoved, 100u);
}
} // namespace
