//===- RegisterPlacement.cpp - What warps hold in registers ---------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Planning/RegisterPlacement.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include <algorithm>

using namespace mlir::mirage;
using llvm::BitVector;

/// Nodes of the search. Of 16 candidates, more than block graphs have of them,
/// it takes at most twice 2^16.
static constexpr unsigned kMostNodes = 1 << 17;

int64_t RegisterPlacementProblem::countRegisters(const BitVector &held) const {
  int64_t most = 0;
  // They are most where one of them begins.
  for (unsigned number : held.set_bits()) {
    unsigned step = candidates[number].begin;
    int64_t registers = 0;
    for (unsigned other : held.set_bits())
      if (candidates[other].begin <= step && step < candidates[other].end)
        registers += candidates[other].registers;
    most = std::max(most, registers);
  }
  return most;
}

int64_t RegisterPlacementProblem::countSavedBytes(const BitVector &held) const {
  int64_t bytes = 0;
  for (unsigned number : held.set_bits())
    bytes += candidates[number].savedBytes;
  return bytes;
}

namespace {
/// Decides candidate after candidate, those that save most first, and looks at
/// no set that cannot save more than the best one so far.
class PlacementSearch {
public:
  PlacementSearch(const RegisterPlacementProblem &problem, SettleHeld settle,
                  const BitVector &possible)
      : problem(problem), settle(settle), chosen(possible.size(), false),
        best(possible.size(), false) {
    llvm::append_range(order, possible.set_bits());
    llvm::sort(order, [&](unsigned lhs, unsigned rhs) {
      return std::pair(-getSaved(lhs), lhs) < std::pair(-getSaved(rhs), rhs);
    });
    openBytes.resize(order.size() + 1, 0);
    for (unsigned place = order.size(); place-- > 0;)
      openBytes[place] = openBytes[place + 1] + getSaved(order[place]);
  }

  RegisterPlacement run() {
    decide(/*place=*/0, /*savedBytes=*/0);
    return {best, problem.countRegisters(best), numNodes <= kMostNodes};
  }

private:
  int64_t getSaved(unsigned number) const {
    return problem.getCandidates()[number].savedBytes;
  }

  void decide(unsigned place, int64_t savedBytes) {
    if (savedBytes + openBytes[place] <= mostSaved || ++numNodes > kMostNodes)
      return;
    if (place == order.size())
      return keep();
    unsigned number = order[place];
    chosen.set(number);
    if (problem.countRegisters(chosen) <= problem.getMostRegisters())
      decide(place + 1, savedBytes + getSaved(number));
    chosen.reset(number);
    decide(place + 1, savedBytes);
  }

  void keep() {
    BitVector left = chosen;
    settle(left);
    int64_t savedBytes = problem.countSavedBytes(left);
    if (savedBytes <= mostSaved)
      return;
    mostSaved = savedBytes;
    best = left;
  }

  const RegisterPlacementProblem &problem;
  SettleHeld settle;
  llvm::SmallVector<unsigned> order; ///< of candidates
  llvm::SmallVector<int64_t>
      openBytes; ///< by place in it: of all from there on
  BitVector chosen, best;
  int64_t mostSaved = 0;
  unsigned numNodes = 0;
};
} // namespace

RegisterPlacement
mlir::mirage::placeInRegisters(const RegisterPlacementProblem &problem,
                               SettleHeld settle) {
  // What cannot be held with all others cannot be held at all.
  BitVector possible(problem.getCandidates().size(), true);
  settle(possible);
  int64_t numRegisters = problem.countRegisters(possible);
  if (numRegisters <= problem.getMostRegisters())
    return {possible, numRegisters, /*isOptimal=*/true};
  return PlacementSearch(problem, settle, possible).run();
}

llvm::Error mlir::mirage::verify(const RegisterPlacementProblem &problem,
                                 const RegisterPlacement &placement) {
  unsigned end = 0;
  for (const HeldCandidate &candidate : problem.getCandidates())
    end = std::max(end, candidate.end);
  int64_t most = 0;
  for (unsigned step : llvm::seq(0u, end)) {
    int64_t registers = 0;
    for (auto [number, candidate] : llvm::enumerate(problem.getCandidates()))
      if (placement.held[number] && candidate.begin <= step &&
          step < candidate.end)
        registers += candidate.registers;
    if (registers > problem.getMostRegisters())
      return llvm::createStringError(
          "expects at most %d registers in step %d, got %d",
          int(problem.getMostRegisters()), int(step), int(registers));
    most = std::max(most, registers);
  }
  if (most != placement.numRegisters)
    return llvm::createStringError("expects the %d registers that are taken "
                                   "where most are, got %d",
                                   int(most), int(placement.numRegisters));
  return llvm::Error::success();
}
