//===- CudaLibraryTest.cpp - Tests of launches left to a library ----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On a driver and a library that are played (test/lib/FakeCuda): they need no
// GPU, and check what is asked of them.
//
//===----------------------------------------------------------------------===//

#include "BoxKernel.h"
#include "FakeTensors.h"
#include "Mirage/Reference/OutputCheck.h"
#include "Mirage/Reference/RandomInputs.h"
#include "Mirage/Runtime/CudaDevice.h"
#include "TwoKernels.h"
#include "gtest/gtest.h"
#include <cstdlib>
#include <dlfcn.h>

using namespace mlir::mirage;

constexpr ElementType kF16 = ElementType::F16, kBF16 = ElementType::BF16,
                      kF32 = ElementType::F32;

/// Later, the runtime finds by their names what is open.
static void openFakes() {
  for (const char *file : {MIRAGE_FAKE_CUDA "/driver/libcuda.so.1",
                           MIRAGE_FAKE_CUDA "/library/libcublasLt.so.13"})
    ASSERT_TRUE(dlopen(file, RTLD_NOW | RTLD_LOCAL)) << dlerror();
}

namespace {
class CudaLibrary : public testing::Test {
protected:
  void SetUp() override {
    openFakes();
    unsetenv("FAKE_CUBLASLT");
    device = llvm::cantFail(CudaDevice::open());
    llvm::cantFail(device->makeCurrent());
    ASSERT_EQ(device->getName(), "fake device");
  }

  /// Loads and runs; the library gives what the reference does.
  void expectRight(const Artifact &artifact,
                   LibraryUse use = LibraryUse::Always) const {
    auto program = CudaProgram::load(*device, artifact, use);
    ASSERT_TRUE(static_cast<bool>(program))
        << llvm::toString(program.takeError());
    EXPECT_EQ((*program)->getLaunches()[0].library, "cuBLASLt 13.1.2");
    expectRightOutput(**program, artifact);
  }

  static void expectRightOutput(const CudaProgram &program,
                                const Artifact &artifact) {
    std::vector<HostTensor> inputs = makeRandomInputs(artifact.program, 1);
    auto outputs = program.run(inputs);
    ASSERT_TRUE(static_cast<bool>(outputs))
        << llvm::toString(outputs.takeError());
    auto reference =
        llvm::cantFail(evaluateReference(artifact.program, inputs));
    EXPECT_TRUE(
        checkOutput(reference[0], (*outputs)[0], findF32Products(artifact))
            .pass);
  }

  std::string messageOf(const Artifact &artifact, LibraryUse use) const {
    auto program = CudaProgram::load(*device, artifact, use);
    return program ? "" : llvm::toString(program.takeError());
  }

  std::unique_ptr<CudaDevice> device;
};
} // namespace

static PlacedTensor place(Shape shape, ElementType element,
                          Strides strides = {}) {
  if (strides.empty())
    strides = getRowMajorStrides(shape);
  return {{std::move(shape), element}, std::move(strides)};
}

/// X · W as one launch, of a kernel that does nothing: whoever runs it gets no
/// result, so a right one is the library's.
static Artifact makeMatmul(const PlacedTensor &lhs, const PlacedTensor &rhs,
                           const PlacedTensor &result,
                           F32Products f32Products = F32Products::Exact) {
  Artifact artifact;
  artifact.program.f32Products = f32Products;
  artifact.target = "sm_90a";
  ValueId x = artifact.program.addInput(lhs.type, "X");
  ValueId w = artifact.program.addInput(rhs.type, "W");
  artifact.program.addOutput(
      artifact.program.add(Opcode::Matmul, {x, w}, result.type));
  artifact.inputs = {{"X", lhs.type, lhs.strides},
                     {"W", rhs.type, rhs.strides}};
  artifact.outputs = {{"Y", result.type, result.strides}};
  artifact.ptx = ".version 8.6\n.target sm_90a\n.address_size 64\n"
                 ".visible .entry nothing(\n"
                 "  .param .u64 .ptr .global .align 16 nothing_param_0,\n"
                 "  .param .u64 .ptr .global .align 16 nothing_param_1,\n"
                 "  .param .u64 .ptr .global .align 16 nothing_param_2\n"
                 ")\n{\n  ret;\n}\n";
  KernelLaunch launch;
  launch.kernel = "nothing";
  launch.arguments = {{BufferRole::Input, 0, 0},
                      {BufferRole::Input, 1, 0},
                      {BufferRole::Output, 0, 0}};
  launch.libraryMatmul = findLibraryMatmul(lhs, rhs, result, f32Products);
  artifact.launches = {launch};
  return artifact;
}

static Artifact makeSmallMatmul() {
  return makeMatmul(place({8, 24}, kF16), place({24, 40}, kF16),
                    place({8, 40}, kF16));
}

TEST_F(CudaLibrary, ParametersMayBeTensorMaps) {
  Artifact artifact = makeBoxKernel();
  auto program = CudaProgram::load(*device, artifact, LibraryUse::Never);
  ASSERT_TRUE(static_cast<bool>(program))
      << llvm::toString(program.takeError());
  expectRightOutput(**program, artifact);
  // What the driver refuses, at the launch, is said with the kernel's name.
  artifact.launches[0].arguments[0].tensorMap->strideBytes = {24};
  program = CudaProgram::load(*device, artifact, LibraryUse::Never);
  ASSERT_TRUE(static_cast<bool>(program))
      << llvm::toString(program.takeError());
  auto outputs = (*program)->run(makeRandomInputs(artifact.program, 1));
  ASSERT_FALSE(static_cast<bool>(outputs));
  std::string message = llvm::toString(outputs.takeError());
  EXPECT_NE(message.find("boxes: a tensor map is refused"), std::string::npos)
      << message;
}

TEST_F(CudaLibrary, ElementTypes) {
  for (auto [operands, result] : {std::pair(kF16, kF16),
                                  {kF16, kF32},
                                  {kBF16, kBF16},
                                  {kBF16, kF32},
                                  {kF32, kF32}})
    expectRight(makeMatmul(place({8, 24}, operands), place({24, 40}, operands),
                           place({8, 40}, result)));
}

TEST_F(CudaLibrary, EveryTransposition) {
  for (Strides lhs : {Strides{24, 1}, Strides{1, 8}, Strides{40, 1}})
    for (Strides rhs : {Strides{40, 1}, Strides{1, 24}, Strides{1, 32}})
      for (Strides result : {Strides{40, 1}, Strides{1, 8}, Strides{48, 1}})
        expectRight(makeMatmul(place({8, 24}, kF16, lhs),
                               place({24, 40}, kF16, rhs),
                               place({8, 40}, kF16, result)));
}

TEST_F(CudaLibrary, Batches) {
  expectRight(makeMatmul(place({3, 8, 24}, kF16), place({3, 24, 40}, kF16),
                         place({3, 8, 40}, kF16)));
  expectRight(makeMatmul(place({3, 8, 24}, kBF16), place({24, 40}, kBF16),
                         place({3, 8, 40}, kBF16)));
  expectRight(makeMatmul(place({8, 24}, kF32), place({3, 24, 40}, kF32),
                         place({3, 8, 40}, kF32)));
  // Heads that lie side by side in rows, the second operand transposed.
  expectRight(makeMatmul(place({3, 8, 24}, kF16, {24, 72, 1}),
                         place({3, 24, 8}, kF16, {24, 1, 72}),
                         place({3, 8, 8}, kF16, {8, 24, 1})));
}

TEST_F(CudaLibrary, OddExtentsAndOnes) {
  for (auto [m, k, n] :
       {std::tuple(7, 13, 5), {1, 13, 5}, {7, 1, 5}, {7, 13, 1}, {1, 1, 1}})
    expectRight(makeMatmul(place({m, k}, kF16), place({k, n}, kF16),
                           place({m, n}, kF16)));
}

/// square(X · W), the product in the workspace; the square is a kernel's.
static Artifact makeMatmulAndKernel() {
  Artifact artifact = makeMatmul(place({7, 24}, kF32), place({24, 130}, kF32),
                                 place({7, 130}, kF32));
  Graph program;
  ValueId x = program.addInput(artifact.inputs[0].type, "X");
  ValueId w = program.addInput(artifact.inputs[1].type, "W");
  TensorSpec type = artifact.outputs[0].type;
  ValueId product = program.add(Opcode::Matmul, {x, w}, type);
  program.addOutput(program.add(Opcode::Square, {product}, type));
  artifact.program = program;
  artifact.ptx += makeElementwiseKernel("squares", "mul.rn.f32 %f2, %f1, %f1;");
  artifact.workspaceBytes = 260 + 910 * 4;
  artifact.launches[0].arguments[2] = {BufferRole::Workspace, 0, 260};
  KernelLaunch squares;
  squares.kernel = "squares";
  squares.grid = {8, 1, 1};
  squares.block = {128, 1, 1};
  squares.arguments = {{BufferRole::Workspace, 0, 260},
                       {BufferRole::Output, 0, 0}};
  artifact.launches.push_back(squares);
  return artifact;
}

TEST_F(CudaLibrary, BetweenKernelsAndInAGraph) {
  Artifact artifact = makeMatmulAndKernel();
  ASSERT_FALSE(verify(artifact));
  auto program = CudaProgram::load(*device, artifact);
  ASSERT_TRUE(static_cast<bool>(program))
      << llvm::toString(program.takeError());
  llvm::ArrayRef<CudaLaunch> launches = (*program)->getLaunches();
  ASSERT_EQ(launches.size(), 2u);
  EXPECT_EQ(launches[0].library, "cuBLASLt 13.1.2");
  EXPECT_EQ(launches[1].library, "");
  EXPECT_EQ(launches[1].whyNot, "");
  expectRightOutput(**program, artifact);
  // The driver refuses to allocate while a graph is captured.
  auto times = (*program)->measure(makeRandomInputs(artifact.program, 2));
  ASSERT_TRUE(static_cast<bool>(times)) << llvm::toString(times.takeError());
  expectRightOutput(**program, artifact);
}

TEST_F(CudaLibrary, InTheCallersStream) {
  Driver driver;
  Artifact artifact = makeSmallMatmul();
  auto program =
      llvm::cantFail(CudaProgram::load(*device, artifact, LibraryUse::Always));
  constexpr uint16_t kOne = 0x3c00, k24 = 0x4e00; // f16
  std::vector<uint16_t> ones(24 * 40, kOne), result(8 * 40);
  uint64_t x = 0, w = 0, y = 0;
  for (auto [address, elements] :
       {std::pair(&x, 8 * 24), {&w, 24 * 40}, {&y, 8 * 40}})
    ASSERT_EQ(driver.allocate(address, 2 * elements), 0);
  EXPECT_EQ(driver.copyIn(x, ones.data(), 2 * 8 * 24), 0);
  EXPECT_EQ(driver.copyIn(w, ones.data(), 2 * 24 * 40), 0);
  llvm::cantFail(program->enqueue(nullptr, {x, w}, {y}));
  EXPECT_EQ(driver.copyOut(result.data(), y, 2 * 8 * 40), 0);
  EXPECT_EQ(result, std::vector<uint16_t>(8 * 40, k24));
  for (uint64_t address : {x, w, y})
    EXPECT_EQ(driver.free(address), 0);
}

/// The library is asked for tf32 where the program allows it, and not else:
/// what it then does is right by what that allows alone.
TEST_F(CudaLibrary, ProductsInTF32) {
  for (F32Products products : {F32Products::Exact, F32Products::TF32}) {
    Artifact artifact = makeMatmul(place({8, 24}, ElementType::F32),
                                   place({24, 40}, ElementType::F32),
                                   place({8, 40}, ElementType::F32), products);
    auto program = llvm::cantFail(
        CudaProgram::load(*device, artifact, LibraryUse::Always));
    expectRightOutput(*program, artifact);
    std::vector<HostTensor> inputs = makeRandomInputs(artifact.program, 1);
    auto outputs = llvm::cantFail(program->run(inputs));
    auto reference =
        llvm::cantFail(evaluateReference(artifact.program, inputs));
    double error = checkOutput(reference[0], outputs[0]).relativeError;
    EXPECT_EQ(error > 1e-4, products == F32Products::TF32) << error;
  }
}

TEST_F(CudaLibrary, NeverLaunchesTheKernel) {
  Artifact artifact = makeSmallMatmul();
  auto program =
      llvm::cantFail(CudaProgram::load(*device, artifact, LibraryUse::Never));
  EXPECT_EQ(program->getLaunches()[0].library, "");
  EXPECT_EQ(program->getLaunches()[0].whyNot, "");
  std::vector<HostTensor> inputs = makeRandomInputs(artifact.program, 1);
  auto outputs = llvm::cantFail(program->run(inputs));
  auto reference = llvm::cantFail(evaluateReference(artifact.program, inputs));
  EXPECT_FALSE(checkOutput(reference[0], outputs[0]).pass);
}

TEST_F(CudaLibrary, WhatItDeclinesIsLaunched) {
  Artifact artifact = makeSmallMatmul();
  setenv("FAKE_CUBLASLT", "decline", 1);
  auto program = llvm::cantFail(CudaProgram::load(*device, artifact));
  EXPECT_EQ(program->getLaunches()[0].library, "");
  EXPECT_EQ(program->getLaunches()[0].whyNot,
            "cuBLASLt 13.1.2 declines a matmul: the fake library has no "
            "algorithm");
  EXPECT_TRUE(
      static_cast<bool>(program->run(makeRandomInputs(artifact.program, 1))));
  EXPECT_EQ(messageOf(artifact, LibraryUse::Always),
            "expects a library for kernel nothing, but cuBLASLt 13.1.2 "
            "declines a matmul: the fake library has no algorithm");
}

TEST_F(CudaLibrary, AlwaysExpectsALaunchForIt) {
  Artifact artifact = makeSmallMatmul();
  artifact.launches[0].libraryMatmul.reset();
  EXPECT_EQ(messageOf(artifact, LibraryUse::Auto), "");
  EXPECT_EQ(messageOf(artifact, LibraryUse::Always),
            "expects a launch that a library can do, got an artifact without "
            "one; library-kernels=always makes some");
}

TEST_F(CudaLibrary, FailuresNameTheKernel) {
  Artifact artifact = makeSmallMatmul();
  auto program = llvm::cantFail(CudaProgram::load(*device, artifact));
  setenv("FAKE_CUBLASLT", "fail", 1);
  auto outputs = program->run(makeRandomInputs(artifact.program, 1));
  ASSERT_FALSE(static_cast<bool>(outputs));
  EXPECT_EQ(llvm::toString(outputs.takeError()),
            "cuBLASLt 13.1.2 for kernel nothing cannot be launched: the fake "
            "library fails");
}
