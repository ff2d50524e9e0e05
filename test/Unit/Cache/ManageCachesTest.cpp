//===- ManageCachesTest.cpp - Tests of caches as a whole ------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Cache/ManageCaches.h"
#include "Mirage/Cache/ItemList.h"
#include "TestCache.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace mlir::mirage::cache;
using namespace mlir::mirage::cache::test;

namespace {
class ManageCachesTest : public CacheTest {
protected:
  /// A cache of its own with some results.
  std::string fill(llvm::StringRef name, llvm::ArrayRef<unsigned> numbers,
                   unsigned offset = 0) {
    std::string folder = directory + "/" + name.str();
    CacheStore store = open(folder);
    for (unsigned number : numbers)
      store.store(RecordKind::Results, makeKey(number),
                  makeValue(number + offset));
    return folder;
  }
  std::string merge(llvm::StringRef output, std::vector<std::string> inputs) {
    llvm::Expected<MergeCounts> counts =
        mergeCaches((directory + "/" + output).str(), inputs);
    if (!counts)
      return llvm::toString(counts.takeError());
    return llvm::formatv("{0} {1} {2} {3}", counts->added, counts->alreadyThere,
                         counts->different, counts->damaged);
  }
};
} // namespace

TEST_F(ManageCachesTest, MergingAddsWhatIsNew) {
  std::string a = fill("a", {1, 2, 3}), b = fill("b", {3, 4}),
              c = fill("c", {4, 5}, /*offset=*/1);
  EXPECT_EQ(merge("out", {a, b}), "4 1 0 0");
  EXPECT_EQ(merge("out", {a, b}), "0 5 0 0");
  EXPECT_EQ(merge("out", {c}), "1 0 1 0");
  CacheStore out = open(directory + "/out");
  for (unsigned number : {1, 2, 3, 4})
    EXPECT_EQ(out.lookup(RecordKind::Results, makeKey(number)),
              makeValue(number));
  EXPECT_EQ(out.lookup(RecordKind::Results, makeKey(5)), makeValue(6));
}

/// Searches at other sizes enumerate other items: together they are more. One
/// that two caches disagree on is a mistake of one of them.
TEST_F(ManageCachesTest, MergingJoinsItems) {
  auto write = [](llvm::ArrayRef<llvm::StringRef> items) {
    ItemListWriter list;
    for (llvm::StringRef item : items)
      list.add(item);
    return std::move(list).finish();
  };
  auto fillItems = [&](llvm::StringRef name,
                       llvm::ArrayRef<llvm::StringRef> items) {
    std::string folder = directory + "/" + name.str();
    CacheStore store = open(folder);
    store.store(RecordKind::Structures, makeKey(1), write(items));
    return folder;
  };
  constexpr llvm::StringRef kO = R"({"item":"o"})",
                            kP = R"({"item":"p","states":1})",
                            kOtherP = R"({"item":"p","states":2})",
                            kQ = R"({"item":"q"})";
  std::string a = fillItems("a", {kP}), b = fillItems("b", {kO, kP}),
              c = fillItems("c", {kOtherP, kQ});
  EXPECT_EQ(merge("out", {a}), "1 0 0 0");
  EXPECT_EQ(merge("out", {b}), "1 0 0 0");
  EXPECT_EQ(merge("out", {a, b}), "0 2 0 0");
  EXPECT_EQ(merge("out", {c}), "0 0 1 0");
  CacheStore out = open(directory + "/out");
  EXPECT_EQ(out.lookup(RecordKind::Structures, makeKey(1)), write({kO, kP}));
}

TEST_F(ManageCachesTest, MergingLeavesInputsAlone) {
  std::string a = fill("a", {1, 2});
  directory.swap(a);
  std::string before = readFile();
  directory.swap(a);
  EXPECT_EQ(merge("out", {a}), "2 0 0 0");
  directory.swap(a);
  EXPECT_EQ(readFile(), before);
  directory.swap(a);
}

TEST_F(ManageCachesTest, MergingNeedsCaches) {
  std::string a = fill("a", {1}), none = directory + "/none";
  EXPECT_EQ(merge("out", {a, none}),
            "'" + getCacheFile(none) + "': expects a cache, found none");
  EXPECT_FALSE(llvm::sys::fs::exists(none));
  writeFile("no cache");
  EXPECT_EQ(merge("out", {directory}),
            "'" + getFile() + "': file is not a database");
  EXPECT_EQ(merge(".", {a}),
            "'" + getCacheFile(directory + "/.") + "': file is not a database");
  EXPECT_EQ(readFile(), "no cache");
}

static TimeKey makeTimeKey(llvm::StringRef graph, int driverVersion = 13000) {
  return {"5f0c", graph.str(), "93a1", true, "NVIDIA H200", driverVersion};
}

TEST_F(ManageCachesTest, TimesAreOfAProgram) {
  auto import = [&](llvm::ArrayRef<MeasuredRecord> times) -> std::string {
    llvm::Expected<ImportCounts> counts =
        importTimes(directory + "/out", times);
    if (!counts)
      return llvm::toString(counts.takeError());
    return llvm::formatv("{0} {1}", counts->added, counts->replaced);
  };
  TimeKey other = makeTimeKey("07d2");
  other.program = "0123";
  EXPECT_EQ(import({{makeTimeKey("07d2"), "1"}, {other, "2"}}), "2 0");
  // Each of these is a time of something else.
  std::vector<MeasuredRecord> more;
  for (unsigned number = 0; number < 5; ++number)
    more.push_back({makeTimeKey("07d2"), "1" + std::to_string(number)});
  more[0].key.graph = "0a11";
  more[1].key.artifact = "0000";
  more[2].key.usesLibrary = false;
  more[3].key.device = "NVIDIA H100";
  more[4].key.driverVersion = 12080;
  EXPECT_EQ(import(more), "5 0");
  // What is measured again counts.
  EXPECT_EQ(import({{makeTimeKey("07d2"), "3"}}), "0 1");
  CacheStore store = open(directory + "/out", Access::ReadOnly);
  std::vector<std::string> times = store.lookupTimes("5f0c");
  llvm::sort(times);
  EXPECT_EQ(times,
            (std::vector<std::string>{"10", "11", "12", "13", "14", "3"}));
  EXPECT_EQ(store.lookupTimes("0123"), std::vector<std::string>{"2"});
  EXPECT_TRUE(store.lookupTimes("4567").empty());
  writeFile("no cache");
  EXPECT_EQ(llvm::toString(importTimes(directory, more).takeError()),
            "'" + getFile() + "': file is not a database");
}

/// Neither of two times is a mistake.
TEST_F(ManageCachesTest, MergingKeepsTimesThatAreThere) {
  for (auto [folder, time] : {std::pair("/a", "7"), std::pair("/out", "8")})
    ASSERT_TRUE(static_cast<bool>(
        importTimes(directory + folder, {{makeTimeKey("07d2"), time}})));
  ASSERT_TRUE(static_cast<bool>(
      importTimes(directory + "/a", {{makeTimeKey("0a11"), "9"}})));
  EXPECT_EQ(merge("out", {directory + "/a"}), "1 1 0 0");
  EXPECT_EQ(open(directory + "/out").lookupTimes("5f0c"),
            (std::vector<std::string>{"8", "9"}));
}

TEST_F(ManageCachesTest, ExportIsOrderedAndComplete) {
  {
    CacheStore store = open();
    store.store(RecordKind::Results, makeKey(2), "{\"b\": 2, \"a\": [1.5]}");
    store.store(RecordKind::Results, makeKey(1), "[]");
    ItemListWriter items;
    items.add("{\"item\":\"a\"}");
    store.store(RecordKind::Structures, makeKey(3), std::move(items).finish());
    store.store(RecordKind::Structures, makeKey(4), "\"text\"");
  }
  ASSERT_TRUE(static_cast<bool>(
      importTimes(directory, {{makeTimeKey("07d2"), "{\"us\": 7}"}})));
  std::string text;
  llvm::raw_string_ostream os(text);
  ASSERT_FALSE(bool(exportCache(directory, os)));
  llvm::json::Value records = llvm::cantFail(llvm::json::parse(text));
  EXPECT_EQ(
      llvm::formatv("{0}", records).str(),
      R"({"format":2,"results":[)"
      R"({"options":"options","program":"program1","sized_program":"sized",)"
      R"("target":"sm_90a","value":[],"version":"1.0"},)"
      R"({"options":"options","program":"program2","sized_program":"sized",)"
      R"("target":"sm_90a","value":{"a":[1.5],"b":2},"version":"1.0"}],)"
      R"("structures":[)"
      R"({"options":"options","program":"program3","sized_program":"sized",)"
      R"("target":"sm_90a","value":{"items":[{"item":"a"}]},"version":"1.0"},)"
      R"({"options":"options","program":"program4","sized_program":"sized",)"
      R"("target":"sm_90a","value":"text","version":"1.0"}],)"
      R"("times":[{"options":"graph=07d2 artifact=93a1 library=yes",)"
      R"("program":"","sized_program":"5f0c","target":"NVIDIA H200",)"
      R"("value":{"us":7},"version":"13000"}]})");
}

/// A value that is no JSON, with a checksum that holds: nobody but another
/// program writes one.
TEST_F(ManageCachesTest, ExportSaysWhatItCannotRead) {
  open().store(RecordKind::Results, makeKey(1), "no JSON");
  std::string text;
  llvm::raw_string_ostream os(text);
  std::string error = llvm::toString(exportCache(directory, os));
  EXPECT_NE(error.find(getFile()), std::string::npos) << error;
}
