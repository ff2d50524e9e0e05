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
#include "CountedPrograms.h"
#include "Mirage/Search/Instantiator.h"
#include "Mirage/Search/Search.h"
#include "Programs.h"
#include "TilingLists.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using namespace mlir::mirage::test;

namespace {
class SketchChecker {
public:
  SketchChecker(TileSizeSet sizes, unsigned numTilings)
      : sizes{sizes}, numTilings(numTilings) {}

  /// Some tilings of the kernels of all structures.
  void check(const Graph &graph, unsigned maxOps = 6) {
    SearchOptions options;
    options.maxOps = options.maxBlockOps = maxOps;
    options.cutsKernels = options.cutsProgram = false;
    options.judgesCandidates = false;
    options.numCandidates = 1;
    options.onStructure = [&](const TargetProgram &program,
                              const Structure &structure) {
      auto plans = planKernels(program, structure);
      if (!plans)
        return;
      llvm::SmallVector<int64_t> extents = program.getExtents();
      for (const KernelPlan &plan : *plans) {
        TilingSpace space(plan.kernel, extents, sizes);
        std::optional<TilingBox> whole = space.getAll();
        if (!whole)
          return;
        std::optional<Tiling> last;
        for (unsigned i = 0; i < numTilings || !last; ++i)
          if (TilingBox box = descend(space, *whole, random).back();
              box.isOne()) {
            last = space.getTiling(box);
            check(program, plan, extents, *last);
          }
        // What later kernels read has as many parts as this one left.
        setPartExtents(program, plan, *last, extents);
      }
    };
    llvm::cantFail(superoptimize(graph, options));
  }

  unsigned numKernels = 0, numProducts = 0, numAccumulations = 0,
           numTilesMoved = 0, numMasks = 0, numJoins = 0, numAhead = 0,
           numRescaled = 0;
  unsigned numInTF32 = 0; ///< of the products
  /// Of tiles with more dimensions than products load transposed.
  unsigned numTransposes = 0;
  /// Kernels whose warps keep rows, and products whose right operand may come
  /// by the copy engine.
  unsigned numKept = 0, numInRings = 0;

private:
  void check(const TargetProgram &program, const KernelPlan &plan,
             llvm::SmallVector<int64_t> extents, const Tiling &tiling) {
    KernelSketch sketch(program, plan, extents);
    setPartExtents(program, plan, tiling, extents);
    SCOPED_TRACE(toString(plan.kernel));
    ++numKernels;
    SizelessKernel kernel(program, plan,
                          getPartialNames(plan.kernel, extents, tiling));
    checkGraph(kernel.resize(extents, tiling),
               buildTileGraph(program, plan, extents, tiling));
    SizelessKernel unmasked(program, plan, /*partial=*/0);
    checkWork(sketch.getWork(getEnds(plan.kernel, extents, tiling)),
              getWork(unmasked.resize(extents, tiling),
                      plan.getInputTypes(extents),
                      plan.getResultTypes(extents)));
  }

  /// But for what attributes say of sizes.
  void checkGraph(const TileGraph &resized, const TileGraph &built) {
    EXPECT_EQ(resized.grid, built.grid);
    EXPECT_EQ(resized.loop, built.loop);
    EXPECT_EQ(resized.threads, built.threads);
    EXPECT_EQ(resized.stages, built.stages);
    EXPECT_EQ(resized.f32Products, built.f32Products);
    EXPECT_EQ(resized.getOutputs(), built.getOutputs());
    ASSERT_EQ(resized.getNumValues(), built.getNumValues());
    for (ValueId value = 0; value < built.getNumValues(); ++value)
      EXPECT_EQ(resized.getType(value), built.getType(value));
    ASSERT_EQ(resized.getNodes().size(), built.getNodes().size());
    for (auto [ours, theirs] :
         llvm::zip_equal(resized.getNodes(), built.getNodes())) {
      EXPECT_EQ(ours.opcode, theirs.opcode);
      EXPECT_EQ(ours.operands, theirs.operands);
      EXPECT_EQ(ours.attributes.dims, theirs.attributes.dims);
      EXPECT_EQ(ours.attributes.axis, theirs.attributes.axis);
      EXPECT_EQ(ours.attributes.axes, theirs.attributes.axes);
      numMasks += ours.opcode == Opcode::Mask;
      numTilesMoved +=
          getOperatorInfo(ours.opcode).kind == OperatorKind::Movement;
    }
  }

  void checkWork(const KernelWork &sketched, const KernelWork &built) {
    EXPECT_EQ(sketched.numBlocks, built.numBlocks);
    EXPECT_EQ(sketched.loop, built.loop);
    EXPECT_EQ(sketched.mostIterations, built.mostIterations);
    EXPECT_EQ(sketched.storedBytes, built.storedBytes);
    EXPECT_EQ(sketched.accumulators, built.accumulators);
    EXPECT_GE(sketched.mayBeOneStream, built.isOneStream);
    // Rows have no padding, and reductions no tile to begin with.
    EXPECT_LE(sketched.sharedBytes.inLoop, built.sharedBytes.inLoop);
    EXPECT_LE(sketched.sharedBytes.behindLoop, built.sharedBytes.behindLoop);
    EXPECT_LE(sketched.stageBytes, built.stageBytes);
    numKept += built.rowRegisters > 0;
    checkLoads(sketched, built);
    checkJoins(sketched, built);
    checkOperations(sketched, built);
  }

  /// How often all blocks together do something.
  static double countTimes(const KernelWork &work, bool isInLoop) {
    return double(work.numBlocks) * double(isInLoop ? work.loop : 1);
  }

  static void checkLoads(const KernelWork &sketched, const KernelWork &built) {
    ASSERT_EQ(sketched.loads.size(), built.loads.size());
    for (auto [ours, theirs] : llvm::zip(sketched.loads, built.loads)) {
      EXPECT_EQ(ours.tile, theirs.tile);
      EXPECT_EQ(ours.largestTile, theirs.tile);
      EXPECT_EQ(ours.tensor, theirs.tensor);
      EXPECT_EQ(ours.isInLoop, theirs.isInLoop);
      EXPECT_EQ(ours.isRepeated, theirs.isRepeated);
      // Tiles cover the tensor for each block that reads it.
      double times = countTimes(built, ours.isInLoop);
      EXPECT_LE(ours.readers * double(ours.tensor.getNumElements()),
                times * double(theirs.tile.getNumElements()));
    }
  }

  void checkJoins(const KernelWork &sketched, const KernelWork &built) {
    ASSERT_EQ(sketched.joins.size(), built.joins.size());
    for (auto [ours, theirs] : llvm::zip(sketched.joins, built.joins)) {
      EXPECT_EQ(ours.bytes, theirs.bytes);
      EXPECT_EQ(ours.numJoined, theirs.numJoined);
      EXPECT_EQ(ours.mostJoined, theirs.mostJoined);
      EXPECT_EQ(ours.keepsBlocks, theirs.keepsBlocks);
      EXPECT_EQ(ours.ownBytes, theirs.ownBytes);
      EXPECT_EQ(ours.needsLoop, theirs.needsLoop);
      EXPECT_EQ(ours.isBeforeLoop, theirs.isBeforeLoop);
      EXPECT_EQ(ours.leftBytes, theirs.leftBytes);
      numAhead += ours.isBeforeLoop;
      EXPECT_LE(ours.totalBytes, theirs.bytes * double(built.numBlocks));
      ++numJoins;
    }
  }

  /// A transpose that a product may load is a step of tiles that have too many
  /// dimensions, which a sketch does not know.
  void leaveTransposesOut(const KernelWork &sketched, KernelWork &built) {
    const auto &transposed = getOperatorInfo(Opcode::Transpose).definition;
    auto rest = llvm::ArrayRef(sketched.operations);
    llvm::erase_if(built.operations, [&](const KernelWork::Operation &theirs) {
      bool isKnown = !rest.empty() && rest.front().applied == theirs.applied;
      if (isKnown || theirs.applied != &transposed) {
        rest = rest.drop_front(!rest.empty());
        return false;
      }
      ++numTransposes;
      return true;
    });
  }

  void checkOperations(const KernelWork &sketched, KernelWork built) {
    leaveTransposesOut(sketched, built);
    ASSERT_EQ(sketched.operations.size(), built.operations.size());
    for (auto [ours, theirs] :
         llvm::zip(sketched.operations, built.operations)) {
      EXPECT_EQ(ours.applied, theirs.applied);
      EXPECT_EQ(ours.isInLoop, theirs.isInLoop);
      EXPECT_EQ(ours.isRepeated, theirs.isRepeated);
      EXPECT_EQ(ours.elements, theirs.elements);
      EXPECT_EQ(ours.bytes, theirs.bytes);
      EXPECT_EQ(ours.length, theirs.length);
      EXPECT_EQ(ours.isOnTensorCores, theirs.isOnTensorCores);
      EXPECT_EQ(ours.isInTF32, theirs.isInTF32);
      EXPECT_EQ(ours.isInReader, theirs.isInReader);
      EXPECT_EQ(ours.isReduction, theirs.isReduction);
      EXPECT_EQ(ours.isRescaled, theirs.isRescaled);
      numRescaled += theirs.isRescaled;
      // What may be so takes less.
      EXPECT_GE(ours.isOnRows, theirs.isOnRows);
      EXPECT_GE(ours.isLeftInRing, theirs.isLeftInRing);
      EXPECT_GE(ours.isRightInRing, theirs.isRightInRing);
      numInRings += theirs.isRightInRing;
      if (ours.isOnTensorCores)
        EXPECT_EQ(ours.matrixTiles, theirs.matrixTiles);
      double units = ours.isOnTensorCores ? ours.matrixTiles
                     : ours.applied       ? double(ours.elements)
                                          : double(ours.elements * ours.length);
      double times = countTimes(built, ours.isInLoop);
      EXPECT_LE(ours.total, units * times * (1 + 1e-12));
      EXPECT_GT(ours.total, 0);
      numProducts += ours.isOnTensorCores;
      numInTF32 += ours.isInTF32;
      numAccumulations += ours.applied != nullptr && ours.isInLoop;
    }
  }

  TileSizes sizes;
  unsigned numTilings; ///< of a kernel
  std::minstd_rand random;
};

TEST(KernelSketch, CountsAreThoseOfTheBlockGraph) {
  SketchChecker checker(TileSizeSet::All, /*numTilings=*/5);
  for (const Graph &graph :
       {rmsNormLinear(8, 512, 768), rmsNormLinear(5, 203, 77),
        gatedMlp(8, 512, 512), lora(8, 300, 20, 70), attention(2, 40, 96, 32),
        safeAttention(2, 20, 40, 16), distances(20, 30, 64),
        twoOutputs(20, 64, 48), inTF32(rmsNormLinear(5, 203, 77)),
        inTF32(attention(2, 40, 96, 32))})
    checker.check(graph);
  // Loops that read what blocks have joined have as many operators.
  checker.check(attentionLinear(false), /*maxOps=*/11);
  EXPECT_GT(checker.numKernels, 1000u);
  EXPECT_GT(checker.numProducts, 500u);
  EXPECT_GT(checker.numInTF32, 100u);
  EXPECT_GT(checker.numAccumulations, 500u);
  EXPECT_GT(checker.numTilesMoved, 100u);
  EXPECT_GT(checker.numMasks, 100u);
  EXPECT_GT(checker.numJoins, 100u);
  EXPECT_GT(checker.numAhead, 100u);
  EXPECT_GT(checker.numRescaled, 10u);
}

/// Products of two batch dimensions, of which one has scales of its own.
TEST(KernelSketch, TransposesMayBeLoadedByProducts) {
  Graph graph;
  ValueId q = graph.addInput({{2, 3, 16, 32}, ElementType::F16}, "q"),
          k = graph.addInput({{2, 3, 24, 32}, ElementType::F16}, "k"),
          scales = graph.addInput({{3, 1, 1}, ElementType::F16}, "scales");
  Attributes turned;
  turned.dims = {0, 1, 3, 2};
  ValueId columns = graph.add(Opcode::Transpose, {k},
                              {{2, 3, 32, 24}, ElementType::F16}, turned);
  TensorSpec scores = {{2, 3, 16, 24}, ElementType::F32};
  ValueId product = graph.add(Opcode::Matmul, {q, columns}, scores);
  graph.addOutput(graph.add(Opcode::Mul, {product, scales}, scores));
  SketchChecker checker(TileSizeSet::Round, /*numTilings=*/3);
  checker.check(graph, /*maxOps=*/4);
  EXPECT_GT(checker.numTransposes, 10u);
  EXPECT_GT(checker.numKernels, checker.numTransposes);
}

/// sum (X·W + (V·Y)ᵀ)², whose transpose leaves columns, or too few rows to be
/// shared out.
TEST(KernelSketch, RowsMayMeetColumns) {
  ProgramBuilder b;
  ValueId x = b.input({128, 64}), w = b.input({64, 32}), v = b.input({32, 64}),
          y = b.input({64, 128});
  ValueId turned = b.transpose(b.matmul(v, y), {1, 0});
  ValueId both = b.apply(Opcode::Add, {b.matmul(x, w), turned});
  ValueId square = b.apply(Opcode::Square, {both});
  SketchChecker checker(TileSizeSet::Round, /*numTilings=*/40);
  checker.check(b.finish({b.reduce(Opcode::Sum, square, 1)}), /*maxOps=*/7);
  EXPECT_GT(checker.numKept, 100u);
}

/// Warps keep rows of tiles whose sizes are powers of two.
TEST(KernelSketch, RowsTakeNoMoreThanTheBlockGraphSays) {
  SketchChecker checker(TileSizeSet::Round, /*numTilings=*/40);
  checker.check(attention(2, 64, 512, 64));
  EXPECT_GT(checker.numKept, 100u);
  EXPECT_GT(checker.numInRings, 100u);
}
} // namespace
