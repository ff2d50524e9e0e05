//===- CheckpointRunTest.cpp - Searches that go on, and shards of them ----===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Search/Checkpoint.h"
#include "Programs.h"
#include "SearchRuns.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using namespace mlir::mirage::test;

namespace {

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

/// To the result of one that nobody stopped, and what others recall of it then
/// is as much. One thread stops at its last item; several may have done any
/// behind it as well, and then there is less to do, or nothing.
TEST_F(CheckpointTest, ASearchStoppedByStatesGoesOn) {
  for (auto [number, graph] : llvm::enumerate(getPrograms())) {
    SearchOptions options = getOptions(), few = options;
    std::string expected = describe(run(graph, options));
    options.numThreads = 3;
    std::string whole = getPath(llvm::Twine(number) + "-whole");
    runWith(whole, graph, options);
    uint64_t numRecalled = runWith(whole, graph, options).report.recalled;
    few.maxStates = 2000; // some items, and not all
    for (unsigned numThreads : {1, 3}) {
      few.numThreads = numThreads;
      std::string path =
          getPath(llvm::Twine(number) + "-" + llvm::Twine(numThreads));
      SearchResult first = runWith(path, graph, few);
      EXPECT_EQ(first.report.recalled, 0u);
      EXPECT_EQ(describe(first), describe(run(graph, few)));
      SearchResult second = runWith(path, graph, options);
      EXPECT_GT(second.report.recalled, 0u);
      EXPECT_LT(second.report.recalled, numRecalled + (numThreads > 1));
      EXPECT_EQ(describe(second), expected);
      SearchResult third = runWith(path, graph, options);
      EXPECT_EQ(third.report.recalled, numRecalled);
      EXPECT_EQ(describe(third), expected);
    }
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

TEST(ShardTest, ShardsAreNumbered) {
  EXPECT_TRUE(llvm::cantFail(parseShard("")).isWhole());
  EXPECT_EQ(toString(llvm::cantFail(parseShard("2/3"))), "2/3");
  for (const char *bad : {"3/3", "0/1", "-1/3", "1", "/", "1/", "a/b", "0/0"}) {
    llvm::Expected<Shard> shard = parseShard(bad);
    EXPECT_FALSE(shard) << bad;
    llvm::consumeError(shard.takeError());
  }
}

} // namespace
