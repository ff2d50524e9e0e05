//===- ArtifactTest.cpp - Tests of writing and reading artifacts ----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArtifactFiles.h"
#include "Mirage/Version/Version.h"

using namespace mlir::mirage;
using namespace mlir::mirage::test;

TEST_F(ArtifactFiles, RoundTrip) {
  Artifact artifact = makeArtifact();
  Artifact back = writeAndRead(artifact);
  EXPECT_EQ(back.target, "sm_90a");
  ASSERT_EQ(back.inputs.size(), 1u);
  EXPECT_EQ(back.inputs[0].name, "X");
  EXPECT_EQ(back.inputs[0].type, artifact.inputs[0].type);
  EXPECT_EQ(back.workspaceBytes, 4096);
  EXPECT_EQ(back.ptx, artifact.ptx);
  EXPECT_EQ(back.cubins, artifact.cubins);
  EXPECT_EQ(toString(back.program), toString(artifact.program));
  EXPECT_EQ(back.certificate, artifact.certificate);
  EXPECT_EQ(back.report, llvm::json::Value(nullptr));
  ASSERT_EQ(back.opLocations.size(), 1u);
  EXPECT_EQ(back.opLocations[0].location, "in.mlir:3:8");
  ASSERT_EQ(back.launches.size(), 2u);
  const KernelLaunch &first = back.launches[0];
  EXPECT_EQ(first.kernel, "first");
  EXPECT_EQ(first.grid, (std::array<int64_t, 3>{4, 2, 1}));
  EXPECT_EQ(first.block, (std::array<int64_t, 3>{128, 1, 1}));
  EXPECT_EQ(first.cluster, (std::array<int64_t, 3>{2, 1, 1}));
  EXPECT_EQ(first.dynamicSharedBytes, 36864);
  EXPECT_FALSE(first.dependent);
  EXPECT_TRUE(back.launches[1].dependent);
  EXPECT_EQ(first.arguments[1].role, BufferRole::Workspace);
  EXPECT_EQ(first.arguments[1].offsetBytes, 256);
}

TEST_F(ArtifactFiles, WritingTwiceGivesTheSameBytesAndLeavesOthersAlone) {
  ASSERT_EQ(writeMessage(makeArtifact()), "");
  std::string manifest = read("manifest.json");
  write("notes.txt", "mine");
  Artifact again = makeArtifact();
  again.cubins.clear();
  ASSERT_EQ(writeMessage(again), "");
  EXPECT_FALSE(llvm::sys::fs::exists(path("kernels.sm_90a.cubin")));
  ASSERT_EQ(writeMessage(makeArtifact()), "");
  EXPECT_EQ(read("manifest.json"), manifest);
  EXPECT_EQ(read("notes.txt"), "mine");
}

TEST_F(ArtifactFiles, OtherVersionsAndForeignFilesAreRefused) {
  ASSERT_EQ(writeMessage(makeArtifact()), "");
  std::string own = "Mirage " + getMirageVersion().str();
  EXPECT_EQ(messageAfter("\"version\": 4", "\"version\": 7"),
            "manifest.json: version: expects an artifact of version 4, which " +
                own + " reads, got one of version 7, written by " + own +
                "; compile the program again with this version of Mirage");
  std::string writer = "\"mirage\": \"" + getMirageVersion().str() + "\"";
  EXPECT_EQ(messageAfter(writer, "\"mirage\": \"0.0.3\""), "");
  std::string form = "\"version\": 4", silent = read("manifest.json");
  size_t at = silent.find(writer + ",");
  ASSERT_NE(at, std::string::npos);
  write("manifest.json", silent.erase(at, writer.size() + 1));
  for (auto [version, who] : {std::pair("3", "an earlier"), {"5", "a newer"}})
    EXPECT_EQ(messageAfter(form, std::string("\"version\": ") + version),
              "manifest.json: version: expects an artifact of version 4, "
              "which " +
                  own + " reads, got one of version " + version +
                  ", written by " + who +
                  " Mirage; compile the program again with this version of "
                  "Mirage");
  EXPECT_EQ(
      messageAfter("mirage-artifact", "wheel"),
      "manifest.json: format: expects \"mirage-artifact\", got \"wheel\"");
}

/// The form is the same, an operator is not known.
TEST_F(ArtifactFiles, ErrorsNameAnotherMirageThatWroteTheManifest) {
  ASSERT_EQ(writeMessage(makeArtifact()), "");
  std::string own = getMirageVersion().str(), text = read("manifest.json");
  std::string writer = "\"mirage\": \"" + own + "\"";
  size_t at = text.find(writer);
  ASSERT_NE(at, std::string::npos);
  write("manifest.json",
        text.replace(at, writer.size(), "\"mirage\": \"99.1.0\""));
  EXPECT_EQ(messageAfter("\"operator\": \"exp\"", "\"operator\": \"frob\""),
            "manifest.json: program.operations[0].operator: expects the name "
            "of an operator, got \"frob\" (written by Mirage 99.1.0, read by "
            "Mirage " +
                own + ")");
  EXPECT_EQ(messageAfter("\"version\": 4", "\"version\": 5"),
            "manifest.json: version: expects an artifact of version 4, which "
            "Mirage " +
                own +
                " reads, got one of version 5, written by Mirage 99.1.0; "
                "compile the program again with this version of Mirage");
}

TEST_F(ArtifactFiles, MembersAreNamedWithWhatWasFound) {
  ASSERT_EQ(writeMessage(makeArtifact()), "");
  EXPECT_EQ(
      messageAfter("\"workspaceBytes\": 4096", "\"workspaceBytes\": \"4k\""),
      "manifest.json: workspaceBytes: expects an integer, got \"4k\"");
  EXPECT_EQ(messageAfter("\"role\": \"workspace\"", "\"role\": \"heap\""),
            "manifest.json: launches[0].arguments[1].role: expects \"input\", "
            "\"output\" or \"workspace\", got \"heap\"");
  EXPECT_EQ(messageAfter("\"dependent\": false,", ""),
            "manifest.json: launches[0].dependent: expects true or false, got "
            "nothing");
  EXPECT_EQ(messageAfter("\"operator\": \"exp\"", "\"operator\": \"frob\""),
            "manifest.json: program.operations[0].operator: expects the name "
            "of an operator, got \"frob\"");
  EXPECT_EQ(messageAfter("\"index\": 0", "\"index\": 3"),
            "manifest.json: launches[0].arguments[0].index: expects one of 1 "
            "inputs, got 3");
  EXPECT_EQ(messageAfter("\"offsetBytes\": 256", "\"offsetBytes\": 4096"),
            "manifest.json: launches[0].arguments[1].offsetBytes: expects an "
            "offset within the 4096 bytes of the workspace, got 4096");
}

TEST_F(ArtifactFiles, EveryTruncationIsAnError) {
  ASSERT_EQ(writeMessage(makeArtifact()), "");
  std::string text = read("manifest.json");
  for (size_t length = 0; length + 2 < text.size(); length += 7) {
    write("manifest.json", text.substr(0, length));
    EXPECT_NE(readMessage(), "") << length;
  }
}

TEST_F(ArtifactFiles, DamagedCodeIsFound) {
  ASSERT_EQ(writeMessage(makeArtifact()), "");
  write("kernels.sm_90a.cubin", "\x7f"
                                "EL");
  EXPECT_EQ(readMessage(), "kernels.sm_90a.cubin: expects the 6 "
                           "bytes of manifest.json, got 3");
  write("kernels.sm_90a.cubin", "\x7f"
                                "ELF!!");
  EXPECT_NE(readMessage().find("expects the checksum"), std::string::npos);
  llvm::sys::fs::remove(path("kernels.sm_90a.cubin"));
  EXPECT_NE(readMessage().find("kernels.sm_90a.cubin: cannot be read"),
            std::string::npos);
}

TEST_F(ArtifactFiles, EditedPTXIsTakenOnlyOnRequest) {
  ASSERT_EQ(writeMessage(makeArtifact()), "");
  std::string ptx = read("kernels.ptx");
  write("kernels.ptx", ptx + "// a remark\n");
  EXPECT_EQ(readMessage(), "kernels.ptx: expects the " +
                               std::to_string(ptx.size()) +
                               " bytes of manifest.json, got " +
                               std::to_string(ptx.size() + 12));
  ReadArtifactOptions options;
  options.takesEditedPTX = true;
  llvm::Expected<Artifact> artifact = readArtifact(directory, options);
  ASSERT_TRUE(static_cast<bool>(artifact))
      << llvm::toString(artifact.takeError());
  EXPECT_TRUE(artifact->cubins.empty());
  EXPECT_EQ(artifact->ptx, ptx + "// a remark\n");
  std::string sameSize = ptx;
  sameSize.back() = ' ';
  write("kernels.ptx", sameSize);
  EXPECT_EQ(readMessage().find("kernels.ptx: expects the checksum "), 0u);
}

TEST_F(ArtifactFiles, WhatIsStatedTwiceIsTheSame) {
  ASSERT_EQ(writeMessage(makeArtifact()), "");
  EXPECT_EQ(messageAfter("\"file\": \"kernels.ptx\"", "\"file\": \"a.ptx\""),
            "manifest.json: ptx.file: expects \"kernels.ptx\", got \"a.ptx\"");
  EXPECT_EQ(messageAfter("\"file\": \"kernels.sm_90a.cubin\"",
                         "\"file\": \"kernels.cubin\""),
            "manifest.json: cubins.sm_90a.file: expects "
            "\"kernels.sm_90a.cubin\", got \"kernels.cubin\"");
  EXPECT_EQ(messageAfter("\"target\": \"sm_90a\"", "\"target\": \"sm_80\""),
            "manifest.json: target: expects the PTX's \"sm_90a\", got "
            "\"sm_80\"");
  EXPECT_EQ(messageAfter("\"kernel\": \"second\"", "\"kernel\": \"third\""),
            "manifest.json: launches[1].kernel: expects a kernel of the PTX, "
            "which has no entry \"third\"");
  EXPECT_EQ(messageAfter("\"name\": \"X\"", "\"name\": \"Y\""),
            "manifest.json: inputs[0].name: expects the program's \"X\", got "
            "\"Y\"");
  Artifact artifact = makeArtifact();
  artifact.ptx.replace(artifact.ptx.find(".target"), 7, "//");
  EXPECT_EQ(writeMessage(artifact),
            "target: expects PTX with a .target, got one without");
  artifact = makeArtifact();
  artifact.ptx.insert(artifact.ptx.find(".target"), "/* ");
  artifact.ptx.erase(artifact.ptx.find(" no, */"), 7);
  EXPECT_EQ(writeMessage(artifact),
            "ptx: expects '*/' to end the comment of line 2 of the PTX, got "
            "its end");
  artifact = makeArtifact();
  artifact.launches[1].arguments.pop_back();
  EXPECT_EQ(writeMessage(artifact),
            "launches[1].arguments: expects one for each of the 2 parameters "
            "of \"second\" in the PTX, got 1");
}

/// They end up in messages, file names and on command lines.
TEST_F(ArtifactFiles, NamesAreOfOneLine) {
  ASSERT_EQ(writeMessage(makeArtifact()), "");
  EXPECT_EQ(messageAfter("\"name\": \"out\"", "\"name\": \"o\\u0000t\""),
            "manifest.json: outputs[0].name: expects a name without control "
            "characters, got \"o\\u0000t\"");
  EXPECT_EQ(messageAfter("\"kernel\": \"second\"", "\"kernel\": \"s\\n\""),
            "manifest.json: launches[1].kernel: expects a name without control "
            "characters, got \"s\\n\"");
  Artifact artifact = makeArtifact();
  artifact.outputs[0].name = "o\nt";
  EXPECT_EQ(writeMessage(artifact),
            "outputs[0].name: expects a name without control characters, got "
            "\"o\\0At\"");
}

TEST_F(ArtifactFiles, MissingFolderAndManifest) {
  EXPECT_NE(readMessage().find("manifest.json: cannot be read: No such file"),
            std::string::npos);
  llvm::Expected<Artifact> missing = readArtifact(path("nowhere"));
  ASSERT_FALSE(static_cast<bool>(missing));
  EXPECT_EQ(llvm::toString(missing.takeError()),
            path("nowhere") +
                ": expects the folder of an artifact, got nothing "
                "there");
}

/// The program and behind it a kernel that sums 2^60 copies of the output.
static Graph addLargeTile(Graph program) {
  TensorSpec type = program.getType(program.getOutputs()[0]);
  auto tiles = std::make_shared<TileGraph>();
  ValueId tile = tiles->addInput(type);
  tiles->grid = {1};
  tiles->tileInputs = {{{kReplicated}, kReplicated}};
  TensorSpec large{{int64_t(1) << 60, 7, 130}, type.element};
  TensorSpec single{{1, 7, 130}, type.element};
  ValueId copies = tiles->add(Opcode::Broadcast, {tile}, large);
  Attributes rows;
  rows.dims = {0};
  tiles->addOutput(tiles->add(Opcode::Sum, {copies}, single, rows));
  tiles->tileOutputs = {{{kReplicated}}};
  program.addGraph({program.getOutputs()[0]}, tiles, {single});
  return program;
}

TEST_F(ArtifactFiles, WhatDoesNotVerifyIsNotWritten) {
  Artifact artifact = makeArtifact();
  artifact.launches.clear();
  EXPECT_EQ(writeMessage(artifact),
            "outputs[0]: expects a launch with an argument that points into "
            "it, got none");
  artifact = makeArtifact();
  artifact.launches[0].cluster = {3, 1, 1};
  EXPECT_EQ(writeMessage(artifact), "launches[0].cluster[0]: expects a divisor "
                                    "of the grid's 4 blocks, got 3");
  artifact = makeArtifact();
  artifact.launches[0].block = {512, 4, 1};
  EXPECT_EQ(writeMessage(artifact),
            "launches[0].block: expects a product of at "
            "most 1024, got 2048");
  artifact = makeArtifact();
  artifact.outputs[0].type.element = ElementType::F32;
  EXPECT_EQ(writeMessage(artifact),
            "outputs[0]: expects the program's tensor<7x130xf16>, got "
            "tensor<7x130xf32>");
  artifact = makeArtifact();
  artifact.program = addLargeTile(artifact.program);
  EXPECT_EQ(writeMessage(artifact),
            "program: operation 1 (graph): operation 0 (broadcast): expects at "
            "most 2^40 elements, got more");
  artifact = makeArtifact();
  artifact.inputs[0].name = "a=b";
  EXPECT_EQ(writeMessage(artifact),
            "inputs[0].name: expects a name without '/' and '=', got \"a=b\"");
  artifact = makeArtifact();
  artifact.inputs[0].strides = {130};
  EXPECT_EQ(writeMessage(artifact), "inputs[0].strides: expects a stride for "
                                    "each of 2 dimensions, got 1");
  artifact = makeArtifact();
  artifact.outputs[0].strides = {1, 6};
  EXPECT_EQ(writeMessage(artifact),
            "outputs[0].strides: expects a stride of at least 7 along "
            "dimension 1 of what is written, so that no two elements share a "
            "place, got 6");
}

TEST_F(ArtifactFiles, StridesComeBack) {
  Artifact artifact = makeArtifact();
  artifact.inputs[0].strides = {0, 3};
  artifact.outputs[0].strides = {1, 8};
  Artifact back = writeAndRead(artifact);
  EXPECT_EQ(back.inputs[0].strides, (Strides{0, 3}));
  EXPECT_EQ(back.inputs[0].getSizeBytes(), (129 * 3 + 1) * 2);
  EXPECT_EQ(back.outputs[0].strides, (Strides{1, 8}));
}
