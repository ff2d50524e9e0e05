//===- WholeFilesTest.cpp - Tests of files that are read as one -----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Graph/WholeFiles.h"
#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"

using namespace mlir::mirage;

namespace {
class WholeFilesTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("files", folder));
  }
  void TearDown() override { llvm::sys::fs::remove_directories(folder); }

  std::string getPath(llvm::StringRef name) const {
    return joinPath(folder, name);
  }
  std::string write(llvm::StringRef path,
                    llvm::ArrayRef<llvm::StringRef> pieces) const {
    return llvm::toString(writeWholeFile(path, pieces));
  }
  std::string read(llvm::StringRef name) const {
    return llvm::cantFail(readWholeFile(getPath(name)))->getBuffer().str();
  }
  unsigned countFiles() const {
    unsigned count = 0;
    std::error_code code;
    for (llvm::sys::fs::directory_iterator at(folder, code), end; at != end;
         at.increment(code))
      ++count;
    return count;
  }

  llvm::SmallString<128> folder;
};
} // namespace

TEST_F(WholeFilesTest, WhatIsWrittenIsRead) {
  EXPECT_EQ(write(getPath("a"), {"one ", "", "two"}), "");
  EXPECT_EQ(read("a"), "one two");
  EXPECT_EQ(write(getPath("a"), {"three"}), "");
  EXPECT_EQ(read("a"), "three");
  EXPECT_EQ(write(getPath("a"), {}), "");
  EXPECT_EQ(read("a"), "");
  EXPECT_EQ(countFiles(), 1u);
}

/// A stream that nobody asks how it went would end the process.
TEST_F(WholeFilesTest, WhatCannotBeWrittenIsSaid) {
  EXPECT_EQ(write("/dev/full", {"one"}),
            "/dev/full: cannot be written: No space left on device");
  EXPECT_EQ(write(getPath("no/a"), {"one"}),
            getPath("no/a") + ": cannot be written: No such file or directory");
  EXPECT_EQ(write(folder, {"one"}),
            (folder + ": cannot be written: Is a directory").str());
  EXPECT_EQ(countFiles(), 0u);
}

TEST_F(WholeFilesTest, FoldersAreMade) {
  std::string path = getPath("b/c");
  EXPECT_EQ(llvm::toString(createFolder(path)), "");
  EXPECT_EQ(llvm::toString(createFolder(path)), "");
  EXPECT_TRUE(llvm::sys::fs::is_directory(path));
  EXPECT_EQ(write(getPath("b/c/file"), {"one"}), "");
  path = getPath("b/c/file/d");
  EXPECT_EQ(llvm::toString(createFolder(path)),
            path + ": cannot be created: Not a directory");
}

TEST_F(WholeFilesTest, JSONIsReadOrWhyNotIsSaid) {
  auto message = [&](llvm::StringRef name) {
    auto value = readJSONFile(getPath(name));
    return value ? "" : llvm::toString(value.takeError());
  };
  ASSERT_EQ(write(getPath("good"), {"{\"a\": 1}"}), "");
  EXPECT_EQ(llvm::cantFail(readJSONFile(getPath("good"))),
            llvm::json::Value(llvm::json::Object{{"a", 1}}));
  ASSERT_EQ(write(getPath("bad"), {"{"}), "");
  EXPECT_EQ(message("bad").find(getPath("bad") + ": expects JSON, got "), 0u);
  ASSERT_EQ(write(getPath("deep"), {std::string(1000, '[')}), "");
  EXPECT_EQ(message("deep").find(getPath("deep") + ": expects JSON, got "), 0u);
  EXPECT_EQ(message("none"),
            getPath("none") + ": cannot be read: No such file or directory");
}
