//===- KernelDump.cpp - Kernels of tests, for a GPU to run ----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelDump.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

#include <map>

using namespace mlir::mirage;
using namespace mlir::mirage::emulator;
using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

/// The folder; null if nothing is to be written.
static const char *getFolder() { return std::getenv("MIRAGE_DUMP_KERNELS"); }

static std::string describeBytes(const Buffer &buffer) {
  auto *data = static_cast<const uint8_t *>(buffer.data);
  return llvm::toHex(llvm::ArrayRef(data, buffer.sizeBytes));
}

static std::vector<std::string> describeBuffers(const LaunchConfig &config) {
  std::vector<std::string> buffers;
  for (const Buffer &buffer : config.buffers)
    buffers.push_back(describeBytes(buffer));
  return buffers;
}

template <typename Range>
static Array toArray(const Range &numbers) {
  Array array;
  for (auto number : numbers)
    array.push_back(static_cast<int64_t>(number));
  return array;
}

static Value describeArgument(const Argument &argument) {
  if (!argument.namesBuffer())
    return Object{{"bytes", llvm::toHex(argument.value())}};
  Object object{{"buffer", argument.bufferIndex()},
                {"offsetBytes", argument.offsetBytes()}};
  if (argument.isTensorMap()) {
    const TensorMap &map = argument.getTensorMap();
    object["tensorMap"] =
        Object{{"elementBytes", map.elementBytes},
               {"sizes", toArray(map.sizes)},
               {"strideBytes", toArray(map.strideBytes)},
               {"box", toArray(map.box)},
               {"swizzle", static_cast<int64_t>(map.swizzle)}};
  }
  return object;
}

/// Suite.Test, and which of its kernels it is.
static std::string getName() {
  static std::map<std::string, unsigned> numbers;
  const testing::TestInfo *test =
      testing::UnitTest::GetInstance()->current_test_info();
  std::string name = std::string(test->test_suite_name()) + "." + test->name();
  for (char &c : name)
    if (c == '/')
      c = '.';
  return name + "-" + std::to_string(numbers[name]++);
}

KernelDump::KernelDump(llvm::StringRef ptx, const LaunchConfig &config)
    : ptx(ptx), config(config) {
  if (getFolder())
    before = describeBuffers(config);
}

void KernelDump::write(const LaunchResult &result) const {
  // One schedule stands for all.
  if (!getFolder() || config.scheduleSeed != 0 ||
      config.asyncDelivery != AsyncDelivery::WhenWaitedFor)
    return;
  Array arguments, findings, buffers;
  for (const Argument &argument : config.arguments)
    arguments.push_back(describeArgument(argument));
  for (const Finding &finding : result.findings)
    findings.push_back(Object{{"kind", findingKindName(finding.kind)},
                              {"text", finding.str()}});
  for (auto [old, now] : llvm::zip_equal(before, describeBuffers(config)))
    buffers.push_back(Object{{"before", old}, {"after", now}});
  std::error_code error;
  llvm::raw_fd_ostream os(std::string(getFolder()) + "/" + getName() + ".json",
                          error);
  if (error) {
    ADD_FAILURE() << getFolder() << ": " << error.message();
    return;
  }
  os << Value(Object{{"ptx", ptx},
                     {"kernel", config.kernel},
                     {"grid", toArray(config.grid)},
                     {"block", toArray(config.block)},
                     {"cluster", toArray(config.cluster)},
                     {"dynamicSharedBytes", config.dynamicSharedBytes},
                     {"arguments", std::move(arguments)},
                     {"buffers", std::move(buffers)},
                     {"findings", std::move(findings)},
                     {"completed", result.completed}});
}
