//===- ClusterTest.cpp - Blocks that start together -----------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestSupport.h"

using namespace mlir::mirage::emulator;

namespace {

const std::string arrive = "barrier.cluster.arrive.aligned;\n";
const std::string wait = "barrier.cluster.wait.aligned;\n";

struct ClusterRun {
  LaunchResult result;
  std::vector<uint32_t> parts, sums;
};

/// Each thread of each block writes its number; `between` is what stands before
/// the first block of each cluster adds what the others wrote. 64 threads,
/// clusters of 4 blocks along x.
ClusterRun runSums(const std::string &between, LaunchConfig config = {}) {
  std::string body = R"(
    .reg .b32 %c<8>;
    mov.u32 %c0, %ctaid.x;
    mad.lo.s32 %c1, %c0, 64, %tid;
    mad.wide.u32 %rd1, %c1, 4, %a0;
    st.global.b32 [%rd1], %c1;
  )" + between + R"(
    mov.u32 %c2, %cluster_ctarank;
    setp.ne.b32 %p1, %c2, 0;
    @%p1 bra END;
    ld.global.b32 %r2, [%rd1+256];
    ld.global.b32 %r3, [%rd1+512];
    ld.global.b32 %r4, [%rd1+768];
    add.s32 %r5, %c1, %r2;
    add.s32 %r5, %r5, %r3;
    add.s32 %r5, %r5, %r4;
    mov.u32 %c3, %clusterid.x;
    mad.lo.s32 %c3, %c3, 64, %tid;
    mad.wide.u32 %rd2, %c3, 4, %a1;
    st.global.b32 [%rd2], %r5;
END:
  )";
  std::unique_ptr<Module> module = parseOrFail(kernelText(2, body));
  ClusterRun run;
  run.parts.resize(12 * 64);
  run.sums.resize(3 * 64);
  config.grid = {12, 1, 1};
  config.block = {64, 1, 1};
  config.cluster = {4, 1, 1};
  run.result = mlir::mirage::emulator::run(
      *module,
      {bufferOf("parts", run.parts, BufferKind::Workspace),
       bufferOf("sums", run.sums, BufferKind::Output)},
      config);
  return run;
}

/// What runSums is found guilty of.
void expectFault(const std::string &between, FindingKind kind,
                 llvm::StringRef message = "") {
  ClusterRun run = runSums(between);
  EXPECT_TRUE(hasFinding(run.result, kind))
      << findingKindName(kind).str() << " in:\n"
      << between << "\nfound: " << findingsText(run.result);
  EXPECT_NE(findingsText(run.result).find(message), std::string::npos)
      << findingsText(run.result);
}

TEST(Cluster, BarrierShowsWhatOthersWrote) {
  for (unsigned threads : {1, 2, 5}) {
    LaunchConfig config;
    config.threads = threads;
    ClusterRun run = runSums(arrive + wait, config);
    EXPECT_EQ(findingsText(run.result), "");
    EXPECT_FALSE(run.result.blocksCommunicate);
    for (unsigned cluster = 0; cluster < 3; ++cluster)
      for (unsigned thread = 0; thread < 64; ++thread) {
        unsigned first = cluster * 256 + thread;
        EXPECT_EQ(run.sums[cluster * 64 + thread], 4 * first + 384);
      }
  }
}

/// It may be used again, and what was arrived at may be waited for later.
TEST(Cluster, PhasesFollowOneAnother) {
  ClusterRun twice = runSums(arrive + wait + arrive + wait);
  EXPECT_EQ(findingsText(twice.result), "");
  EXPECT_EQ(twice.sums[64], 4 * 256u + 384);
  EXPECT_EQ(
      findingsText(
          runSums("barrier.cluster.arrive.release;\nadd.s32 %r1, %r1, 1;\n"
                  "barrier.cluster.wait.acquire;\n")
              .result),
      "");
}

TEST(Cluster, NothingIsOrderedWithoutTheBarrier) {
  expectFault("", FindingKind::UninitializedRead);
  expectFault("bar.sync 0;\n", FindingKind::UninitializedRead);
  expectFault("barrier.cluster.arrive.relaxed.aligned;\n" + wait,
              FindingKind::GlobalRace);
}

/// Lanes of one warp may come one after the other, unless it says `.aligned`.
TEST(Cluster, LanesMayComeApart) {
  auto apart = [](const std::string &how) {
    return "setp.lt.u32 %p2, %tid, 7;\n@%p2 bra FEW;\n"
           "barrier.cluster.arrive" +
           how + ";\nbarrier.cluster.wait" + how +
           ";\nbra MET;\nFEW:\nbarrier.cluster.arrive" + how +
           ";\nbarrier.cluster.wait" + how + ";\nMET:\n";
  };
  EXPECT_EQ(findingsText(runSums(apart("")).result), "");
  expectFault(apart(".aligned"), FindingKind::DivergentAligned);
}

/// Threads that have ended are not waited for.
TEST(Cluster, EndedThreadsCountAsArrived) {
  ClusterRun run = runSums("mov.u32 %c4, %cluster_ctaid.x;\n"
                           "setp.eq.b32 %p2, %c4, 3;\n@%p2 ret;\n" +
                           arrive + wait);
  // Block 3 ended; nobody says that what it wrote is there.
  EXPECT_TRUE(run.result.completed);
  EXPECT_TRUE(hasFinding(run.result, FindingKind::GlobalRace))
      << findingsText(run.result);
}

/// Also those that have arrived before, which do not count twice.
TEST(Cluster, ThreadsThatArriveAndEnd) {
  ClusterRun run = runSums(arrive +
                           "mov.u32 %c4, %cluster_ctarank;\n"
                           "setp.ne.b32 %p2, %c4, 0;\n@%p2 ret;\n" +
                           wait);
  EXPECT_EQ(findingsText(run.result), "");
  EXPECT_EQ(run.sums[0], 384u);
  EXPECT_EQ(run.sums[128 + 63], 4 * (512u + 63) + 384);
}

/// Lanes that end later than others of their warp arrive.
TEST(Cluster, LanesThatEndLate) {
  ClusterRun run = runSums("and.b32 %c4, %tid, 31;\n"
                           "setp.lt.u32 %p2, %c4, 16;\n@%p2 bra MEET;\n"
                           "mov.b32 %c5, 0;\nSPIN:\nadd.s32 %c5, %c5, 1;\n"
                           "setp.lt.u32 %p3, %c5, 3000;\n@%p3 bra SPIN;\n"
                           "ret;\nMEET:\nbarrier.cluster.arrive;\n"
                           "barrier.cluster.wait;\n");
  EXPECT_TRUE(run.result.completed) << findingsText(run.result);
  EXPECT_FALSE(hasFinding(run.result, FindingKind::Deadlock))
      << findingsText(run.result);
}

TEST(Cluster, MisuseIsReported) {
  expectFault(wait, FindingKind::BarrierMisuse, "has not arrived");
  expectFault(arrive + arrive + wait, FindingKind::BarrierMisuse,
              "has not waited since it did before");
}

TEST(Cluster, BlocksThatNeverCome) {
  expectFault("mov.u32 %c4, %cluster_ctarank;\nsetp.eq.b32 %p2, %c4, 1;\n"
              "@%p2 bar.sync 1, 96;\n" +
                  arrive + wait,
              FindingKind::BarrierMisuse);
  expectFault("mov.u32 %c4, %cluster_ctarank;\nsetp.eq.b32 %p2, %c4, 1;\n"
              "setp.lt.and.u32 %p2, %tid, 32, %p2;\n@%p2 bar.sync 1, 64;\n" +
                  arrive + wait,
              FindingKind::Deadlock,
              "waits at the barrier of its cluster, where 224 of 256 threads "
              "have arrived");
}

/// Blocks of two clusters are no more ordered than any.
TEST(Cluster, ClustersRaceWithOneAnother) {
  ClusterRun run = runSums("st.global.b32 [%a0], %tid;\n" + arrive + wait);
  EXPECT_TRUE(hasFinding(run.result, FindingKind::GlobalRace));
  run = runSums(arrive + wait +
                "setp.eq.b32 %p2, %c0, 11;\n@%p2 st.global.b32 [%a0], %tid;\n");
  EXPECT_NE(findingsText(run.result).find("blocks number 0 and 8"),
            std::string::npos)
      << findingsText(run.result);
}

/// A counter that blocks of several clusters share, and clusters of which not
/// all are there.
TEST(Cluster, CountersBesideClusters) {
  auto count = [](const char *blocks) {
    return std::string("setp.ne.b32 %p2, %tid, 0;\n@%p2 bra MEET;\n"
                       "red.release.gpu.global.add.u32 [%a1], 1;\nPOLL:\n"
                       "ld.acquire.gpu.global.b32 %r1, [%a1];\n"
                       "setp.lt.u32 %p3, %r1, ") +
           blocks + ";\n@%p3 bra POLL;\nMEET:\nbar.sync 0;\n";
  };
  std::unique_ptr<Module> module =
      parseOrFail(kernelText(2, arrive + wait + count("12")));
  std::vector<uint32_t> unused(1), counter(1);
  LaunchConfig config;
  config.grid = {12, 1, 1};
  config.block = {64, 1, 1};
  config.cluster = {4, 1, 1};
  config.dynamicSharedBytes = 200 * 1024;
  auto runOn = [&](uint32_t numSMs) {
    counter[0] = 0;
    config.numSMs = numSMs;
    return run(*module,
               {bufferOf("unused", unused, BufferKind::InOut),
                bufferOf("counter", counter, BufferKind::InOut)},
               config);
  };
  LaunchResult result = runOn(12);
  EXPECT_EQ(findingsText(result), "");
  EXPECT_TRUE(result.blocksCommunicate);
  result = runOn(11); // two clusters fit
  EXPECT_NE(findingsText(result).find(
                "8 blocks fill the device and wait; 4 of the grid were not"),
            std::string::npos)
      << findingsText(result);
}

TEST(Cluster, CoordinatesOfThreeAxes) {
  const char *registers[] = {
      "%clusterid.x",      "%clusterid.y",      "%clusterid.z",
      "%nclusterid.x",     "%nclusterid.y",     "%nclusterid.z",
      "%cluster_ctaid.x",  "%cluster_ctaid.y",  "%cluster_ctaid.z",
      "%cluster_nctaid.x", "%cluster_nctaid.y", "%cluster_nctaid.z",
      "%cluster_ctarank",  "%cluster_nctarank"};
  std::string body = "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ctaid.y;\n"
                     "mov.u32 %r3, %ctaid.z;\nmad.lo.s32 %r2, %r3, 2, %r2;\n"
                     "mad.lo.s32 %r1, %r2, 6, %r1;\n"
                     "mad.wide.u32 %rd1, %r1, 56, %a0;\n";
  for (auto [index, name] : llvm::enumerate(registers))
    body += "mov.u32 %r5, " + std::string(name) + ";\nst.global.b32 [%rd1+" +
            std::to_string(4 * index) + "], %r5;\n";
  std::unique_ptr<Module> module = parseOrFail(kernelText(1, body));
  std::vector<uint32_t> out(6 * 2 * 4 * 14);
  LaunchConfig config;
  config.grid = {6, 2, 4};
  config.cluster = {3, 1, 2};
  LaunchResult result =
      run(*module, {bufferOf("out", out, BufferKind::Output)}, config);
  EXPECT_EQ(findingsText(result), "");
  for (uint32_t z = 0; z < 4; ++z)
    for (uint32_t y = 0; y < 2; ++y)
      for (uint32_t x = 0; x < 6; ++x) {
        const uint32_t *own = &out[((z * 2 + y) * 6 + x) * 14];
        std::vector<uint32_t> expected = {x / 3,
                                          y,
                                          z / 2,
                                          2,
                                          2,
                                          2,
                                          x % 3,
                                          0,
                                          z % 2,
                                          3,
                                          1,
                                          2,
                                          x % 3 + 3 * (z % 2),
                                          6};
        EXPECT_EQ(std::vector<uint32_t>(own, own + 14), expected);
      }
}

TEST(Cluster, WhetherALaunchNamesOne) {
  std::string text = kernelText(1, "mov.pred %p1, %is_explicit_cluster;\n"
                                   "selp.b32 %r1, 7, 3, %p1;\n"
                                   "st.global.b32 [%a0], %r1;\n");
  auto findValue = [](const std::string &text, uint32_t cluster) {
    std::unique_ptr<Module> module = parseOrFail(text);
    std::vector<uint32_t> out(1);
    LaunchConfig config;
    config.grid = config.cluster = {cluster, 1, 1};
    LaunchResult result =
        run(*module, {bufferOf("out", out, BufferKind::Output)}, config);
    return out[0];
  };
  EXPECT_EQ(findValue(text, 1), 3u);
  EXPECT_EQ(findValue(text, 2), 7u);
  text.insert(text.find("\n{"), "\n.explicitcluster\n.reqnctapercluster 1");
  EXPECT_EQ(findValue(text, 1), 7u);
  EXPECT_NE(parseErrors(kernelText(0, "mov.u32 %r1, %is_explicit_cluster;\n"))
                .find("expected a 32-bit register"),
            std::string::npos);
}

/// The error of a launch.
std::string launchError(const std::string &directives, LaunchConfig config) {
  std::string text = kernelText(0, "");
  text.insert(text.find("\n{"), directives);
  std::unique_ptr<Module> module = parseOrFail(text);
  config.kernel = "k";
  llvm::Expected<LaunchResult> result = launch(*module, config);
  return result ? "" : llvm::toString(result.takeError());
}

TEST(Cluster, WrongClustersAreRefused) {
  LaunchConfig config;
  config.grid = {34, 1, 1};
  config.cluster = {4, 1, 1};
  EXPECT_EQ(launchError("", config),
            "kernel 'k': expects clusters that divide the 34 blocks along grid "
            "axis 0, got 4");
  config.cluster = {17, 1, 1};
  EXPECT_EQ(launchError("", config),
            "kernel 'k': expects at most 16 blocks in a cluster, got 17");
  const std::string required = "\n.explicitcluster\n.reqnctapercluster 2, 1, 1";
  config.cluster = {1, 1, 1};
  EXPECT_EQ(launchError(required, config),
            "kernel 'k': expects clusters of 2 x 1 x 1 blocks "
            "(.reqnctapercluster), got 1 x 1 x 1");
  config.cluster = {2, 1, 1};
  EXPECT_EQ(launchError(required, config), "");
}

} // namespace
