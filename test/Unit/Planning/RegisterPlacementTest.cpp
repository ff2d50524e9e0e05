//===- RegisterPlacementTest.cpp - What warps hold in registers -----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Planning/RegisterPlacement.h"
#include "gtest/gtest.h"
#include <random>

using namespace mlir::mirage;
using llvm::BitVector;

using Problem = RegisterPlacementProblem;

static Problem makeProblem(int64_t mostRegisters,
                           llvm::ArrayRef<HeldCandidate> candidates) {
  Problem problem(HeldRegisters{mostRegisters});
  for (HeldCandidate candidate : candidates)
    problem.add(candidate);
  return problem;
}

/// Of candidates that can be held each by itself.
static RegisterPlacement place(const Problem &problem) {
  return placeInRegisters(problem, [](BitVector &) {});
}

static std::vector<int> list(const BitVector &held) {
  return {held.set_bits_begin(), held.set_bits_end()};
}

/// That of the header.
TEST(RegisterPlacement, TheFirstTwoSaveMost) {
  Problem problem =
      makeProblem(96, {{32, 0, 3, 3072}, {64, 1, 2, 8192}, {16, 1, 4, 1024}});
  RegisterPlacement placement = place(problem);
  EXPECT_EQ(list(placement.held), (std::vector<int>{0, 1}));
  EXPECT_EQ(placement.registers.tiles, 96);
  EXPECT_TRUE(placement.isOptimal);
}

TEST(RegisterPlacement, AllThatFits) {
  Problem problem =
      makeProblem(112, {{32, 0, 3, 3072}, {64, 1, 2, 8192}, {16, 1, 4, 1024}});
  EXPECT_EQ(list(place(problem).held), (std::vector<int>{0, 1, 2}));
}

/// Two small ones are better than a large one that saves more than each.
TEST(RegisterPlacement, TheLargestSavingIsNotAlwaysTaken) {
  Problem problem =
      makeProblem(64, {{64, 0, 2, 100}, {32, 0, 2, 60}, {32, 1, 3, 60}});
  EXPECT_EQ(list(place(problem).held), (std::vector<int>{1, 2}));
}

TEST(RegisterPlacement, RegistersAreFreeAgainBehindTheLastStep) {
  Problem problem = makeProblem(64, {{64, 0, 2, 1}, {64, 2, 4, 1}});
  EXPECT_EQ(list(place(problem).held), (std::vector<int>{0, 1}));
}

/// The sum can only be held with its scale, for which there are no registers
/// beside the other one.
TEST(RegisterPlacement, WhatNeedsAnotherGoesWithIt) {
  Problem problem =
      makeProblem(64, {{32, 0, 4, 50}, {16, 0, 4, 1}, {32, 0, 4, 40}});
  auto settle = [](BitVector &held) {
    if (!held[1])
      held.reset(0);
  };
  RegisterPlacement placement = placeInRegisters(problem, settle);
  EXPECT_EQ(list(placement.held), (std::vector<int>{0, 1}));
  EXPECT_EQ(placement.registers.tiles, 48);
}

/// Where both have the same places, these are there once.
TEST(RegisterPlacement, PlacesCountOnce) {
  HeldCandidate first{20, 0, 2, 2}, second{20, 1, 3, 1};
  first.placeRegisters = second.placeRegisters = 40;
  auto placeBoth = [&](int64_t all) {
    Problem problem(HeldRegisters{64, all});
    problem.add(first);
    problem.add(second);
    RegisterPlacement placement = place(problem);
    EXPECT_FALSE(llvm::errorToBool(verify(problem, placement)));
    return list(placement.held);
  };
  EXPECT_EQ(placeBoth(80), (std::vector<int>{0, 1}));
  EXPECT_EQ(placeBoth(79), (std::vector<int>{0}));
}

TEST(RegisterPlacement, NothingToHold) {
  RegisterPlacement placement = place(Problem(HeldRegisters{10}));
  EXPECT_TRUE(placement.held.none());
  EXPECT_EQ(placement.registers.tiles, 0);
  EXPECT_TRUE(placement.isOptimal);
}

namespace {
struct RandomProblem {
  Problem problem;
  std::vector<int> needs; ///< by candidate: another one, or itself

  explicit RandomProblem(std::mt19937 &random) : problem(drawMost(random)) {
    auto draw = [&](int low, int high) {
      return std::uniform_int_distribution<int>(low, high)(random);
    };
    int count = draw(1, 10);
    for (int number = 0; number < count; ++number) {
      unsigned begin = draw(0, 6);
      problem.add({draw(0, 60), begin, unsigned(begin + draw(1, 6)),
                   draw(1, 1000), draw(0, 60)});
      needs.push_back(draw(0, 2) == 0 ? draw(0, count - 1) : number);
    }
  }

  static HeldRegisters drawMost(std::mt19937 &random) {
    std::uniform_int_distribution<int> tiles(20, 120), all(20, 200);
    return {tiles(random), all(random)};
  }

  void settle(BitVector &held) const {
    for (bool isSettled = false; !isSettled;) {
      isSettled = true;
      for (unsigned number : held.set_bits())
        if (!held[needs[number]]) {
          held.reset(number);
          isSettled = false;
        }
    }
  }

  /// The most that any set saves that can be held.
  int64_t findMostSaved() const {
    unsigned count = problem.getCandidates().size();
    int64_t most = 0;
    for (unsigned bits = 0; bits < 1u << count; ++bits) {
      BitVector held(count, false);
      for (unsigned number = 0; number < count; ++number)
        if (bits >> number & 1)
          held.set(number);
      BitVector settled = held;
      settle(settled);
      if (settled == held && problem.fits(held))
        most = std::max(most, problem.countSavedBytes(held));
    }
    return most;
  }
};
} // namespace

TEST(RegisterPlacement, NoSetOfTwoThousandProblemsSavesMore) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 2000; ++trial) {
    RandomProblem instance(random);
    RegisterPlacement placement = placeInRegisters(
        instance.problem, [&](BitVector &held) { instance.settle(held); });
    EXPECT_FALSE(llvm::errorToBool(verify(instance.problem, placement)));
    BitVector settled = placement.held;
    instance.settle(settled);
    EXPECT_EQ(settled, placement.held);
    EXPECT_EQ(instance.problem.countSavedBytes(placement.held),
              instance.findMostSaved());
    EXPECT_TRUE(placement.isOptimal);
  }
}

TEST(RegisterPlacement, TooManyRegistersAreRefused) {
  Problem problem = makeProblem(64, {{40, 0, 2, 1}, {40, 1, 3, 1}});
  RegisterPlacement placement{BitVector(2, true), {80, 80}, false};
  EXPECT_EQ(llvm::toString(verify(problem, placement)),
            "expects at most 64 registers in step 1, got 80");
  placement.held.reset(1);
  EXPECT_EQ(llvm::toString(verify(problem, placement)),
            "expects the 40 registers, and 40 with what stands beside tiles, "
            "that are taken where most are, got 80 and 80");
  placement.registers = {40, 40};
  EXPECT_FALSE(llvm::errorToBool(verify(problem, placement)));
}

TEST(RegisterPlacement, TooManyBesideTilesAreRefused) {
  HeldCandidate candidate{20, 0, 2, 1};
  candidate.placeRegisters = 40;
  Problem problem(HeldRegisters{64, 59});
  problem.add(candidate);
  EXPECT_EQ(llvm::toString(verify(
                problem, RegisterPlacement{BitVector(1, true), {20, 60}})),
            "expects at most 59 registers with what stands beside tiles in "
            "step 0, got 60");
}
