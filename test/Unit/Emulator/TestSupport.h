//===- TestSupport.h - Runs PTX in tests ------------------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TEST_UNIT_EMULATOR_TESTSUPPORT_H
#define MIRAGE_TEST_UNIT_EMULATOR_TESTSUPPORT_H

#include "KernelDump.h"
#include "Mirage/Emulator/Launch.h"
#include "Mirage/Emulator/Parser.h"

#include "gtest/gtest.h"

#include <string>
#include <vector>

namespace mlir::mirage::emulator {

/// The text that this thread parsed last, which it may want to show when it
/// runs it.
inline std::string &lastText() {
  static thread_local std::string text;
  return text;
}

/// The module, or a failed test.
inline std::unique_ptr<Module> parseOrFail(const std::string &text) {
  lastText() = text;
  llvm::Expected<std::unique_ptr<Module>> module = parsePTX(text, "test.ptx");
  if (module)
    return std::move(*module);
  ADD_FAILURE() << llvm::toString(module.takeError());
  return nullptr;
}

/// The errors of a text that must not parse.
inline std::string parseErrors(const std::string &text) {
  llvm::Expected<std::unique_ptr<Module>> module = parsePTX(text, "test.ptx");
  if (module)
    return "(no error)";
  return llvm::toString(module.takeError());
}

/// A file with one kernel `k` of some 64-bit parameters p0, p1, ... that are
/// loaded into %p0.. (as 64-bit registers %a0, %a1, ...), and with %tid.x in
/// %tid. 64 KiB of dynamic shared memory are `smem`.
inline std::string kernelText(unsigned numParameters, const std::string &body,
                              const std::string &declarations = "",
                              const std::string &target = "sm_90a") {
  std::string text = ".version 8.8\n.target " + target +
                     "\n.address_size 64\n"
                     ".extern .shared .align 1024 .b8 smem[];\n";
  text += declarations + ".visible .entry k(";
  for (unsigned i = 0; i < numParameters; ++i)
    text += std::string(i ? ", " : "") + ".param .u64 p" + std::to_string(i);
  text += ")\n{\n.reg .pred %p<20>;\n.reg .b16 %h<20>;\n.reg .b32 %r<60>;\n"
          ".reg .b64 %rd<40>;\n.reg .b32 %tid;\n.reg .b64 %a<8>;\n"
          "mov.u32 %tid, %tid.x;\n";
  for (unsigned i = 0; i < numParameters; ++i)
    text += "ld.param.b64 %a" + std::to_string(i) + ", [p" + std::to_string(i) +
            "];\n";
  return text + body + "\nret;\n}\n";
}

/// A buffer over a vector.
template <typename T>
Buffer bufferOf(std::string name, std::vector<T> &data, BufferKind kind) {
  return {std::move(name), data.data(), data.size() * sizeof(T), kind};
}

/// Runs a kernel of the text that was parsed last, or fails a test.
inline LaunchResult launchOrFail(const Module &module,
                                 const LaunchConfig &config) {
  KernelDump dump(lastText(), config);
  llvm::Expected<LaunchResult> result = launch(module, config);
  if (!result) {
    ADD_FAILURE() << llvm::toString(result.takeError());
    return {};
  }
  dump.write(*result);
  return std::move(*result);
}

/// Runs kernel `k` with one argument per buffer.
inline LaunchResult run(const Module &module, std::vector<Buffer> buffers,
                        LaunchConfig config) {
  config.kernel = "k";
  config.buffers = std::move(buffers);
  for (unsigned i = 0; i < config.buffers.size(); ++i)
    config.arguments.push_back(Argument::pointer(i));
  return launchOrFail(module, config);
}

inline LaunchConfig blocksOf(uint32_t threads, uint32_t grid = 1,
                             uint32_t shared = 65536) {
  LaunchConfig config;
  config.grid = {grid, 1, 1};
  config.block = {threads, 1, 1};
  config.dynamicSharedBytes = shared;
  return config;
}

/// All findings, one per line.
inline std::string findingsText(const LaunchResult &result) {
  std::string text;
  for (const Finding &finding : result.findings)
    text += finding.str() + "\n";
  return text;
}

inline bool hasFinding(const LaunchResult &result, FindingKind kind) {
  for (const Finding &finding : result.findings)
    if (finding.kind == kind)
      return true;
  return false;
}

/// `d = opcode a, b, ...` for many operands, 32 lanes at a time. Operands are
/// of one type, the result of another; a register has as many bits as its type.
template <typename Result, typename Source>
std::vector<Result> runInstruction(
    const std::string &opcode, const std::vector<std::vector<Source>> &operands,
    const std::string &target = "sm_90a", const std::string &constant = "") {
  size_t count = operands[0].size();
  size_t padded = (count + 31) / 32 * 32;
  auto registers = [](size_t bytes) {
    return bytes == 2 ? "h" : bytes == 4 ? "r" : "rd";
  };
  std::string source = registers(sizeof(Source)), arguments;
  std::string body = "mov.u32 %r0, %ctaid.x;\nmad.lo.s32 %r0, %r0, 32, %tid;\n";
  for (size_t i = 0; i < operands.size(); ++i) {
    std::string name = "%" + source + std::to_string(i + 10);
    body += "mad.wide.u32 %rd0, %r0, " + std::to_string(sizeof(Source)) +
            ", %a" + std::to_string(i + 1) + ";\nld.global.b" +
            std::to_string(8 * sizeof(Source)) + " " + name + ", [%rd0];\n";
    arguments += ", " + name;
  }
  if (!constant.empty())
    arguments += ", " + constant;
  std::string result = std::string("%") + registers(sizeof(Result)) + "1";
  body += opcode + " " + result + arguments + ";\nmad.wide.u32 %rd0, %r0, " +
          std::to_string(sizeof(Result)) + ", %a0;\nst.global.b" +
          std::to_string(8 * sizeof(Result)) + " [%rd0], " + result + ";\n";
  std::unique_ptr<Module> module =
      parseOrFail(kernelText(operands.size() + 1, body, "", target));
  std::vector<Result> output(padded);
  if (!module)
    return output;
  std::vector<std::vector<Source>> copies = operands;
  std::vector<Buffer> buffers = {bufferOf("d", output, BufferKind::Output)};
  for (std::vector<Source> &copy : copies) {
    copy.resize(padded, copy.back());
    buffers.push_back(bufferOf("s", copy, BufferKind::Input));
  }
  LaunchConfig config = blocksOf(32, padded / 32);
  LaunchResult launched = run(*module, buffers, config);
  EXPECT_EQ(findingsText(launched), "") << opcode;
  output.resize(count);
  return output;
}

} // namespace mlir::mirage::emulator

#endif // MIRAGE_TEST_UNIT_EMULATOR_TESTSUPPORT_H
