//===- JoinTimesTest.cpp - What it takes to join blocks -------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Search/CostModel.h"
#include "gtest/gtest.h"

using namespace mlir::mirage;
using namespace mlir::mirage::search;

namespace {
/// What becomes of the parts that blocks along y compute.
enum class Use {
  Stored,         ///< as they are
  Joined,         ///< in one block of those along y
  DividesOwn,     ///< in all, with what each block computed before
  DividesOperand, ///< in all, with what each block can load again
};
} // namespace

static Target getH200() { return llvm::cantFail(getTarget("sm_90a")); }

/// Of exp(X), tiles of 64x64, with these sums over y.
static KernelTime predict(int64_t tiles, int64_t parts, Use use,
                          const Target &target = getH200()) {
  auto f32 = [](Shape shape) { return TensorSpec{shape, ElementType::F32}; };
  TileGraph kernel;
  kernel.grid = {tiles, parts};
  kernel.threads = 256;
  ValueId x = kernel.addInput(f32({64, 64}));
  kernel.tileInputs = {{{0, 1}, kReplicated}};
  ValueId part = kernel.add(Opcode::Exp, {x}, f32({64, 64}));
  bool isJoined = use == Use::Joined;
  if (use == Use::Stored) {
    kernel.addOutput(part);
  } else {
    Attributes overY;
    overY.axis = Axis::Y;
    ValueId sum = kernel.add(Opcode::Accumulate, {part}, f32({64, 64}), overY);
    ValueId divided = use == Use::DividesOwn ? part : x;
    kernel.addOutput(
        isJoined ? sum
                 : kernel.add(Opcode::Div, {divided, sum}, f32({64, 64})));
  }
  kernel.tileOutputs = {{{0, isJoined ? kReplicated : 1}}};
  return AnalyticCostModel(target).predictKernel(
      kernel, {f32({64 * tiles, 64 * parts})},
      {f32({64 * tiles, isJoined ? 64 : 64 * parts})});
}

static double getUs(int64_t tiles, int64_t parts, Use use,
                    const Target &target = getH200()) {
  return predict(tiles, parts, use, target).getUs();
}

/// Of 22 tiles and of 33 each is cut into 4 pieces, and read and added up so: 6
/// pieces of the 22, for which there are SMs, are not cut.
TEST(JoinTimes, WhatIsAddedUpIsWhatPiecesRead) {
  Target target = getH200();
  constexpr int64_t kParts = 16, kPartBytes = 64 * 64 * 4;
  auto getJoinUs = [](int64_t tiles) {
    return predict(tiles, kParts, Use::Joined).joinUs;
  };
  // Of 11 tiles more parts are written and read once.
  EXPECT_NEAR(getJoinUs(33) - getJoinUs(22),
              2 * 11 * kParts * kPartBytes / target.cacheBytesPerUs, 1e-9);
}

/// An SM for each half of 66 tiles' parts, and for each of 67 tiles one.
TEST(JoinTimes, PiecesHaveAnSMEach) {
  Target target = getH200();
  constexpr int64_t kParts = 16, kPartBytes = 64 * 64 * 4;
  double wholeUs = kParts * kPartBytes / target.loadBytesPerUsSM;
  EXPECT_GT(getUs(67, kParts, Use::Joined) - getUs(66, kParts, Use::Joined),
            wholeUs / 3);
}

/// It is written, and read again behind the barrier.
TEST(JoinTimes, WhatBlocksLeaveForThemselvesPassesMemory) {
  EXPECT_GT(getUs(16, 8, Use::DividesOwn), getUs(16, 8, Use::DividesOperand));
}

/// 64 MiB of parts pass device memory, unless L2 is as large.
TEST(JoinTimes, PartsThatDoNotFitInL2PassDeviceMemory) {
  Target large = getH200();
  large.cacheBytes = int64_t(1) << 30;
  auto getGain = [&](Use use) {
    return getUs(64, 64, use) - getUs(64, 64, use, large);
  };
  EXPECT_GT(getGain(Use::Joined), getGain(Use::Stored) + 10);
}
