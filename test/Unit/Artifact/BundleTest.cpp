//===- BundleTest.cpp - Tests of bundles and measured times ---------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Artifact/Bundle.h"
#include "Mirage/Artifact/MeasuredTime.h"
#include "Mirage/Graph/ComposedOperators.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace mlir::mirage;

namespace {
/// Artifacts here are folders with a manifest: a bundle looks at no more.
class BundleTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("bundle", folder));
  }
  void TearDown() override { llvm::sys::fs::remove_directories(folder); }

  std::string getPath(llvm::StringRef name) const {
    llvm::SmallString<128> path(folder);
    llvm::sys::path::append(path, name);
    return path.str().str();
  }
  void write(llvm::StringRef name, llvm::StringRef text) const {
    std::error_code code;
    llvm::raw_fd_ostream(getPath(name), code) << text;
    ASSERT_FALSE(code);
  }
  std::string read(llvm::StringRef name) const {
    return llvm::cantFail(llvm::errorOrToExpected(
                              llvm::MemoryBuffer::getFile(getPath(name))))
        ->getBuffer()
        .str();
  }
  BundleEntry makeEntry(llvm::StringRef name, double predictedUs) const {
    EXPECT_FALSE(llvm::sys::fs::create_directories(getPath(name)));
    write((name + "/manifest.json").str(), "manifest of " + name.str());
    return {name.str(), llvm::cantFail(getArtifactHash(getPath(name))),
            "graph of " + name.str(), predictedUs};
  }
  Bundle makeBundle() const {
    Bundle bundle;
    bundle.program = "5f0c";
    bundle.target = "sm_90a";
    bundle.seed = UINT64_MAX;
    bundle.baseline = makeEntry("baseline", 30.5);
    bundle.candidates = {makeEntry("candidate-0", 7.25),
                         makeEntry("candidate-1", 8)};
    return bundle;
  }

  /// What reading says once `from` in bundle.json is `to`.
  std::string messageAfter(llvm::StringRef from, llvm::StringRef to) const {
    std::string text = read(kBundleFile);
    size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from.str();
    write(kBundleFile, std::string(text).replace(at, from.size(), to.str()));
    auto bundle = readBundle(folder);
    write(kBundleFile, text);
    return bundle ? "" : llvm::toString(bundle.takeError());
  }
  std::string messageOfTimes(llvm::StringRef text,
                             llvm::StringRef program = "") const {
    write(kTimesFile, text);
    auto times = readMeasuredTimes(getPath(kTimesFile), program);
    return times ? "" : llvm::toString(times.takeError());
  }

  llvm::SmallString<128> folder;
};
} // namespace

TEST_F(BundleTest, WhatIsWrittenIsRead) {
  EXPECT_FALSE(isBundle(folder));
  ASSERT_FALSE(writeBundle(makeBundle(), folder));
  EXPECT_TRUE(isBundle(folder));
  Bundle bundle = llvm::cantFail(readBundle(folder));
  EXPECT_EQ(bundle.program, "5f0c");
  EXPECT_EQ(bundle.target, "sm_90a");
  EXPECT_EQ(bundle.seed, UINT64_MAX);
  ASSERT_TRUE(bundle.baseline.has_value());
  EXPECT_EQ(bundle.baseline->predictedUs, 30.5);
  ASSERT_EQ(bundle.candidates.size(), 2u);
  EXPECT_EQ(bundle.candidates[0].folder, "candidate-0");
  EXPECT_EQ(bundle.candidates[0].predictedUs, 7.25);
  EXPECT_EQ(bundle.candidates[0].graph, "graph of candidate-0");
  EXPECT_NE(bundle.candidates[0].hash, bundle.candidates[1].hash);
}

TEST_F(BundleTest, ABaselineIsNotNeeded) {
  Bundle bundle = makeBundle();
  bundle.baseline.reset();
  ASSERT_FALSE(writeBundle(bundle, folder));
  EXPECT_FALSE(llvm::cantFail(readBundle(folder)).baseline.has_value());
}

TEST_F(BundleTest, ACandidateIsNeeded) {
  Bundle bundle = makeBundle();
  bundle.candidates.clear();
  ASSERT_FALSE(writeBundle(bundle, folder));
  auto read = readBundle(folder);
  ASSERT_FALSE(static_cast<bool>(read));
  EXPECT_EQ(llvm::toString(read.takeError()),
            getPath(kBundleFile) +
                ": candidates: expects one at least, got none");
}

TEST_F(BundleTest, NothingIsLeftOfAnEarlierBundle) {
  ASSERT_FALSE(writeBundle(makeBundle(), folder));
  write(kTimesFile, "{}");
  write("notes.txt", "somebody's");
  makeEntry("candidate-9", 1); // which is in no bundle
  ASSERT_FALSE(prepareBundleFolder(folder));
  std::vector<std::string> left;
  std::error_code code;
  for (llvm::sys::fs::directory_iterator at(folder, code), end; at != end;
       at.increment(code))
    left.push_back(llvm::sys::path::filename(at->path()).str());
  llvm::sort(left);
  EXPECT_EQ(left, (std::vector<std::string>{"candidate-9", "notes.txt"}));
  // A new folder is made; a damaged bundle names nothing.
  ASSERT_FALSE(prepareBundleFolder(getPath("new/one")));
  write("new/one/bundle.json", "{");
  ASSERT_FALSE(prepareBundleFolder(getPath("new/one")));
  EXPECT_FALSE(llvm::sys::fs::exists(getPath("new/one/bundle.json")));
  std::string below = getPath("notes.txt") + "/bundle";
  EXPECT_EQ(llvm::toString(prepareBundleFolder(below)),
            below + ": cannot be created: Not a directory");
}

TEST_F(BundleTest, WhatIsWrongIsSaid) {
  Bundle bundle = makeBundle();
  ASSERT_FALSE(writeBundle(bundle, folder));
  std::string file = getPath(kBundleFile);
  EXPECT_EQ(messageAfter("\"version\": 1", "\"version\": 2"),
            file + ": version: expects version 1, got 2");
  EXPECT_EQ(messageAfter("mirage-bundle", "mirage-bindle"),
            file +
                ": format: expects \"mirage-bundle\", got \"mirage-bindle\"");
  EXPECT_EQ(messageAfter("\"candidate-1\"", "\"../candidate-1\""),
            file + ": candidates[1].folder: expects the name of a folder in "
                   "the bundle, got \"../candidate-1\"");
  EXPECT_EQ(messageAfter("18446744073709551615", "many"),
            file + ": seed: expects a number in a string, got \"many\"");
  EXPECT_EQ(messageAfter("7.25", "-7.25"),
            file + ": candidates[0].predictedUs: expects a time of at least 0, "
                   "got -7.25");
  EXPECT_EQ(messageAfter("7.25", "\"inf\""),
            file + ": candidates[0].predictedUs: expects a time of at least 0, "
                   "got \"inf\"");
  EXPECT_EQ(messageAfter("\"candidate-1\"", "\"candidate-0\""),
            file + ": candidates[1].folder: expects each folder once, got "
                   "\"candidate-0\" again");
  EXPECT_EQ(messageAfter("\"candidate-1\"", "\"baseline\""),
            file + ": candidates[1].folder: expects each folder once, got "
                   "\"baseline\" again");
  EXPECT_EQ(messageAfter("\"candidate-1\"", "\"candidate\\n1\""),
            file + ": candidates[1].folder: expects a name without control "
                   "characters, got \"candidate\\n1\"");
  EXPECT_EQ(messageAfter(bundle.candidates[0].hash, "0123"),
            getPath("candidate-0") +
                ": expects the artifact with hash 0123 of bundle.json, got " +
                bundle.candidates[0].hash);
  write("candidate-1/manifest.json", "another");
  auto changed = readBundle(folder);
  ASSERT_FALSE(static_cast<bool>(changed));
  EXPECT_NE(llvm::toString(changed.takeError())
                .find("candidate-1: expects the artifact with hash"),
            std::string::npos);
  EXPECT_EQ(messageAfter("{", "[").find(file + ": expects JSON, got ["), 0u);
}

static MeasuredTime makeTime() {
  MeasuredTime time;
  time.program = "5f0c";
  time.artifact = "93a1";
  time.graph = "07d2";
  time.device = "NVIDIA H200";
  time.computeCapability = 90;
  time.driverVersion = 13000;
  time.usesLibrary = true;
  time.hotUs = {7, 7.5, 8};
  time.coldUs = {9, 9.25, 10};
  return time;
}

TEST_F(BundleTest, TimesThatAreWrittenAreRead) {
  MeasuredTime hung = makeTime();
  hung.verdict = MeasuredVerdict::Hung;
  hung.reason = "kernel k: nothing";
  hung.isBaseline = true;
  ASSERT_FALSE(writeMeasuredTimes(getPath(kTimesFile), {makeTime(), hung}));
  auto times = llvm::cantFail(readMeasuredTimes(getPath(kTimesFile), "5f0c"));
  ASSERT_EQ(times.size(), 2u);
  EXPECT_EQ(times[0].device, "NVIDIA H200");
  EXPECT_EQ(times[0].graph, "07d2");
  EXPECT_EQ(times[0].computeCapability, 90);
  EXPECT_EQ(times[0].driverVersion, 13000);
  EXPECT_TRUE(times[0].usesLibrary);
  EXPECT_EQ(times[0].coldUs.median, 9.25);
  EXPECT_EQ(times[0].hotUs.high, 8);
  EXPECT_EQ(times[1].verdict, MeasuredVerdict::Hung);
  EXPECT_EQ(times[1].reason, "kernel k: nothing");
  EXPECT_TRUE(times[1].isBaseline);
}

TEST_F(BundleTest, TimesThatAreNoneAreRefused) {
  std::string line = llvm::formatv("{0}\n", toJSON(makeTime())).str();
  std::string path = getPath(kTimesFile);
  auto after = [&](llvm::StringRef from, llvm::StringRef to) {
    std::string changed = line;
    size_t at = changed.find(from);
    EXPECT_NE(at, std::string::npos) << from.str();
    return messageOfTimes(line + changed.replace(at, from.size(), to.str()));
  };
  EXPECT_EQ(messageOfTimes(line), "");
  EXPECT_EQ(messageOfTimes(line + std::string(3, '\0'))
                .find(path + ":2: expects JSON, got "),
            0u);
  EXPECT_EQ(messageOfTimes(line, "77"),
            path + ":1: program: expects times of the program with hash 77, "
                   "got one of 5f0c");
  EXPECT_EQ(after("9.25", "0"),
            path + ":2: coldUs.median: expects a time above 0, got 0");
  EXPECT_EQ(after("9.25", "11"),
            path + ":2: coldUs: expects low <= median <= high, got 9.00, 11.00 "
                   "and 10.00");
  EXPECT_EQ(after("\"right\"", "\"fine\""),
            path + ":2: verdict: expects right, wrong, failed, died or hung, "
                   "got \"fine\"");
  EXPECT_EQ(after("mirage-time", "mirage-tame"),
            path + ":2: format: expects \"mirage-time\", got \"mirage-tame\"");
  EXPECT_EQ(after("\"hotUs\"", "\"hotMs\"").find(path + ":2: "), 0u);
  EXPECT_EQ(after("{", "(").find(path + ":2: expects JSON, got "), 0u);
}

TEST(ProgramHash, WhoWritesOutComposedOperatorsHasTheSame) {
  TensorSpec type{{8, 16}, ElementType::F32};
  Graph composed;
  ValueId x = composed.addInput(type, "X");
  Attributes attributes;
  attributes.dims = {1};
  composed.addOutput(composed.add(Opcode::Softmax, {x}, type, attributes));
  Graph writtenOut = expandComposed(composed);
  ASSERT_GT(writtenOut.getNodes().size(), composed.getNodes().size());
  EXPECT_EQ(hashProgram(composed), hashProgram(writtenOut));
  Graph other;
  ValueId y = other.addInput(type, "X");
  other.addOutput(other.add(Opcode::Exp, {y}, type));
  EXPECT_NE(hashProgram(composed), hashProgram(other));
}

TEST(Quartiles, HalfOfTheSamplesLieBetween) {
  Quartiles us = getQuartiles({9, 1, 5, 3, 7, 2, 8, 4});
  EXPECT_EQ(us.low, 3);
  EXPECT_EQ(us.median, 5);
  EXPECT_EQ(us.high, 8);
  EXPECT_EQ(us.getSpread(), 1);
  EXPECT_EQ(getQuartiles({4}).getSpread(), 0);
}
