//===- BoundedPair.cpp - A difference over small primes -------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BoundedPair.h"
#include "Comparison.h"
#include "ExpNesting.h"
#include "WrittenGraph.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace mlir::mirage;
using namespace mlir::mirage::test;

BoundedPair::BoundedPair(const Graph &lhs, const Graph &rhs, size_t element)
    : lhs(lhs), rhs(rhs), element(element), numInputs(countInputElements(lhs)),
      height(1 + std::max(computeExpNesting(lhs), computeExpNesting(rhs))) {
  constexpr size_t kMaxTerms = 10000;
  std::optional<std::vector<TermId>> left = writeOut(lhs, table, kMaxTerms);
  if (!left)
    return;
  std::optional<std::vector<TermId>> right = writeOut(rhs, table, kMaxTerms);
  if (!right)
    return;
  std::vector<TermId> outputs = *left;
  llvm::append_range(outputs, *right);
  live.emplace(table, outputs);
  for (unsigned component = 0; component < live->getHeight(); ++component)
    groups.emplace_back(table, *live, component, numInputs);
  for (const RootGroups &group : llvm::ArrayRef(groups).drop_front())
    if (!haveOneFormula(table, group.getRoots()) ||
        !haveOneFormula(table, group.getFixedRoots()))
      exponents.setPicksBiased();
  difference.emplace(table, (*left)[element], (*right)[element], groups[0],
                     exponents);
}

TrialBatch BoundedPair::draw(llvm::ArrayRef<uint32_t> primes,
                             const Seed &seed) const {
  return TrialBatch(table, *live, groups, FieldTower(primes), numInputs, seed);
}

double BoundedPair::bound(const TrialBatch &certified, const TrialBatch &batch,
                          unsigned counted, double numTowers) {
  return std::exp2(difference
                       ->bound(certified, exponents.weigh(batch), counted,
                               numTowers, /*errorScale=*/0)
                       .provedLog2);
}

BatchClaim BoundedPair::getClaim(const TrialBatch &certified,
                                 const TrialBatch &batch) {
  // So many trials miss only where the batch is to blame.
  constexpr unsigned kForever = 1u << 30;
  BatchClaim claim;
  double ofOne = bound(certified, batch, 1, /*numTowers=*/0);
  claim.ofBatch = ofOne < 1 ? bound(certified, batch, kForever, 0) : 0;
  claim.ofTrial = ofOne - claim.ofBatch;
  return claim;
}

std::vector<uint32_t> BoundedPair::evaluate(const Graph &graph,
                                            const TrialBatch &batch) const {
  std::vector<std::vector<uint32_t>> inputs;
  for (unsigned component = 0; component < height; ++component)
    inputs.push_back(batch.getInputs(component).vec());
  size_t first = element * kernels::kLanes;
  for (std::vector<uint32_t> &output :
       evaluateInFields(graph, batch.getFields(), inputs, height)) {
    if (first < output.size())
      return {output.begin() + first, output.begin() + first + kernels::kLanes};
    first -= output.size();
  }
  assert(false && "no such element");
  return {};
}

BoundedPair::Count BoundedPair::count(const TrialBatch &batch) const {
  std::vector<uint32_t> x = evaluate(lhs, batch), y = evaluate(rhs, batch);
  Count count;
  for (unsigned lane = 0; lane < kernels::kLanes; ++lane) {
    if (std::max(x[lane], y[lane]) >= kernels::kUndefined)
      continue;
    ++count.trials;
    count.agreements += x[lane] == y[lane];
  }
  return count;
}

void AllowedAgreements::add(unsigned trials, BatchClaim claim, bool ofWorst) {
  if (ofWorst) {
    worst = {std::max(claim.ofTrial, worst ? worst->ofTrial : 0),
             std::max(claim.ofBatch, worst ? worst->ofBatch : 0)};
    for (Batch &batch : batches)
      batch.claim = *worst;
    claim = *worst;
  }
  batches.push_back({trials, claim});
}

double AllowedAgreements::getMean() const {
  double mean = 0;
  for (auto [trials, claim] : batches)
    mean += trials * claim.getTotal();
  return mean;
}

double AllowedAgreements::getExponent(double t, unsigned agreements) const {
  double exponent = -t * agreements;
  for (auto [trials, claim] : batches) {
    double own = trials * std::log1p(claim.ofTrial * std::expm1(t));
    double all = trials * t; // no less than `own`
    exponent += all + std::log(claim.ofBatch +
                               (1 - claim.ofBatch) * std::exp(own - all));
  }
  return exponent;
}

double AllowedAgreements::getTailLog2(unsigned agreements) const {
  // Every t > 0 gives a bound; a convex function has one minimum.
  double low = 0, high = 32;
  for (unsigned step = 0; step < 100; ++step) {
    double first = low + (high - low) / 3, second = high - (high - low) / 3;
    if (getExponent(first, agreements) < getExponent(second, agreements))
      high = second;
    else
      low = first;
  }
  return std::min(0.0, getExponent(low, agreements)) / M_LN2;
}
