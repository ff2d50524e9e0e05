//===- LoopWatch.cpp - Warps that go round for ever -----------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopWatch.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace mlir::mirage::emulator;

uint64_t mlir::mirage::emulator::countMeetings(const Counters &counters) {
  using C = InstructionClass;
  uint64_t count = 0;
  for (C one : {C::GlobalMemory, C::SharedMemory, C::OtherMemory, C::AsyncCopy,
                C::Atomic, C::Matrix, C::Barrier, C::Fence})
    count += counters.instructions[static_cast<unsigned>(one)];
  return count;
}

static bool isSame(const Split &a, const Split &b) {
  return a.pc == b.pc && a.mask == b.mask && a.state == b.state &&
         a.reconvergence == b.reconvergence && a.join == b.join;
}

static bool isSame(const Join &a, const Join &b) {
  return a.pc == b.pc && a.arrived == b.arrived && a.pending == b.pending &&
         a.outerJoin == b.outerJoin;
}

template <typename T>
static bool areSame(const std::vector<T> &a, const std::vector<T> &b) {
  return a.size() == b.size() &&
         llvm::all_of(llvm::zip(a, b), [](const auto &pair) {
           return isSame(std::get<0>(pair), std::get<1>(pair));
         });
}

static bool isAt(const Warp &warp, const WarpState &state) {
  return warp.carries == state.carries && areSame(warp.splits, state.splits) &&
         areSame(warp.joins, state.joins) &&
         std::memcmp(warp.registers, state.registers.data(),
                     state.registers.size()) == 0;
}

static void remember(const Warp &warp, size_t registerBytes, WarpState &state) {
  state.steps = warp.steps;
  state.carries = warp.carries;
  state.splits = warp.splits;
  state.joins = warp.joins;
  state.registers.assign(warp.registers, warp.registers + registerBytes);
}

LoopSign mlir::mirage::emulator::lookForLoop(Warp &warp, size_t registerBytes,
                                             bool isAlone) {
  constexpr uint64_t stepsBetween = 4096, firstLook = 16;
  if (!isAlone || warp.readsClock) {
    warp.readsClock = false;
    warp.earlier.reset();
    return LoopSign::None;
  }
  if (!warp.earlier)
    warp.earlier = std::make_unique<WarpState>();
  WarpState &earlier = *warp.earlier;
  if (warp.steps < earlier.nextLook)
    return LoopSign::None;
  earlier.nextLook = warp.steps + stepsBetween;
  if (comesBack(warp))
    return LoopSign::Loop;
  if (!llvm::isPowerOf2_64(++earlier.numLooks) || earlier.numLooks < firstLook)
    return LoopSign::None;
  remember(warp, registerBytes, earlier);
  return LoopSign::Remembered;
}

bool mlir::mirage::emulator::comesBack(const Warp &warp) {
  const WarpState &earlier = *warp.earlier;
  return !earlier.registers.empty() && warp.steps != earlier.steps &&
         !warp.readsClock && isAt(warp, earlier);
}
