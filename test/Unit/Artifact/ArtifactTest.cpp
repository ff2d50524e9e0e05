//===- ArtifactTest.cpp - Tests of writing and reading artifacts ----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Artifact/Artifact.h"
#include "Mirage/Version/Version.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace mlir::mirage;

namespace {
/// A folder of its own for each test, removed after it.
class ArtifactFiles : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("artifact", directory));
  }
  void TearDown() override { llvm::sys::fs::remove_directories(directory); }

  std::string path(llvm::StringRef name) const {
    return (directory + "/" + name).str();
  }
  std::string read(llvm::StringRef name) const {
    auto buffer = llvm::MemoryBuffer::getFile(path(name));
    return buffer ? (*buffer)->getBuffer().str() : "";
  }
  void write(llvm::StringRef name, llvm::StringRef text) const {
    std::error_code code;
    llvm::raw_fd_ostream(path(name), code) << text;
  }
  /// Changes the manifest and says what reading it then says, without the path.
  std::string messageAfter(llvm::StringRef from, llvm::StringRef to) const {
    std::string text = read("manifest.json");
    size_t at = text.find(from.str());
    EXPECT_NE(at, std::string::npos) << from.str();
    std::string changed = text;
    changed.replace(at, from.size(), to.str());
    write("manifest.json", changed);
    std::string message = readMessage();
    write("manifest.json", text);
    return message;
  }
  std::string readMessage() const {
    llvm::Expected<Artifact> artifact = readArtifact(directory);
    if (artifact)
      return "";
    std::string message = llvm::toString(artifact.takeError());
    EXPECT_TRUE(llvm::StringRef(message).starts_with(directory)) << message;
    return message.substr(std::min(message.size(), directory.size() + 1));
  }
  std::string writeMessage(const Artifact &artifact) const {
    llvm::Error error = writeArtifact(artifact, directory);
    return error ? llvm::toString(std::move(error)) : "";
  }
  Artifact writeAndRead(const Artifact &artifact) const {
    EXPECT_EQ(writeMessage(artifact), "");
    return llvm::cantFail(readArtifact(directory));
  }

  llvm::SmallString<128> directory;
};
} // namespace

/// exp(X) as two launches through a workspace.
static Artifact makeArtifact() {
  Artifact artifact;
  artifact.target = "sm_90a";
  TensorSpec type{{7, 130}, ElementType::F16};
  ValueId x = artifact.program.addInput(type, "X");
  artifact.program.addOutput(artifact.program.add(Opcode::Exp, {x}, type));
  artifact.inputs = {ArtifactTensor::makeRowMajor("X", type)};
  artifact.outputs = {ArtifactTensor::makeRowMajor("out", type)};
  artifact.workspaceBytes = 4096;
  artifact.ptx = ".version 8.6\n.target sm_90a // no .target sm_80\n"
                 ".visible .entry first(\n.param .u64 a,\n"
                 "/* .param .u64 no, */ .param .u64 .ptr b)\n{\n}\n"
                 ".visible .entry second (.param .u64 a, .param .u64 b\n)\n"
                 "{\n.param .u64 c;\n}\n// .entry third(\n";
  KernelLaunch first, second;
  first.kernel = "first";
  first.grid = {4, 2, 1};
  first.block = {128, 1, 1};
  first.cluster = {2, 1, 1};
  first.dynamicSharedBytes = 36864;
  first.arguments = {{BufferRole::Input, 0, 0},
                     {BufferRole::Workspace, 0, 256}};
  second.kernel = "second";
  second.dependent = true;
  second.arguments = {{BufferRole::Workspace, 0, 256},
                      {BufferRole::Output, 0, 0}};
  artifact.launches = {first, second};
  artifact.cubins["sm_90a"] = {0x7f, 'E', 'L', 'F', 0, 0xff};
  artifact.certificate = llvm::json::Object{{"seed", 1}};
  artifact.opLocations = {{"mirage_kernel.exp", "in.mlir:3:8"}};
  return artifact;
}

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
