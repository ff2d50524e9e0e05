//===- WholeFilesTest.cpp - Tests of files that are read as one -----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Graph/WholeFiles.h"
#include "Mirage/Graph/TemporaryFolder.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <chrono>
#include <cstdlib>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

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

/// LLVM's own temporary files have random letters in the place of "%".
TEST_F(WholeFilesTest, NamesStandForThemselves) {
  std::string inner = getPath("50% {of} 'it'");
  ASSERT_EQ(llvm::toString(createFolder(inner)), "");
  std::string path = joinPath(inner, "%%%%%%");
  EXPECT_EQ(llvm::toString(checkWritable(path)), "");
  EXPECT_EQ(write(path, {"one"}), "");
  EXPECT_EQ(llvm::toString(replaceWholeFile(path, {"t", "wo"})), "");
  EXPECT_EQ(llvm::cantFail(readWholeFile(path))->getBuffer(), "two");
  EXPECT_EQ(countFiles(), 1u);

  const char *before = std::getenv("TMPDIR");
  std::string kept = before ? before : "";
  ::setenv("TMPDIR", inner.c_str(), /*overwrite=*/1);
  std::string made;
  {
    llvm::Expected<TemporaryFolder> temporary = TemporaryFolder::make("part");
    ASSERT_TRUE(bool(temporary)) << llvm::toString(temporary.takeError());
    made = temporary->getPath().str();
    EXPECT_EQ(llvm::toString(writeWholeFile(temporary->getFile("a"), {"b"})),
              "");
  }
  EXPECT_EQ(llvm::sys::path::parent_path(made), inner);
  EXPECT_FALSE(llvm::sys::fs::exists(made));
  before ? ::setenv("TMPDIR", kept.c_str(), 1) : ::unsetenv("TMPDIR");
}

/// What is there stays where the folder takes no other file.
TEST_F(WholeFilesTest, WhatIsReplacedIsNeverThereInPart) {
  EXPECT_EQ(llvm::toString(replaceWholeFile(getPath("no/a"), {"one"})),
            getPath("no/a") + ": cannot be written: No such file or directory");
  ASSERT_EQ(llvm::toString(createFolder(getPath("b/c"))), "");
  EXPECT_EQ(llvm::toString(replaceWholeFile(getPath("b"), {"one"})),
            getPath("b") + ": cannot be written: Is a directory");
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

/// And nothing is left behind, or changed.
TEST_F(WholeFilesTest, WhetherAFileCanBeWrittenIsKnownBefore) {
  auto message = [](llvm::StringRef path) {
    return llvm::toString(checkWritable(path));
  };
  EXPECT_EQ(message(getPath("a")), "");
  EXPECT_EQ(countFiles(), 0u);
  ASSERT_EQ(write(getPath("a"), {"one"}), "");
  EXPECT_EQ(message(getPath("a")), "");
  EXPECT_EQ(read("a"), "one");
  EXPECT_EQ(message(folder),
            (folder + ": cannot be written: Is a directory").str());
  EXPECT_EQ(message(getPath("no/a")),
            getPath("no/a") + ": cannot be written: No such file or directory");
  EXPECT_EQ(message("/proc/a").find("/proc/a: cannot be written: "), 0u);
  EXPECT_EQ(countFiles(), 1u);
}

/// Reading them would not end.
TEST_F(WholeFilesTest, WhatIsNoFileIsRefused) {
  auto message = [](llvm::StringRef path) {
    auto buffer = readWholeFile(path);
    return buffer ? "" : llvm::toString(buffer.takeError());
  };
  EXPECT_EQ(message("/dev/zero"),
            "/dev/zero: cannot be read: not a regular file");
  EXPECT_EQ(message(folder),
            (folder + ": cannot be read: Is a directory").str());
  std::string pipe = getPath("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(message(pipe), pipe + ": cannot be read: a pipe that nobody "
                                  "writes");
}

/// As `<(...)` hands over, whose writer may take its time.
TEST_F(WholeFilesTest, PipesAreRead) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  std::string text(300000, 'x'); // more than a pipe holds
  std::thread writer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    llvm::raw_fd_ostream(ends[1], /*shouldClose=*/true) << text;
  });
  auto buffer = readWholeFile("/dev/fd/" + std::to_string(ends[0]));
  writer.join();
  ::close(ends[0]);
  ASSERT_TRUE(static_cast<bool>(buffer)) << llvm::toString(buffer.takeError());
  EXPECT_EQ((*buffer)->getBuffer(), text);
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
