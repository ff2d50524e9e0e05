//===- ArtifactFiles.h - Artifacts in a folder of their own -----*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TEST_UNIT_ARTIFACT_ARTIFACTFILES_H
#define MIRAGE_TEST_UNIT_ARTIFACT_ARTIFACTFILES_H

#include "Mirage/Artifact/Artifact.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

namespace mlir::mirage::test {

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

/// exp(X) as two launches through a workspace.
inline Artifact makeArtifact() {
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

} // namespace mlir::mirage::test

#endif // MIRAGE_TEST_UNIT_ARTIFACT_ARTIFACTFILES_H
