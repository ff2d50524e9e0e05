//===- CudaDeviceTest.cpp - Tests of the GPU part of the runtime ----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Runtime/CudaDevice.h"
#include "BoxKernel.h"
#include "Mirage/Reference/OutputCheck.h"
#include "Mirage/Reference/RandomInputs.h"
#include "TwoKernels.h"
#include "gtest/gtest.h"

using namespace mlir::mirage;

/// The device, or null after a sentence where the machine has none.
static std::unique_ptr<CudaDevice> openDevice() {
  llvm::Expected<std::unique_ptr<CudaDevice>> device = CudaDevice::open();
  if (device) {
    llvm::cantFail((*device)->makeCurrent());
    return std::move(*device);
  }
  std::string message = llvm::toString(device.takeError());
  EXPECT_NE(message.find("expects a CUDA d"), std::string::npos) << message;
  EXPECT_EQ(message.find('\n'), std::string::npos);
  return nullptr;
}

TEST(CudaDevice, NumbersOutOfRangeAreRefused) {
  llvm::Expected<std::unique_ptr<CudaDevice>> device = CudaDevice::open(999);
  ASSERT_FALSE(static_cast<bool>(device));
  std::string message = llvm::toString(device.takeError());
  EXPECT_NE(message.find("expects a CUDA d"), std::string::npos) << message;
}

TEST(CudaDevice, TwoKernelsThroughTheWorkspace) {
  std::unique_ptr<CudaDevice> device = openDevice();
  if (!device)
    GTEST_SKIP() << "no GPU";
  Artifact artifact = makeTwoKernels();
  artifact.target = "sm_" + std::to_string(device->getComputeCapability());
  artifact.ptx.replace(artifact.ptx.find("sm_90a"), 6, artifact.target);
  auto program = CudaProgram::load(*device, artifact);
  ASSERT_TRUE(static_cast<bool>(program))
      << llvm::toString(program.takeError());
  std::vector<HostTensor> inputs = makeRandomInputs(artifact.program, 1);
  auto outputs = (*program)->run(inputs);
  ASSERT_TRUE(static_cast<bool>(outputs))
      << llvm::toString(outputs.takeError());
  auto reference = llvm::cantFail(evaluateReference(artifact.program, inputs));
  EXPECT_TRUE(checkOutput(reference[0], (*outputs)[0]).pass);
  auto times = (*program)->measure(inputs);
  ASSERT_TRUE(static_cast<bool>(times)) << llvm::toString(times.takeError());
  EXPECT_GT(times->hotUs.median, 0.5);
  EXPECT_LT(times->hotUs.median, 1000);
  EXPECT_LE(times->hotUs.low, times->hotUs.median);
  EXPECT_EQ(times->tensorBytes, 2 * 910 * 4);
}

TEST(CudaDevice, ParametersMayBeTensorMaps) {
  std::unique_ptr<CudaDevice> device = openDevice();
  if (!device || device->getComputeCapability() != 90)
    GTEST_SKIP() << "no Hopper GPU";
  Artifact artifact = makeBoxKernel();
  auto program = CudaProgram::load(*device, artifact);
  ASSERT_TRUE(static_cast<bool>(program))
      << llvm::toString(program.takeError());
  std::vector<HostTensor> inputs = makeRandomInputs(artifact.program, 1);
  auto outputs = (*program)->run(inputs);
  ASSERT_TRUE(static_cast<bool>(outputs))
      << llvm::toString(outputs.takeError());
  auto reference = llvm::cantFail(evaluateReference(artifact.program, inputs));
  EXPECT_TRUE(checkOutput(reference[0], (*outputs)[0]).pass);
}

TEST(CudaDevice, WhatCannotBeLoadedIsSaid) {
  std::unique_ptr<CudaDevice> device = openDevice();
  if (!device)
    GTEST_SKIP() << "no GPU";
  auto messageOf = [&](const Artifact &artifact) {
    auto program = CudaProgram::load(*device, artifact);
    return program ? "" : llvm::toString(program.takeError());
  };
  Artifact artifact = makeTwoKernels();
  artifact.target = "sm_999";
  EXPECT_EQ(messageOf(artifact).find("the artifact is for sm_999, but the "),
            0u);
  artifact.target = "sm_" + std::to_string(device->getComputeCapability());
  artifact.ptx.replace(artifact.ptx.find("sm_90a"), 6, artifact.target);
  Artifact broken = artifact;
  broken.ptx.replace(broken.ptx.find("mul.rn"), 6, "mull.r");
  EXPECT_NE(messageOf(broken).find("kernels.ptx cannot be loaded"),
            std::string::npos);
  artifact.launches[1].dynamicSharedBytes = 1 << 20;
  EXPECT_EQ(messageOf(artifact).find("kernel roots needs 1048576 bytes of "
                                     "shared memory, the device has "),
            0u);
}
