//===- LaunchesTest.cpp - What launches of an artifact say ----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArtifactFiles.h"

using namespace mlir::mirage;
using namespace mlir::mirage::test;

/// X · X as one launch that a library may do.
static Artifact makeMatmulArtifact() {
  Artifact artifact = makeArtifact();
  TensorSpec type{{16, 16}, ElementType::F16};
  artifact.program = Graph();
  ValueId x = artifact.program.addInput(type, "X");
  artifact.program.addOutput(
      artifact.program.add(Opcode::Matmul, {x, x}, type));
  artifact.inputs = {ArtifactTensor::makeRowMajor("X", type)};
  artifact.outputs = {ArtifactTensor::makeRowMajor("out", type)};
  artifact.launches[1].arguments = {{BufferRole::Input, 0, 0},
                                    {BufferRole::Output, 0, 0}};
  PlacedTensor placed = PlacedTensor::makeRowMajor(type);
  LibraryMatmul matmul =
      *findLibraryMatmul(placed, placed, placed, F32Products::Exact);
  matmul.rhs.argument = 0;
  matmul.result.argument = 1;
  artifact.launches[1].libraryMatmul = matmul;
  return artifact;
}

TEST_F(ArtifactFiles, LibraryMatmulsComeBack) {
  Artifact artifact = makeMatmulArtifact();
  Artifact back = writeAndRead(artifact);
  EXPECT_FALSE(back.launches[0].libraryMatmul);
  ASSERT_TRUE(back.launches[1].libraryMatmul);
  EXPECT_EQ(*back.launches[1].libraryMatmul,
            *artifact.launches[1].libraryMatmul);
}

TEST_F(ArtifactFiles, WhatIsTakenInTF32ComesBack) {
  Artifact artifact = makeMatmulArtifact();
  EXPECT_EQ(writeAndRead(artifact).program.f32Products, F32Products::Exact);
  TensorSpec type{{16, 16}, ElementType::F32};
  for (ValueId value : {0, 1})
    artifact.program.setType(value, type);
  artifact.program.f32Products = F32Products::TF32;
  artifact.inputs = {ArtifactTensor::makeRowMajor("X", type)};
  artifact.outputs = {ArtifactTensor::makeRowMajor("out", type)};
  LibraryMatmul &matmul = *artifact.launches[1].libraryMatmul;
  matmul.operandElement = matmul.resultElement = ElementType::F32;
  matmul.f32Products = F32Products::TF32;
  Artifact back = writeAndRead(artifact);
  EXPECT_EQ(back.program.f32Products, F32Products::TF32);
  EXPECT_EQ(*back.launches[1].libraryMatmul, matmul);
}

/// By instructions, and by calls of a library; by no name and no comment.
TEST(Artifact, WhatIsTakenInTF32IsFound) {
  Artifact artifact = makeMatmulArtifact();
  auto find = [&](llvm::StringRef statement) {
    Artifact changed = artifact;
    changed.ptx += statement;
    return findF32Products(changed) == F32Products::TF32;
  };
  EXPECT_FALSE(find(""));
  EXPECT_FALSE(find("// mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32\n"));
  EXPECT_FALSE(find(".file 1 \"x.tf32.tf32.mlir\"\n"));
  EXPECT_FALSE(find("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32\n"));
  EXPECT_TRUE(find("{ mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32\n"));
  EXPECT_TRUE(
      find("@p wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {%d0}\n"));
  artifact.launches[1].libraryMatmul->f32Products = F32Products::TF32;
  EXPECT_TRUE(find(""));
}

TEST_F(ArtifactFiles, LibraryMatmulsAreReadStrictly) {
  ASSERT_EQ(writeMessage(makeMatmulArtifact()), "");
  std::string where = "manifest.json: launches[1].libraryMatmul";
  EXPECT_EQ(messageAfter("\"m\": 16", "\"l\": 16").find(where), 0u);
  EXPECT_EQ(messageAfter("\"batch\": 1", "\"batch\": true"),
            where + ".batch: expects an integer, got true");
  EXPECT_EQ(messageAfter("\"operands\": \"f16\"", "\"operands\": \"i8\""),
            where + ".operands: expects f16, bf16, f32, f8E4M3FN or f8E5M2, "
                    "got \"i8\"");
  EXPECT_EQ(messageAfter("\"accumulate\": \"f32\"", "\"accumulate\": \"f16\""),
            where + ".accumulate: expects \"f32\", got \"f16\"");
  EXPECT_EQ(messageAfter("\"transposed\": false", "\"transposed\": 0"),
            where + ".lhs.transposed: expects true or false, got 0");
  EXPECT_EQ(messageAfter("\"argument\": 0", "\"argument\": -1"),
            where + ".lhs.argument: expects an integer from 0 to 4294967295, "
                    "got -1");
  EXPECT_EQ(messageAfter("\"k\": 16", "\"k\": 0"),
            where + ": expects k of 1 to 2147483647, got 0");
}

/// A library is handed addresses and reads and writes what is said.
TEST_F(ArtifactFiles, LibraryMatmulsStayWithinTheirBuffers) {
  auto explain = [&](auto change) {
    Artifact artifact = makeMatmulArtifact();
    change(artifact.launches[1], *artifact.launches[1].libraryMatmul);
    return writeMessage(artifact);
  };
  std::string where = "launches[1].libraryMatmul";
  EXPECT_EQ(
      explain([](KernelLaunch &, LibraryMatmul &m) { m.lhs.argument = 2; }),
      where + ".lhs.argument: expects one of 2 arguments, got 2");
  EXPECT_EQ(explain([](KernelLaunch &, LibraryMatmul &m) {
              m.rhs.leadingDimension = 17;
            }),
            where + ".rhs: expects a matrix within the 512 bytes behind its "
                    "argument, got 271 elements of 2");
  EXPECT_EQ(explain([](KernelLaunch &, LibraryMatmul &m) {
              m.resultElement = ElementType::F32;
            }),
            where + ".result: expects a matrix within the 512 bytes behind its "
                    "argument, got 256 elements of 4");
  EXPECT_EQ(explain([](KernelLaunch &launch, LibraryMatmul &) {
              launch.arguments[0].offsetBytes = 2;
            }),
            where + ".lhs: expects a matrix within the 510 bytes behind its "
                    "argument, got 256 elements of 2");
  EXPECT_EQ(explain([](KernelLaunch &launch, LibraryMatmul &) {
              launch.arguments[0].offsetBytes = 1;
            }),
            where + ".lhs.argument: expects one at a multiple of 2 bytes, got "
                    "one at 1");
  EXPECT_EQ(
      explain([](KernelLaunch &, LibraryMatmul &m) { m.result.argument = 0; }),
      where + ".result.argument: expects an output or the workspace, got "
              "input 0");
  EXPECT_EQ(explain([](KernelLaunch &, LibraryMatmul &m) {
              m.batch = 3;
              m.lhs.batchStride = INT64_MAX;
            }),
            where + ": expects lhs to end within 2^63 elements");
}

/// Of 6 x 128 elements of the workspace.
static Artifact makeBoxArtifact() {
  Artifact artifact = makeArtifact();
  llvm::StringRef before = "second (.param .u64 a",
                  after = "second (.param .align 64 .b8 a[128]";
  artifact.ptx.replace(artifact.ptx.find(before), before.size(), after);
  artifact.launches[1].arguments[0].tensorMap =
      TensorMap{2, {128, 6}, {256}, {64, 8}, Swizzle::Bytes128};
  return artifact;
}

TEST_F(ArtifactFiles, TensorMapsComeBack) {
  Artifact back = writeAndRead(makeBoxArtifact());
  EXPECT_FALSE(back.launches[1].arguments[1].tensorMap);
  std::optional<TensorMap> map = back.launches[1].arguments[0].tensorMap;
  ASSERT_TRUE(map);
  EXPECT_EQ(map->elementBytes, 2u);
  EXPECT_EQ(llvm::ArrayRef(map->sizes), llvm::ArrayRef<uint64_t>({128, 6}));
  EXPECT_EQ(llvm::ArrayRef(map->strideBytes), llvm::ArrayRef<uint64_t>({256}));
  EXPECT_EQ(llvm::ArrayRef(map->box), llvm::ArrayRef<uint32_t>({64, 8}));
  EXPECT_EQ(map->swizzle, Swizzle::Bytes128);
}

TEST_F(ArtifactFiles, TensorMapsAreReadStrictly) {
  ASSERT_EQ(writeMessage(makeBoxArtifact()), "");
  std::string where = "manifest.json: launches[1].arguments[0].tensorMap";
  EXPECT_EQ(messageAfter("\"swizzleBytes\": 128", "\"swizzleBytes\": 48"),
            where + ".swizzleBytes: expects 0, 32, 64 or 128, got 48");
  EXPECT_EQ(messageAfter("\"swizzleBytes\": 128",
                         "\"swizzleBytes\": 128, \"interleave\": 16")
                .find(where),
            0u);
}

TEST_F(ArtifactFiles, TensorMapsStayWithinTheirBuffers) {
  auto explain = [&](auto change) {
    Artifact artifact = makeBoxArtifact();
    LaunchArgument &argument = artifact.launches[1].arguments[0];
    change(argument, *argument.tensorMap);
    return writeMessage(artifact);
  };
  std::string where = "launches[1].arguments[0]";
  EXPECT_EQ(
      explain([](LaunchArgument &, TensorMap &map) { map.sizes[1] = 99; }),
      where + ".tensorMap: expects a tensor of at most the 3840 bytes "
              "that are left of the workspace, got one of 25344");
  EXPECT_EQ(explain([](LaunchArgument &argument, TensorMap &) {
              argument.offsetBytes = 8;
            }),
            where + ".offsetBytes: expects a multiple of 16 where there is a "
                    "tensor map, got 8");
  EXPECT_EQ(explain([](LaunchArgument &, TensorMap &map) {
              map.strideBytes[0] = 200;
            }),
            where +
                ".tensorMap: tensor map: expects strides that are multiples "
                "of 16 bytes below 2^40, got 200 for dimension 1");
  // Sizes that come out small where 64 bits are all that is counted with.
  std::string tooLarge = where + ".tensorMap: tensor map: expects a tensor of "
                                 "less than 2^63 bytes, got a larger one";
  EXPECT_EQ(explain([](LaunchArgument &, TensorMap &map) {
              map = {2, {64, 67108865}, {274877906944}, {64, 8}};
            }),
            tooLarge);
  EXPECT_EQ(explain([](LaunchArgument &, TensorMap &map) {
              map = {2, {64, 2, 2147482625}, {4194304, 8589938688}, {64, 2, 1}};
            }),
            tooLarge);
}

/// The driver would read 128 bytes where there are 8, or a map for an address.
TEST_F(ArtifactFiles, ArgumentsHaveTheSizesOfParameters) {
  auto explain = [&](Artifact artifact, llvm::StringRef from,
                     llvm::StringRef to) {
    artifact.ptx.replace(artifact.ptx.find(from), from.size(), to);
    return writeMessage(artifact);
  };
  std::string where = "launches[1].arguments";
  llvm::StringRef address = "second (.param .u64 a";
  EXPECT_EQ(explain(makeArtifact(), address,
                    "second (.param .align 64 .b8 a[ 0x80 ]"),
            where + "[0]: expects a parameter of 8 bytes of \"second\" in the "
                    "PTX for an address, got one of 128");
  EXPECT_EQ(explain(makeArtifact(), address, "second (.param .b32 a"),
            where + "[0]: expects a parameter of 8 bytes of \"second\" in the "
                    "PTX for an address, got one of 4");
  EXPECT_EQ(explain(makeArtifact(), address, "second (.param .b32 a[1] [2]"),
            "");
  EXPECT_EQ(explain(makeArtifact(), "param .u64 b\n)",
                    "param .u64 .ptr .global .align 16 b)"),
            "");
  EXPECT_EQ(explain(makeBoxArtifact(), ".b8 a[128]", ".b8 a[64]"),
            where + "[0]: expects a parameter of 128 bytes of \"second\" in "
                    "the PTX for a tensor map, got one of 64");
  EXPECT_EQ(explain(makeBoxArtifact(), ".b8 a[128]", ".b8 a[]"),
            where + "[0]: expects a parameter of 128 bytes of \"second\" in "
                    "the PTX for a tensor map, got one of 0");
}
