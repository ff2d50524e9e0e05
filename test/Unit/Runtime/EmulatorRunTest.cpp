//===- EmulatorRunTest.cpp - Tests of artifacts on the emulator -----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Runtime/EmulatorRun.h"
#include "BoxKernel.h"
#include "Mirage/Reference/OutputCheck.h"
#include "Mirage/Reference/RandomInputs.h"
#include "TwoKernels.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace mlir::mirage;
using emulator::FindingKind;

static EmulatorRun run(const Artifact &artifact, unsigned threads = 2) {
  std::vector<HostTensor> inputs = makeRandomInputs(artifact.program, 1);
  llvm::Expected<EmulatorRun> result =
      runOnEmulator(artifact, inputs, {threads, emulator::Checks::All});
  EXPECT_TRUE(static_cast<bool>(result))
      << (result ? "" : llvm::toString(result.takeError()));
  return std::move(*result);
}

static OutputCheck check(const Artifact &artifact, const EmulatorRun &result) {
  std::vector<HostTensor> inputs = makeRandomInputs(artifact.program, 1);
  auto reference = llvm::cantFail(evaluateReference(artifact.program, inputs));
  return checkOutput(reference[0], result.outputs[0]);
}

static bool found(const EmulatorRun &result, FindingKind kind) {
  for (const EmulatedLaunch &launch : result.launches)
    for (const emulator::Finding &finding : launch.result.findings)
      if (finding.kind == kind)
        return true;
  return false;
}

TEST(EmulatorRun, LaunchesInOrderThroughTheWorkspace) {
  Artifact artifact = makeTwoKernels();
  EmulatorRun result = run(artifact);
  EXPECT_TRUE(result.isClean());
  ASSERT_EQ(result.launches.size(), 2u);
  EXPECT_EQ(result.launches[1].kernel, "roots");
  EXPECT_GE(result.launches[0].result.counters.globalLoadBytes, 910u * 4);
  OutputCheck checked = check(artifact, result);
  EXPECT_TRUE(checked.pass)
      << toString(checked, artifact.outputs[0].type.shape);
}

TEST(EmulatorRun, ThreadsDoNotMatter) {
  Artifact artifact = makeTwoKernels();
  EXPECT_EQ(run(artifact, 1).outputs[0].bytes,
            run(artifact, 5).outputs[0].bytes);
}

TEST(EmulatorRun, TheWrongOrderIsNotRight) {
  Artifact artifact = makeTwoKernels();
  std::swap(artifact.launches[0], artifact.launches[1]);
  EmulatorRun result = run(artifact);
  EXPECT_FALSE(result.isClean()); // reads a workspace that nobody wrote
  EXPECT_FALSE(check(artifact, result).pass);
}

/// Lets a kernel wait for the grids before it.
static void addWait(Artifact &artifact, llvm::StringRef kernel) {
  size_t start = artifact.ptx.find((".entry " + kernel + "(").str());
  size_t body = artifact.ptx.find("mov.u32", start);
  artifact.ptx.insert(body, "griddepcontrol.wait;\n  ");
}

TEST(EmulatorRun, DependentLaunchesWaitForWhatTheyRead) {
  Artifact artifact = makeTwoKernels();
  artifact.launches[1].dependent = true;
  EXPECT_TRUE(found(run(artifact), FindingKind::GlobalRace));
  addWait(artifact, "roots");
  EXPECT_TRUE(run(artifact).isClean());
}

TEST(EmulatorRun, AGridThatDidNotWaitHidesTheOneBeforeIt) {
  Artifact artifact = makeTwoKernels();
  // Between the two, a kernel that writes elsewhere.
  artifact.ptx += makeElementwiseKernel("copies", "mov.f32 %f2, %f1;");
  KernelLaunch copies = artifact.launches[0];
  copies.kernel = "copies";
  copies.arguments[1].offsetBytes = artifact.workspaceBytes;
  artifact.workspaceBytes += 910 * 4;
  artifact.launches.insert(artifact.launches.begin() + 1, copies);
  addWait(artifact, "roots");
  EXPECT_TRUE(run(artifact).isClean());
  artifact.launches[2].dependent = true;
  EXPECT_TRUE(run(artifact).isClean());
  artifact.launches[1].dependent = true;
  EXPECT_TRUE(found(run(artifact), FindingKind::GlobalRace));
  addWait(artifact, "copies");
  EXPECT_TRUE(run(artifact).isClean());
}

TEST(EmulatorRun, ParametersMayBeTensorMaps) {
  Artifact artifact = makeBoxKernel();
  llvm::cantFail(verify(artifact));
  EmulatorRun result = run(artifact);
  EXPECT_TRUE(result.isClean());
  EXPECT_TRUE(check(artifact, result).pass);
  EXPECT_EQ(result.launches[0].result.counters.bulkBytes, 2 * 2048u);
  // Elsewhere the tensor is another.
  artifact.launches[0].arguments[0].tensorMap->strideBytes = {64};
  EXPECT_FALSE(check(artifact, run(artifact)).pass);
}

TEST(EmulatorRun, AccessesPastTheEndAreFound) {
  Artifact artifact = makeTwoKernels();
  artifact.ptx =
      ".version 8.6\n.target sm_90a\n.address_size 64\n" +
      makeElementwiseKernel("squares", "mul.rn.f32 %f2, %f1, %f1;", 911) +
      makeElementwiseKernel("roots", "sqrt.rn.f32 %f2, %f1;");
  EmulatorRun result = run(artifact);
  EXPECT_FALSE(result.isClean());
  EXPECT_TRUE(found(result, FindingKind::OutOfBounds));
}

TEST(EmulatorRun, UnwrittenOutputsAreFoundAndNotRight) {
  Artifact artifact = makeTwoKernels();
  artifact.launches[1].grid = {7, 1, 1};
  EmulatorRun result = run(artifact);
  EXPECT_TRUE(found(result, FindingKind::UnwrittenOutput));
  OutputCheck checked = check(artifact, result);
  EXPECT_EQ(checked.newNonFinite, 910 - 7 * 128);
  EXPECT_FALSE(checked.pass);
}

/// Two launches may write one output together: they, and not each of them, have
/// to write all of it.
TEST(EmulatorRun, AnOutputOfTwoLaunchesIsWrittenByBoth) {
  Artifact artifact = makeTwoKernels();
  KernelLaunch again = artifact.launches[1];
  artifact.launches.push_back(again);
  EXPECT_TRUE(run(artifact).isClean());
  artifact.launches[1].grid = {7, 1, 1};
  EXPECT_TRUE(run(artifact).isClean());
  artifact.launches[2].grid = {6, 1, 1};
  EmulatorRun result = run(artifact);
  ASSERT_EQ(result.launches.size(), 3u);
  EXPECT_TRUE(result.launches[1].result.isClean());
  ASSERT_EQ(result.launches[2].result.findings.size(), 1u);
  EXPECT_EQ(result.launches[2].result.findings[0].message,
            "56 of 3640 bytes of output buffer 'output Y' were never written, "
            "the first at offset 3584");
}

/// The lines of a kernel's findings of one kind.
static std::vector<unsigned> listLines(const EmulatedLaunch &launch,
                                       FindingKind kind) {
  std::vector<unsigned> lines;
  for (const emulator::Finding &finding : launch.result.findings)
    if (finding.kind == kind)
      lines.push_back(finding.place.line);
  return lines;
}

TEST(EmulatorRun, ReadsOfWhatNoLaunchHasWrittenAreFound) {
  Artifact artifact = makeTwoKernels();
  artifact.launches[0].grid = {7, 1, 1};
  EmulatorRun result = run(artifact);
  EXPECT_TRUE(result.launches[0].result.isClean());
  size_t at = artifact.ptx.rfind("ld.global.f32");
  unsigned line =
      1 + llvm::count(llvm::StringRef(artifact.ptx).take_front(at), '\n');
  EXPECT_EQ(listLines(result.launches[1], FindingKind::UninitializedRead),
            std::vector<unsigned>{line});
  EXPECT_EQ(result.launches[1].result.findings[0].message,
            "read of byte 3840 of buffer 'workspace', which nobody has "
            "written");
}

/// Writes of launches before the last one count, too, and lie in several parts.
TEST(EmulatorRun, WhatIsWrittenInPartsIsWritten) {
  Artifact artifact = makeTwoKernels();
  // Even blocks and then odd ones.
  auto take = [&](llvm::StringRef name, llvm::StringRef parity) {
    std::string kernel =
        makeElementwiseKernel(name, "mul.rn.f32 %f2, %f1, %f1;");
    size_t load = kernel.find("ld.param.u64");
    kernel.insert(load, ("and.b32 %r1, %r1, 1;\n  setp.ne.u32 %p1, %r1, " +
                         parity + ";\n  @%p1 bra $L__BB_" + name + ";\n  ")
                            .str());
    return kernel;
  };
  artifact.ptx += take("evens", "0") + take("odds", "1");
  KernelLaunch evens = artifact.launches[0], odds = artifact.launches[0];
  evens.kernel = "evens";
  odds.kernel = "odds";
  artifact.launches = {evens, odds, artifact.launches[1]};
  EmulatorRun result = run(artifact);
  EXPECT_TRUE(result.isClean());
  EXPECT_TRUE(check(artifact, result).pass);
  artifact.launches[1] = evens;
  EXPECT_FALSE(run(artifact).isClean());
}

static std::string messageOf(const Artifact &artifact,
                             llvm::ArrayRef<HostTensor> inputs) {
  llvm::Expected<EmulatorRun> result = runOnEmulator(artifact, inputs);
  return result ? "" : llvm::toString(result.takeError());
}

TEST(EmulatorRun, WhatCannotRunIsSaid) {
  Artifact artifact = makeTwoKernels();
  std::vector<HostTensor> inputs = makeRandomInputs(artifact.program, 1);
  EXPECT_EQ(messageOf(artifact, {}), "expects 1 inputs, got 0");
  TensorSpec other{{130, 7}, ElementType::F32};
  EXPECT_EQ(messageOf(artifact, makeNormalTensor(other, 1, 1, 0)),
            "input X: expects tensor<7x130xf32>, got tensor<130x7xf32>");
  artifact.workspaceBytes = int64_t(1) << 50;
  EXPECT_EQ(messageOf(artifact, inputs)
                .find("expects copies of inputs, outputs and workspace to fit "
                      "the "),
            0u);
  artifact = makeTwoKernels();
  artifact.launches[0].cluster = {3, 1, 1};
  EXPECT_EQ(messageOf(artifact, inputs),
            "kernel squares: kernel 'squares': expects clusters that divide "
            "the 8 blocks along grid axis 0, got 3");
  artifact = makeTwoKernels();
  artifact.ptx.replace(artifact.ptx.find("sm_90a"), 6, "sm_80");
  EXPECT_EQ(messageOf(artifact, inputs), "");
  artifact.launches[1].dependent = true;
  EXPECT_EQ(messageOf(artifact, inputs),
            "kernel roots: kernel 'roots': expects .target sm_90 or later for "
            "a dependent launch, got sm_80");
  artifact = makeTwoKernels();
  artifact.launches[0].arguments.pop_back();
  EXPECT_EQ(messageOf(artifact, inputs).find("kernel squares: "), 0u);
  artifact = makeTwoKernels();
  artifact.ptx.resize(artifact.ptx.size() - 20);
  EXPECT_EQ(messageOf(artifact, inputs).find("kernels.ptx:"), 0u);
}
