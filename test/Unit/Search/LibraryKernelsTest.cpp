//===- LibraryKernelsTest.cpp - Tests of kernels left to a library --------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Search/LibraryKernels.h"
#include "Mirage/Search/Search.h"
#include "Programs.h"
#include "SearchInParts.h"
#include "gtest/gtest.h"

using namespace mlir::mirage;
using namespace mlir::mirage::search;

static TensorSpec f16(Shape shape) {
  return {std::move(shape), ElementType::F16};
}

static Graph makeMatmul(Shape lhs, Shape rhs, Shape result,
                        ElementType element = ElementType::F16) {
  Graph graph;
  ValueId x = graph.addInput({std::move(lhs), element}, "X");
  ValueId w = graph.addInput({std::move(rhs), element}, "W");
  graph.addOutput(
      graph.add(Opcode::Matmul, {x, w}, {std::move(result), element}));
  return graph;
}

static AnalyticCostModel makeModel() {
  return AnalyticCostModel(llvm::cantFail(getTarget("sm_90a")));
}

static double estimate(const Graph &graph) {
  std::optional<LibraryMatmul> matmul =
      findLibraryMatmul(graph, graph.getNodes()[0]);
  EXPECT_TRUE(matmul);
  return makeModel().estimateLibraryUs(*matmul);
}

/// What cuBLAS did on an H200 (docs/Runtime.md).
TEST(LibraryKernels, EstimatesFollowWhatWasMeasured) {
  double us = estimate(makeMatmul({4096, 4096}, {4096, 4096}, {4096, 4096}));
  double teraFlops = 2.0 * 4096 * 4096 * 4096 / us * 1e-6;
  EXPECT_GT(teraFlops, 600);
  EXPECT_LT(teraFlops, 643);
  // Two linear layers and an elementwise kernel took 25.3 µs.
  AnalyticCostModel model = makeModel();
  double layer = estimate(makeMatmul({8, 4096}, {4096, 4096}, {8, 4096}));
  EXPECT_NEAR(2 * (layer + model.getFurtherKernelUs()) + 2.35, 25.3, 2.5);
}

TEST(LibraryKernels, NoProductIsCheaperThanItsBytes) {
  Target target = llvm::cantFail(getTarget("sm_90a"));
  for (int64_t m : {1, 8, 64, 512, 4096})
    for (int64_t n : {16, 256, 4096})
      for (int64_t k : {16, 256, 4096})
        for (int64_t batch : {1, 7}) {
          Graph graph = makeMatmul({batch, m, k}, {batch, k, n}, {batch, m, n});
          EXPECT_GT(estimate(graph), getStreamingLimitUs(target, graph));
        }
}

TEST(LibraryKernels, TheRule) {
  Graph graph = makeMatmul({64, 64}, {64, 64}, {64, 64});
  LibraryMatmul matmul = *findLibraryMatmul(graph, graph.getNodes()[0]);
  AnalyticCostModel model = makeModel();
  double us = model.estimateLibraryUs(matmul);
  auto isLeft = [&](double kernelUs, LibraryKernels choice) {
    return isLeftToLibrary(matmul, kernelUs, choice, model);
  };
  EXPECT_TRUE(isLeft(us * 2.01, LibraryKernels::Auto));
  EXPECT_FALSE(isLeft(us * 2, LibraryKernels::Auto));
  EXPECT_FALSE(isLeft(us * 1e6, LibraryKernels::Never));
  EXPECT_TRUE(isLeft(us * 1e-6, LibraryKernels::Always));
}

/// Where arithmetic is what takes the time it is that of tensor cores at half
/// of f16's rate.
TEST(LibraryKernels, ProductsInTF32) {
  Shape shape = {4096, 4096};
  Graph graph = makeMatmul(shape, shape, shape, ElementType::F32);
  double exact = estimate(graph);
  graph.f32Products = F32Products::TF32;
  EXPECT_EQ(findLibraryMatmul(graph, graph.getNodes()[0])->f32Products,
            F32Products::TF32);
  double half = estimate(makeMatmul(shape, shape, shape));
  EXPECT_NEAR(estimate(graph), 2 * half, 0.05 * half);
  EXPECT_GT(exact, 3 * estimate(graph));
}

/// A call counts twice where the library may be missing, and once where it is
/// known to be there.
TEST(LibraryKernels, WhatACallCounts) {
  Graph graph = makeMatmul({64, 64}, {64, 64}, {64, 64});
  double us = estimate(graph);
  Target target = llvm::cantFail(getTarget("sm_90a"));
  auto cost = [&](LibraryKernels choice) {
    return AnalyticCostModel(target, 0, choice).estimateUs(graph);
  };
  EXPECT_DOUBLE_EQ(cost(LibraryKernels::Auto), 2 * us);
  EXPECT_DOUBLE_EQ(cost(LibraryKernels::Always), us);
}

TEST(LibraryKernels, NamesAreRead) {
  for (LibraryKernels choice :
       {LibraryKernels::Auto, LibraryKernels::Never, LibraryKernels::Always})
    EXPECT_EQ(
        llvm::cantFail(parseLibraryKernels(getLibraryKernelsName(choice))),
        choice);
  EXPECT_EQ(llvm::toString(parseLibraryKernels("some").takeError()),
            "expects library-kernels auto, never or always, got 'some'");
}

/// exp(X · W), which is cheaper as two kernels than as one where a library has
/// the large product.
static Graph makeExpMatmul(int64_t size, ElementType element) {
  Graph graph = makeMatmul({size, size}, {size, size}, {size, size}, element);
  Graph program;
  ValueId x = program.addInput(graph.getType(0), "X");
  ValueId w = program.addInput(graph.getType(1), "W");
  ValueId product = program.add(Opcode::Matmul, {x, w}, graph.getType(2));
  program.addOutput(program.add(Opcode::Exp, {product}, graph.getType(2)));
  return program;
}

static SearchResult searchFor(const Graph &program, LibraryKernels choice) {
  SearchOptions options;
  options.libraryKernels = choice;
  options.maxStates = 200;
  return llvm::cantFail(superoptimize(program, options));
}

static bool hasBareMatmul(const Graph &graph) {
  return llvm::any_of(graph.getNodes(), [](const Node &node) {
    return node.opcode == Opcode::Matmul;
  });
}

/// A part of what is written is copied to where it is to lie: a kernel more.
/// All of it is written there.
TEST(LibraryKernels, PartsOfAProductAreCopied) {
  auto estimateOutputs = [](llvm::ArrayRef<int64_t> offsets) {
    Graph cut;
    cut.addInput(f16({64, 64}));
    cut.addInput(f16({64, 96}));
    ValueId product = cut.add(Opcode::Matmul, {0, 1}, f16({64, 96}));
    for (int64_t offset : offsets) {
      Attributes attributes;
      attributes.offsets = {0, offset};
      attributes.strides = {1, 1};
      cut.addOutput(
          cut.add(Opcode::Slice, {product}, f16({64, 32}), attributes));
    }
    if (offsets.empty()) {
      Attributes exchange;
      exchange.dims = {1, 0};
      cut.addOutput(
          cut.add(Opcode::Transpose, {product}, f16({96, 64}), exchange));
    }
    return makeModel().estimateUs(cut);
  };
  double whole =
      makeModel().estimateUs(makeMatmul({64, 64}, {64, 96}, {64, 96}));
  EXPECT_EQ(estimateOutputs({}), whole);
  double first = estimateOutputs({0}) - whole;
  EXPECT_GT(first, makeModel().getFurtherKernelUs());
  EXPECT_NEAR(estimateOutputs({0, 32, 64}), whole + 3 * first, 1e-9);
}

TEST(LibraryKernels, TheBaselineIsWhatIsCompiled) {
  Graph program = makeExpMatmul(2048, ElementType::F16);
  AnalyticCostModel model = makeModel();
  SearchResult never = searchFor(program, LibraryKernels::Never);
  SearchResult automatic = searchFor(program, LibraryKernels::Auto);
  EXPECT_FALSE(hasBareMatmul(never.baseline));
  EXPECT_TRUE(hasBareMatmul(automatic.baseline));
  EXPECT_FALSE(static_cast<bool>(verify(automatic.baseline)));
  EXPECT_LT(automatic.report.baselineUs, never.report.baselineUs);
  EXPECT_EQ(automatic.report.baselineUs, model.estimateUs(automatic.baseline));
  // The product and, behind it, one kernel more.
  EXPECT_NEAR(automatic.report.baselineUs -
                  model.estimateUs(
                      makeMatmul({2048, 2048}, {2048, 2048}, {2048, 2048})),
              model.getFurtherKernelUs() +
                  model.estimateKernelUs(*automatic.baseline.getNodes()[1].body,
                                         {f16({2048, 2048})},
                                         {f16({2048, 2048})}),
              1e-9);
  // What is found for the whole may be cheaper: one kernel, whose warps
  // multiply together.
  EXPECT_LE(model.estimateUs(automatic.getBest()), automatic.report.baselineUs);
  EXPECT_FALSE(hasBareMatmul(never.getBest()));
}

/// exp(exp(X)·W) takes least as a kernel of ours, a call and another of ours,
/// where four warps cannot multiply together.
TEST(LibraryKernels, KernelsOfOursThatALimitLeavesOutAreNamed) {
  Graph product = makeMatmul({2048, 2048}, {2048, 2048}, {2048, 2048});
  Graph program;
  ValueId x = program.addInput(product.getType(0), "X");
  ValueId w = program.addInput(product.getType(1), "W");
  ValueId read = program.add(Opcode::Exp, {x}, product.getType(0));
  ValueId y = program.add(Opcode::Matmul, {read, w}, product.getType(2));
  program.addOutput(program.add(Opcode::Exp, {y}, product.getType(2)));
  Target target = llvm::cantFail(getTarget("sm_80"));
  for (unsigned maxKernels = 1; maxKernels <= 2; ++maxKernels) {
    SearchResult result = llvm::cantFail(superoptimizeInParts(
        program, target, SearchOptions(), SearchClock(), maxKernels));
    EXPECT_EQ(result.report.limits.has(SpaceLimit::Kernels), maxKernels == 1);
  }
}

/// The whole takes all of its time, and parts have theirs.
TEST(LibraryKernels, PartsHaveTheirShareOfTheTime) {
  SearchOptions options;
  options.maxKernels = 3;
  options.maxOps = options.maxBlockOps = 30;
  options.maxStates = 1000000000000;
  options.cutsKernels = false;
  options.timeLimitS = 4;
  options.verify = [](const Graph &, const Graph &) { return true; };
  Graph program = test::attention(16, 2048, 2048, 64);
  SearchResult result = llvm::cantFail(superoptimize(program, options));
  EXPECT_EQ(result.stopReason, StopReason::TimeLimit);
  EXPECT_GT(result.report.parts, 0u);
  options.libraryKernels = LibraryKernels::Never;
  options.timeLimitS = 1;
  result = llvm::cantFail(superoptimize(program, options));
  EXPECT_EQ(result.report.parts, 0u);
}

TEST(LibraryKernels, WhatALibraryHasNotIsPricedAsOurs) {
  for (ElementType element : {ElementType::F8E4M3FN, ElementType::F8E5M2}) {
    Graph program = makeExpMatmul(512, element);
    SearchResult always = searchFor(program, LibraryKernels::Always);
    EXPECT_FALSE(hasBareMatmul(always.baseline));
    EXPECT_EQ(always.report.baselineUs,
              searchFor(program, LibraryKernels::Never).report.baselineUs);
  }
}
