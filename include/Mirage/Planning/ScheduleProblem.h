//===- ScheduleProblem.h - Order of steps and barriers ----------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The steps of one thread block read and write tiles of shared memory, and each
// is done by all threads together. Where one step touches what another step
// wrote, or overwrites what it read, a barrier must lie between them: threads
// do not wait for each other otherwise. The exception is a tile whose elements
// each belong to one thread in both steps.
//
// A block runs the steps before the loop, those of the loop once an iteration,
// and those after it. So hazards also lie between one iteration and the next:
//
//     loop:  load x         iteration i + 1 overwrites x ...
//            barrier
//            y = exp x      ... which iteration i read here,
//            barrier        but this barrier lies between them
//            acc += y
//
// A tile may have a ring of places, of which each iteration touches the next
// one. Loads that run ahead of the loop fill a place that nothing else touches
// in the same iteration, and that was last read in the iteration before:
//
//     loop:  barrier            here everyone has read place (i - 1) mod 3, and
//                               waited for the own loads of place i mod 3
//            load x[(i + 2) mod 3]
//            y = exp x[i mod 3]
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_PLANNING_SCHEDULEPROBLEM_H
#define MIRAGE_PLANNING_SCHEDULEPROBLEM_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

namespace mlir::mirage {

/// How a step touches a tile.
struct TileAccess {
  unsigned tile = 0;
  bool writes = false;
  /// Each thread touches only the elements that belong to it, by the one
  /// partition that all such accesses of the tile share.
  bool isOwn = false;
  /// The tile's places in a ring. Iteration i touches number i + ahead, modulo
  /// that; with one place, or out of the loop, whatever there is.
  unsigned numPlaces = 1;
  unsigned ahead = 0;
};

/// When a step runs.
enum class StepPhase : uint8_t { Before, Loop, After };

struct ScheduledStep {
  StepPhase phase = StepPhase::Before;
  llvm::SmallVector<TileAccess, 4> accesses;
  /// Whether it stands behind all others of its phase, whatever these touch.
  bool isLast = false;
};

/// Steps in an order that is right, barriers aside.
class ScheduleProblem {
public:
  /// \param loops  whether the loop has more than one iteration.
  explicit ScheduleProblem(bool loops) : loops(loops) {}

  unsigned add(ScheduledStep step) {
    steps.push_back(std::move(step));
    return steps.size() - 1;
  }
  llvm::ArrayRef<ScheduledStep> getSteps() const { return steps; }
  bool hasLoop() const { return loops; }
  /// Asks for a barrier behind the loop whether or not a hazard does, so that
  /// what is touched behind it alone may lie where tiles of the loop lay.
  void setBarrierAtExit() { asksForExit = true; }
  bool asksForBarrierAtExit() const { return asksForExit; }
  /// Whether the later of two steps must see the earlier one done: they touch
  /// one tile, and one of them writes it, or the later one is the last.
  bool dependsOn(unsigned later, unsigned earlier) const;
  /// Whether a barrier must lie between two steps, the second so many
  /// iterations after the first.
  bool needBarrier(unsigned first, unsigned second,
                   unsigned iterations = 0) const;
  /// Whether the loop has tiles with rings, whose loads run ahead. Threads wait
  /// for their own loads at the head of an iteration, so a barrier has to stand
  /// there.
  bool hasRings() const { return loops && getMostPlaces() > 1; }
  /// The most places that a tile has.
  unsigned getMostPlaces() const;

  /// Phases do not go back: no step of the loop after one from behind it; and
  /// the last step of a phase is added behind its others.
  llvm::Error check() const;

private:
  bool loops;
  bool asksForExit = false;
  llvm::SmallVector<ScheduledStep> steps;
};

struct Schedule {
  /// Steps by the order in which they run; phases stay together.
  llvm::SmallVector<unsigned> order;
  /// By step: a barrier before it.
  llvm::BitVector barrierBefore;
  /// Barriers where no step stands: in front of the loop, at the head of every
  /// iteration, behind the loop.
  bool barrierAtEntry = false;
  bool barrierAtHead = false;
  bool barrierAtExit = false;
  /// Proved to have the fewest barriers in an iteration.
  bool isOptimal = false;
};

/// Orders the steps of each phase by the length of the chain of hazards that
/// leads to them, and puts barriers between chain lengths: as many as the
/// longest chain needs. Within one length the given order stays.
/// \param problem  `check()` must hold.
Schedule scheduleSteps(const ScheduleProblem &problem);

/// Plays as many iterations of the schedule as bring every ring back to its
/// first place, and looks at every pair of steps.
/// \returns an error that names the first two that are not kept apart, or that
/// are in the wrong order.
llvm::Error verify(const ScheduleProblem &problem, const Schedule &schedule);

} // namespace mlir::mirage

#endif // MIRAGE_PLANNING_SCHEDULEPROBLEM_H
