//===- LaneLoop.h - Applies a function to all lanes of a warp ---*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_EMULATOR_LANELOOP_H
#define MIRAGE_LIB_EMULATOR_LANELOOP_H

#include "State.h"

/// Before a loop over lanes: iterations do not depend on one another, even
/// where result and source are the same register.
#if defined(__clang__)
#define MIRAGE_LANE_LOOP _Pragma("clang loop vectorize(assume_safety)")
#else
#define MIRAGE_LANE_LOOP _Pragma("GCC ivdep")
#endif

namespace mlir::mirage::emulator {

/// `result[lane] = function(source[lane]...)` for the active lanes. The
/// function is also applied to values of lanes that are not active, where its
/// result is dropped: it must not trap.
template <typename Result, typename Function, typename... Sources>
inline void mapLanes(uint32_t active, Result *result, Function function,
                     const Sources *...sources) {
  if (active == allLanes) {
    MIRAGE_LANE_LOOP
    for (unsigned lane = 0; lane < warpSize; ++lane)
      result[lane] = function(sources[lane]...);
    return;
  }
  MIRAGE_LANE_LOOP
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    Result value = function(sources[lane]...);
    result[lane] = (active >> lane & 1) ? value : result[lane];
  }
}

/// A bit per lane: `function(source[lane]...)`.
template <typename Function, typename... Sources>
inline uint32_t testLanes(Function function, const Sources *...sources) {
  uint32_t bits = 0;
  for (unsigned lane = 0; lane < warpSize; ++lane)
    bits |= uint32_t(bool(function(sources[lane]...))) << lane;
  return bits;
}

/// A handler for `op d, a, ...` with as many sources as `Operation` takes. An
/// operation is a type with `using Result`, `using Source` and a static
/// `apply`.
template <typename Operation>
Outcome unaryHandler(ExecutionState &state, const Instruction &instruction) {
  using Source = typename Operation::Source;
  mapLanes(
      state.active,
      state.lanes<typename Operation::Result>(instruction.slots[0]),
      [](Source a) { return Operation::apply(a); },
      state.lanes<Source>(instruction.slots[1]));
  return Outcome::Next;
}

template <typename Operation>
Outcome binaryHandler(ExecutionState &state, const Instruction &instruction) {
  using Source = typename Operation::Source;
  mapLanes(
      state.active,
      state.lanes<typename Operation::Result>(instruction.slots[0]),
      [](Source a, Source b) { return Operation::apply(a, b); },
      state.lanes<Source>(instruction.slots[1]),
      state.lanes<Source>(instruction.slots[2]));
  return Outcome::Next;
}

template <typename Operation>
Outcome ternaryHandler(ExecutionState &state, const Instruction &instruction) {
  using Source = typename Operation::Source;
  mapLanes(
      state.active,
      state.lanes<typename Operation::Result>(instruction.slots[0]),
      [](Source a, Source b, Source c) { return Operation::apply(a, b, c); },
      state.lanes<Source>(instruction.slots[1]),
      state.lanes<Source>(instruction.slots[2]),
      state.lanes<Source>(instruction.slots[3]));
  return Outcome::Next;
}

} // namespace mlir::mirage::emulator

#endif // MIRAGE_LIB_EMULATOR_LANELOOP_H
