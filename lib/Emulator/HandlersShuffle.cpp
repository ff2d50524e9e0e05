//===- HandlersShuffle.cpp - Exchange between the lanes of a warp ---------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handlers.h"
#include "LaneLoop.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir::mirage::emulator;
using llvm::StringRef;

namespace {

/// The member mask, which must be the same in all lanes.
uint32_t memberMask(const ExecutionState &state, uint32_t slot) {
  return state.lanes<uint32_t>(slot)[state.firstLane()];
}

/// Lanes met: their earlier accesses are no intra-warp races with later ones.
void meet(ExecutionState &state) { state.warp->clock.meetLanes(); }

enum class ShuffleMode : uint16_t { Index, Up, Down, Butterfly };

/// The lane that `lane` reads from, and whether it is in range; if not, it is
/// the lane itself (9.7.9.6). `bounds` holds the clamp in bits 0-4 and the
/// segment mask in bits 8-12.
template <ShuffleMode mode>
std::pair<int32_t, bool> findSource(int32_t lane, int32_t amount,
                                    int32_t bounds) {
  const int32_t clamp = bounds & 31, segment = bounds >> 8 & 31;
  const int32_t most = (lane & segment) | (clamp & ~segment);
  amount &= 31;
  const int32_t from = mode == ShuffleMode::Index
                           ? (lane & segment) | (amount & ~segment)
                       : mode == ShuffleMode::Up   ? lane - amount
                       : mode == ShuffleMode::Down ? lane + amount
                                                   : lane ^ amount;
  const bool isInside = mode == ShuffleMode::Up ? from >= most : from <= most;
  return {isInside ? from : lane, isInside};
}

/// shfl.sync d|p, a, b, c, members. All lanes are computed, also what those
/// that do not take part would get.
template <ShuffleMode mode>
Outcome shuffle(ExecutionState &state, const Instruction &instruction) {
  const uint32_t *slots = instruction.slots;
  Outcome outcome = Outcome::Next;
  if (!gatherLanes(state, memberMask(state, slots[5]), outcome))
    return outcome;
  const int32_t *amounts = state.lanes<int32_t>(slots[3]);
  const int32_t *bounds = state.lanes<int32_t>(slots[4]);
  int32_t from[warpSize];
  uint8_t isInside[warpSize];
  for (unsigned lane = 0; lane < warpSize; ++lane)
    std::tie(from[lane], isInside[lane]) =
        findSource<mode>(lane, amounts[lane], bounds[lane]);
  uint32_t source[warpSize];
  std::memcpy(source, state.lanes<uint32_t>(slots[2]), sizeof(source));
  computeLanes(state.active, state.lanes<uint32_t>(slots[0]),
               [&](uint32_t *result) {
                 for (unsigned lane = 0; lane < warpSize; ++lane)
                   result[lane] = source[from[lane]];
               });
  if (state.active != allLanes) {
    uint32_t inactiveReaders =
        state.active &
        ~testLanes([&](int32_t lane) { return state.active >> lane & 1; },
                   from);
    if (inactiveReaders)
      state.report(FindingKind::WarpSyncMisuse,
                   llvm::countr_zero(inactiveReaders), [] {
                     return std::string("shfl reads from a lane that does not "
                                        "take part; its value is undefined");
                   });
  }
  setPredicate(state, slots[1], packLanes(isInside));
  meet(state);
  return Outcome::Next;
}

Handler selectShuffle(const Form &form, Instruction &) {
  return llvm::StringSwitch<Handler>(form.pieces[2])
      .Case("idx", shuffle<ShuffleMode::Index>)
      .Case("up", shuffle<ShuffleMode::Up>)
      .Case("down", shuffle<ShuffleMode::Down>)
      .Default(shuffle<ShuffleMode::Butterfly>);
}

enum class Vote : uint16_t { All, Any, Uniform, Ballot };

template <Vote kind>
Outcome vote(ExecutionState &state, const Instruction &instruction) {
  Outcome outcome = Outcome::Next;
  if (!gatherLanes(state, memberMask(state, instruction.slots[2]), outcome))
    return outcome;
  uint32_t votes = state.predicate(instruction.slots[1]) & state.active;
  bool all = votes == state.active;
  if (kind == Vote::Ballot) {
    uint32_t *result = state.lanes<uint32_t>(instruction.slots[0]);
    for (uint32_t rest = state.active; rest; rest &= rest - 1)
      result[llvm::countr_zero(rest)] = votes;
  } else {
    bool answer = kind == Vote::All   ? all
                  : kind == Vote::Any ? votes != 0
                                      : all || votes == 0;
    setPredicate(state, instruction.slots[0], answer ? allLanes : 0);
  }
  meet(state);
  return Outcome::Next;
}

Handler selectVote(const Form &form, Instruction &) {
  return llvm::StringSwitch<Handler>(form.pieces[2])
      .Case("all", vote<Vote::All>)
      .Case("any", vote<Vote::Any>)
      .Case("uni", vote<Vote::Uniform>)
      .Default(vote<Vote::Ballot>);
}

Outcome activeMask(ExecutionState &state, const Instruction &instruction) {
  uint32_t *result = state.lanes<uint32_t>(instruction.slots[0]);
  for (uint32_t rest = state.active; rest; rest &= rest - 1)
    result[llvm::countr_zero(rest)] = state.active;
  return Outcome::Next;
}
Handler selectActiveMask(const Form &, Instruction &) { return activeMask; }

template <typename T, T (*combine)(T, T)>
Outcome reduce(ExecutionState &state, const Instruction &instruction) {
  Outcome outcome = Outcome::Next;
  if (!gatherLanes(state, memberMask(state, instruction.slots[2]), outcome))
    return outcome;
  const T *source = state.lanes<T>(instruction.slots[1]);
  T value = source[state.firstLane()];
  for (uint32_t rest = state.active & (state.active - 1); rest;
       rest &= rest - 1)
    value = combine(value, source[llvm::countr_zero(rest)]);
  T *result = state.lanes<T>(instruction.slots[0]);
  for (uint32_t rest = state.active; rest; rest &= rest - 1)
    result[llvm::countr_zero(rest)] = value;
  meet(state);
  return Outcome::Next;
}

template <typename T>
T sum(T a, T b) {
  return T(uint32_t(a) + uint32_t(b));
}
template <typename T>
T lesser(T a, T b) {
  return std::min(a, b);
}
template <typename T>
T greater(T a, T b) {
  return std::max(a, b);
}
uint32_t bitAnd(uint32_t a, uint32_t b) { return a & b; }
uint32_t bitOr(uint32_t a, uint32_t b) { return a | b; }
uint32_t bitXor(uint32_t a, uint32_t b) { return a ^ b; }

Handler selectReduce(const Form &form, Instruction &) {
  StringRef name = form.pieces[2];
  if (form.type() == ScalarType::S32)
    return llvm::StringSwitch<Handler>(name)
        .Case("add", reduce<int32_t, sum<int32_t>>)
        .Case("min", reduce<int32_t, lesser<int32_t>>)
        .Default(reduce<int32_t, greater<int32_t>>);
  return llvm::StringSwitch<Handler>(name)
      .Case("add", reduce<uint32_t, sum<uint32_t>>)
      .Case("min", reduce<uint32_t, lesser<uint32_t>>)
      .Case("max", reduce<uint32_t, greater<uint32_t>>)
      .Case("and", reduce<uint32_t, bitAnd>)
      .Case("or", reduce<uint32_t, bitOr>)
      .Default(reduce<uint32_t, bitXor>);
}

/// match.any: the lanes with the same value; match.all: all of them or none.
template <typename T, bool isAll>
Outcome match(ExecutionState &state, const Instruction &instruction) {
  Outcome outcome = Outcome::Next;
  if (!gatherLanes(state, memberMask(state, instruction.slots[3]), outcome))
    return outcome;
  const T *source = state.lanes<T>(instruction.slots[2]);
  uint32_t *result = state.lanes<uint32_t>(instruction.slots[0]);
  uint32_t equal[warpSize] = {};
  for (uint32_t rest = state.active; rest; rest &= rest - 1) {
    unsigned lane = llvm::countr_zero(rest);
    for (uint32_t other = state.active; other; other &= other - 1)
      if (source[llvm::countr_zero(other)] == source[lane])
        equal[lane] |= other & (0 - other);
  }
  bool allEqual = equal[state.firstLane()] == state.active;
  for (uint32_t rest = state.active; rest; rest &= rest - 1) {
    unsigned lane = llvm::countr_zero(rest);
    result[lane] = isAll ? (allEqual ? state.active : 0) : equal[lane];
  }
  setPredicate(state, instruction.slots[1], allEqual ? allLanes : 0);
  meet(state);
  return Outcome::Next;
}

Handler selectMatch(const Form &form, Instruction &) {
  bool isWide = form.type() == ScalarType::B64;
  if (form.has("all"))
    return isWide ? match<uint64_t, true> : match<uint32_t, true>;
  return isWide ? match<uint64_t, false> : match<uint32_t, false>;
}

/// elect.sync d|p, members: the lowest lane.
Outcome elect(ExecutionState &state, const Instruction &instruction) {
  Outcome outcome = Outcome::Next;
  if (!gatherLanes(state, memberMask(state, instruction.slots[2]), outcome))
    return outcome;
  uint32_t *result = state.lanes<uint32_t>(instruction.slots[0]);
  unsigned leader = state.firstLane();
  for (uint32_t rest = state.active; rest; rest &= rest - 1)
    result[llvm::countr_zero(rest)] = leader;
  setPredicate(state, instruction.slots[1], 1u << leader);
  meet(state);
  return Outcome::Next;
}
Handler selectElect(const Form &, Instruction &) { return elect; }

Outcome warpSync(ExecutionState &state, const Instruction &instruction) {
  Outcome outcome = Outcome::Next;
  if (!gatherLanes(state, memberMask(state, instruction.slots[0]), outcome))
    return outcome;
  meet(state);
  return Outcome::Next;
}
Handler selectWarpSync(const Form &, Instruction &) { return warpSync; }

const Row rows[] = {
    {"shfl.sync.idx|up|down|bfly.b32", "=T| T b32 b32 b32",
     InstructionClass::Shuffle, selectShuffle, "any 6.0"},
    {"vote.sync.all|any|uni.pred", "=pred pred b32", InstructionClass::Shuffle,
     selectVote, "any 6.0"},
    {"vote.sync.ballot.b32", "=b32 pred b32", InstructionClass::Shuffle,
     selectVote, "any 6.0"},
    {"activemask.b32", "=b32", InstructionClass::Shuffle, selectActiveMask,
     "any 6.2"},
    {"redux.sync.add|min|max.u32|s32", "=T T b32", InstructionClass::Shuffle,
     selectReduce, "sm_80 7.0"},
    {"redux.sync.and|or|xor.b32", "=T T b32", InstructionClass::Shuffle,
     selectReduce, "sm_80 7.0"},
    {"match.any|all.sync.b32|b64", "=b32| T b32", InstructionClass::Shuffle,
     selectMatch, "sm_70 6.0"},
    {"elect.sync", "=b32| b32", InstructionClass::Shuffle, selectElect,
     "sm_90 8.0"},
    {"bar.warp.sync", "b32", InstructionClass::Shuffle, selectWarpSync,
     "any 6.0"},
};

} // namespace

llvm::ArrayRef<Row> mlir::mirage::emulator::shuffleRows() { return rows; }
