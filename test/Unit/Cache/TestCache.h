//===- TestCache.h - A cache for tests --------------------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TEST_UNIT_CACHE_TESTCACHE_H
#define MIRAGE_TEST_UNIT_CACHE_TESTCACHE_H

#include "Mirage/Cache/CacheStore.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <vector>

namespace mlir::mirage::cache::test {

/// Tests with a folder of their own, and the warnings that there were.
class CacheTest : public ::testing::Test {
protected:
  void SetUp() override {
    llvm::SmallString<128> path;
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("cache", path));
    directory = path.str().str();
  }
  void TearDown() override {
    (void)llvm::sys::fs::remove_directories(directory);
  }

  CacheStore open(llvm::StringRef folder, Access access = Access::ReadWrite) {
    return CacheStore({access, folder.str()}, [this](const llvm::Twine &text) {
      warnings.push_back(text.str());
    });
  }
  CacheStore open(Access access = Access::ReadWrite) {
    return open(directory, access);
  }

  std::string getFile() const { return getCacheFile(directory); }
  std::string readFile() const {
    auto buffer = llvm::MemoryBuffer::getFile(getFile());
    return buffer ? (*buffer)->getBuffer().str() : "";
  }
  void writeFile(llvm::StringRef content) const {
    std::error_code code;
    llvm::raw_fd_ostream(getFile(), code) << content;
    EXPECT_FALSE(code);
  }
  /// Names of the files in the folder, sorted.
  std::vector<std::string> listFiles() const {
    std::vector<std::string> names;
    std::error_code code;
    for (llvm::sys::fs::directory_iterator it(directory, code), end;
         it != end && !code; it.increment(code))
      names.push_back(llvm::sys::path::filename(it->path()).str());
    llvm::sort(names);
    return names;
  }

  std::string directory;
  std::vector<std::string> warnings;
};

inline RecordKey makeKey(unsigned number) {
  return {"program" + std::to_string(number), "sized", "sm_90a", "options",
          "1.0"};
}

/// As long as real ones, so that they fill several pages.
inline std::string makeValue(unsigned number) {
  return "[" + std::to_string(number) + ", \"" + std::string(1500, 'v') + "\"]";
}

} // namespace mlir::mirage::cache::test

#endif // MIRAGE_TEST_UNIT_CACHE_TESTCACHE_H
