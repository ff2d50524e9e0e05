//===- LaunchGraphTest.cpp - Tests of programs that are graphs ------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BoxKernel.h"
#include "PlayedProgram.h"

using namespace mlir::mirage;

namespace {
class LaunchGraph : public PlayedProgram {
protected:
  /// Runs, which are no graphs.
  void expectLaunches(void *stream = nullptr) {
    Tensors first(driver, 1), second(driver, 2);
    forgetLog();
    for (const Tensors *tensors : {&first, &second})
      EXPECT_EQ(enqueue(stream, *tensors), "");
    EXPECT_EQ(find("squares on").size(), 2u);
    EXPECT_EQ(find("roots on").size(), 2u);
    EXPECT_EQ(find("a graph"), Lines());
    EXPECT_TRUE(first.isRight());
    EXPECT_TRUE(second.isRight());
  }
};
} // namespace

TEST_F(LaunchGraph, RunsFollowTheirTensors) {
  Tensors first(driver, 1), second(driver, 2);
  EXPECT_EQ(enqueue(nullptr, first), "");
  forgetLog();
  EXPECT_EQ(enqueue(nullptr, first), "");
  EXPECT_EQ(find("graph"), Lines{"a graph on default"});
  EXPECT_EQ(find("parameters"), Lines());
  // What waits in the stream keeps its own.
  EXPECT_EQ(enqueue(nullptr, second), "");
  EXPECT_EQ(enqueue(nullptr, first), "");
  EXPECT_TRUE(first.isRight());
  EXPECT_TRUE(second.isRight());
}

TEST_F(LaunchGraph, OnlyWhatHasMovedIsSaid) {
  Tensors first(driver, 1), second(driver, 2);
  EXPECT_EQ(enqueue(nullptr, first), "");
  forgetLog();
  // The kernel that reads the input has another one; the output stays.
  llvm::cantFail(program->enqueue(nullptr, {second.input}, {first.output}));
  EXPECT_EQ(find("parameters"), Lines{"parameters of squares"});
  EXPECT_TRUE(first.holds(2));
}

TEST_F(LaunchGraph, StreamsMayChange) {
  void *a = makeStream();
  Tensors first(driver, 1), second(driver, 2);
  EXPECT_EQ(enqueue(nullptr, first), "");
  EXPECT_EQ(enqueue(a, second), "");
  EXPECT_EQ(find("graph").size(), 2u);
  EXPECT_TRUE(first.isRight());
  EXPECT_TRUE(second.isRight());
}

TEST_F(LaunchGraph, DependentLaunchesMayBeginBesideTheOneBefore) {
  Artifact artifact = makeTwoKernels();
  artifact.launches[1].dependent = true;
  load(artifact);
  Tensors tensors(driver, 3);
  EXPECT_EQ(enqueue(nullptr, tensors), "");
  EXPECT_EQ(find("beside"), Lines{"roots may begin beside squares"});
  EXPECT_EQ(find("graph"), Lines{"a graph on default"});
  EXPECT_TRUE(tensors.isRight());
}

TEST_F(LaunchGraph, ClustersStayTogether) {
  Artifact artifact = makeTwoKernels();
  artifact.ptx =
      ".version 8.6\n.target sm_90a\n.address_size 64\n" +
      makeElementwiseKernel("sizes", R"(mov.u32 %r3, %cluster_nctaid.x;
  cvt.rn.f32.u32 %f2, %r3;)");
  KernelLaunch sizes = artifact.launches[0];
  sizes.kernel = "sizes";
  sizes.cluster = {4, 1, 1};
  sizes.arguments = {{BufferRole::Input, 0, 0}, {BufferRole::Output, 0, 0}};
  artifact.launches = {sizes};
  load(artifact);
  Tensors first(driver, 1), second(driver, 2);
  for (const Tensors *tensors : {&first, &second}) {
    EXPECT_EQ(enqueue(nullptr, *tensors), "");
    EXPECT_TRUE(tensors->holds(4));
  }
  EXPECT_EQ(find("graph").size(), 2u);
}

//===----------------------------------------------------------------------===//
// Captures
//===----------------------------------------------------------------------===//

TEST_F(LaunchGraph, LaunchesInACaptureAreTheCallersGraphs) {
  void *a = makeStream();
  Tensors first(driver, 1), second(driver, 2);
  EXPECT_EQ(enqueue(nullptr, first), "");
  forgetLog();
  EXPECT_EQ(driver.beginCapture(a, kGlobal), 0);
  EXPECT_EQ(enqueue(a, second), "");
  void *graph = nullptr, *executable = nullptr;
  ASSERT_EQ(driver.endCapture(a, &graph), 0);
  EXPECT_EQ(find("squares").size(), 1u);
  EXPECT_EQ(find("graph"), Lines());
  // Of these tensors the own graph knows nothing, and others find their own.
  EXPECT_EQ(enqueue(nullptr, first), "");
  EXPECT_TRUE(first.isRight());
  ASSERT_EQ(driver.instantiate(&executable, graph, 0), 0);
  ASSERT_EQ(driver.launchGraph(executable, a), 0);
  EXPECT_TRUE(second.isRight());
  driver.destroyExecutable(executable);
  driver.destroyGraph(graph);
}

TEST_F(LaunchGraph, AFirstRunMayBeBesideACapture) {
  void *a = makeStream(), *b = makeStream();
  Tensors tensors(driver, 1);
  EXPECT_EQ(driver.beginCapture(b, kGlobal), 0);
  EXPECT_EQ(enqueue(a, tensors), "");
  EXPECT_EQ(find("graph").size(), 1u);
  void *graph = nullptr;
  EXPECT_EQ(driver.endCapture(b, &graph), 0) << "the capture is as it was";
  EXPECT_TRUE(tensors.isRight());
  driver.destroyGraph(graph);
}

//===----------------------------------------------------------------------===//
// What is refused
//===----------------------------------------------------------------------===//

TEST_F(LaunchGraph, WithoutOneLaunchesFollowOneAnother) {
  EXPECT_EQ(program->getWhyNoGraph(), "");
  play("late,graphs=0");
  load(makeTwoKernels());
  EXPECT_EQ(program->getWhyNoGraph(),
            "no CUDA graph can be made: CUDA_ERROR_OUT_OF_MEMORY: out of "
            "memory");
  expectLaunches();
}

TEST_F(LaunchGraph, OlderDriversHaveNoneOfDependentLaunches) {
  play("late,version=12020");
  load(makeTwoKernels());
  EXPECT_EQ(program->getWhyNoGraph(), "");
  Artifact artifact = makeTwoKernels();
  artifact.launches[1].dependent = true;
  load(artifact);
  EXPECT_NE(program->getWhyNoGraph(), "");
  expectLaunches();
}

TEST_F(LaunchGraph, StreamsOfGreenContextsHaveLaunches) {
  play("late,green");
  expectLaunches(makeStream());
}

TEST_F(LaunchGraph, ParametersThatAreRefusedAreLaunched) {
  play("late,stay=roots");
  expectLaunches();
}

TEST_F(LaunchGraph, ALaunchThatIsRefusedIsNamed) {
  Tensors tensors(driver, 1);
  EXPECT_EQ(enqueue(nullptr, tensors), "");
  play("late,refuse=roots");
  EXPECT_EQ(enqueue(nullptr, tensors).find("kernel roots cannot be launched"),
            0u);
  play("late");
  forgetLog();
  EXPECT_EQ(enqueue(nullptr, tensors), "");
  EXPECT_EQ(find("graph").size(), 1u);
  EXPECT_TRUE(tensors.isRight());
}

TEST_F(LaunchGraph, TensorsThatAreRefusedAreForgotten) {
  load(makeBoxKernel());
  constexpr size_t kElements = 30 * 32;
  void *a = makeStream();
  Tensors two(driver, 2, kElements), three(driver, 3, kElements);
  auto isRefused = [&](uint64_t input) {
    return llvm::toString(program->enqueue(nullptr, {input}, {two.output}))
               .find("kernel boxes: a tensor map is refused") == 0;
  };
  constexpr uint64_t kOdd = 8;
  for (int round = 0; round < 2; ++round) { // before there is a graph, and then
    EXPECT_TRUE(isRefused(two.input + kOdd));
    // What a capture places in between is none of the graph's.
    EXPECT_EQ(driver.beginCapture(a, kGlobal), 0);
    llvm::cantFail(program->enqueue(a, {three.input}, {three.output}));
    void *graph = nullptr;
    ASSERT_EQ(driver.endCapture(a, &graph), 0);
    driver.destroyGraph(graph);
    llvm::cantFail(program->enqueue(nullptr, {two.input}, {two.output}));
    EXPECT_TRUE(two.holds(4));
    llvm::cantFail(program->enqueue(nullptr, {three.input}, {two.output}));
    EXPECT_TRUE(two.holds(9));
  }
}
