//===- MeasurerTest.cpp - Tests of races between artifacts ----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Workers are real processes of mirage-run, on a driver that is played
// (test/lib/FakeCuda), which finds the faults that are planted by the names of
// kernels: each entrant has its own.
//
//===----------------------------------------------------------------------===//

#include "Mirage/Artifact/Bundle.h"
#include "Mirage/Runtime/ArtifactRace.h"
#include "TwoKernels.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <cstdlib>

using namespace mlir::mirage;

/// What makeTwoKernels gives, with "_NAME" behind the names of its kernels.
static Artifact makeNamed(const std::string &name) {
  Artifact artifact = makeTwoKernels();
  for (KernelLaunch &launch : artifact.launches) {
    std::string renamed = launch.kernel + "_" + name;
    for (size_t at = artifact.ptx.find(launch.kernel); at != std::string::npos;
         at = artifact.ptx.find(launch.kernel, at + renamed.size()))
      artifact.ptx.replace(at, launch.kernel.size(), renamed);
    launch.kernel = renamed;
  }
  return artifact;
}

namespace {
class MeasurerTest : public testing::Test {
protected:
  void SetUp() override {
    setenv("LD_LIBRARY_PATH", MIRAGE_FAKE_CUDA "/driver", 1);
    unsetenv("FAKE_CUDA");
    unsetenv("TMPDIR");
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("measurer", folder));
    // To see whether workers leave anything behind.
    setenv("TMPDIR", getPath("tmp").c_str(), 1);
    ASSERT_FALSE(llvm::sys::fs::create_directory(getPath("tmp")));
    options.worker = MIRAGE_RUN;
    options.rounds = 3;
    options.replaysPerRound = 8;
    options.runsPerReplay = 4;
  }

  void TearDown() override {
    std::error_code code;
    llvm::sys::fs::directory_iterator left(getPath("tmp"), code), end;
    EXPECT_EQ(left, end) << "a temporary folder is left";
    llvm::sys::fs::remove_directories(folder);
  }

  std::string getPath(llvm::StringRef name) const {
    llvm::SmallString<128> path(folder);
    llvm::sys::path::append(path, name);
    return path.str().str();
  }

  void add(const std::string &name, const Artifact &artifact,
           bool isBaseline = false) {
    ASSERT_FALSE(writeArtifact(artifact, getPath(name)));
    entrants.push_back({name, getPath(name), LibraryUse::Never, isBaseline});
  }

  void addThree() {
    add("base", makeNamed("base"), /*isBaseline=*/true);
    add("one", makeNamed("one"));
    add("two", makeNamed("two"));
  }

  Measurements race(const char *faults = "") {
    setenv("FAKE_CUDA", faults, 1);
    auto measured = Measurer(entrants, options).run();
    EXPECT_TRUE(static_cast<bool>(measured))
        << (measured ? "" : llvm::toString(measured.takeError()));
    return measured ? std::move(*measured) : Measurements();
  }

  std::string messageOf(const char *faults = "") {
    setenv("FAKE_CUDA", faults, 1);
    auto measured = Measurer(entrants, options).run();
    return measured ? "" : llvm::toString(measured.takeError());
  }

  void write(llvm::StringRef name, llvm::StringRef text) {
    std::error_code code;
    llvm::raw_fd_ostream(getPath(name), code) << text;
    ASSERT_FALSE(code);
  }

  /// Makes a shell script the worker.
  void setWorker(llvm::StringRef script) {
    options.worker = getPath("worker");
    write("worker", ("#!/bin/sh\n" + script).str());
    ASSERT_FALSE(
        llvm::sys::fs::setPermissions(options.worker, llvm::sys::fs::all_all));
  }

  /// Noise in the first 16 times of processes, as in FakeState.h.
  std::string playNoise(llvm::StringRef lines) {
    write("noise", lines);
    return "noise=16,noise-from=" + getPath("noise");
  }

  llvm::SmallString<128> folder;
  std::vector<Entrant> entrants;
  MeasurerOptions options;
};
} // namespace

TEST_F(MeasurerTest, TheFastestIsFirst) {
  addThree();
  Measurements measured = race("slow=roots_one:3");
  EXPECT_EQ(measured.deviceName, "fake device");
  EXPECT_EQ(measured.computeCapability, 90);
  EXPECT_EQ(measured.driverVersion, 13000);
  // Base and two take the same time.
  EXPECT_EQ(measured.ranking, (std::vector<unsigned>{0, 2, 1}));
  for (const EntrantResult &result : measured.results) {
    EXPECT_EQ(result.verdict, MeasuredVerdict::Right) << result.reason;
    EXPECT_FALSE(result.isNoisy);
    EXPECT_EQ(result.repeats, 0u);
    EXPECT_LT(result.relativeError, 1e-6);
    EXPECT_EQ(result.times->tensorBytes, 2 * 910 * 4);
  }
  double one = measured.results[1].times->coldUs.median;
  double two = measured.results[2].times->coldUs.median;
  EXPECT_NEAR(one / two, 2, 0.1); // one of two equal kernels is 3 times slower
}

TEST_F(MeasurerTest, WhoDiesIsReplaced) {
  addThree();
  Measurements measured = race("die=roots_one");
  EXPECT_EQ(measured.ranking, (std::vector<unsigned>{0, 2}));
  EXPECT_EQ(measured.results[1].verdict, MeasuredVerdict::Died);
  EXPECT_EQ(measured.results[1].reason,
            "kernel roots_one: the process ended: Killed");
  EXPECT_FALSE(measured.results[1].times);
}

/// A limit that a process needs longer than to start.
TEST_F(MeasurerTest, WhoHangsIsStopped) {
  options.timeoutS = 0.5;
  setWorker("sleep 0.7\nexec " MIRAGE_RUN " \"$@\"\n");
  addThree();
  Measurements measured = race("hang=squares_two");
  EXPECT_EQ(measured.ranking, (std::vector<unsigned>{0, 1}));
  EXPECT_EQ(measured.results[2].verdict, MeasuredVerdict::Hung);
  EXPECT_EQ(measured.results[2].reason,
            "kernel squares_two: expects a sign within 0.50 s, got none");
}

TEST_F(MeasurerTest, WhoIsWrongHasNoTime) {
  addThree();
  Measurements measured = race("garbage=roots_two");
  EXPECT_EQ(measured.ranking, (std::vector<unsigned>{0, 1}));
  EXPECT_EQ(measured.results[2].verdict, MeasuredVerdict::Wrong);
  EXPECT_EQ(measured.results[2].reason.find("output Y: wrong: "), 0u)
      << measured.results[2].reason;
}

/// Right alone, and wrong when it runs again.
TEST_F(MeasurerTest, WhoIsWrongLaterHasNoTime) {
  addThree();
  Measurements measured = race("late-garbage=roots_one");
  EXPECT_EQ(measured.ranking, (std::vector<unsigned>{0, 2}));
  EXPECT_EQ(measured.results[1].verdict, MeasuredVerdict::Wrong);
  EXPECT_EQ(
      measured.results[1].reason.find("output Y after it was timed: wrong: "),
      0u)
      << measured.results[1].reason;
}

TEST_F(MeasurerTest, ErrorsOfTheDriverAreReasons) {
  addThree();
  Measurements measured = race("fault=roots_one");
  EXPECT_EQ(measured.ranking, (std::vector<unsigned>{0, 2}));
  EXPECT_EQ(measured.results[1].verdict, MeasuredVerdict::Failed);
  EXPECT_EQ(measured.results[1].reason,
            "kernel roots_one failed: CUDA_ERROR_ILLEGAL_ADDRESS: an illegal "
            "memory access was encountered");
  measured = race("registers=squares_base:600");
  EXPECT_EQ(measured.ranking, (std::vector<unsigned>{1, 2}));
  EXPECT_EQ(measured.results[0].reason,
            "kernel squares_base needs 76800 registers for blocks of 128 "
            "threads, the device has 65536");
}

TEST_F(MeasurerTest, WhoFailsInCompanyIsTimedAlone) {
  addThree();
  Artifact large = makeNamed("large");
  large.workspaceBytes = 1 << 20;
  add("large", large);
  // Enough for its workspace and three copies of the tensors, 1070416 bytes,
  // and not for the workspaces of the others besides.
  Measurements measured = race("memory=1075000");
  EXPECT_EQ(measured.results[3].verdict, MeasuredVerdict::Right)
      << measured.results[3].reason;
  EXPECT_EQ(measured.ranking, (std::vector<unsigned>{0, 1, 2, 3}));
  // Enough for one run of it.
  measured = race("memory=1060000");
  EXPECT_EQ(measured.results[3].verdict, MeasuredVerdict::Failed);
  EXPECT_NE(measured.results[3].reason.find(" bytes of device memory, "),
            std::string::npos)
      << measured.results[3].reason;
  EXPECT_EQ(measured.ranking, (std::vector<unsigned>{0, 1, 2}));
}

/// A worker that ends in the middle of timing is replaced.
TEST_F(MeasurerTest, WhoDiesWhileTimedDoesNotStopTheRest) {
  addThree();
  Measurements measured = race("late-die=roots_one");
  EXPECT_EQ(measured.results[1].verdict, MeasuredVerdict::Died);
  EXPECT_EQ(measured.results[1].reason, "timing: the process ended: Killed");
  EXPECT_EQ(measured.ranking, (std::vector<unsigned>{0, 2}));
}

TEST_F(MeasurerTest, NoisyTimesAreTakenAgain) {
  options.rounds = 1;
  addThree();
  // The hot and cold times of the baseline, which is first.
  Measurements measured = race("noise=16");
  EXPECT_EQ(measured.results[0].repeats, options.maxRepeats);
  EXPECT_TRUE(measured.results[0].isNoisy);
  EXPECT_EQ(measured.results[1].repeats, 0u);
  measured = race(playNoise("5\n").c_str());
  EXPECT_EQ(measured.results[0].repeats, 1u);
  EXPECT_FALSE(measured.results[0].isNoisy);
  EXPECT_EQ(measured.results[0].times->hotUs.getSpread(), 0);
}

/// Whether they were taken first or last.
TEST_F(MeasurerTest, OfNoisyTimesThoseCloserTogetherCount) {
  options.rounds = 1;
  options.maxRepeats = 1;
  addThree();
  double quietUs = race().results[0].times->coldUs.median;
  for (llvm::StringRef noise : {"3\n9\n", "9\n3\n"}) {
    EntrantResult base = race(playNoise(noise).c_str()).results[0];
    EXPECT_TRUE(base.isNoisy);
    EXPECT_EQ(base.repeats, 1u);
    EXPECT_NEAR(base.times->coldUs.median / quietUs, 3, 0.01);
  }
}

/// Each line would have been taken for the worker's, and the last one, which
/// does not end, for a part of it.
TEST_F(MeasurerTest, WhatProgramsPrintIsNotTheWorkers) {
  addThree();
  write("lines", "\n{\"begin\": 4000000, \"step\": \"printed\"}\n"
                 "{\"failed\": 0, \"reason\": \"printed\"}\n"
                 "{\"times\": 0, \"hotUs\": [1], \"coldUs\": [1]}\n"
                 "{\"error\": \"printed\"}\n{\"done\": true}\nx = 1, ");
  std::string print = "print=roots_one:" + getPath("lines");
  Measurements measured = race(print.c_str());
  EXPECT_EQ(measured.ranking, (std::vector<unsigned>{0, 1, 2}));
  EXPECT_EQ(measured.results[0].times->coldUs.median,
            measured.results[1].times->coldUs.median);
  // And it is said what was printed last, before it died.
  measured = race((print + ",late-die=roots_one").c_str());
  EXPECT_EQ(measured.results[1].verdict, MeasuredVerdict::Died);
  EXPECT_EQ(measured.results[1].reason,
            "timing: the process ended: Killed, after: x = 1,");
}

/// They would be places far outside of the list of results.
TEST_F(MeasurerTest, ProgramsOutsideOfTheJobAreNobodys) {
  addThree();
  for (llvm::StringRef line :
       {"{\"begin\": 4000000}", "{\"begin\": -1}", "{\"begin\": 1}"}) {
    setWorker(("echo '{\"device\": \"d\"}'\necho '" + line +
               "'\necho '{\"failed\": 4000000}'\nexit 3\n")
                  .str());
    EXPECT_EQ(messageOf(), options.worker +
                               ": expects a worker that says what it does, got "
                               "its end: exit status 3");
  }
}

TEST_F(MeasurerTest, WorkersThatSayNothingAreStopped) {
  addThree();
  setWorker("exec sleep 100\n");
  options.timeoutS = 0.01;
  options.startTimeoutS = 0.1;
  EXPECT_EQ(messageOf(), options.worker +
                             ": expects a worker that says what it does, got "
                             "nothing");
}

TEST_F(MeasurerTest, WhatCannotBeMeasuredIsSaid) {
  EXPECT_EQ(messageOf(), "expects an artifact to measure, got none");
  addThree();
  EXPECT_EQ(messageOf("devices=0"),
            "the CUDA driver cannot start: CUDA_ERROR_NO_DEVICE: no "
            "CUDA-capable device is detected");
  options.ordinal = 3;
  EXPECT_EQ(messageOf(), "expects a CUDA device with number 3, got 1 devices");
  options.ordinal = 0;
  options.rounds = 0;
  EXPECT_EQ(messageOf(),
            "expects at least one round, replay and run, got 0, 8 and 4");
  options.rounds = 1;
  options.worker = getPath("nobody");
  EXPECT_EQ(
      messageOf().find(getPath("nobody") + ": cannot be started as a worker"),
      0u);
  options.worker = "/bin/true";
  EXPECT_EQ(messageOf(), "/bin/true: expects a worker that says what it does, "
                         "got its end");
}

TEST_F(MeasurerTest, EntrantsAreOfOneProgram) {
  addThree();
  Artifact other = makeNamed("other");
  TensorSpec type{{7, 130}, ElementType::F32};
  other.program = Graph();
  ValueId x = other.program.addInput(type, "X");
  other.program.addOutput(other.program.add(Opcode::Exp, {x}, type));
  add("other", other);
  EXPECT_EQ(messageOf(), getPath("other") + ": expects the program of " +
                             getPath("base") + ", got another");
  entrants.pop_back();
  Artifact strided = makeNamed("strided");
  strided.outputs[0].strides = {136, 1};
  add("strided", strided);
  EXPECT_EQ(messageOf(), getPath("strided") +
                             ": expects the shape and strides of output Y "
                             "of " +
                             getPath("base") + ", got another");
}

/// From a bundle to the times in it.
TEST_F(MeasurerTest, ABundleRaces) {
  addThree();
  Bundle bundle;
  bundle.program = hashProgram(makeTwoKernels().program);
  bundle.target = makeTwoKernels().target;
  auto makeEntry = [&](const std::string &name, const std::string &graph) {
    return BundleEntry{name, llvm::cantFail(getArtifactHash(getPath(name))),
                       graph, /*predictedUs=*/1};
  };
  bundle.baseline = makeEntry("base", "");
  bundle.candidates = {makeEntry("one", "07d2"), makeEntry("two", "0a11")};
  ASSERT_FALSE(writeBundle(bundle, folder));
  RaceOptions racing;
  racing.path = folder.str();
  racing.measurer = options;
  setenv("FAKE_CUDA", "garbage=roots_one,version=12080", 1);
  RaceResult result = llvm::cantFail(runRace(racing));
  EXPECT_TRUE(result.isAnyRight());
  auto times = llvm::cantFail(readMeasuredTimes(getPath(kTimesFile)));
  ASSERT_EQ(times.size(), 3u);
  EXPECT_TRUE(times[0].isBaseline);
  EXPECT_EQ(times[0].program, bundle.program);
  EXPECT_EQ(times[1].verdict, MeasuredVerdict::Wrong);
  EXPECT_EQ(times[2].graph, "0a11");
  EXPECT_EQ(times[2].driverVersion, 12080);
  EXPECT_EQ(times[2].artifact, bundle.candidates[1].hash);
  EXPECT_EQ(times[2].coldUs.median, result.times[2].coldUs.median);
  // Times that cannot be kept are not taken: the driver is not even opened.
  ASSERT_FALSE(llvm::sys::fs::remove(getPath(kTimesFile)));
  ASSERT_FALSE(llvm::sys::fs::create_directory(getPath(kTimesFile)));
  setenv("FAKE_CUDA", "devices=0", 1);
  auto refused = runRace(racing);
  EXPECT_FALSE(static_cast<bool>(refused));
  EXPECT_EQ(llvm::toString(refused.takeError()),
            getPath(kTimesFile) + ": cannot be written: Is a directory");
  setenv("FAKE_CUDA", "garbage=roots_one", 1);
  // Of two artifacts, only the baseline is right.
  racing.path = getPath("one");
  racing.baseline = getPath("two");
  result = llvm::cantFail(runRace(racing));
  EXPECT_EQ(result.entrants[0].name, "baseline " + getPath("two"));
  EXPECT_FALSE(result.isAnyRight());
  // A bundle of another program.
  bundle.program = "5f0c";
  ASSERT_FALSE(writeBundle(bundle, folder));
  racing.path = folder.str();
  auto field = collectEntrants(racing);
  EXPECT_FALSE(static_cast<bool>(field));
  EXPECT_EQ(llvm::toString(field.takeError())
                .find(getPath("base") + ": expects the program with hash 5f0c "
                                        "of bundle.json, got "),
            0u);
}

/// With the library and without, or as it is asked for.
TEST_F(MeasurerTest, ArtifactsWithCallsTakePartTwice) {
  addThree();
  Artifact matmul;
  matmul.target = "sm_90a";
  TensorSpec type{{16, 16}, ElementType::F16};
  ValueId x = matmul.program.addInput(type, "X");
  ValueId w = matmul.program.addInput(type, "W");
  matmul.program.addOutput(matmul.program.add(Opcode::Matmul, {x, w}, type));
  matmul.inputs = {ArtifactTensor::makeRowMajor("X", type),
                   ArtifactTensor::makeRowMajor("W", type)};
  matmul.outputs = {ArtifactTensor::makeRowMajor("Y", type)};
  matmul.ptx = ".version 8.6\n.target sm_90a\n.visible .entry nothing(\n"
               ".param .u64 a, .param .u64 b, .param .u64 c)\n{\nret;\n}\n";
  KernelLaunch launch;
  launch.kernel = "nothing";
  launch.arguments = {{BufferRole::Input, 0, 0},
                      {BufferRole::Input, 1, 0},
                      {BufferRole::Output, 0, 0}};
  PlacedTensor placed = PlacedTensor::makeRowMajor(type);
  launch.libraryMatmul =
      findLibraryMatmul(placed, placed, placed, F32Products::Exact);
  matmul.launches = {launch};
  add("matmul", matmul);
  RaceOptions racing;
  racing.path = getPath("matmul");
  racing.baseline = getPath("one");
  auto listUses = [&](LibraryUse use) {
    racing.library = use;
    std::vector<LibraryUse> uses;
    for (const Entrant &entrant :
         llvm::cantFail(collectEntrants(racing)).entrants)
      uses.push_back(entrant.library);
    return uses;
  };
  using Uses = std::vector<LibraryUse>;
  constexpr LibraryUse never = LibraryUse::Never, always = LibraryUse::Always;
  EXPECT_EQ(listUses(LibraryUse::Auto), (Uses{never, always, never}));
  EXPECT_EQ(listUses(never), (Uses{never, never}));
  EXPECT_EQ(listUses(always), (Uses{never, always}));
}
