//===- Timeline.h - Who is done with what before whom -----------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What threads of a block do to shared memory, step by step, and which of it is
// known to be over when something else begins. Three threads stand for all: the
// first one, which starts the copies of the engine, and two others. What a
// thread starts and does not wait for, a copy or a product of tensor cores, is
// an actor of its own.
//
// Each actor has a clock with a number for every actor (Lamport 1978, Mattern
// 1989): how many steps of that one are over as far as this one knows. A
// barrier makes all threads know what each of them knows; who waits for an
// actor knows what that one knew, and that it is done. With two threads:
//
//     thread 0          thread 1
//     step 1   [1 0]    step 1   [0 1]
//          ---- barrier ----             both know [1 1]
//     step 2   [2 1]    step 2   [1 2]   each after step 1 of both, and neither
//                                        after step 2 of the other
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TEST_LIB_CHECKPLANS_TIMELINE_H
#define MIRAGE_TEST_LIB_CHECKPLANS_TIMELINE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>
#include <vector>

namespace mlir::mirage::test {

using Clock = llvm::SmallVector<unsigned, 0>;
/// Who has a clock learns what another one has.
void join(Clock &clock, const Clock &other);

/// What is touched: bytes of shared memory, from `begin` on, before `end`.
struct Touched {
  unsigned tile = 0;
  int64_t begin = 0, end = 0;
  /// Which of the values that are there one after the other: the iteration's of
  /// a ring; of other tiles the latest.
  int64_t version = 0;
  /// Each thread touches elements of its own, the same whenever this is said of
  /// the tile.
  bool isOwn = false;
};

struct Access : Touched {
  bool writes = false;
  unsigned step = 0, actor = 0;
  unsigned moment = 0; ///< by the actor's own clock
  unsigned clock = 0;  ///< number of the clock that it had
};

class Timeline {
public:
  static constexpr unsigned kNumThreads = 3;

  Timeline();

  void beginStep(std::string name);
  void read(Touched touched) { touchByThreads(touched, /*writes=*/false); }
  void write(Touched touched) { touchByThreads(touched, /*writes=*/true); }

  /// Something that a thread starts in this step and that goes on by itself.
  unsigned start(unsigned thread);
  /// The same of somebody who is none of the threads, and knows that; a thread
  /// has to wait for it.
  unsigned start(const Clock &known, unsigned awaitedBy);
  void readBy(unsigned actor, Touched touched);
  void writeBy(unsigned actor, Touched touched);

  /// A thread waits until an actor is done.
  void await(unsigned thread, unsigned actor);
  /// What all threads know by now, for somebody who waits for all of them.
  Clock arrive() const;
  void await(unsigned thread, const Clock &arrived);
  void barrier();

  llvm::ArrayRef<Access> getAccesses() const { return accesses; }
  llvm::StringRef getStepName(unsigned step) const { return stepNames[step]; }
  /// Whether `first` is over when `second` begins. Within a step nothing is.
  bool isBefore(const Access &first, const Access &second) const;
  /// Actors that the thread which started them has never waited for.
  llvm::SmallVector<unsigned> listUnfinished() const;

private:
  void touchByThreads(Touched touched, bool writes);
  void add(unsigned actor, Touched touched, bool writes);

  std::vector<Clock> clocks;  ///< by actor, threads first
  std::vector<Clock> kept;    ///< as they were at accesses
  std::vector<unsigned> now;  ///< by actor, its clock among these
  std::vector<unsigned> from; ///< by actor, who started it
  std::vector<Access> accesses;
  std::vector<std::string> stepNames;
};

} // namespace mlir::mirage::test

#endif // MIRAGE_TEST_LIB_CHECKPLANS_TIMELINE_H
