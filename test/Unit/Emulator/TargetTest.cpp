//===- TargetTest.cpp - What a target and a version have ------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestSupport.h"

#include "OpcodeTable.h"
#include "Target.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir::mirage::emulator;

namespace {

/// The errors of a kernel with this body.
std::string errorsFor(const std::string &target, const std::string &version,
                      const std::string &body) {
  return parseErrors(".version " + version + "\n.target " + target +
                     "\n.entry k(.param .u64 p)\n{\n.reg .pred %p<4>;\n"
                     ".reg .b16 %h<4>;\n.reg .b32 %r<8>;\n.reg .b64 %rd<8>;\n" +
                     body + "\nret;\n}\n");
}

TEST(Target, InstructionsThatATargetDoesNotHave) {
  struct {
    std::string body, target, less, message;
  } cases[] = {
      {"wgmma.fence.sync.aligned;", "sm_90a", "sm_80",
       "expected .target sm_90a for 'wgmma.fence.sync.aligned'"},
      {"wgmma.wait_group.sync.aligned 0;", "sm_90a", "sm_90",
       "expected .target sm_90a for 'wgmma.wait_group.sync.aligned'"},
      {"wgmma.commit_group.sync.aligned;", "sm_90a", "sm_100a",
       "expected .target sm_90a for 'wgmma.commit_group.sync.aligned'"},
      {"setmaxnreg.dec.sync.aligned.u32 24;", "sm_100f", "sm_90",
       "expected .target sm_90a or a later one with a or f for "
       "'setmaxnreg.dec.sync.aligned.u32'"},
      {"mbarrier.try_wait.parity.shared.b64 %p1, [%r1], 0;", "sm_90", "sm_80",
       "expected .target sm_90 or later for '.try_wait' in "
       "'mbarrier.try_wait.parity.shared.b64'"},
      {"mbarrier.test_wait.parity.acquire.cluster.shared.b64 %p1, [%r1], 0;",
       "sm_90", "sm_89",
       "expected .target sm_90 or later for '.cluster' in "
       "'mbarrier.test_wait.parity.acquire.cluster.shared.b64'"},
      {"cp.async.bulk.wait_group 0;", "sm_90", "sm_80",
       "expected .target sm_90 or later for 'cp.async.bulk.wait_group'"},
      {"cp.async.ca.shared.global [%r1], [%rd1], 16;", "sm_80", "sm_75",
       "expected .target sm_80 or later for 'cp.async.ca.shared.global'"},
      {"fma.rn.bf16 %h1, %h1, %h1, %h1;", "sm_80", "sm_75",
       "expected .target sm_80 or later for '.bf16' in 'fma.rn.bf16'"},
      {"add.bf16 %h1, %h1, %h1;", "sm_90", "sm_80",
       "expected .target sm_90 or later for '.bf16' in 'add.bf16'"},
      {"ld.global.v4.b64 {%rd1, %rd2, %rd3, %rd4}, [%rd5];", "sm_100", "sm_90a",
       "expected .target sm_100 or later for '.b64' in 'ld.global.v4.b64'"},
      {"mov.u32 %r1, %cluster_ctarank;", "sm_90", "sm_80",
       "expected .target sm_90 or later for '%cluster_ctarank'"}};
  for (const auto &one : cases) {
    EXPECT_EQ(errorsFor(one.target, "9.0", one.body), "(no error)");
    EXPECT_EQ(errorsFor(one.less, "9.0", one.body).find("test.ptx:9:"), 0u);
    EXPECT_NE(errorsFor(one.less, "9.0", one.body)
                  .find(one.message + ", found " + one.less),
              std::string::npos)
        << errorsFor(one.less, "9.0", one.body);
  }
}

TEST(Target, InstructionsThatAVersionDoesNotHave) {
  struct {
    std::string body, target, version, less, message;
  } cases[] = {{"elect.sync %r1|%p1, -1;", "sm_90", "8.0", "7.8",
                "expected .version 8.0 or later for 'elect.sync'"},
               {"shfl.sync.idx.b32 %r1, %r2, 0, 31, -1;", "sm_60", "6.0", "5.0",
                "expected .version 6.0 or later for 'shfl.sync.idx.b32'"},
               {"mov.b32 %r1, 0;\nst.shared::cta.b32 [%r1], %r1;", "sm_80",
                "7.8", "7.7",
                "expected .version 7.8 or later for '.shared::cta' in "
                "'st.shared::cta.b32'"}};
  for (const auto &one : cases) {
    EXPECT_EQ(errorsFor(one.target, one.version, one.body), "(no error)");
    EXPECT_NE(errorsFor(one.target, one.less, one.body)
                  .find(one.message + ", found " + one.less),
              std::string::npos)
        << errorsFor(one.target, one.less, one.body);
  }
}

TEST(Target, ClustersOfAKernel) {
  for (std::string word : {".reqnctapercluster 2", ".explicitcluster"}) {
    auto errors = [&](const std::string &target) {
      return parseErrors(".version 8.6\n.target " + target + "\n.entry k() " +
                         word + " { ret; }\n");
    };
    EXPECT_EQ(errors("sm_90"), "(no error)");
    EXPECT_EQ(errors("sm_89").find("test.ptx:3:12: error: expected .target "
                                   "sm_90 or later for '."),
              0u);
  }
}

/// The error of a launch of a kernel that does nothing.
std::string launchError(const std::string &target, LaunchConfig config) {
  std::unique_ptr<Module> module = parseOrFail(
      ".version 9.0\n.target " + target + "\n.entry k() { ret; }\n");
  config.kernel = "k";
  llvm::Expected<LaunchResult> result = launch(*module, config);
  return result ? "" : llvm::toString(result.takeError());
}

TEST(Target, SharedMemoryOfABlock) {
  for (auto [target, kiB] : {std::pair("sm_62", 48),
                             {"sm_75", 64},
                             {"sm_80", 163},
                             {"sm_86", 99},
                             {"sm_87", 163},
                             {"sm_89", 99},
                             {"sm_90a", 227},
                             {"sm_103", 227},
                             {"sm_121", 99}}) {
    LaunchConfig config;
    config.dynamicSharedBytes = kiB * 1024;
    EXPECT_EQ(launchError(target, config), "");
    ++config.dynamicSharedBytes;
    EXPECT_EQ(launchError(target, config),
              "kernel 'k': expects at most " + std::to_string(kiB * 1024) +
                  " bytes of shared memory on " + target +
                  ", got 0 static and " +
                  std::to_string(config.dynamicSharedBytes) + " dynamic");
  }
}

TEST(Target, LaunchesThatATargetDoesNotHave) {
  LaunchConfig clusters;
  clusters.grid = clusters.cluster = {2, 1, 1};
  EXPECT_EQ(launchError("sm_90", clusters), "");
  EXPECT_EQ(launchError("sm_80", clusters),
            "kernel 'k': expects .target sm_90 or later for a cluster of 2 "
            "blocks, got sm_80");
  LaunchConfig dependent;
  dependent.isDependent = true;
  EXPECT_EQ(launchError("sm_90", dependent), "");
  EXPECT_EQ(launchError("sm_89", dependent),
            "kernel 'k': expects .target sm_90 or later for a dependent "
            "launch, got sm_89");
}

TEST(Target, HeadsThatAreWrong) {
  auto errors = [](const std::string &head) {
    return parseErrors(head + "\n.entry k() { ret; }\n");
  };
  EXPECT_EQ(errors(".version 9.0\n.target sm_121f, debug"), "(no error)");
  for (std::string version : {"8", "8.x", "8.6x", "x"})
    EXPECT_EQ(errors(".version " + version + "\n.target sm_90"),
              "test.ptx:1:10: error: expected a version such as 8.6, found '" +
                  version + "'");
  EXPECT_EQ(errors(".version 9.1\n.target sm_90"),
            "test.ptx:1:10: error: expected a version up to 9.0, the latest "
            "that is known, found 9.1");
  EXPECT_EQ(errors(".version 7.7\n.target sm_90"),
            "test.ptx:2:9: error: expected .version 7.8 or later for .target "
            "sm_90, found 7.7");
  EXPECT_EQ(errors(".version 7.8\n.target sm_90a"),
            "test.ptx:2:9: error: expected .version 8.0 or later for .target "
            "sm_90a, found 7.8");
  EXPECT_EQ(errors(".version 8.6\n.target sm_91"),
            "test.ptx:2:9: error: expected a known target such as sm_90a, "
            "found 'sm_91'");
  EXPECT_EQ(errors(".version 8.6"),
            "test.ptx:2:1: error: expected a .target directive before "
            "'.entry'");
  EXPECT_EQ(errors(".address_size 64"),
            "test.ptx:2:1: error: expected a .version directive before "
            "'.entry'");
}

/// What is misspelled in a row's text would be needed by nobody, or by all.
TEST(Target, NeedsOfRowsAreWellFormed) {
  Target none;
  for (const Row *row : OpcodeTable().getRows())
    for (llvm::StringRef entry :
         llvm::split(llvm::StringRef(row->needs), ';')) {
      auto [pieces, needed] = entry.trim().rsplit(": ");
      if (needed.empty())
        std::swap(pieces, needed);
      for (llvm::StringRef list : llvm::split(pieces, '+'))
        for (llvm::StringRef piece : llvm::split(list, '|'))
          EXPECT_NE(llvm::StringRef(row->form).find(piece),
                    llvm::StringRef::npos)
              << row->form << ": " << piece.str();
      auto [name, version] = needed.split(' ');
      if (entry.empty())
        continue;
      EXPECT_TRUE(parseVersion(version)) << row->needs;
      EXPECT_TRUE(name == "any" || parseTarget(name.rtrim('+'), none))
          << row->needs;
    }
}

} // namespace
