//===- RunOrderTest.cpp - Tests of threads, streams and captures ----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On a driver that is played (test/lib/FakeCuda), which does what waits in
// streams as late and in as bad an order as CUDA allows. One kernel of the
// program leaves its squares in the workspace and another takes their roots: a
// run that does not wait for the one before it computes something else.
//
//===----------------------------------------------------------------------===//

#include "Mirage/Runtime/CudaEvent.h"
#include "PlayedProgram.h"
#include <thread>

using namespace mlir::mirage;

namespace {
class RunOrder : public PlayedProgram {
protected:
  /// A program goes; its memory stays until the device is waited for.
  void
  retireAndExpectKept(std::shared_ptr<std::unique_ptr<CudaProgram>> owner) {
    forgetLog();
    const CudaProgram &going = **owner;
    device->retire(going, std::move(owner));
    EXPECT_EQ(find("frees"), Lines());
    llvm::cantFail(device->freeRetired());
    EXPECT_EQ(find("frees"), Lines{"frees 3896 bytes"});
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

TEST_F(RunOrder, ThreadsInOneStreamDoNotMixTheirKernels) {
  play("pause=500");
  std::vector<std::unique_ptr<Tensors>> tensors;
  for (int number = 1; number <= 32; ++number)
    tensors.push_back(std::make_unique<Tensors>(driver, number));
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 2; ++thread)
    threads.emplace_back([&, thread] {
      llvm::cantFail(device->makeCurrent());
      for (size_t i = thread; i < tensors.size(); i += 2)
        EXPECT_EQ(enqueue(nullptr, *tensors[i]), "");
    });
  for (std::thread &thread : threads)
    thread.join();
  for (auto &each : tensors)
    EXPECT_TRUE(each->isRight()) << each->number;
  EXPECT_EQ(find("event"), Lines());
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

TEST_F(RunOrder, StreamsWaitForOneAnother) {
  void *a = makeStream(), *b = makeStream();
  Tensors first(driver, 1), second(driver, 2), third(driver, 3),
      fourth(driver, 4);
  EXPECT_EQ(enqueue(a, first), "");
  EXPECT_EQ(enqueue(b, second), "");
  EXPECT_EQ(enqueue(nullptr, third), "");
  EXPECT_EQ(enqueue(a, fourth), "");
  for (const Tensors *tensors : {&first, &second, &third, &fourth})
    EXPECT_TRUE(tensors->isRight()) << tensors->number;
}

TEST_F(RunOrder, TheDefaultStreamAloneCostsNoEvent) {
  Tensors tensors(driver, 1);
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(enqueue(nullptr, tensors), "");
  EXPECT_EQ(enqueue(reinterpret_cast<void *>(1), tensors), ""); // the same
  EXPECT_EQ(find("event"), Lines());
}

TEST_F(RunOrder, AStreamThatIsTrustedAloneCostsNoEvent) {
  program->trustStreams();
  void *a = makeStream(), *b = makeStream();
  Tensors first(driver, 1), second(driver, 2);
  EXPECT_EQ(enqueue(a, first), "");
  EXPECT_EQ(enqueue(a, first), "");
  EXPECT_EQ(find("event"), Lines());
  EXPECT_EQ(enqueue(b, second), "");
  EXPECT_TRUE(first.isRight());
  EXPECT_TRUE(second.isRight());
}

TEST_F(RunOrder, AProgramThatStaysInOneStreamAgainCostsNoEvent) {
  program->trustStreams();
  void *a = makeStream(), *b = makeStream();
  Tensors first(driver, 1), second(driver, 2);
  EXPECT_EQ(enqueue(a, first), "");
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(enqueue(b, second), "");
  forgetLog();
  EXPECT_EQ(enqueue(b, second), "");
  EXPECT_EQ(find("event"), Lines());
  EXPECT_EQ(enqueue(a, first), "");
  EXPECT_EQ(find("event").size(), 3u); // recorded, waited for, recorded
  EXPECT_TRUE(first.isRight());
  EXPECT_TRUE(second.isRight());
}

TEST_F(RunOrder, AStreamMayBeGoneWhenTheNextIsUsed) {
  void *a = makeStream();
  Tensors first(driver, 1), second(driver, 2);
  EXPECT_EQ(enqueue(a, first), "");
  destroy(a);
  EXPECT_EQ(enqueue(makeStream(), second), "");
  EXPECT_TRUE(first.isRight());
  EXPECT_TRUE(second.isRight());
}

TEST_F(RunOrder, EachThreadHasADefaultStreamOfItsOwn) {
  auto *perThread = reinterpret_cast<void *>(2);
  program->trustStreams();
  Tensors first(driver, 1), second(driver, 2);
  EXPECT_EQ(enqueue(perThread, first), "");
  std::thread([&] {
    llvm::cantFail(device->makeCurrent());
    EXPECT_EQ(enqueue(perThread, second), "");
  }).join();
  EXPECT_TRUE(first.isRight());
  EXPECT_TRUE(second.isRight());
}

TEST_F(RunOrder, AStreamOfAnotherGPUIsRefused) {
  play("late,devices=2");
  auto other = llvm::cantFail(CudaDevice::open(1));
  llvm::cantFail(other->makeCurrent());
  void *ofOther = makeStream();
  llvm::cantFail(device->makeCurrent());
  program->trustStreams();
  void *a = makeStream(), *b = makeStream();
  Tensors first(driver, 1), second(driver, 2);
  EXPECT_EQ(enqueue(a, first), "");
  EXPECT_EQ(enqueue(ofOther, second),
            "expects a stream of the program's GPU (of its primary context), "
            "got one of another GPU or context");
  EXPECT_EQ(find("a graph").size(), 1u) << "nothing was enqueued";
  // Others go on as if it had not been.
  EXPECT_EQ(enqueue(b, second), "");
  EXPECT_TRUE(first.isRight());
  EXPECT_TRUE(second.isRight());
  destroy(ofOther);
}

TEST_F(RunOrder, ARunThatFailedHalfWayIsWaitedFor) {
  void *a = makeStream(), *b = makeStream();
  Tensors first(driver, 1), second(driver, 2);
  play("late,refuse=roots");
  EXPECT_EQ(enqueue(a, first).find("kernel roots cannot be launched"), 0u);
  play("late");
  EXPECT_EQ(enqueue(b, second), "");
  EXPECT_TRUE(second.isRight());
}

//===----------------------------------------------------------------------===//
// Captures
//===----------------------------------------------------------------------===//

TEST_F(RunOrder, ACaptureWaitsForNothingOutside) {
  void *a = makeStream(), *b = makeStream();
  Tensors first(driver, 1), second(driver, 2), third(driver, 3);
  EXPECT_EQ(enqueue(a, first), "");
  EXPECT_EQ(driver.beginCapture(b, kGlobal), 0);
  EXPECT_EQ(enqueue(b, second), "");
  // Meanwhile others go on, and wait for what ran and not for what is captured.
  EXPECT_EQ(enqueue(nullptr, third), "");
  void *graph = nullptr, *executable = nullptr;
  ASSERT_EQ(driver.endCapture(b, &graph), 0);
  EXPECT_TRUE(first.isRight());
  EXPECT_TRUE(third.isRight());
  EXPECT_FALSE(second.isRight());
  ASSERT_EQ(driver.instantiate(&executable, graph, 0), 0);
  ASSERT_EQ(driver.launchGraph(executable, a), 0);
  EXPECT_TRUE(second.isRight());
  driver.destroyExecutable(executable);
  driver.destroyGraph(graph);
}

TEST_F(RunOrder, StreamsOfOneCaptureWaitForOneAnother) {
  void *a = makeStream(), *b = makeStream();
  Tensors first(driver, 1), second(driver, 2);
  auto fork = llvm::cantFail(CudaEvent::make(*device));
  EXPECT_EQ(driver.beginCapture(a, kThreadLocal), 0);
  llvm::cantFail(fork->record(a));
  llvm::cantFail(fork->makeWait(b)); // which joins the capture
  EXPECT_EQ(enqueue(a, first), "");
  forgetLog();
  EXPECT_EQ(enqueue(b, second), "");
  Lines lines = find(" ");
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_TRUE(llvm::StringRef(lines[0]).contains("waits for event"));
  EXPECT_TRUE(llvm::StringRef(lines[1]).starts_with("squares"));
  void *graph = nullptr;
  EXPECT_EQ(driver.endCapture(a, &graph), 0);
  driver.destroyGraph(graph);
}

TEST_F(RunOrder, AStreamInACaptureCannotBeWaitedFor) {
  program->trustStreams();
  void *a = makeStream(), *b = makeStream();
  Tensors tensors(driver, 1);
  EXPECT_EQ(enqueue(a, tensors), "");
  EXPECT_EQ(driver.beginCapture(a, kThreadLocal), 0);
  EXPECT_EQ(enqueue(b, tensors),
            "expects the stream of the program's last run in no capture when "
            "it is run in another stream");
  void *graph = nullptr;
  EXPECT_EQ(driver.endCapture(a, &graph), 0) << "the capture is as it was";
  driver.destroyGraph(graph);
}

//===----------------------------------------------------------------------===//
// The end
//===----------------------------------------------------------------------===//

TEST_F(RunOrder, AProgramGoesDuringACaptureOfOthers) {
  for (bool isTrusted : {false, true})
    for (CaptureMode mode : {kGlobal, kThreadLocal}) {
      void *a = makeStream(), *b = makeStream();
      auto owner = std::make_shared<std::unique_ptr<CudaProgram>>(
          llvm::cantFail(CudaProgram::load(*device, artifact)));
      if (isTrusted)
        (*owner)->trustStreams();
      Tensors tensors(driver, 1);
      llvm::cantFail((*owner)->enqueue(a, {tensors.input}, {tensors.output}));
      EXPECT_EQ(driver.beginCapture(b, mode), 0);
      forgetLog();
      const CudaProgram &going = **owner;
      device->retire(going, std::move(owner));
      EXPECT_EQ(find("frees"), Lines{"frees 3896 bytes"});
      void *graph = nullptr;
      EXPECT_EQ(driver.endCapture(b, &graph), 0) << "the capture is as it was";
      EXPECT_TRUE(tensors.isRight());
      driver.destroyGraph(graph);
    }
}

TEST_F(RunOrder, AProgramWhoseStreamIsGoneStaysUntilTheDeviceIsWaitedFor) {
  void *a = makeStream();
  auto owner = std::make_shared<std::unique_ptr<CudaProgram>>(
      llvm::cantFail(CudaProgram::load(*device, artifact)));
  (*owner)->trustStreams();
  Tensors tensors(driver, 1);
  llvm::cantFail((*owner)->enqueue(a, {tensors.input}, {tensors.output}));
  destroy(a); // which breaks the promise
  retireAndExpectKept(std::move(owner));
}

TEST_F(RunOrder, AProgramThatWasCapturedStaysUntilTheDeviceIsWaitedFor) {
  void *a = makeStream();
  auto owner = std::make_shared<std::unique_ptr<CudaProgram>>(
      llvm::cantFail(CudaProgram::load(*device, artifact)));
  Tensors tensors(driver, 1);
  EXPECT_EQ(driver.beginCapture(a, kGlobal), 0);
  llvm::cantFail((*owner)->enqueue(a, {tensors.input}, {tensors.output}));
  void *graph = nullptr, *executable = nullptr;
  EXPECT_EQ(driver.endCapture(a, &graph), 0);
  EXPECT_EQ(driver.instantiate(&executable, graph, 0), 0);
  EXPECT_EQ(driver.launchGraph(executable, a), 0);
  retireAndExpectKept(std::move(owner));
  EXPECT_TRUE(tensors.isRight());
  driver.destroyExecutable(executable);
  driver.destroyGraph(graph);
}
