//===- CacheStoreTest.cpp - Tests of caches on disk -----------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestCache.h"
#include <cstdlib>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace mlir::mirage::cache;
using namespace mlir::mirage::cache::test;

namespace {
class CacheStoreTest : public CacheTest {
protected:
  void fill(unsigned count) {
    CacheStore store = open();
    for (unsigned i = 0; i < count; ++i)
      store.store(RecordKind::Results, makeKey(i), makeValue(i));
  }
  /// How many of the first records are there; each that is, is right.
  unsigned countRecords(CacheStore &store, unsigned count) {
    unsigned found = 0;
    for (unsigned i = 0; i < count; ++i)
      if (auto value = store.lookup(RecordKind::Results, makeKey(i))) {
        EXPECT_EQ(*value, makeValue(i));
        ++found;
      }
    return found;
  }
  /// What every state of a file must allow: nothing wrong is read, and what is
  /// written from then on is kept.
  /// \returns how many of eight records are there.
  unsigned expectUsable() {
    CacheStore store = open();
    unsigned found = countRecords(store, 8);
    EXPECT_TRUE(store.isOpen());
    store.store(RecordKind::Results, makeKey(100), makeValue(100));
    EXPECT_EQ(store.lookup(RecordKind::Results, makeKey(100)), makeValue(100));
    return found;
  }
};
} // namespace

/// What is read is written such that it is read as the same.
static std::string parse(llvm::StringRef text) {
  llvm::Expected<CacheMode> mode = parseCacheMode(text);
  if (!mode)
    return llvm::toString(mode.takeError());
  CacheMode again = llvm::cantFail(parseCacheMode(toString(*mode)));
  EXPECT_EQ(again.access, mode->access);
  EXPECT_EQ(again.directory, mode->directory);
  return std::to_string(unsigned(mode->access)) + " " + mode->directory;
}

TEST(CacheMode, IsReadFromTheOptionOrTheEnvironment) {
  unsetenv("MIRAGE_CACHE_DIR");
  EXPECT_EQ(parse(""), "0 ");
  EXPECT_EQ(parse("off"), "0 ");
  EXPECT_EQ(parse("/tmp/a"), "2 /tmp/a");
  EXPECT_EQ(parse("readonly:/tmp/a"), "1 /tmp/a");
  EXPECT_EQ(parse("readonly:"),
            "expects a cache of the form off, DIR, readonly or readonly:DIR, "
            "got 'readonly:'");
  EXPECT_EQ(parse("readonly"), "expects MIRAGE_CACHE_DIR to be a folder for a "
                               "cache of the form readonly");
  setenv("MIRAGE_CACHE_DIR", "/tmp/b", 1);
  EXPECT_EQ(parse("readonly"), "1 /tmp/b");
  setenv("MIRAGE_CACHE_DIR", "readonly:/tmp/b", 1);
  EXPECT_EQ(parse(""), "1 /tmp/b");
  EXPECT_EQ(parse("readonly"), "1 /tmp/b");
  EXPECT_EQ(parse("off"), "0 ");
  setenv("MIRAGE_CACHE_DIR", "", 1);
  EXPECT_EQ(parse(""), "0 ");
  unsetenv("MIRAGE_CACHE_DIR");
}

TEST_F(CacheStoreTest, KeepsValuesByWholeKeys) {
  {
    CacheStore store = open();
    EXPECT_EQ(store.lookup(RecordKind::Results, makeKey(1)), std::nullopt);
    store.store(RecordKind::Results, makeKey(1), "[1]");
    store.store(RecordKind::Structures, makeKey(1), "[2]");
    store.store(RecordKind::Results, makeKey(2), "[3]");
    store.store(RecordKind::Results, makeKey(2), "[4]");
  }
  CacheStore store = open();
  EXPECT_EQ(store.lookup(RecordKind::Results, makeKey(1)), "[1]");
  EXPECT_EQ(store.lookup(RecordKind::Structures, makeKey(1)), "[2]");
  EXPECT_EQ(store.lookup(RecordKind::Results, makeKey(2)), "[4]");
  for (std::string RecordKey::*member :
       {&RecordKey::program, &RecordKey::sizedProgram, &RecordKey::target,
        &RecordKey::options, &RecordKey::version})
    for (llvm::StringRef text : {"", "other"}) {
      RecordKey key = makeKey(1);
      key.*member = text.str();
      EXPECT_EQ(store.lookup(RecordKind::Results, key), std::nullopt);
    }
  EXPECT_TRUE(warnings.empty());
}

TEST_F(CacheStoreTest, OffIsNoCache) {
  CacheStore store = open(Access::None);
  EXPECT_FALSE(store.isOpen());
  store.store(RecordKind::Results, makeKey(1), "[1]");
  EXPECT_EQ(store.lookup(RecordKind::Results, makeKey(1)), std::nullopt);
  EXPECT_TRUE(listFiles().empty());
  EXPECT_TRUE(warnings.empty());
}

TEST_F(CacheStoreTest, MakesItsFolder) {
  std::string nested = directory + "/a/b";
  open(nested).store(RecordKind::Results, makeKey(1), "[1]");
  EXPECT_EQ(open(nested).lookup(RecordKind::Results, makeKey(1)), "[1]");
  EXPECT_TRUE(warnings.empty());
}

TEST_F(CacheStoreTest, GoesOnWithoutAFolderThatCannotBe) {
  writeFile("");
  CacheStore store = open(getFile() + "/below");
  EXPECT_FALSE(store.isOpen());
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].find("going on without the cache '" + getFile() +
                             "/below/mirage-cache.sqlite': "),
            0u)
      << warnings[0];
  store.store(RecordKind::Results, makeKey(1), "[1]");
  EXPECT_EQ(store.lookup(RecordKind::Results, makeKey(1)), std::nullopt);
  EXPECT_EQ(warnings.size(), 1u);
}

TEST_F(CacheStoreTest, ReadOnlyLeavesEverythingAsItIs) {
  fill(8);
  std::string before = readFile();
  std::vector<std::string> files = listFiles();
  {
    CacheStore store = open(Access::ReadOnly);
    EXPECT_EQ(countRecords(store, 8), 8u);
    store.store(RecordKind::Results, makeKey(9), "[9]");
    EXPECT_EQ(store.lookup(RecordKind::Results, makeKey(9)), std::nullopt);
    EXPECT_EQ(listFiles(), files);
  }
  EXPECT_EQ(listFiles(), files);
  EXPECT_EQ(readFile(), before);
  EXPECT_TRUE(warnings.empty());
}

TEST_F(CacheStoreTest, ReadOnlySeesWhatAWriterHasNotYetMoved) {
  CacheStore writer = open();
  writer.store(RecordKind::Results, makeKey(0), makeValue(0));
  CacheStore reader = open(Access::ReadOnly);
  EXPECT_EQ(countRecords(reader, 1), 1u);
  EXPECT_TRUE(warnings.empty());
}

TEST_F(CacheStoreTest, ReadOnlyNeedsACacheAndRenamesNone) {
  EXPECT_FALSE(open(Access::ReadOnly).isOpen());
  writeFile("this is no cache, but somebody's notes");
  EXPECT_FALSE(open(Access::ReadOnly).isOpen());
  ASSERT_EQ(warnings.size(), 2u);
  EXPECT_EQ(warnings[0], "going on without the cache '" + getFile() +
                             "': expects a cache, found none");
  EXPECT_EQ(warnings[1], "going on without the cache '" + getFile() +
                             "': file is not a database");
  EXPECT_EQ(listFiles(), std::vector<std::string>{"mirage-cache.sqlite"});
}

TEST_F(CacheStoreTest, SetsAsideWhatIsNoCache) {
  writeFile("this is no cache, but somebody's notes");
  expectUsable();
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0], "the cache '" + getFile() + "' is set aside as '" +
                             getFile() + ".broken-1': file is not a database");
  writeFile("and this are others");
  expectUsable();
  auto notes = llvm::MemoryBuffer::getFile(getFile() + ".broken-1");
  ASSERT_TRUE(static_cast<bool>(notes));
  EXPECT_EQ((*notes)->getBuffer(), "this is no cache, but somebody's notes");
  EXPECT_TRUE(llvm::sys::fs::exists(getFile() + ".broken-2"));
}

/// By the numbers in the file's header (SQLite's "Database File Format").
TEST_F(CacheStoreTest, SetsAsideOtherFormats) {
  constexpr size_t kUserVersion = 63, kApplicationId = 68;
  for (auto [offset, message] :
       {std::pair(kUserVersion, "expects format 2, found format 3"),
        std::pair(kApplicationId,
                  "expects a cache of Mirage, found another file")}) {
    fill(8);
    std::string content = readFile();
    content[offset] = 3;
    writeFile(content);
    warnings.clear();
    expectUsable();
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_NE(warnings[0].find(message), std::string::npos) << warnings[0];
  }
}

TEST_F(CacheStoreTest, AnEmptyFileIsBegun) {
  writeFile("");
  expectUsable();
  EXPECT_TRUE(warnings.empty());
}

TEST_F(CacheStoreTest, NoTruncationIsFatal) {
  fill(8);
  std::string content = readFile();
  ASSERT_GT(content.size(), 8192u);
  unsigned lost = 0;
  for (size_t size = 1; size < content.size(); size += 2039) {
    writeFile(content.substr(0, size));
    warnings.clear();
    unsigned found = expectUsable();
    EXPECT_EQ(warnings.size(), found < 8 ? 1u : 0u) << size;
    lost += found < 8;
  }
  EXPECT_GT(lost, 15u);
}

/// Whatever bytes change, a value that is read is one that was written.
TEST_F(CacheStoreTest, NoDamageIsReadOrFatal) {
  fill(8);
  std::string content = readFile();
  unsigned lost = 0;
  for (size_t i = 0; i < content.size(); i += 397) {
    std::string damaged = content;
    for (size_t k = i; k < std::min(i + 5, content.size()); ++k)
      damaged[k] ^= 0x55;
    writeFile(damaged);
    CacheStore store = open();
    lost += countRecords(store, 8) < 8;
    store.store(RecordKind::Results, makeKey(100), makeValue(100));
  }
  EXPECT_GT(lost, 20u);
}

TEST_F(CacheStoreTest, ADamagedRecordIsDropped) {
  fill(8);
  std::string content = readFile();
  size_t place = content.find(makeValue(3).substr(0, 100));
  ASSERT_NE(place, std::string::npos);
  content[place + 50] = 'w';
  writeFile(content);
  {
    CacheStore store = open();
    EXPECT_EQ(countRecords(store, 8), 7u);
    EXPECT_EQ(countRecords(store, 8), 7u);
  }
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0], "a record of the cache '" + getFile() +
                             "' is damaged, and is not used");
}

TEST_F(CacheStoreTest, ThreadsMayShareAStore) {
  CacheStore store = open();
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (unsigned i = t; i < 80; i += 4)
        store.store(RecordKind::Results, makeKey(i), makeValue(i));
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(countRecords(store, 80), 80u);
  EXPECT_TRUE(warnings.empty());
}

TEST_F(CacheStoreTest, StoresOfOneProcessMayBeginOneFile) {
  writeFile("no cache");
  std::vector<std::vector<std::string>> heard(4);
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      CacheStore store(
          {Access::ReadWrite, directory},
          [&, t](const llvm::Twine &w) { heard[t].push_back(w.str()); });
      for (unsigned i = t; i < 40; i += 4)
        store.store(RecordKind::Results, makeKey(i), makeValue(i));
    });
  for (std::thread &thread : threads)
    thread.join();
  CacheStore store = open();
  EXPECT_EQ(countRecords(store, 40), 40u);
  EXPECT_FALSE(llvm::sys::fs::exists(getFile() + ".broken-2"));
}

/// Begins the file, or sets a broken one aside, and writes, from several
/// processes at once.
TEST_F(CacheStoreTest, ProcessesMayShareAFile) {
  for (llvm::StringRef content : {"", "no cache"}) {
    writeFile(content);
    std::vector<pid_t> children;
    for (unsigned p = 0; p < 4; ++p) {
      pid_t child = fork();
      ASSERT_GE(child, 0);
      if (child == 0) {
        CacheStore store = open();
        for (unsigned i = p; i < 80; i += 4)
          store.store(RecordKind::Results, makeKey(i), makeValue(i));
        _exit(store.isOpen() ? 0 : 1);
      }
      children.push_back(child);
    }
    for (pid_t child : children) {
      int status = 0;
      waitpid(child, &status, 0);
      EXPECT_EQ(status, 0);
    }
    CacheStore store = open();
    EXPECT_EQ(countRecords(store, 80), 80u);
  }
  EXPECT_FALSE(llvm::sys::fs::exists(getFile() + ".broken-2"));
}
