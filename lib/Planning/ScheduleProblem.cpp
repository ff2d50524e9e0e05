//===- ScheduleProblem.cpp - Order of steps and barriers ------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Planning/ScheduleProblem.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/Twine.h"

using namespace mlir::mirage;

//===----------------------------------------------------------------------===//
// The problem
//===----------------------------------------------------------------------===//

/// Whether two accesses may touch the same place of a tile, the second so many
/// iterations after the first.
static bool meet(const TileAccess &first, const TileAccess &second,
                 unsigned iterations) {
  if (first.tile != second.tile)
    return false;
  if (first.numPlaces == 1 || second.numPlaces == 1)
    return true;
  unsigned numPlaces = first.numPlaces;
  return first.ahead % numPlaces == (second.ahead + iterations) % numPlaces;
}

/// Whether two accesses to one place, of which one writes, satisfy a predicate.
static bool
anyPair(const ScheduledStep &first, const ScheduledStep &second,
        unsigned iterations,
        llvm::function_ref<bool(TileAccess, TileAccess)> predicate) {
  for (const TileAccess &left : first.accesses)
    for (const TileAccess &right : second.accesses)
      if (meet(left, right, iterations) && (left.writes || right.writes) &&
          predicate(left, right))
        return true;
  return false;
}

bool ScheduleProblem::dependsOn(unsigned later, unsigned earlier) const {
  if (steps[later].isLast && steps[later].phase == steps[earlier].phase)
    return true;
  return anyPair(steps[earlier], steps[later], /*iterations=*/0,
                 [](TileAccess, TileAccess) { return true; });
}

bool ScheduleProblem::needBarrier(unsigned first, unsigned second,
                                  unsigned iterations) const {
  return anyPair(steps[first], steps[second], iterations,
                 [](TileAccess left, TileAccess right) {
                   return !(left.isOwn && right.isOwn);
                 });
}

unsigned ScheduleProblem::getMostPlaces() const {
  unsigned most = 1;
  for (const ScheduledStep &step : steps)
    for (const TileAccess &access : step.accesses)
      most = std::max(most, access.numPlaces);
  return most;
}

llvm::Error ScheduleProblem::check() const {
  for (unsigned step = 1; step < steps.size(); ++step)
    if (steps[step].phase < steps[step - 1].phase)
      return llvm::createStringError(
          "expects steps in the order of their phases, step " +
          llvm::Twine(step) + " goes back");
  for (unsigned step = 0; step + 1 < steps.size(); ++step)
    if (steps[step].isLast && steps[step].phase == steps[step + 1].phase)
      return llvm::createStringError(
          "expects the last step of a phase behind its others, step " +
          llvm::Twine(step) + " is not");
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// The solver
//===----------------------------------------------------------------------===//

namespace {
class Scheduler {
public:
  explicit Scheduler(const ScheduleProblem &problem)
      : problem(problem), earliest(problem.getSteps().size(), 0),
        latest(problem.getSteps().size(), 0) {
    result.barrierBefore.resize(problem.getSteps().size());
  }

  Schedule run() {
    computeLevels();
    for (StepPhase phase :
         {StepPhase::Before, StepPhase::Loop, StepPhase::After})
      orderPhase(phase);
    walk(getPhase(StepPhase::Before));
    walkLoop(getPhase(StepPhase::Loop));
    result.barrierAtExit = problem.asksForBarrierAtExit();
    if (result.barrierAtExit)
      epoch.clear();
    walk(getPhase(StepPhase::After));
    return std::move(result);
  }

private:
  StepPhase phaseOf(unsigned step) const {
    return problem.getSteps()[step].phase;
  }

  /// The number of barriers on the longest chain within the phase that leads to
  /// a step, and the largest such number that delays nothing.
  void computeLevels() {
    unsigned count = earliest.size(), top[3] = {0, 0, 0};
    for (unsigned later = 0; later < count; ++later) {
      for (unsigned step = 0; step < later; ++step)
        if (phaseOf(step) == phaseOf(later) && problem.dependsOn(later, step))
          earliest[later] =
              std::max(earliest[later],
                       earliest[step] + problem.needBarrier(later, step));
      unsigned &last = top[static_cast<unsigned>(phaseOf(later))];
      last = std::max(last, earliest[later]);
    }
    for (unsigned step = count; step-- > 0;) {
      latest[step] = top[static_cast<unsigned>(phaseOf(step))];
      for (unsigned later = step + 1; later < count; ++later)
        if (phaseOf(step) == phaseOf(later) && problem.dependsOn(later, step))
          latest[step] = std::min(
              latest[step], latest[later] - problem.needBarrier(later, step));
    }
  }

  void orderPhase(StepPhase phase) {
    unsigned begin = result.order.size();
    for (unsigned step = 0; step < earliest.size(); ++step)
      if (phaseOf(step) == phase)
        result.order.push_back(step);
    llvm::sort(result.order.begin() + begin, result.order.end(),
               [&](unsigned lhs, unsigned rhs) {
                 return std::pair(earliest[lhs], lhs) <
                        std::pair(earliest[rhs], rhs);
               });
  }

  llvm::SmallVector<unsigned> getPhase(StepPhase phase) const {
    llvm::SmallVector<unsigned> steps;
    for (unsigned step : result.order)
      if (phaseOf(step) == phase)
        steps.push_back(step);
    return steps;
  }

  bool conflicts(llvm::ArrayRef<unsigned> epoch, unsigned step,
                 unsigned iterations = 0) const {
    return llvm::any_of(epoch, [&](unsigned other) {
      return problem.needBarrier(other, step, iterations);
    });
  }

  /// Puts a barrier before each step that needs one against what ran since the
  /// last one; no order of barriers has fewer.
  void walk(llvm::ArrayRef<unsigned> steps) {
    for (unsigned step : steps) {
      if (conflicts(epoch, step)) {
        result.barrierBefore.set(step);
        epoch.clear();
      }
      epoch.push_back(step);
    }
  }

  void walkLoop(llvm::ArrayRef<unsigned> steps) {
    result.isOptimal = true;
    if (!problem.hasLoop())
      return walk(steps);
    llvm::SmallVector<unsigned> before = std::move(epoch);
    epoch.clear();
    walk(steps);
    auto firstBarrier = llvm::find_if(
        steps, [&](unsigned step) { return result.barrierBefore[step]; });
    llvm::ArrayRef<unsigned> head(steps.begin(), firstBarrier);
    auto conflictsWithHead = [&](llvm::ArrayRef<unsigned> others,
                                 unsigned iterations) {
      return llvm::any_of(head, [&](unsigned step) {
        return conflicts(others, step, iterations);
      });
    };
    result.barrierAtHead = problem.hasRings() || conflictsWithHead(epoch, 1);
    result.barrierAtEntry =
        !result.barrierAtHead && conflictsWithHead(before, 0);
    result.isOptimal = !result.barrierAtHead || isHeadForced(steps);
    // Without any barrier the steps in front of the loop are still around.
    if (firstBarrier == steps.end() && !result.barrierAtHead &&
        !result.barrierAtEntry)
      epoch.append(before);
  }

  /// Whether a step that no order can move out of the first epoch has a hazard
  /// with one that none can move out of the last.
  bool isHeadForced(llvm::ArrayRef<unsigned> steps) const {
    unsigned top = 0;
    for (unsigned step : steps)
      top = std::max(top, earliest[step]);
    for (unsigned first : steps)
      for (unsigned last : steps)
        if (latest[first] == 0 && earliest[last] == top &&
            problem.needBarrier(last, first, 1))
          return true;
    return problem.hasRings();
  }

  const ScheduleProblem &problem;
  llvm::SmallVector<unsigned> earliest, latest;
  llvm::SmallVector<unsigned> epoch; ///< steps since the last barrier
  Schedule result;
};
} // namespace

Schedule mlir::mirage::scheduleSteps(const ScheduleProblem &problem) {
  assert(!llvm::errorToBool(problem.check()) && "the problem must be sound");
  return Scheduler(problem).run();
}

//===----------------------------------------------------------------------===//
// The check
//===----------------------------------------------------------------------===//

namespace {
/// One step as it runs: in which epoch, and in which iteration.
struct Event {
  unsigned step, epoch, iteration;
};
} // namespace

static llvm::SmallVector<Event> play(const ScheduleProblem &problem,
                                     const Schedule &schedule) {
  llvm::SmallVector<Event> events;
  unsigned epoch = 0;
  auto playPhase = [&](StepPhase phase, unsigned iteration) {
    for (unsigned step : schedule.order) {
      if (problem.getSteps()[step].phase != phase)
        continue;
      epoch += schedule.barrierBefore[step];
      events.push_back({step, epoch, iteration});
    }
  };
  playPhase(StepPhase::Before, 0);
  epoch += schedule.barrierAtEntry;
  unsigned last = problem.hasLoop() ? problem.getMostPlaces() : 0;
  for (unsigned iteration = 0; iteration <= last; ++iteration) {
    epoch += schedule.barrierAtHead;
    playPhase(StepPhase::Loop, iteration);
  }
  epoch += schedule.barrierAtExit;
  playPhase(StepPhase::After, last);
  return events;
}

llvm::Error mlir::mirage::verify(const ScheduleProblem &problem,
                                 const Schedule &schedule) {
  unsigned count = problem.getSteps().size();
  llvm::SmallVector<unsigned> sorted(schedule.order);
  llvm::sort(sorted);
  if (!llvm::equal(sorted, llvm::seq(0u, count)))
    return llvm::createStringError("expects each of " + llvm::Twine(count) +
                                   " steps once in the order");
  if (problem.hasRings() && !schedule.barrierAtHead)
    return llvm::createStringError("expects a barrier at the head of a loop "
                                   "whose loads run ahead");
  llvm::SmallVector<Event> events = play(problem, schedule);
  for (unsigned j = 0; j < events.size(); ++j)
    for (unsigned i = 0; i < j; ++i) {
      const Event &first = events[i], &second = events[j];
      if (first.iteration == second.iteration && first.step > second.step &&
          problem.dependsOn(first.step, second.step))
        return llvm::createStringError(
            "step " + llvm::Twine(first.step) + " runs before step " +
            llvm::Twine(second.step) + ", on which it depends");
      if (first.epoch == second.epoch &&
          problem.needBarrier(first.step, second.step,
                              second.iteration - first.iteration))
        return llvm::createStringError("no barrier keeps step " +
                                       llvm::Twine(first.step) + " and step " +
                                       llvm::Twine(second.step) + " apart");
    }
  return llvm::Error::success();
}
