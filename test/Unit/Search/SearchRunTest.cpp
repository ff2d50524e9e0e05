//===- SearchRunTest.cpp - Threads, interrupts, progress ------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExplorerState.h"
#include "Mirage/Search/Explorer.h"
#include "Mirage/Search/Search.h"
#include "Programs.h"
#include "SearchRuns.h"
#include "VisitSum.h"
#include "gtest/gtest.h"
#include <atomic>
#include <chrono>
#include <thread>

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using namespace mlir::mirage::test;

namespace {

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

/// Limits that strike within a round, of one kernel and of several.
TEST(SearchRunTest, ThreadsChangeNothing) {
  for (const Graph &graph : {rmsNormLinear(8, 128, 96), lora(16, 256, 16, 200),
                             twoOutputs(20, 64, 48), attention(2, 40, 300, 32),
                             qkNormAttention(2, 20, 70, 16)})
    for (uint64_t maxStates : {333u, 4000u}) {
      SearchOptions options;
      options.maxStates = maxStates;
      options.maxKernels = 3;
      options.numThreads = 1;
      std::string expected = describe(run(graph, options));
      for (unsigned numThreads : {2u, 4u, 8u, 64u}) {
        options.numThreads = numThreads;
        EXPECT_EQ(describe(run(graph, options)), expected)
            << numThreads << " threads";
      }
    }
}

//===----------------------------------------------------------------------===//
// Interrupts and progress
//===----------------------------------------------------------------------===//

TEST(SearchRunTest, AnInterruptedSearchReturnsTheBestSoFar) {
  SearchOptions options;
  options.maxStates = 1000000000;
  options.cutsKernels = false; // so that it takes its time
  std::atomic<bool> isInterrupted{false};
  options.isInterrupted = [&] { return isInterrupted.load(); };
  unsigned numCalls = 0;
  options.onProgress = [&](const SearchProgress &progress) {
    ++numCalls;
    EXPECT_LE(progress.walkStates, progress.maxStates);
    EXPECT_LE(progress.bestUs, progress.baselineUs);
    if (progress.structures > 20)
      isInterrupted = true;
  };
  SearchResult result = run(lora(16, 256, 16, 200), options);
  EXPECT_GT(numCalls, 0u);
  EXPECT_EQ(result.stopReason, StopReason::Interrupted);
  ASSERT_FALSE(result.candidates.empty());
  EXPECT_GT(result.report.verified, 0u);
  EXPECT_LT(result.report.bestUs, result.report.baselineUs);
}

/// A maximum over two dimensions of a product of products, repeated: elements
/// are many, and few of them different ones.
Graph repeatedMaximum() {
  ProgramBuilder b;
  ValueId x = b.input({3, 2, 64}), u = b.input({3, 64, 7}),
          v = b.input({1, 7, 33}), w = b.input({1, 33, 2}),
          one = b.input({1, 1, 1});
  ValueId largest = b.matmul(b.matmul(b.matmul(x, u), v), w);
  for (int64_t dim : {1, 2})
    largest = b.reduce(Opcode::Max, largest, dim);
  ValueId repeated = b.apply(Opcode::Repeat, {largest}, {}, {6, 3, 3});
  return b.finish({b.apply(Opcode::Sub, {one, repeated})});
}

/// It took 17 seconds to reject twenty candidates.
TEST(SearchRunTest, CandidatesOfRepeatedElementsAreJudgedInTime) {
  SearchOptions options;
  options.timeLimitS = 1;
  EXPECT_LT(run(repeatedMaximum(), options).report.seconds, 7);
}

/// A norm of a norm: what it is written out was divided by what it may be a
/// product of in all orders of the quotient's terms, for hours.
TEST(SearchRunTest, NormsOfNormsAreDividedInTime) {
  ProgramBuilder b;
  ValueId sum = b.reduce(Opcode::Sum, b.input({64, 3}), 1);
  Attributes ofRows;
  ofRows.dims = {1};
  ofRows.scalars = {1e-5};
  ValueId norm = b.apply(Opcode::LayerNorm, {sum}, ofRows);
  ofRows.scalars = {0};
  SearchOptions options;
  options.timeLimitS = 1;
  SearchResult result =
      run(b.finish({b.apply(Opcode::RmsNorm, {norm}, ofRows)}), options);
  EXPECT_LT(result.report.seconds, 7);
}

/// Nothing verifies, and each candidate takes a second.
TEST(SearchRunTest, JudgingEndsSoonAfterAnInterrupt) {
  SearchOptions options;
  std::atomic<bool> isInterrupted{false};
  options.isInterrupted = [&] { return isInterrupted.load(); };
  unsigned numJudged = 0, numNotes = 0;
  options.verify = [&](const Graph &, const Graph &) {
    isInterrupted = true;
    std::this_thread::sleep_for(std::chrono::seconds(1));
    ++numJudged;
    return false;
  };
  options.onProgress = [&](const SearchProgress &) {
    numNotes += numJudged > 0;
  };
  SearchResult result = run(lora(16, 256, 16, 200), options);
  EXPECT_EQ(result.stopReason, StopReason::Interrupted);
  EXPECT_TRUE(result.candidates.empty());
  EXPECT_GE(numJudged, 2u);
  EXPECT_LE(numJudged, 7u);
  EXPECT_GE(numNotes, numJudged - 1); // also while candidates are judged
}

/// Parts are asked about in any order, and take a while each.
TEST(SearchRunTest, ProgressOfPartsIsWhatAnInterruptGives) {
  Graph graph = normalizedLayers(8, 64, 6);
  SearchOptions options;
  SearchProgress last;
  unsigned numNotes = 0;
  double interruptAtUs = 0; // nowhere
  bool isInterrupted = false;
  options.isInterrupted = [&] { return isInterrupted; };
  options.onProgress = [&](const SearchProgress &now) {
    EXPECT_GE(now.part, last.part);
    EXPECT_LE(now.part, now.numParts);
    EXPECT_GE(now.seconds, last.seconds);
    EXPECT_GE(now.states, last.states);
    EXPECT_GE(now.structures, last.structures);
    EXPECT_LE(now.bestUs, now.baselineUs);
    numNotes += now.numParts > 0;
    last = now;
    isInterrupted = now.bestUs < interruptAtUs;
  };
  SearchResult whole = run(graph, options);
  EXPECT_GT(numNotes, 3u);
  EXPECT_LT(last.bestUs, last.baselineUs);
  EXPECT_GE(last.bestUs, whole.report.bestUs);
  last = {};
  interruptAtUs = whole.report.baselineUs;
  options.numThreads = 1;
  SearchResult part = run(graph, options);
  EXPECT_EQ(part.stopReason, StopReason::Interrupted);
  EXPECT_LE(part.report.bestUs, last.bestUs);
  EXPECT_LT(part.report.bestUs, part.report.baselineUs);
}

/// Who is told of progress may take longer than there is between two times: the
/// search goes on in between.
TEST(SearchRunTest, SlowListenersLeaveTimeToSearch) {
  using Clock = std::chrono::steady_clock;
  for (const Graph &graph :
       {normalizedLayers(8, 64, 6), lora(16, 256, 16, 200)}) {
    unsigned numNotes = 0;
    std::optional<Clock::time_point> told;
    SearchOptions options;
    // However fast the machine is, judging takes its time.
    options.verify = [](const Graph &, const Graph &) {
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      return true;
    };
    options.isInterrupted = [&] { return numNotes >= 3; };
    options.onProgress = [&](const SearchProgress &) {
      if (told)
        EXPECT_GE(Clock::now() - *told, std::chrono::milliseconds(90));
      ++numNotes;
      std::this_thread::sleep_for(std::chrono::milliseconds(150));
      told = Clock::now();
    };
    options.numThreads = 1;
    run(graph, options);
    EXPECT_GE(numNotes, 3u);
  }
}

/// The largest count of states, after those that were told before it never
/// were larger.
uint64_t watchStates(const Graph &graph, SearchOptions options) {
  SearchProgress last;
  options.onProgress = [&](const SearchProgress &now) {
    EXPECT_GE(now.states, last.states);
    EXPECT_GE(now.structures, last.structures);
    last = now;
  };
  run(graph, options);
  return last.states;
}

/// A program may be searched with its maximum after it was without, and a space
/// walked again where what was found is not right.
TEST(SearchRunTest, WhatWasVisitedNeverFalls) {
  SearchOptions options;
  Graph softmax;
  ValueId x = softmax.addInput({{4, 1 << 19}, ElementType::F32});
  Attributes rows;
  rows.dims = {1};
  softmax.addOutput(softmax.add(Opcode::Softmax, x, softmax.getType(x), rows));
  EXPECT_GT(watchStates(softmax, options), 50000u);
  unsigned numAsked = 0;
  options.verify = [&](const Graph &, const Graph &) {
    return ++numAsked > 30;
  };
  EXPECT_GT(watchStates(rmsNormLinear(8, 128, 96), options), 0u);
  EXPECT_GT(numAsked, 30u);
}

TEST(SearchRunTest, SumsOfVisitsOnlyGrow) {
  VisitSum sum;
  auto add = [&](uint64_t states) {
    SearchProgress progress;
    progress.states = progress.structures = states;
    sum.add(progress);
    EXPECT_EQ(progress.states, progress.structures);
    return progress.states;
  };
  SearchReport report;
  EXPECT_EQ(add(5), 5u);
  EXPECT_EQ(add(3), 5u); // what was given up
  report.counts.states = report.structures = 4;
  sum.end(report);
  EXPECT_EQ(add(0), 5u);
  EXPECT_EQ(add(2), 7u);
  report.counts.states = report.structures = 10; // of which 2 were told
  sum.end(report);
  EXPECT_EQ(add(1), 16u);
}

/// Of 40 inputs there are 2^40 sets that a kernel may read, and no kernel of
/// two operators for most; of 70 there is no number of 64 bits.
/// All structures of one kernel in the order in which they are found, with the
/// counts of each round.
std::vector<std::string> walkOn(const Graph &graph, unsigned numThreads) {
  TargetProgram program = llvm::cantFail(makeTargetProgram(graph));
  ExplorationLimits limits;
  limits.maxOps = limits.maxBlockOps = 13;
  limits.maxGridAxes = 2;
  limits.joins.inKernel = true;
  limits.maxStates = 1000000;
  limits.numThreads = numThreads;
  // Whoever is on a large item waits there for others to join it.
  limits.isOutOfTime = [&] {
    if (numThreads > 1)
      std::this_thread::sleep_for(std::chrono::microseconds(300));
    return false;
  };
  std::vector<std::string> found;
  Explorer explorer(program, AtomReading::WrittenOut, limits);
  explorer.run([&](const Structure &structure, double) {
    found.push_back(toString(structure));
    return true;
  });
  for (const SearchRound &round : explorer.getRounds())
    found.push_back(llvm::formatv("{0}", search::toJSON(round.counts)));
  return found;
}

TEST(SearchRunTest, ThreadsThatShareItemsFindWhatOneFindsInItsOrder) {
  Graph graph = gatedMlpSpelled(8, 64, 48);
  std::vector<std::string> alone = walkOn(graph, 1);
  EXPECT_GT(alone.size(), 20u);
  for (unsigned numThreads : {2, 5})
    EXPECT_TRUE(walkOn(graph, numThreads) == alone) << numThreads;
}

/// What threads found is put in the order of prefixes, whoever leaves first.
TEST(SearchRunTest, SharesAreJoinedInTheOrderOfPrefixes) {
  auto make = [](std::initializer_list<uint64_t> prefixes) {
    ItemResult result;
    result.isComplete = true;
    for (uint64_t prefix : prefixes) {
      ItemResult::Found &one = result.found.emplace_back();
      one.prefix = prefix;
      one.kernel.loopName = NameId(result.found.size());
    }
    return result;
  };
  for (bool isFirstLate : {false, true}) {
    ItemResult result = isFirstLate ? make({2, 5}) : make({1, 1, 4});
    result.join(isFirstLate ? make({1, 1, 4}) : make({2, 5}));
    std::vector<std::pair<uint64_t, NameId>> order;
    for (const ItemResult::Found &one : result.found)
      order.push_back({one.prefix, one.kernel.loopName});
    EXPECT_EQ(order, (std::vector<std::pair<uint64_t, NameId>>{
                         {1, 1}, {1, 2}, {2, 1}, {4, 3}, {5, 2}}));
    EXPECT_TRUE(result.isShared && result.isComplete);
  }
  ItemResult all = make({1});
  all.join(ItemResult());
  EXPECT_FALSE(all.isComplete);
}

TEST(SearchRunTest, ManyInputsAreNotTriedInAllCombinations) {
  for (unsigned numInputs : {40, 70}) {
    ProgramBuilder b;
    std::vector<ValueId> inputs;
    for (unsigned i = 0; i < numInputs; ++i)
      inputs.push_back(b.input({64, 64}));
    ValueId sum = inputs[0];
    for (unsigned i = 1; i < numInputs; ++i)
      sum = b.apply(Opcode::Add, {sum, inputs[i]});
    Graph graph = b.finish({sum});
    SearchOptions options;
    options.maxKernels = 2;
    options.maxOps = options.maxBlockOps = 2;
    options.cutsProgram = false;
    SearchResult small = run(graph, options);
    EXPECT_EQ(small.stopReason, StopReason::NothingToSearch);
    EXPECT_LT(small.report.seconds, 10);
    // Enough to join 40, in two kernels.
    options.maxOps = options.maxBlockOps = 64;
    unsigned numAsked = 0;
    options.isInterrupted = [&] { return ++numAsked > 10; };
    SearchResult large = run(graph, options);
    EXPECT_EQ(large.stopReason, numInputs == 40 ? StopReason::Interrupted
                                                : StopReason::NothingToSearch);
    EXPECT_LT(large.report.seconds, 10);
  }
}

TEST(SearchRunTest, ASearchInterruptedAtOnceFindsNothing) {
  SearchOptions options;
  options.isInterrupted = [] { return true; };
  SearchResult result = run(lora(16, 256, 16, 200), options);
  EXPECT_EQ(result.stopReason, StopReason::Interrupted);
  EXPECT_TRUE(result.candidates.empty());
  EXPECT_EQ(toString(result.getBest()), toString(result.baseline));
}

} // namespace
