//===- ParserTest.cpp - Errors in PTX text --------------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestSupport.h"

using namespace mlir::mirage::emulator;

namespace {

void expectError(const std::string &body, const std::string &message) {
  std::string errors = parseErrors(kernelText(1, body));
  EXPECT_NE(errors.find(message), std::string::npos)
      << "expected: " << message << "\nfound: " << errors;
}

TEST(Parser, UnknownInstruction) {
  expectError("addd.s32 %r1, %r1, %r1;",
              "unknown instruction 'addd.s32'; did you mean 'add'?");
  expectError("frobnicate.b32 %r1;", "unknown instruction 'frobnicate.b32'");
}

/// As ptxas has it.
TEST(Parser, OperandsThatAreConstants) {
  for (const char *statement :
       {"lop3.b32 %r1, %r1, %r1, %r1, %r2;", "cp.async.wait_group %r1;",
        "cp.async.bulk.wait_group %r1;", "wgmma.wait_group.sync.aligned %r1;",
        "setmaxnreg.inc.sync.aligned.u32 %r1;", "pmevent %r1;",
        "cp.async.ca.shared.global [%r1], [%rd1], %r1;"})
    expectError(statement, "expected a constant");
  EXPECT_EQ(parseErrors(kernelText(
                1, "lop3.b32 %r1, %r1, %r1, %r1, WARP_SZ;\nnanosleep.u32 %r1;\n"
                   "prmt.b32 %r1, %r1, %r1, %r2;")),
            "(no error)");
}

TEST(Parser, UnknownModifierNamesTheNearestForm) {
  expectError(
      "fma.rn.foo.f32 %r1, %r1, %r1, %r1;",
      "unexpected '.foo' in 'fma.rn.foo.f32'; the nearest known form is "
      "'fma.rn|rz|rm|rp[.ftz][.sat].f32'");
  expectError("add %r1, %r1, %r1;", "missing modifier or type in 'add'");
}

TEST(Parser, LocationsPointAtThePlace) {
  std::string text = ".version 8.6\n.target sm_90a\n.visible .entry k()\n{\n"
                     ".reg .b32 %r<4>;\n  add.s32 %r1, %r2, %q7;\n"
                     "  add.rn.bad.f32 %r1, %r2, %r3;\n}\n";
  EXPECT_EQ(parseErrors(text).find(
                "test.ptx:6:21: error: expected a declared register, found "
                "'%q7'\ntest.ptx:7:9: error: unexpected '.bad'"),
            0u)
      << parseErrors(text);
}

TEST(Parser, RegisterWidths) {
  expectError("add.s32 %r1, %rd1, %r2;", "expected a 32-bit register, found "
                                         "'%rd1', a 64-bit register");
  expectError("add.s32 %r1, %p1, %r2;", "expected a 32-bit register, found "
                                        "'%p1', a predicate register");
  expectError("and.pred %p1, %r1, %p2;", "expected a predicate register");
  expectError("ld.global.b32 %h1, [%a0];", "expected a 32-bit register");
  expectError("add.s32 %r1, %r999, %r2;", "expected a declared register");
  expectError("@%r1 bra END;\nEND:\n", "expected a predicate, found '%r1'");
}

TEST(Parser, Operands) {
  expectError("add.s32 %r1, %r2;", "expected 3 operands of 'add.s32', found 2");
  expectError("add.s32 %r1, %r2, %r3, %r4;", "expected 3 operands");
  expectError("ld.global.v4.b32 {%r1, %r2}, [%a0];",
              "expected 4 registers, found 2");
  expectError("ld.global.b32 %r1, %rd1;", "expected an address in brackets");
  expectError("ld.global.b32 %r1, [nothing];",
              "expected a register or a variable, found 'nothing'");
  expectError("bra NOWHERE;", "expected a label of this function, found "
                              "'NOWHERE'");
  expectError("add.s32 5, %r1, %r2;", "expected a register for the result");
}

/// Each level takes stack.
TEST(Parser, OperandsNestedTooDeep) {
  for (std::string open : {"(", "{", "[", "%r1|"}) {
    std::string nested;
    for (unsigned i = 0; i < 100000; ++i)
      nested += open;
    expectError("mov.b32 %r1, " + nested,
                "expected operands nested at most 8 deep, found more");
  }
}

/// Products of extents passed 2^64, and what did not was allocated.
TEST(Parser, VariablesTooLarge) {
  expectError(".shared .b8 x[2147483648][2147483648][2147483648];",
              "expected an array of at most 2^31 elements, found more");
  expectError(".local .b8 x[524289];",
              "expected at most 524288 bytes of local variables of a thread in "
              "'k', found 524289");
  expectError(".shared .b64 x[2147483648];",
              "expected at most 1073741824 bytes of shared variables in 'k', "
              "found 17179869184");
  std::string head = ".version 8.6\n.target sm_90a\n";
  EXPECT_NE(parseErrors(head + ".global .b8 x[200000000];\n"
                               ".global .b8 y[200000000];\n")
                .find("expected at most 256 MiB of .global variables, found "
                      "400000000 bytes up to 'y'"),
            std::string::npos);
  EXPECT_EQ(parseErrors(head + ".const .b8 x[65535];\n.const .b8 y[1];\n"),
            "(no error)");
  EXPECT_NE(parseErrors(head + ".const .b8 x[65535];\n.const .b8 y[2];\n")
                .find("expected at most 64 KiB of .const variables, found "
                      "65537 bytes up to 'y'"),
            std::string::npos);
  EXPECT_NE(
      parseErrors(head + ".entry k(.param .b8 x[30000], .param .b64 "
                         "y[400]) { ret; }\n")
          .find("expected at most 32764 bytes of parameters in 'k', found "
                "33200"),
      std::string::npos);
}

TEST(Parser, ThreadCountsOutOfRange) {
  for (std::string count : {"0", "4294967296"})
    EXPECT_NE(parseErrors(".version 8.6\n.target sm_90a\n.entry k() .reqntid " +
                          count + " { ret; }\n")
                  .find("test.ptx:3:21: error: expected a number from 1 to "
                        "2147483647, found " +
                        count),
              std::string::npos);
}

/// Other widths read past the register's place.
TEST(Parser, SpecialRegistersWhereTheyDoNotFit) {
  expectError(".reg .b128 %q<2>;\nmov.b128 %q1, %tid.x;",
              "expected a 128-bit register, found '%tid.x'");
  expectError("selp.b32 %r1, 1, 2, %laneid;",
              "expected a predicate register, found '%laneid'");
  expectError("mov.u16 %h1, %clock;",
              "expected a 16-bit register, found '%clock'");
  expectError("st.global.b32 [%a0], %clock;",
              "expected a mov to read '%clock'");
}

/// A mask of 32 bits says which of an access's bytes are used.
TEST(Parser, VectorsOfTooManyBytes) {
  expectError(
      ".reg .b128 %q<4>;\n"
      "ld.global.v4.b128 {%q0, %q1, %q2, %q3}, [%a0];",
      "no such combination of modifiers and types: 'ld.global.v4.b128'");
}

TEST(Parser, BranchListsTooLong) {
  std::string labels = "END";
  for (unsigned i = 0; i < 32768; ++i)
    labels += ", END";
  expectError("T: .branchtargets " + labels + ";\nbrx.idx %r1, T;\nEND:\n",
              "expected a list of at most 32768 labels, found 32769");
}

TEST(Parser, NamesAreDeclaredOncePerScope) {
  auto errors = [](const std::string &text) {
    return parseErrors(".version 8.6\n.target sm_90a\n" + text);
  };
  auto inBody = [&](const std::string &body) {
    return errors(".entry k(.param .b64 p)\n{\n" + body + "ret;\n}\n");
  };
  EXPECT_EQ(inBody(".reg .b32 a;\n.reg .b64 a;\n"),
            "test.ptx:6:11: error: 'a' is declared twice, first at line 5");
  EXPECT_EQ(
      inBody(".reg .b32 %r<9>;\n.reg .b64 %r<4>;\n"),
      "test.ptx:6:11: error: '%r<...>' is declared twice, first at line 5");
  EXPECT_EQ(inBody(".reg .b32 %r<9>;\n.reg .b64 %r8;\n"),
            "test.ptx:6:11: error: '%r8' is declared twice, first at line 5");
  EXPECT_EQ(inBody(".reg .b32 %r8;\n.reg .b64 %r<9>;\n"),
            "test.ptx:6:11: error: '%r8' is declared twice, first at line 5");
  EXPECT_EQ(inBody("L:\nL:\n"),
            "test.ptx:6:1: error: 'L' is declared twice, first at line 5");
  EXPECT_EQ(inBody("T: .branchtargets L;\nL:\n.reg .b32 T;\n"),
            "test.ptx:7:11: error: 'T' is declared twice, first at line 5");
  EXPECT_EQ(inBody(".shared .b8 p[8];\n"),
            "test.ptx:5:13: error: 'p' is declared twice, first at line 3");
  EXPECT_EQ(errors(".entry k(.param .b64 p,\n.param .b32 p)\n{\nret;\n}\n"),
            "test.ptx:4:13: error: 'p' is declared twice, first at line 3");
  EXPECT_EQ(errors(".entry k()\n{\nret;\n}\n.entry k()\n{\nret;\n}\n"),
            "test.ptx:7:8: error: 'k' is declared twice, first at line 3");
  EXPECT_EQ(errors(".shared .b8 s[8];\n.shared .b8 s[8];\n"),
            "test.ptx:4:13: error: 's' is declared twice, first at line 3");
  EXPECT_EQ(inBody(".reg .b32 a;\n{\n.reg .b64 a;\nL:\n}\n.reg .b32 %r<9>;\n"
                   ".reg .b64 %r9;\nL:\n"),
            "(no error)");
}

/// What is behind it is not read, and so nothing more is said.
TEST(Parser, OneErrorOfWhatHidesTheRest) {
  EXPECT_EQ(parseErrors(kernelText(0, "/* add.s32 %r1, %r1, %r1;")),
            "test.ptx:14:1: error: expected '*/' to end this comment, found "
            "the end of the file");
  EXPECT_EQ(parseErrors(".version 8.6\n.target sm_90a\n.entry a() .reqntid 0\n"
                        "{\n.reg .b32 %r1;\nmov.b32 %r1, 0;\nret;\n}\n"
                        ".entry b() .pragma \"x\"; .reqntid 0\n{\nret;\n}\n"),
            "test.ptx:3:21: error: expected a number from 1 to 2147483647, "
            "found 0\ntest.ptx:9:34: error: expected a number from 1 to "
            "2147483647, found 0");
}

TEST(Parser, CallsToUnknownFunctions) {
  expectError("call.uni (retval0), llvm.nvvm.tanh.approx.f16, (param0);",
              "found 'llvm.nvvm.tanh.approx.f16'");
}

TEST(Parser, TruncatedText) {
  std::string text = kernelText(1, "add.s32 %r1, %r1, %r1;");
  for (size_t length = 0; length < text.size() - 3; ++length) {
    std::string part = text.substr(0, length);
    // What ends outside of a kernel may be a file without one.
    std::string errors = parseErrors(part);
    if (part.find('{') != std::string::npos)
      EXPECT_NE(errors, "(no error)") << part;
  }
}

/// Damaged files give errors, never a crash.
TEST(Parser, DamagedText) {
  std::string text = kernelText(2, R"(
    .shared .align 16 .b8 tile[64];
    ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%a0+16];
    setp.lt.s32 %p1|%p2, %r1, 0x1F;
    @!%p1 bra $L1;
    fma.rn.f32 %r1, %r2, 0f3F800000, %r3;
$L1:
    mov.b32 {%h1, %h2}, %r1;
    st.shared.b16 [tile+2], %h1;
    bar.sync 0;
  )");
  parseOrFail(text);
  const std::string pieces[] = {"{",
                                "}",
                                ";",
                                "%r1",
                                "[",
                                "]",
                                ",",
                                "|",
                                "@",
                                ".",
                                "<",
                                "\"",
                                "/*",
                                ":",
                                "-",
                                "!",
                                "0f",
                                "(",
                                "99999999999999999999"};
  unsigned state = 12345;
  auto random = [&](unsigned below) {
    state = state * 1664525 + 1013904223;
    return (state >> 8) % below;
  };
  for (unsigned trial = 0; trial < 4000; ++trial) {
    std::string damaged = text;
    for (unsigned edit = 0; edit <= random(3); ++edit) {
      size_t place = random(damaged.size());
      switch (random(3)) {
      case 0:
        damaged.erase(place, 1 + random(8));
        break;
      case 1:
        damaged.insert(place, pieces[random(std::size(pieces))]);
        break;
      default:
        damaged.insert(place, damaged.substr(random(damaged.size()), 10));
      }
    }
    llvm::Expected<std::unique_ptr<Module>> module =
        parsePTX(damaged, "damaged.ptx");
    if (!module)
      EXPECT_NE(llvm::toString(module.takeError()).find("damaged.ptx:"),
                std::string::npos);
  }
}

TEST(Parser, AtMostTwentyErrors) {
  std::string body;
  for (unsigned i = 0; i < 100; ++i)
    body += "bad.b32 %r1;\n";
  std::string errors = parseErrors(kernelText(1, body));
  EXPECT_EQ(std::count(errors.begin(), errors.end(), '\n'), 19);
}

TEST(Parser, EmptyAndForeignFiles) {
  EXPECT_NE(parseErrors("").find("found an empty file"), std::string::npos);
  EXPECT_NE(parseErrors("// nothing\n"), "(no error)");
  EXPECT_NE(parseErrors("module { func.func @f() }"), "(no error)");
  EXPECT_NE(parseErrors(std::string("\x7f"
                                    "ELF\0\1\2",
                                    7)),
            "(no error)");
}

TEST(Parser, KernelInformation) {
  std::unique_ptr<Module> module = parseOrFail(R"(
.version 8.6
.target sm_90a, debug
.address_size 64
.extern .shared .align 1024 .b8 smem[];
.visible .entry first(.param .u64 .ptr .global .align 16 a, .param .u8 flag,
  .param .align 2 .b8 half[2], .param .align 16 .b8 vector[16])
.maxntid 128, 2
.minnctapersm 2
{
  .reg .b32 %r<2>;
  .reg .b64 %rd<2>;
  .shared .align 8 .b8 own[24];
  mov.b64 %rd1, smem;
  mov.b64 %rd1, own;
  ret;
}
.entry second() .reqntid 32 { ret; }
  .section .debug_macinfo { .b8 0 }
)");
  ASSERT_TRUE(module);
  ASSERT_EQ(module->kernels().size(), 2u);
  const KernelInfo &first = module->kernels()[0];
  EXPECT_EQ(first.name, "first");
  EXPECT_EQ(first.minBlocks, 2u);
  ASSERT_EQ(first.parameters.size(), 4u);
  EXPECT_TRUE(first.parameters[0].isPointer);
  EXPECT_EQ(first.parameters[1].offsetBytes, 8u);
  EXPECT_EQ(first.parameters[2].offsetBytes, 10u);
  EXPECT_EQ(first.parameters[3].offsetBytes, 16u);
  EXPECT_EQ(first.parameterBytes, 32u);
  EXPECT_EQ(first.staticSharedBytes, 1024u) << "dynamic memory is aligned";
  EXPECT_TRUE(first.usesDynamicShared);
  EXPECT_EQ(first.maxThreads, (std::array<uint32_t, 3>{128, 2, 1}));
  EXPECT_EQ(module->findKernel("second")->requiredThreads[0], 32u);
  EXPECT_EQ(module->findKernel("third"), nullptr);
}

TEST(Launch, ContradictionsAreErrors) {
  std::unique_ptr<Module> module = parseOrFail(
      ".version 8.6\n.target sm_90a\n.entry k(.param .u32 n) .maxntid 64 "
      "{ ret; }\n");
  auto messageOf = [&](LaunchConfig config) {
    llvm::Expected<LaunchResult> result = launch(*module, config);
    return result ? std::string("(no error)")
                  : llvm::toString(result.takeError());
  };
  LaunchConfig good;
  good.kernel = "k";
  good.block = {64, 1, 1};
  good.arguments = {Argument::scalar(uint32_t(1))};
  EXPECT_EQ(messageOf(good), "(no error)");
  LaunchConfig bad = good;
  bad.kernel = "other";
  EXPECT_NE(messageOf(bad).find("found 'other'"), std::string::npos);
  bad = good;
  bad.block = {65, 1, 1};
  EXPECT_NE(messageOf(bad).find("at most 64 threads"), std::string::npos);
  bad = good;
  bad.grid = {1, 70000, 1};
  EXPECT_NE(messageOf(bad).find("along grid axis 1"), std::string::npos);
  bad = good;
  bad.arguments = {};
  EXPECT_NE(messageOf(bad).find("expects 1 arguments, got 0"),
            std::string::npos);
  bad.arguments = {Argument::scalar(uint64_t(1))};
  EXPECT_NE(messageOf(bad).find("expects 4 bytes, got 8"), std::string::npos);
  bad = good;
  bad.dynamicSharedBytes = 300000;
  EXPECT_NE(messageOf(bad).find("shared memory"), std::string::npos);
}

} // namespace
