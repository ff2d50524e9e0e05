//===- SearchCacheTest.cpp - Tests of searches with a cache ---------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Graph/GraphJSON.h"
#include "Mirage/Search/Search.h"
#include "Programs.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"
#include <map>

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using namespace mlir::mirage::test;
using cache::RecordKey;
using cache::RecordKind;

namespace {
/// Keeps records as long as it lives.
class MemoryCache : public cache::ResultCache {
public:
  std::optional<std::string> lookup(RecordKind kind,
                                    const RecordKey &key) override {
    auto entry = records.find(getText(kind, key));
    if (entry == records.end())
      return std::nullopt;
    return entry->second;
  }
  void store(RecordKind kind, const RecordKey &key,
             llvm::StringRef value) override {
    records[getText(kind, key)] = value.str();
  }
  static std::string getText(RecordKind kind, const RecordKey &key) {
    std::string text = getTableName(kind).str();
    for (llvm::StringRef column : getColumns(key))
      text += "\n" + column.str();
    return text;
  }

  std::map<std::string, std::string> records;
};
} // namespace

/// What a cache has is compared with searches that enumerate as much.
static SearchResult run(const Graph &graph, SearchOptions options = {}) {
  options.cutsKernels = false;
  return llvm::cantFail(superoptimize(graph, options));
}

static SearchResult run(const Graph &graph, cache::ResultCache &cache,
                        SearchOptions options = {}) {
  options.cache = &cache;
  return run(graph, options);
}

/// All that a search returns, but for how long it took and where from.
static std::string getText(SearchResult result) {
  result.report.seconds = 0;
  result.report.bestSeconds = 0;
  result.report.cache = CacheUse::None;
  std::string text;
  llvm::raw_string_ostream os(text);
  os << toJSON(result.report) << getStopReasonName(result.stopReason)
     << toJSON(result.baseline) << '\n';
  for (const Candidate &candidate : result.candidates) {
    os << toString(candidate.structure)
       << llvm::formatv("{0}", llvm::json::Value(candidate.predictedUs))
       << toJSON(candidate.graph) << '\n';
    for (const Claim &claim : candidate.claims) {
      os << toJSON(claim.program) << toJSON(claim.graph) << '\n';
      for (const TestPair &pair : claim.testPairs)
        os << toJSON(pair.program) << toJSON(pair.candidate) << '\n';
    }
  }
  return text;
}

/// The first search keeps what it finds, the second one finds it; one at other
/// sizes finds structures. All return what a search without a cache does.
static void expectRecalled(const Graph &graph, const Graph &larger) {
  MemoryCache cache;
  SearchResult first = run(graph, cache), second = run(graph, cache);
  EXPECT_EQ(first.report.cache, CacheUse::Missed);
  EXPECT_EQ(second.report.cache, CacheUse::Result);
  EXPECT_FALSE(first.candidates.empty());
  EXPECT_EQ(getText(first), getText(run(graph)));
  EXPECT_EQ(getText(second), getText(first));
  EXPECT_EQ(cache.records.size(), 2u);
  SearchResult other = run(larger, cache);
  EXPECT_EQ(other.report.cache, CacheUse::Structures);
  EXPECT_EQ(getText(other), getText(run(larger)));
  EXPECT_EQ(cache.records.size(), 3u);
}

TEST(SearchCache, RmsNormLinear) {
  expectRecalled(rmsNormLinear(8, 512, 768), rmsNormLinear(16, 1000, 130));
}
TEST(SearchCache, GatedMlp) {
  expectRecalled(gatedMlp(8, 512, 768), gatedMlp(100, 512, 768));
}
TEST(SearchCache, TwoOutputs) {
  expectRecalled(twoOutputs(8, 512, 768), twoOutputs(16, 512, 768));
}
/// Its maxima are removed, and kernels get others.
TEST(SearchCache, SafeAttention) {
  expectRecalled(safeAttention(2, 16, 1024, 64), safeAttention(4, 16, 300, 64));
}

/// A program that is cut: each part is a program to the cache.
TEST(SearchCache, ProgramsInParts) {
  Graph graph = normalizedLayers(8, 256, 4);
  SearchOptions options;
  options.maxStates = 2000;
  MemoryCache cache;
  SearchResult first = run(graph, cache, options),
               second = run(graph, cache, options);
  EXPECT_GT(first.report.parts, 0u);
  EXPECT_EQ(first.report.cache, CacheUse::Missed);
  EXPECT_EQ(second.report.cache, CacheUse::Result);
  EXPECT_EQ(getText(first), getText(run(graph, options)));
  EXPECT_EQ(getText(second), getText(first));
  EXPECT_GT(cache.records.size(), 4u);
}

TEST(SearchCache, OptionsThatHaveASayAreInTheKey) {
  MemoryCache cache;
  Graph graph = expMatmul(8, 100, 70);
  SearchOptions few;
  few.maxStates = 2000;
  run(graph, cache, few);
  auto use = [&](llvm::function_ref<void(SearchOptions &)> change) {
    SearchOptions options = few;
    change(options);
    return run(graph, cache, options).report.cache;
  };
  EXPECT_EQ(use([](SearchOptions &) {}), CacheUse::Result);
  EXPECT_EQ(use([](SearchOptions &o) { o.numThreads = 2; }), CacheUse::Result);
  EXPECT_EQ(use([](SearchOptions &o) { o.timeLimitS = 1000; }),
            CacheUse::Result);
  EXPECT_EQ(use([](SearchOptions &o) { o.seed = 1; }), CacheUse::Structures);
  EXPECT_EQ(use([](SearchOptions &o) { o.numCandidates = 1; }),
            CacheUse::Structures);
  EXPECT_EQ(use([](SearchOptions &o) { o.target = "sm_80"; }),
            CacheUse::Structures);
  EXPECT_EQ(use([](SearchOptions &o) { o.cutsInstances = false; }),
            CacheUse::Structures);
  EXPECT_EQ(use([](SearchOptions &o) { o.maxBlockOps = 4; }), CacheUse::Missed);
  EXPECT_EQ(use([](SearchOptions &o) { o.maxOps = 6; }), CacheUse::Missed);
  EXPECT_EQ(use([](SearchOptions &o) { o.maxKernels = 1; }), CacheUse::Missed);
  EXPECT_EQ(use([](SearchOptions &o) { o.maxGridAxes = 1; }), CacheUse::Missed);
  EXPECT_EQ(use([](SearchOptions &o) { o.maxStates = 500; }), CacheUse::Missed);
  EXPECT_EQ(use([](SearchOptions &o) { o.pruner = {"none", {}, true}; }),
            CacheUse::Missed);
  EXPECT_EQ(use([](SearchOptions &o) { o.allowSummedOutputs = true; }),
            CacheUse::Missed);
  EXPECT_EQ(use([](SearchOptions &o) { o.allowGridAccumulates = false; }),
            CacheUse::Missed);
}

/// Nobody knows what it says; the structures are the same.
TEST(SearchCache, ResultsOfAnotherVerifierAreNotKept) {
  MemoryCache cache;
  SearchOptions options;
  options.verify = [](const Graph &, const Graph &) { return false; };
  Graph graph = expMatmul(8, 100, 70);
  EXPECT_TRUE(run(graph, cache, options).candidates.empty());
  EXPECT_EQ(cache.records.size(), 1u);
  EXPECT_FALSE(run(graph, cache).candidates.empty());
  EXPECT_TRUE(run(graph, cache, options).candidates.empty());
}

/// What the machine had a say in is not repeatable.
TEST(SearchCache, WhatRanOutOfTimeIsNotKept) {
  MemoryCache cache;
  SearchOptions options;
  options.timeLimitS = 1;
  options.maxStates = 1000000000;
  options.maxOps = 30;
  SearchResult result = run(qkNormAttention(2, 64, 1024, 64), cache, options);
  EXPECT_EQ(result.stopReason, StopReason::TimeLimit);
  EXPECT_TRUE(cache.records.empty());
}

TEST(SearchCache, AProgramIsFoundHoweverItIsWritten) {
  auto write = [](bool productFirst) {
    ProgramBuilder b;
    ValueId x = b.input({8, 128}), w = b.input({128, 96});
    ValueId product = 0, root = 0;
    for (bool isProduct : {productFirst, !productFirst})
      if (isProduct)
        product = b.matmul(x, w);
      else
        root =
            b.apply(Opcode::Sqrt,
                    {b.reduce(Opcode::Mean, b.apply(Opcode::Square, {x}), 1)});
    b.graph.addOutput(b.apply(Opcode::Div, {product, root}));
    return b.graph;
  };
  MemoryCache cache;
  std::string expected = getText(run(write(true), cache));
  SearchResult other = run(write(false), cache);
  EXPECT_EQ(other.report.cache, CacheUse::Result);
  EXPECT_EQ(getText(other), expected);
  EXPECT_EQ(getText(run(write(false))), expected);
}

/// A record that says something else is none, and is replaced.
TEST(SearchCache, WhatCannotBeReadIsSearchedFor) {
  Graph graph = expMatmul(8, 100, 70);
  MemoryCache whole;
  std::string expected = getText(run(graph, whole));
  auto expectSearched = [&](MemoryCache cache) {
    SearchResult result = run(graph, cache);
    EXPECT_EQ(result.report.cache, CacheUse::Missed);
    EXPECT_EQ(getText(result), expected);
    EXPECT_EQ(cache.records, whole.records);
  };
  for (unsigned part = 0; part < 16; ++part) {
    MemoryCache cache = whole;
    for (auto &[key, value] : cache.records)
      value.resize(value.size() * part / 16);
    expectSearched(std::move(cache));
  }
  for (auto [from, to] :
       {std::pair("\"stopReason\":\"", "\"stopReason\":\"time limit "),
        std::pair("\"kernels\":[", "\"kernels\":[3,"),
        std::pair("\"inputs\":[0", "\"inputs\":[7"),
        std::pair("\"rounds\"", "\"round\"")}) {
    MemoryCache cache = whole;
    for (auto &[key, value] : cache.records) {
      size_t at = value.find(from);
      ASSERT_NE(at, std::string::npos) << from;
      value.replace(at, llvm::StringRef(from).size(), to);
    }
    expectSearched(std::move(cache));
  }
}

/// Tiles that do not fit the program's sizes.
TEST(SearchCache, TilingsAreChecked) {
  Graph graph = expMatmul(8, 100, 70);
  MemoryCache whole;
  run(graph, whole);
  for (auto [from, to] : {std::pair("\"tile\":[", "\"tile\":[9000,"),
                          std::pair("\"tile\":[8", "\"tile\":[9"),
                          std::pair("\"tile\":[8", "\"tile\":[0"),
                          std::pair("\"loop\":1,\"s", "\"loop\":0,\"s"),
                          std::pair("\"stages\":", "\"stages\":1"),
                          std::pair("\"stages\":", "\"stages\":-"),
                          std::pair("\"threads\":", "\"threads\":-")}) {
    MemoryCache cache = whole;
    std::string &value = cache.records.begin()->second;
    ASSERT_EQ(cache.records.begin()->first.rfind("results", 0), 0u);
    size_t at = value.find(from);
    ASSERT_NE(at, std::string::npos) << from << value;
    value.replace(at, llvm::StringRef(from).size(), to);
    EXPECT_EQ(run(graph, cache).report.cache, CacheUse::Structures) << to;
  }
}
