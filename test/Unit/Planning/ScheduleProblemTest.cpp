//===- ScheduleProblemTest.cpp - Order of steps and barriers --------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Planning/ScheduleProblem.h"
#include "gtest/gtest.h"
#include <random>

using namespace mlir::mirage;

static constexpr bool kWrites = true, kOwn = true;

static Schedule scheduleAndVerify(const ScheduleProblem &problem) {
  Schedule schedule = scheduleSteps(problem);
  EXPECT_EQ(llvm::toString(verify(problem, schedule)), "");
  return schedule;
}

/// load x, w; p = x w; acc += p; r = acc / 2; store r.
static ScheduleProblem makeMatmul(bool loops) {
  enum { X, W, P, Acc, R };
  ScheduleProblem problem(loops);
  problem.add({StepPhase::Before, {{Acc, kWrites, kOwn}}});
  problem.add({StepPhase::Loop, {{X, kWrites}}});
  problem.add({StepPhase::Loop, {{W, kWrites}}});
  problem.add({StepPhase::Loop, {{X}, {W}, {P, kWrites}}});
  problem.add({StepPhase::Loop, {{P}, {Acc, kWrites, kOwn}}});
  problem.add({StepPhase::After, {{Acc}, {R, kWrites}}});
  problem.add({StepPhase::After, {{R}}});
  return problem;
}

TEST(ScheduleProblem, TwoBarriersAnIterationForLoadComputeAccumulate) {
  Schedule schedule = scheduleAndVerify(makeMatmul(/*loops=*/true));
  EXPECT_EQ(schedule.order, (llvm::SmallVector<unsigned>{0, 1, 2, 3, 4, 5, 6}));
  EXPECT_FALSE(schedule.barrierBefore[1]);
  EXPECT_FALSE(schedule.barrierBefore[2]);
  EXPECT_TRUE(schedule.barrierBefore[3]);
  EXPECT_TRUE(schedule.barrierBefore[4]);
  EXPECT_TRUE(schedule.barrierBefore[5]);
  EXPECT_TRUE(schedule.barrierBefore[6]);
  // The barrier before the accumulation already keeps the next loads away.
  EXPECT_FALSE(schedule.barrierAtHead);
  EXPECT_FALSE(schedule.barrierAtEntry);
  EXPECT_TRUE(schedule.isOptimal);
}

TEST(ScheduleProblem, ReadInTheLastEpochNeedsABarrierAtTheHead) {
  ScheduleProblem problem(/*loops=*/true);
  problem.add({StepPhase::Loop, {{0, kWrites}}});
  problem.add({StepPhase::Loop, {{0}, {1, kWrites, kOwn}}});
  Schedule schedule = scheduleAndVerify(problem);
  EXPECT_TRUE(schedule.barrierAtHead);
  EXPECT_TRUE(schedule.isOptimal);

  ScheduleProblem once(/*loops=*/false);
  for (const ScheduledStep &step : problem.getSteps())
    once.add(step);
  EXPECT_FALSE(scheduleAndVerify(once).barrierAtHead);
}

TEST(ScheduleProblem, IndependentChainsShareBarriers) {
  ScheduleProblem problem(/*loops=*/false);
  problem.add({StepPhase::Before, {{0, kWrites}}});
  problem.add({StepPhase::Before, {{0}, {1, kWrites}}});
  problem.add({StepPhase::Before, {{2, kWrites}}});
  problem.add({StepPhase::Before, {{2}, {3, kWrites}}});
  Schedule schedule = scheduleAndVerify(problem);
  EXPECT_EQ(schedule.order, (llvm::SmallVector<unsigned>{0, 2, 1, 3}));
  EXPECT_EQ(schedule.barrierBefore.count(), 1u);
}

TEST(ScheduleProblem, OwnElementsNeedNoBarrier) {
  ScheduleProblem problem(/*loops=*/true);
  problem.add({StepPhase::Before, {{0, kWrites, kOwn}}});
  problem.add({StepPhase::Loop, {{0, kWrites, kOwn}}});
  problem.add({StepPhase::After, {{0, kWrites, kOwn}}});
  Schedule schedule = scheduleAndVerify(problem);
  EXPECT_TRUE(schedule.barrierBefore.none());
  EXPECT_FALSE(schedule.barrierAtHead || schedule.barrierAtEntry);
}

/// The last step of a phase, with one barrier before what it reads, and one
/// that touches nothing that it reads, behind two.
TEST(ScheduleProblem, TheLastStepStaysTheLast) {
  ScheduleProblem problem(/*loops=*/false);
  problem.add({StepPhase::After, {{0, kWrites}, {1, kWrites}}});
  problem.add({StepPhase::After, {{1}, {2, kWrites}}});
  problem.add({StepPhase::After, {{2}}});
  problem.add({StepPhase::After, {{0}}, /*isLast=*/true});
  Schedule schedule = scheduleAndVerify(problem);
  EXPECT_EQ(schedule.order, (llvm::SmallVector<unsigned>{0, 1, 2, 3}));
  std::swap(schedule.order[2], schedule.order[3]);
  EXPECT_EQ(llvm::toString(verify(problem, schedule)),
            "step 3 runs before step 2, on which it depends");
}

TEST(ScheduleProblem, MissingBarriersAreFound) {
  ScheduleProblem problem = makeMatmul(/*loops=*/true);
  Schedule right = scheduleAndVerify(problem);
  for (unsigned step : right.barrierBefore.set_bits()) {
    Schedule wrong = right;
    wrong.barrierBefore.reset(step);
    EXPECT_TRUE(llvm::errorToBool(verify(problem, wrong))) << step;
  }
  Schedule swapped = right;
  std::swap(swapped.order[2], swapped.order[3]);
  EXPECT_EQ(llvm::toString(verify(problem, swapped)),
            "step 3 runs before step 2, on which it depends");
}

/// load x and w ahead; p = x w; acc += p; store acc.
static ScheduleProblem makeRing(unsigned places) {
  enum { X, W, P, Acc };
  ScheduleProblem problem(/*loops=*/true);
  problem.add({StepPhase::Before, {{X, kWrites}, {W, kWrites}}});
  problem.add({StepPhase::Before, {{Acc, kWrites, kOwn}}});
  problem.add({StepPhase::Loop,
               {{X, kWrites, !kOwn, places, places - 1},
                {W, kWrites, !kOwn, places, places - 1}}});
  problem.add({StepPhase::Loop,
               {{X, !kWrites, !kOwn, places},
                {W, !kWrites, !kOwn, places},
                {P, kWrites}}});
  problem.add({StepPhase::Loop, {{P}, {Acc, kWrites, kOwn}}});
  problem.add({StepPhase::After, {{Acc}}});
  return problem;
}

TEST(ScheduleProblem, LoadsThatRunAheadNeedABarrierAtTheHeadAlone) {
  for (unsigned places : {2u, 3u, 5u, 16u}) {
    Schedule schedule = scheduleAndVerify(makeRing(places));
    EXPECT_TRUE(schedule.barrierAtHead);
    EXPECT_FALSE(schedule.barrierAtEntry);
    EXPECT_FALSE(schedule.barrierBefore[3]); // the product, behind the loads
    EXPECT_TRUE(schedule.barrierBefore[4]);
    EXPECT_TRUE(schedule.isOptimal);
  }
  // What is read goes straight into sums of the thread's own.
  ScheduleProblem problem(/*loops=*/true);
  problem.add({StepPhase::Before, {{0, kWrites}}});
  problem.add({StepPhase::Loop, {{0, kWrites, !kOwn, 4, 3}}});
  problem.add({StepPhase::Loop, {{0, !kWrites, !kOwn, 4}, {1, kWrites, kOwn}}});
  Schedule schedule = scheduleAndVerify(problem);
  EXPECT_TRUE(schedule.barrierAtHead);
  EXPECT_TRUE(schedule.barrierBefore.none());
}

/// A barrier behind the loop stands there where it is asked for, in place of
/// the one that the first step behind the loop would have; without it, what
/// needs one is found.
TEST(ScheduleProblem, ABarrierAtTheExitKeepsTheLoopApart) {
  for (bool loops : {false, true}) {
    ScheduleProblem problem = makeMatmul(loops);
    EXPECT_FALSE(scheduleAndVerify(problem).barrierAtExit);
    problem.setBarrierAtExit();
    Schedule schedule = scheduleAndVerify(problem);
    EXPECT_TRUE(schedule.barrierAtExit);
    EXPECT_FALSE(schedule.barrierBefore[5]);
    EXPECT_TRUE(schedule.barrierBefore[6]);
    schedule.barrierAtExit = false;
    EXPECT_EQ(llvm::toString(verify(problem, schedule)),
              "no barrier keeps step 4 and step 5 apart");
  }
}

/// The barrier in mid-iteration would keep the places of the ring apart; but
/// what a thread has waited for is not there for others without a barrier.
TEST(ScheduleProblem, ARingsHeadWithoutABarrierIsFound) {
  ScheduleProblem problem = makeRing(3);
  Schedule wrong = scheduleAndVerify(problem);
  wrong.barrierAtHead = false;
  EXPECT_EQ(llvm::toString(verify(problem, wrong)),
            "expects a barrier at the head of a loop whose loads run ahead");
}

/// Loads into the place that is read, or that is read next, are none ahead.
TEST(ScheduleProblem, LoadsIntoAPlaceInUseAreFound) {
  auto makeProblem = [](unsigned ahead) {
    ScheduleProblem problem(/*loops=*/true);
    problem.add({StepPhase::Loop, {{0, kWrites, !kOwn, 3, ahead}}});
    problem.add(
        {StepPhase::Loop, {{0, !kWrites, !kOwn, 3}, {1, kWrites, kOwn}}});
    return problem;
  };
  Schedule headAlone = scheduleAndVerify(makeProblem(2));
  EXPECT_TRUE(headAlone.barrierBefore.none());
  EXPECT_EQ(llvm::toString(verify(makeProblem(3), headAlone)),
            "no barrier keeps step 0 and step 1 apart");
  EXPECT_TRUE(scheduleAndVerify(makeProblem(3)).barrierBefore[1]);
}

/// Random straight chains and diamonds, with loops: every schedule holds.
TEST(ScheduleProblem, RandomProblemsVerify) {
  std::mt19937 random(11);
  for (unsigned trial = 0; trial < 500; ++trial) {
    ScheduleProblem problem(trial % 2);
    unsigned numSteps = 2 + random() % 9, beforeEnd = random() % 3,
             loopEnd = beforeEnd + random() % 6;
    for (unsigned step = 0; step < numSteps; ++step) {
      StepPhase phase = step < beforeEnd ? StepPhase::Before
                        : step < loopEnd ? StepPhase::Loop
                                         : StepPhase::After;
      ScheduledStep built{phase, {{step, kWrites}}};
      if (phase == StepPhase::Loop && random() % 3 == 0) {
        unsigned places = 2 + random() % 4;
        built.accesses[0].numPlaces = places;
        built.accesses[0].ahead = random() % places;
      }
      for (unsigned read = 0; step > 0 && read < 2; ++read)
        built.accesses.push_back({static_cast<unsigned>(random() % step)});
      problem.add(built);
    }
    ASSERT_EQ(llvm::toString(problem.check()), "");
    scheduleAndVerify(problem);
  }
}
