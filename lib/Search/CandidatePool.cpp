//===- CandidatePool.cpp - Structures with their sizes --------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CandidatePool.h"
#include "Mirage/Reference/ParallelFor.h"
#include "Mirage/Search/KernelTraffic.h"
#include "llvm/ADT/STLExtras.h"
#include <limits>

using namespace mlir::mirage;
using namespace mlir::mirage::search;

/// What refined sizes have to take at the most, of what round ones take.
constexpr double kRefinedShare = 0.98;

void CandidatePool::add(const Structure &structure, double leastUs) {
  if (leastUs * kBoundRounding <= getLimitUs())
    added.push_back(structure);
}

/// Bounds what was added, and has it wait its turn.
void CandidatePool::boundAdded() {
  std::vector<double> boundsUs(added.size());
  constexpr int64_t kGrain = 32; // neighbours are alike, and share their bounds
  parallelFor(limits.numThreads, added.size(), kGrain,
              [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i)
                  boundsUs[i] = boundUs(added[i]);
              });
  for (auto [structure, us] : llvm::zip_equal(added, boundsUs))
    waiting.emplace(us, std::move(structure));
  added.clear();
}

double CandidatePool::boundUs(const Structure &structure) {
  auto plans = planKernels(program, structure);
  if (!plans)
    return std::numeric_limits<double>::infinity();
  return (takesAll() ? moreTilings : roundTilings).boundUs(*plans);
}

double CandidatePool::getLimitUs() const {
  if (!limits.cuts || bestUs.size() < limits.numKept)
    return std::numeric_limits<double>::infinity();
  return *bestUs.rbegin();
}

double CandidatePool::getBestUs() const {
  return bestUs.empty() ? std::numeric_limits<double>::infinity()
                        : *bestUs.begin();
}

std::optional<Candidate> CandidatePool::giveSizes(const Structure &structure,
                                                  double limitUs) {
  auto plans = planKernels(program, structure);
  if (!plans) // as only a record of somebody else's could say
    return std::nullopt;
  auto best = roundTilings.findCheapest(*plans, limitUs);
  if (takesAll()) {
    // Where there are too many of all to be looked at, these are no worse.
    auto better = moreTilings.findCheapest(
        *plans, best ? std::min(limitUs, best->predictedUs) : limitUs);
    if (better && (!best || better->predictedUs < best->predictedUs))
      best = std::move(better);
  }
  if (!best)
    return std::nullopt;
  Candidate candidate;
  candidate.structure = structure;
  candidate.tilings = std::move(best->tilings);
  candidate.predictedUs = best->predictedUs;
  return candidate;
}

/// Those with the least bounds; none is left to wait that is above the limit.
std::vector<Structure> CandidatePool::takeBatch(double limitUs) {
  size_t size = std::min(kMaxBatchSize, kMinBatchSize + numSized);
  std::vector<Structure> batch;
  while (!waiting.empty() && batch.size() < size) {
    if (waiting.begin()->first > limitUs)
      waiting.clear();
    else
      batch.push_back(std::move(waiting.extract(waiting.begin()).mapped()));
  }
  return batch;
}

bool CandidatePool::sizeBatch() {
  if (isOver()) {
    added.clear();
    waiting.clear();
    return false;
  }
  boundAdded();
  double limitUs = getLimitUs();
  std::vector<Structure> batch = takeBatch(limitUs);
  std::vector<std::optional<Candidate>> sized(batch.size());
  std::atomic<bool> hasSome = !candidates.empty(), isStopped = false;
  constexpr int64_t kGrain = 8;
  parallelFor(limits.numThreads, batch.size(), kGrain,
              [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) {
                  if (hasSome && limits.isToEnd && limits.isToEnd())
                    isStopped = true;
                  if (isStopped)
                    return;
                  sized[i] = giveSizes(batch[i], limitUs);
                  if (sized[i])
                    hasSome = true;
                }
              });
  numSized += batch.size();
  if (isStopped)
    waiting.clear();
  for (std::optional<Candidate> &candidate : sized)
    if (candidate)
      keep(std::move(*candidate));
  dropCutOff();
  return !isStopped;
}

void CandidatePool::keep(Candidate candidate) {
  bestUs.insert(candidate.predictedUs);
  if (bestUs.size() > limits.numKept)
    bestUs.erase(std::prev(bestUs.end()));
  candidates.push_back(std::move(candidate));
}

/// Once they are many.
void CandidatePool::dropCutOff() {
  constexpr size_t kMany = 1024;
  if (candidates.size() >= kMany + limits.numKept)
    llvm::erase_if(candidates, [&](const Candidate &candidate) {
      return candidate.predictedUs > getLimitUs();
    });
}

void CandidatePool::rank() {
  auto getKey = [](const Candidate &c) {
    return std::make_tuple(c.predictedUs, c.structure.getNumOperators(),
                           toString(c.structure));
  };
  llvm::sort(candidates, [&](const Candidate &a, const Candidate &b) {
    return getKey(a) < getKey(b);
  });
}

/// Sizes that are better by less than predictions are worth are not: round ones
/// are what code is best for.
void CandidatePool::refine(Candidate &candidate) {
  auto plans = planKernels(program, candidate.structure);
  assert(plans && "a candidate has a plan");
  auto best =
      moreTilings.findCheapest(*plans, kRefinedShare * candidate.predictedUs);
  if (!best)
    return;
  candidate.tilings = std::move(best->tilings);
  candidate.predictedUs = best->predictedUs;
}

std::vector<Candidate> CandidatePool::takeRanked() {
  rank();
  if (limits.tileSizes != TileSizeChoice::Refined)
    return std::move(candidates);
  auto numRefined = std::min<int64_t>(limits.numCandidates, candidates.size());
  parallelFor(limits.numThreads, numRefined, /*grain=*/1,
              [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i)
                  if (!limits.isToEnd || !limits.isToEnd())
                    refine(candidates[i]);
              });
  rank();
  return std::move(candidates);
}
