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
using llvm::ArrayRef;
using llvm::BitVector;

/// Nodes of the search. Of 16 candidates, more than block graphs have of them,
/// it takes at most twice 2^16.
static constexpr unsigned kMostNodes = 1 << 17;

/// In one step.
static HeldRegisters countRegisters(ArrayRef<HeldCandidate> candidates,
                                    const BitVector &held, unsigned step) {
  int64_t tiles = 0, places = 0;
  for (unsigned number : held.set_bits()) {
    const HeldCandidate &candidate = candidates[number];
    if (step < candidate.begin || candidate.end <= step)
      continue;
    tiles += candidate.registers;
    places = std::max(places, candidate.placeRegisters);
  }
  return {tiles, tiles + places};
}

HeldRegisters
RegisterPlacementProblem::countRegisters(const BitVector &held) const {
  HeldRegisters taken{0, 0};
  // They are most where one of them begins.
  for (unsigned number : held.set_bits()) {
    HeldRegisters inStep =
        ::countRegisters(candidates, held, candidates[number].begin);
    taken.tiles = std::max(taken.tiles, inStep.tiles);
    taken.all = std::max(taken.all, inStep.all);
  }
  return taken;
}

bool RegisterPlacementProblem::fits(const BitVector &held) const {
  HeldRegisters taken = countRegisters(held);
  return taken.tiles <= most.tiles && taken.all <= most.all;
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
    if (problem.fits(chosen))
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
  if (problem.fits(possible))
    return {possible, problem.countRegisters(possible), /*isOptimal=*/true};
  return PlacementSearch(problem, settle, possible).run();
}

llvm::Error mlir::mirage::verify(const RegisterPlacementProblem &problem,
                                 const RegisterPlacement &placement) {
  unsigned end = 0;
  for (const HeldCandidate &candidate : problem.getCandidates())
    end = std::max(end, candidate.end);
  HeldRegisters limits = problem.getMost();
  HeldRegisters most{0, 0};
  for (unsigned step : llvm::seq(0u, end)) {
    HeldRegisters taken =
        ::countRegisters(problem.getCandidates(), placement.held, step);
    if (taken.tiles > limits.tiles)
      return llvm::createStringError(
          "expects at most %d registers in step %d, got %d", int(limits.tiles),
          int(step), int(taken.tiles));
    if (taken.all > limits.all)
      return llvm::createStringError(
          "expects at most %d registers with what stands beside tiles in step "
          "%d, got %d",
          int(limits.all), int(step), int(taken.all));
    most.tiles = std::max(most.tiles, taken.tiles);
    most.all = std::max(most.all, taken.all);
  }
  HeldRegisters stated = placement.registers;
  if (most.tiles != stated.tiles || most.all != stated.all)
    return llvm::createStringError(
        "expects the %d registers, and %d with what stands beside tiles, that "
        "are taken where most are, got %d and %d",
        int(most.tiles), int(most.all), int(stated.tiles), int(stated.all));
  return llvm::Error::success();
}
