//===- Timeline.cpp - Who is done with what before whom -------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Timeline.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::mirage::test;

static unsigned getMoment(const Clock &clock, unsigned actor) {
  return actor < clock.size() ? clock[actor] : 0;
}

void mlir::mirage::test::join(Clock &clock, const Clock &other) {
  if (clock.size() < other.size())
    clock.resize(other.size(), 0);
  for (auto [actor, moment] : llvm::enumerate(other))
    clock[actor] = std::max(clock[actor], moment);
}

Timeline::Timeline()
    : clocks(kNumThreads, Clock(kNumThreads, 0)), now(kNumThreads, 0),
      from(kNumThreads, 0) {}

void Timeline::beginStep(std::string name) {
  stepNames.push_back(std::move(name));
  for (unsigned thread = 0; thread < kNumThreads; ++thread) {
    ++clocks[thread][thread];
    now[thread] = kept.size();
    kept.push_back(clocks[thread]);
  }
}

void Timeline::add(unsigned actor, Touched touched, bool writes) {
  Access access{touched};
  access.writes = writes;
  access.step = stepNames.size() - 1;
  access.actor = actor;
  access.moment = clocks[actor][actor];
  access.clock = now[actor];
  accesses.push_back(access);
}

void Timeline::touchByThreads(Touched touched, bool writes) {
  for (unsigned thread = 0; thread < kNumThreads; ++thread)
    add(thread, touched, writes);
}

unsigned Timeline::start(unsigned thread) {
  return start(Clock(clocks[thread]), thread);
}

unsigned Timeline::start(const Clock &known, unsigned awaitedBy) {
  unsigned actor = clocks.size();
  Clock clock = known;
  clock.resize(actor + 1, 0);
  clock[actor] = 1;
  now.push_back(kept.size());
  kept.push_back(clock);
  clocks.push_back(std::move(clock));
  from.push_back(awaitedBy);
  return actor;
}

void Timeline::readBy(unsigned actor, Touched touched) {
  add(actor, touched, /*writes=*/false);
}

void Timeline::writeBy(unsigned actor, Touched touched) {
  add(actor, touched, /*writes=*/true);
}

void Timeline::await(unsigned thread, unsigned actor) {
  await(thread, Clock(clocks[actor]));
}

void Timeline::await(unsigned thread, const Clock &arrived) {
  join(clocks[thread], arrived);
}

Clock Timeline::arrive() const {
  Clock all;
  for (unsigned thread = 0; thread < kNumThreads; ++thread)
    join(all, clocks[thread]);
  return all;
}

void Timeline::barrier() {
  Clock all = arrive();
  for (unsigned thread = 0; thread < kNumThreads; ++thread)
    clocks[thread] = all;
}

bool Timeline::isBefore(const Access &first, const Access &second) const {
  return first.step != second.step &&
         getMoment(kept[second.clock], first.actor) >= first.moment;
}

llvm::SmallVector<unsigned> Timeline::listUnfinished() const {
  llvm::SmallVector<unsigned> unfinished;
  for (unsigned actor = kNumThreads; actor < clocks.size(); ++actor)
    if (getMoment(clocks[from[actor]], actor) == 0)
      unfinished.push_back(actor);
  return unfinished;
}
