//===- PlayedProgram.h - A program on the played driver ------- -*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TEST_UNIT_RUNTIME_PLAYEDPROGRAM_H
#define MIRAGE_TEST_UNIT_RUNTIME_PLAYEDPROGRAM_H

#include "FakeTensors.h"
#include "Mirage/Runtime/CudaDevice.h"
#include "TwoKernels.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"
#include <cstdlib>

namespace mlir::mirage {
using Lines = std::vector<std::string>;
enum CaptureMode { kGlobal = 0, kThreadLocal = 1 };

/// Two kernels, loaded, and what the driver logs of them.
class PlayedProgram : public testing::Test {
protected:
  void SetUp() override {
    llvm::SmallString<64> path;
    ASSERT_FALSE(
        llvm::sys::fs::createTemporaryFile("played-program", "log", path));
    log = path.str();
    play("late");
    device = llvm::cantFail(CudaDevice::open());
    llvm::cantFail(device->makeCurrent());
    ASSERT_EQ(device->getName(), "fake device");
    load(makeTwoKernels());
  }
  void TearDown() override {
    program.reset();
    for (void *stream : streams)
      driver.destroyStream(stream);
    device.reset();
    llvm::sys::fs::remove(log);
  }

  void load(Artifact loaded) {
    artifact = std::move(loaded);
    forgetLog();
    program = llvm::cantFail(CudaProgram::load(*device, artifact));
  }
  void play(const std::string &settings) {
    setenv("FAKE_CUDA", (settings + ",log=" + log).c_str(), 1);
  }
  void forgetLog() { llvm::sys::fs::remove(log); }
  /// Lines of the log that have a word.
  Lines find(llvm::StringRef word) const {
    auto text = llvm::MemoryBuffer::getFile(log);
    Lines lines;
    if (text)
      for (llvm::StringRef line : llvm::split((*text)->getBuffer(), '\n'))
        if (line.contains(word))
          lines.push_back(line.str());
    return lines;
  }

  void *makeStream() {
    void *stream = nullptr;
    EXPECT_EQ(driver.createStream(&stream, /*CU_STREAM_NON_BLOCKING=*/1), 0);
    streams.push_back(stream);
    return stream;
  }
  void destroy(void *stream) {
    EXPECT_EQ(driver.destroyStream(stream), 0);
    llvm::erase(streams, stream);
  }

  /// Empty, or what went wrong.
  std::string enqueue(void *stream, const Tensors &tensors) const {
    return llvm::toString(
        program->enqueue(stream, {tensors.input}, {tensors.output}));
  }

  std::string log;
  Driver driver;
  std::unique_ptr<CudaDevice> device;
  Artifact artifact;
  std::unique_ptr<CudaProgram> program;
  std::vector<void *> streams;
};
} // namespace mlir::mirage

#endif // MIRAGE_TEST_UNIT_RUNTIME_PLAYEDPROGRAM_H
