//===- SearchRunTest.cpp - Threads, interrupts, checkpoints, shards -------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExplorerState.h"
#include "Mirage/Search/Checkpoint.h"
#include "Mirage/Search/Explorer.h"
#include "Mirage/Search/Search.h"
#include "Programs.h"
#include "VisitSum.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"
#include <atomic>
#include <chrono>
#include <thread>

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using namespace mlir::mirage::test;

namespace {

SearchResult run(const Graph &graph, const SearchOptions &options) {
  return llvm::cantFail(superoptimize(graph, options));
}

/// All that a search says, but for how long it took and what it was spared.
std::string describe(SearchResult result) {
  result.report = withoutTimes(result.report);
  result.report.recalled = 0;
  std::string text =
      llvm::formatv("{0} {1}\n", getStopReasonName(result.stopReason),
                    search::toJSON(result.report));
  for (const Candidate &candidate : result.candidates)
    text +=
        llvm::formatv("{0}\n{1}{2}\n", candidate.predictedUs,
                      toString(candidate.structure), toString(candidate.graph));
  return text;
}

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

//===----------------------------------------------------------------------===//
// Checkpoints
//===----------------------------------------------------------------------===//

class CheckpointTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("checkpoint", folder));
  }
  void TearDown() override {
    ASSERT_FALSE(llvm::sys::fs::remove_directories(folder));
  }

  std::string getPath(const llvm::Twine &name) const {
    llvm::SmallString<128> path(folder);
    llvm::sys::path::append(path, name);
    return path.str().str();
  }

  static std::string read(llvm::StringRef path) {
    return llvm::cantFail(
               llvm::errorOrToExpected(llvm::MemoryBuffer::getFile(path)))
        ->getBuffer()
        .str();
  }
  static void write(llvm::StringRef path, llvm::StringRef text) {
    std::error_code code;
    llvm::raw_fd_ostream(path, code) << text;
    ASSERT_FALSE(code);
  }

  static SearchResult runWith(const std::string &path, const Graph &graph,
                              SearchOptions options) {
    auto checkpoint =
        llvm::cantFail(Checkpoint::open(path, {toString(graph), options}));
    options.checkpoint = checkpoint.get();
    return run(graph, options);
  }

  llvm::SmallString<128> folder;
};

std::vector<Graph> getPrograms() {
  return {rmsNormLinear(8, 128, 96), lora(16, 256, 16, 200),
          attention(2, 40, 300, 32),
          causalAttention(2, 40, 40, 16, /*isSafe=*/false),
          layerNormLinear(8, 100, 48, /*isSpelled=*/false)};
}

SearchOptions getOptions() {
  SearchOptions options;
  options.maxKernels = 3;
  options.maxStates = 8000;
  return options;
}

TEST_F(CheckpointTest, ASearchStoppedByStatesGoesOn) {
  for (auto [number, graph] : llvm::enumerate(getPrograms())) {
    std::string path = getPath(llvm::Twine(number));
    SearchOptions options = getOptions();
    std::string expected = describe(run(graph, options));
    options.maxStates = 2000; // some items, and not all
    SearchResult first = runWith(path, graph, options);
    EXPECT_EQ(first.report.recalled, 0u);
    EXPECT_EQ(describe(first), describe(run(graph, options)));
    options.maxStates = 8000;
    options.numThreads = 3;
    SearchResult second = runWith(path, graph, options);
    EXPECT_GT(second.report.recalled, 0u);
    EXPECT_EQ(describe(second), expected);
    SearchResult third = runWith(path, graph, options);
    EXPECT_GT(third.report.recalled, second.report.recalled);
    EXPECT_EQ(describe(third), expected);
  }
}

TEST_F(CheckpointTest, AnInterruptedSearchGoesOn) {
  for (auto [number, graph] : llvm::enumerate(getPrograms())) {
    std::string path = getPath(llvm::Twine(number));
    SearchOptions whole = getOptions();
    whole.cutsKernels = false; // so that it takes its time
    SearchOptions options = whole;
    std::atomic<unsigned> numAsked{0};
    options.isInterrupted = [&] { return ++numAsked > 4000; };
    EXPECT_EQ(runWith(path, graph, options).stopReason,
              StopReason::Interrupted);
    SearchResult resumed = runWith(path, graph, whole);
    EXPECT_GT(resumed.report.recalled, 0u) << number;
    EXPECT_EQ(describe(resumed), describe(run(graph, whole)));
  }
}

TEST_F(CheckpointTest, ShardsJoinToTheWhole) {
  constexpr unsigned kShards = 3;
  for (auto [number, graph] : llvm::enumerate(getPrograms())) {
    SearchOptions options = getOptions();
    SearchResult whole = run(graph, options);
    std::vector<std::string> files;
    for (unsigned i = 0; i < kShards; ++i) {
      files.push_back(getPath(llvm::Twine(number) + "-" + llvm::Twine(i)));
      options.shard = {i, kShards};
      SearchResult part = runWith(files.back(), graph, options);
      EXPECT_TRUE(part.candidates.empty());
    }
    std::string merged = getPath(llvm::Twine(number));
    uint64_t numRecords = llvm::cantFail(mergeCheckpoints(merged, files));
    SearchResult joined = runWith(merged, graph, getOptions());
    EXPECT_EQ(describe(joined), describe(whole));
    EXPECT_GT(joined.report.recalled, 0u);
    EXPECT_LE(joined.report.recalled, numRecords);
  }
}

/// What a kernel leaves depends on how many operators come after it, and that
/// on which ways to it a search has cut off. One that goes by bounds may use
/// what one without them has enumerated, and the other way round.
TEST_F(CheckpointTest, WhatAnotherSearchCutOffChangesNothing) {
  SearchOptions cutting;
  cutting.maxKernels = 3;
  cutting.maxOps = cutting.maxBlockOps = 6;
  cutting.maxStates = 1000000;
  SearchOptions plain = cutting;
  plain.cutsKernels = false;
  uint64_t numRecalled = 0;
  std::vector<Graph> graphs = {rmsNormLinear(8, 512, 768), lora(8, 512, 20, 70),
                               attention(2, 64, 512, 64),
                               twoOutputs(64, 512, 256)};
  for (auto [number, graph] : llvm::enumerate(graphs))
    for (bool isFirstPlain : {true, false}) {
      std::string path = getPath(llvm::Twine(number) + "-" +
                                 llvm::Twine(unsigned(isFirstPlain)));
      const SearchOptions &second = isFirstPlain ? cutting : plain;
      runWith(path, graph, isFirstPlain ? plain : cutting);
      SearchResult recalled = runWith(path, graph, second);
      numRecalled += recalled.report.recalled;
      EXPECT_EQ(describe(recalled), describe(run(graph, second)));
    }
  EXPECT_GT(numRecalled, 100u);
}

/// Without a limit on states, shards enumerate last kernels once in all.
TEST_F(CheckpointTest, ShardsShareTheWork) {
  Graph graph = attention(2, 40, 300, 32);
  SearchOptions options;
  options.maxKernels = 1;
  options.cutsKernels = false; // a shard has fewer structures for its bounds
  uint64_t states = 0;
  for (unsigned i = 0; i < 3; ++i) {
    options.shard = {i, 3};
    uint64_t own = run(graph, options).report.counts.states;
    EXPECT_GT(own, 0u);
    states += own;
  }
  options.shard = {};
  EXPECT_EQ(states, run(graph, options).report.counts.states);
}

/// Each part is a shard's, and the search with what they found enumerates none
/// of them anew.
TEST_F(CheckpointTest, ShardsShareThePartsOfPrograms) {
  Graph graph = normalizedLayers(8, 256, 4);
  SearchOptions options;
  options.maxStates = 60000;
  SearchResult whole = runWith(getPath("whole"), graph, options),
               again = runWith(getPath("whole"), graph, options);
  ASSERT_GT(whole.report.parts, 0u);
  ASSERT_GT(again.report.recalled, whole.report.recalled);
  std::vector<std::string> files;
  uint64_t states = 0;
  for (unsigned i = 0; i < 3; ++i) {
    files.push_back(getPath(llvm::Twine(i)));
    options.shard = {i, 3};
    SearchResult part = runWith(files.back(), graph, options);
    EXPECT_TRUE(part.candidates.empty());
    EXPECT_GT(part.report.counts.states, 0u);
    EXPECT_LT(part.report.counts.states, whole.report.counts.states);
    states += part.report.counts.states;
  }
  // Parts whose best is not right are walked twice, by who judges.
  EXPECT_LE(states, whole.report.counts.states);
  llvm::cantFail(mergeCheckpoints(getPath("joined"), files));
  options.shard = {};
  SearchResult joined = runWith(getPath("joined"), graph, options);
  EXPECT_EQ(describe(joined), describe(whole));
  EXPECT_EQ(joined.report.recalled, again.report.recalled);
}

std::string openError(const std::string &path, const Graph &graph,
                      const SearchOptions &options) {
  auto opened = Checkpoint::open(path, {toString(graph), options});
  return opened ? "" : llvm::toString(opened.takeError());
}

TEST_F(CheckpointTest, WhatIsOfSomethingElseIsRefused) {
  std::string path = getPath("file");
  Graph graph = expMatmul(8, 100, 70);
  SearchOptions options;
  runWith(path, graph, options);
  std::string before = read(path);
  auto expectRefused = [&](const Graph &other, const SearchOptions &with,
                           const char *what) {
    std::string error = openError(path, other, with);
    EXPECT_NE(error.find(what), std::string::npos) << error;
    EXPECT_EQ(read(path), before);
  };
  expectRefused(expMatmul(9, 100, 70), options, "expects one of a program");
  SearchOptions other = options;
  other.maxBlockOps = 5;
  expectRefused(graph, other,
                "expects one of a search with 'max-block-ops=5 max-ops=12");
  other = options;
  other.shard = {1, 2};
  expectRefused(graph, other, "expects one of shard '1/2', got ''");
  other = options;
  other.maxStates = 7;
  other.numThreads = 2;
  other.timeLimitS = 9;
  EXPECT_EQ(openError(path, graph, other), "");

  std::string another = before;
  another.replace(another.find("\"version\":\"") + 11, 1, "9");
  write(path, another);
  EXPECT_NE(openError(path, graph, options).find("expects one of version"),
            std::string::npos);
  EXPECT_EQ(read(path), another);
}

TEST_F(CheckpointTest, WhatIsDamagedIsRefused) {
  std::string path = getPath("file");
  Graph graph = attention(2, 40, 300, 32);
  SearchOptions options;
  options.maxStates = 3000;
  runWith(path, graph, options);
  std::string whole = read(path);
  ASSERT_GT(whole.size(), 2000u);
  auto expectRefused = [&](const std::string &text) {
    write(path, text);
    EXPECT_NE(openError(path, graph, options), "");
    EXPECT_EQ(read(path), text);
  };
  for (size_t size = 0; size < whole.size(); size += whole.size() / 40)
    expectRefused(whole.substr(0, size));
  for (size_t i = 3; i < whole.size(); i += whole.size() / 40) {
    std::string text = whole;
    text[i] ^= 1;
    expectRefused(text);
  }
  write(path, whole);
  EXPECT_EQ(openError(path, graph, options), "");
}

/// A record's line is made once; another record has another one.
TEST_F(CheckpointTest, WhatTakesTheirPlaceIsWritten) {
  std::string path = getPath("file");
  CheckpointHeader header("program", SearchOptions());
  ItemRecord records[2];
  for (unsigned i : {0, 1})
    records[i].counts.trials = 1000 + i;
  {
    auto checkpoint = llvm::cantFail(Checkpoint::open(path, header));
    for (const ItemRecord &record : records) {
      checkpoint->add("item", record);
      llvm::cantFail(checkpoint->write());
    }
  }
  auto checkpoint = llvm::cantFail(Checkpoint::open(path, header));
  ASSERT_TRUE(checkpoint->find("item"));
  EXPECT_TRUE(checkpoint->find("item")->record == records[1]);
  // What is read is written as it is.
  checkpoint->add("other", records[0]);
  llvm::cantFail(checkpoint->write());
  checkpoint = llvm::cantFail(Checkpoint::open(path, header));
  ASSERT_TRUE(checkpoint->find("item"));
  EXPECT_TRUE(checkpoint->find("item")->record == records[1]);
  ASSERT_TRUE(checkpoint->find("other"));
  EXPECT_TRUE(checkpoint->find("other")->record == records[0]);
}

TEST_F(CheckpointTest, WhatCannotBeWrittenIsSaidAtOnce) {
  std::string error =
      openError(getPath("no/such/folder"), expMatmul(8, 100, 70), {});
  EXPECT_NE(error.find("cannot be written"), std::string::npos) << error;
}

TEST_F(CheckpointTest, CheckpointsOfDifferentSearchesDoNotJoin) {
  runWith(getPath("a"), expMatmul(8, 100, 70), {});
  runWith(getPath("b"), expMatmul(9, 100, 70), {});
  auto merged = mergeCheckpoints(getPath("c"), {getPath("a"), getPath("b")});
  ASSERT_FALSE(merged);
  EXPECT_NE(llvm::toString(merged.takeError()).find("expects one of a program"),
            std::string::npos);
  EXPECT_FALSE(llvm::sys::fs::exists(getPath("c")));
}

TEST(SearchRunTest, ShardsAreNumbered) {
  EXPECT_TRUE(llvm::cantFail(parseShard("")).isWhole());
  EXPECT_EQ(toString(llvm::cantFail(parseShard("2/3"))), "2/3");
  for (const char *bad : {"3/3", "0/1", "-1/3", "1", "/", "1/", "a/b", "0/0"}) {
    llvm::Expected<Shard> shard = parseShard(bad);
    EXPECT_FALSE(shard) << bad;
    llvm::consumeError(shard.takeError());
  }
}

} // namespace
