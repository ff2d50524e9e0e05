//===- RandomStatementTest.cpp - Instructions that nobody thought of ------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sample, with a fixed seed, of what the fuzzer of PTX makes up
// (test/Fuzz/RandomStatement.h): with a sanitizer it shows what goes astray.
//
//===----------------------------------------------------------------------===//

#include "../../Fuzz/RandomStatement.h"
#include "TestSupport.h"

using namespace mlir::mirage;
using namespace mlir::mirage::emulator;
using mlir::mirage::fuzz::RandomEngine;
using mlir::mirage::fuzz::StatementMaker;

namespace {

/// A kernel of statements that use the registers and labels which the maker
/// knows.
std::string makeKernel(const std::vector<std::string> &statements,
                       const std::string &target = "sm_90a") {
  std::string text = ".version 8.8\n.target " + target +
                     "\n.address_size 64\n"
                     ".extern .shared .align 16 .b8 smem[];\n"
                     ".visible .entry k(.param .u64 p0, .param .u64 p1, "
                     ".param .align 64 .b8 map[128])\n{\n"
                     ".reg .pred %p<8>;\n.reg .b16 %h<8>;\n.reg .b32 %r<8>;\n"
                     ".reg .b64 %rd<8>;\n.reg .b128 %q<8>;\n"
                     "$T: .branchtargets $L0, $L1, $L2, $L3;\n"
                     "ld.param.b64 %rd0, [p0];\nld.param.b64 %rd1, [p1];\n"
                     "mov.b64 %rd2, map;\ncvta.param.u64 %rd2, %rd2;\n"
                     "mov.b32 %r0, smem;\nmov.u32 %r1, %tid.x;\n"
                     "setp.lt.u32 %p0, %r1, 5;\n$L0:\n$L1:\n";
  for (const std::string &statement : statements)
    text += statement + "\n";
  return text + "$L2:\n$L3:\nret;\n}\n";
}

bool parses(const std::string &text) {
  llvm::Expected<std::unique_ptr<Module>> module = parsePTX(text, "random.ptx");
  if (!module)
    llvm::consumeError(module.takeError());
  return static_cast<bool>(module);
}

/// Findings are to be expected, and a message about a launch is not.
void launchKernel(const std::string &text, Checks checks,
                  AsyncDelivery delivery) {
  std::unique_ptr<Module> module = parseOrFail(text);
  ASSERT_TRUE(module);
  std::vector<uint32_t> given(128, 0x3f800000), out(128);
  LaunchConfig config = blocksOf(136, 2, 2048);
  config.checks = checks;
  config.asyncDelivery = delivery;
  config.stepLimitPerBlock = 2000;
  config.kernel = "k";
  config.buffers = {bufferOf("given", given, BufferKind::InOut),
                    bufferOf("out", out, BufferKind::Output)};
  TensorMap map{2, {8, 8}, {16}, {8, 8}, Swizzle::None};
  config.arguments = {Argument::pointer(0), Argument::pointer(1),
                      Argument::tensorMap(0, map)};
  launchOrFail(*module, config);
}

/// A row of which no statement parses has operands that the maker does not
/// know.
TEST(RandomStatement, OfEachRowSomeParse) {
  RandomEngine random(1);
  StatementMaker maker;
  for (const Row *row : maker.getRows()) {
    bool isKnown = false;
    for (unsigned turn = 0; turn < 200 && !isKnown; ++turn) {
      std::string statement = maker.make(random, *row);
      isKnown = parses(makeKernel({statement})) ||
                parses(makeKernel({statement}, "sm_100"));
    }
    EXPECT_TRUE(isKnown) << row->form << " " << row->operands;
  }
}

TEST(RandomStatement, MostParseAndAllRun) {
  RandomEngine random(1);
  StatementMaker maker;
  unsigned made = 0, good = 0;
  for (unsigned kernel = 0; kernel < 60; ++kernel) {
    std::vector<std::string> statements;
    while (statements.size() < 25) {
      ++made;
      std::string statement = maker.make(random);
      if (!parses(makeKernel({statement})))
        continue;
      ++good;
      statements.push_back(statement);
    }
    std::string text = makeKernel(statements);
    launchKernel(text, Checks::All, AsyncDelivery::WhenWaitedFor);
    launchKernel(text, Checks::None, AsyncDelivery::AtOnce);
  }
  EXPECT_GT(good, made * 3 / 4) << "the maker no longer knows the operands of "
                                   "many instructions";
}

} // namespace
