//===- MatmulKernelTest.cpp - A ring of TMA and wgmma ---------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatmulKernel.h"

#include "InstructionSupport.h"
#include "Numbers.h"

using namespace mlir::mirage::emulator;

namespace {

/// Integers of which all sums are exact in f16, and some of which are 0.
std::vector<uint16_t> makeIntegers(size_t count, uint32_t seed) {
  std::vector<uint16_t> halves(count);
  for (uint16_t &half : halves) {
    seed = seed * 1664525 + 1013904223;
    half = floatToHalf(float(int(seed >> 28) % 5 - 2));
  }
  return halves;
}

class MatmulKernelTest : public testing::Test {
protected:
  MatmulKernel kernel{/*m=*/256, /*n=*/512, /*k=*/384};
  std::vector<uint16_t> a = makeIntegers(kernel.m * kernel.k, 1),
                        b = makeIntegers(kernel.n * kernel.k, 2),
                        c = std::vector<uint16_t>(kernel.m * kernel.n);

  LaunchResult launch(const std::string &text, uint64_t schedule = 0) {
    std::unique_ptr<Module> module = parseOrFail(text);
    LaunchConfig config = kernel.configure(a.data(), b.data(), c.data());
    config.scheduleSeed = schedule;
    config.asyncDelivery =
        schedule ? AsyncDelivery::Mixed : AsyncDelivery::WhenWaitedFor;
    return module ? launchOrFail(*module, config) : LaunchResult();
  }
  void expectProduct() {
    for (uint32_t row = 0; row < kernel.m; row += 7)
      for (uint32_t col = 0; col < kernel.n; ++col) {
        float sum = 0;
        for (uint32_t i = 0; i < kernel.k; ++i)
          sum += halfToFloat(a[row * kernel.k + i]) *
                 halfToFloat(b[col * kernel.k + i]);
        ASSERT_EQ(halfToFloat(c[row * kernel.n + col]), sum)
            << row << ", " << col;
      }
  }
  /// The kernel with something else in place of `text`.
  static std::string replace(const std::string &text, const std::string &by) {
    std::string kernel = MatmulKernel::getText();
    size_t place = kernel.find(text);
    EXPECT_NE(place, std::string::npos) << text;
    return kernel.replace(place, text.size(), by);
  }
};

} // namespace

TEST_F(MatmulKernelTest, IsRight) {
  for (uint64_t schedule : {0, 1, 2, 3}) {
    c.assign(c.size(), 0);
    EXPECT_EQ(findingsText(launch(MatmulKernel::getText(), schedule)), "");
    expectProduct();
  }
}

TEST_F(MatmulKernelTest, SlotsThatAreFreedTooEarly) {
  std::string text = replace("wgmma.wait_group.sync.aligned 0;\n", "");
  EXPECT_TRUE(hasFinding(launch(text), FindingKind::SharedRace));
}

TEST_F(MatmulKernelTest, TooFewBytesAnnounced) {
  LaunchResult result = launch(replace("_, [%t1], 49152;", "_, [%t1], 49136;"));
  EXPECT_TRUE(hasFinding(result, FindingKind::MBarrierMisuse));
}

TEST_F(MatmulKernelTest, AProducerThatLapsItsConsumers) {
  std::string text = replace("xor.b32 %parity, %parity, 1;\n", "");
  EXPECT_TRUE(hasFinding(launch(text), FindingKind::Deadlock));
}
