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

#include "llvm/ADT/bit.h"
#include "llvm/Support/Endian.h"

#include <type_traits>
#include <utility>

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

/// The active lanes of `result` become what `compute(to)` makes of all 32.
template <typename Result, typename Compute>
inline void computeLanes(uint32_t active, Result *result, Compute compute) {
  if (active == allLanes)
    return compute(result);
  Result values[warpSize];
  compute(values);
  const Result *source = values;
  mapLanes(active, result, [](Result value) { return value; }, source);
}

/// A bit per lane, of 0 or 1 for each. A product moves the lowest bits of eight
/// bytes, the first in the lowest, into its highest byte.
inline uint32_t packLanes(const uint8_t (&flags)[warpSize]) {
  constexpr unsigned together = 8;
  uint32_t bits = 0;
  for (unsigned lane = 0; lane < warpSize; lane += together)
    bits |= uint32_t(llvm::support::endian::read64le(flags + lane) *
                         0x0102040810204080u >>
                     56)
            << lane;
  return bits;
}

/// A bit per lane: `function(source[lane]...)`.
template <typename Function, typename... Sources>
inline uint32_t testLanes(Function function, const Sources *...sources) {
  uint8_t flags[warpSize];
  for (unsigned lane = 0; lane < warpSize; ++lane)
    flags[lane] = bool(function(sources[lane]...));
  return packLanes(flags);
}

/// The type of an operation's source: one for all, or `At<index>`.
template <typename Operation, unsigned index, typename = void>
struct SourceAt {
  using Type = typename Operation::Source;
};
template <typename Operation, unsigned index>
struct SourceAt<Operation, index,
                std::void_t<typename Operation::template At<index>>> {
  using Type = typename Operation::template At<index>;
};

/// A handler for `op d, a, ...` with `arity` sources. An operation is a type
/// with `using Result`, `using Source` (or a template `At`) and a static
/// `apply`.
template <typename Operation, size_t... index>
Outcome applyToLanes(ExecutionState &state, const Instruction &instruction,
                     std::index_sequence<index...>) {
  mapLanes(
      state.active,
      state.lanes<typename Operation::Result>(instruction.slots[0]),
      [](auto... values) { return Operation::apply(values...); },
      state.lanes<typename SourceAt<Operation, index>::Type>(
          instruction.slots[1 + index])...);
  return Outcome::Next;
}
template <typename Operation, unsigned arity>
Outcome laneHandler(ExecutionState &state, const Instruction &instruction) {
  return applyToLanes<Operation>(state, instruction,
                                 std::make_index_sequence<arity>());
}
template <typename Operation>
constexpr Handler unaryHandler = laneHandler<Operation, 1>;
template <typename Operation>
constexpr Handler binaryHandler = laneHandler<Operation, 2>;
template <typename Operation>
constexpr Handler ternaryHandler = laneHandler<Operation, 3>;

/// An operation on two values in each register, the first in the low half: 16
/// bits of 32, or 32 bits of 64.
template <typename Operation>
struct Paired {
  using Half = typename Operation::Source;
  using HalfBits = std::conditional_t<sizeof(Half) == 2, uint16_t, uint32_t>;
  using Source = std::conditional_t<sizeof(Half) == 2, uint32_t, uint64_t>;
  using Result = Source;
  static constexpr unsigned shift = 8 * sizeof(Half);

  static Half low(Source bits) { return llvm::bit_cast<Half>(HalfBits(bits)); }
  template <typename... Sources>
  static Result apply(Sources... sources) {
    auto lower = Operation::apply(low(sources)...);
    auto upper = Operation::apply(low(sources >> shift)...);
    return Result(llvm::bit_cast<HalfBits>(upper)) << shift |
           llvm::bit_cast<HalfBits>(lower);
  }
};

} // namespace mlir::mirage::emulator

#endif // MIRAGE_LIB_EMULATOR_LANELOOP_H
