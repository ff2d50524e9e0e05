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

static SearchResult run(const Graph &graph, SearchOptions options = {}) {
  return llvm::cantFail(superoptimize(graph, options));
}

static SearchResult run(const Graph &graph, cache::ResultCache &cache,
                        SearchOptions options = {}) {
  options.cache = &cache;
  return run(graph, options);
}

/// All that a search returns, but for how long it took and where from.
static std::string getText(SearchResult result) {
  result.report = withoutTimes(result.report);
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

/// The first search keeps what it finds, the second one finds it; those at
/// other sizes find what was enumerated. All return what a search without a
/// cache does, bounds on cost included, which cut off other kernels at other
/// sizes.
static void expectRecalled(const Graph &graph, const Graph &larger) {
  MemoryCache cache;
  SearchOptions options; // without parts, which have records of their own
  options.libraryKernels = LibraryKernels::Never;
  SearchResult first = run(graph, cache, options),
               second = run(graph, cache, options);
  EXPECT_EQ(first.report.cache, CacheUse::Missed);
  EXPECT_EQ(second.report.cache, CacheUse::Result);
  EXPECT_FALSE(first.candidates.empty());
  EXPECT_EQ(getText(first), getText(run(graph, options)));
  EXPECT_EQ(getText(second), getText(first));
  EXPECT_EQ(cache.records.size(), 2u);
  SearchResult other = run(larger, cache, options);
  EXPECT_EQ(other.report.cache, CacheUse::Structures);
  EXPECT_EQ(getText(other), getText(run(larger, options)));
  EXPECT_EQ(cache.records.size(), 3u);
  // Back at the first sizes, with what both have enumerated.
  SearchOptions seeded = options;
  seeded.seed = 1;
  SearchResult back = run(graph, cache, seeded);
  EXPECT_EQ(back.report.cache, CacheUse::Structures);
  EXPECT_EQ(getText(back), getText(run(graph, seeded)));
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
  EXPECT_EQ(use([](SearchOptions &o) { o.cutsKernels = false; }),
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
  // It is no option, and the program says it.
  graph.f32Products = F32Products::TF32;
  EXPECT_EQ(use([](SearchOptions &) {}), CacheUse::Missed);
}

/// Nobody knows what it says; the structures are the same.
TEST(SearchCache, ResultsOfAnotherVerifierAreNotKept) {
  MemoryCache cache;
  SearchOptions options;
  options.verify = [](const Graph &, const Graph &) { return false; };
  options.cutsProgram = false; // parts have structures to keep
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

class CacheDamage : public testing::Test {
protected:
  CacheDamage() : expected(getText(run(graph, options))) {
    run(graph, whole, options);
  }

  static SearchOptions makeOptions() {
    SearchOptions options;
    options.maxOps = options.maxBlockOps = 8;
    return options;
  }
  /// The search does what it does without a cache, and puts the cache right.
  void expectRight(MemoryCache cache, CacheUse use) {
    SearchResult result = run(graph, cache, options);
    EXPECT_EQ(result.report.cache, use);
    EXPECT_EQ(getText(result), expected);
    // Reports of results say where these came from.
    for (const auto &[key, value] : whole.records)
      EXPECT_TRUE(isResult(key) || cache.records[key] == value) << key;
    EXPECT_EQ(cache.records.size(), whole.records.size());
  }
  static bool isResult(llvm::StringRef key) {
    return key.starts_with("results");
  }
  /// With something in the place of something else, wherever it is, and with no
  /// result that would be found first.
  MemoryCache damage(llvm::StringRef from, llvm::StringRef to) {
    MemoryCache cache;
    for (const auto &[key, value] : whole.records) {
      if (isResult(key))
        continue;
      std::string damaged = value;
      size_t at = damaged.find(from);
      EXPECT_NE(at, std::string::npos) << from.str();
      for (; at != std::string::npos; at = damaged.find(from, at + to.size()))
        damaged.replace(at, from.size(), to);
      cache.records[key] = std::move(damaged);
    }
    return cache;
  }

  Graph graph = rmsNormLinear(8, 512, 768);
  SearchOptions options = makeOptions();
  MemoryCache whole;
  std::string expected;
};

/// A record that says something else is none, and is replaced.
TEST_F(CacheDamage, WhatCannotBeReadIsSearchedFor) {
  for (unsigned part = 0; part < 16; ++part) {
    MemoryCache cache = whole;
    for (auto &[key, value] : cache.records)
      value.resize(value.size() * part / 16);
    expectRight(std::move(cache), CacheUse::Missed);
  }
  for (auto [from, to] :
       {std::pair("\"items\"", "\"item\""),
        std::pair("\"loop\":-1", "\"loop\":-7"),
        std::pair("\"operator\":\"div\"", "\"operator\":\"divide\""),
        std::pair("\"states\":", "\"states\":-")})
    expectRight(damage(from, to), CacheUse::Missed);
}

/// What reads well and is no kernel that the enumeration would give is
/// enumerated, and nothing is built of it.
TEST_F(CacheDamage, WhatIsNoKernelOfTheItemIsEnumerated) {
  for (auto [from, to] :
       {std::pair("\"inputs\":[0,1]", "\"inputs\":[0,7]"),
        std::pair("\"operator\":\"div\"", "\"operator\":\"mul\""),
        std::pair("\"operator\":\"square\"", "\"operator\":\"silu\""),
        std::pair("\"grid\":[0]", "\"grid\":[2]"),
        std::pair("\"results\":[", "\"results\":[0,")})
    expectRight(damage(from, to), CacheUse::Structures);
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
