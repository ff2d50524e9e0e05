//===- ExponentSets.cpp - Independent variables of exponentials -----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExponentSets.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include <array>
#include <cmath>

using namespace mlir::mirage;
using kernels::kLanes;

/// All terms that `getNext` leads to, ascending, `roots` among them.
static std::vector<TermId>
collect(std::vector<TermId> roots,
        llvm::function_ref<llvm::ArrayRef<TermId>(TermId)> getNext) {
  // Exponents share much, such as the maximum that all of a row subtract.
  llvm::DenseSet<TermId> seen;
  while (!roots.empty()) {
    TermId term = roots.back();
    roots.pop_back();
    if (seen.insert(term).second)
      llvm::append_range(roots, getNext(term));
  }
  std::vector<TermId> found(seen.begin(), seen.end());
  llvm::sort(found);
  return found;
}

bool mlir::mirage::haveOneFormula(const TermTable &table,
                                  llvm::ArrayRef<TermId> list) {
  std::vector<TermId> below;
  for (TermId term : list)
    llvm::append_range(below, table.getOperands(term));
  std::vector<TermId> all = collect(
      std::move(below), [&](TermId term) { return table.getOperands(term); });
  return llvm::none_of(all, [&](TermId term) {
    TermKind kind = table[term].kind;
    return kind == TermKind::Abs || kind == TermKind::Max ||
           kind == TermKind::Min;
  });
}

/// With 2^R for the conjugates of R roots.
static double findDivisorDegree(const TermTable &table,
                                llvm::ArrayRef<TermId> arguments,
                                llvm::ArrayRef<TermId> terms) {
  auto count = [&](TermKind kind) {
    return llvm::count_if(
        terms, [&](TermId term) { return table[term].kind == kind; });
  };
  if (count(TermKind::Div) == 0)
    return 0;
  if (count(TermKind::Exp) > 0)
    return HUGE_VAL;
  return std::exp2(double(count(TermKind::Sqrt))) *
         computeDegreeOfDivisors(table, arguments, terms);
}

ExponentSet::ExponentSet(const TermTable &table, std::vector<TermId> list)
    : arguments(std::move(list)) {
  auto isPick = [&](TermId term) {
    return table[term].kind == TermKind::Max ||
           table[term].kind == TermKind::Min;
  };
  std::vector<TermId> terms =
      collect(arguments, [&](TermId term) { return table.getOperands(term); });
  numTerms = terms.size();
  llvm::copy_if(terms, std::back_inserter(picks), isPick);
  numSigns = llvm::count_if(terms, [&](TermId term) {
    return table[term].kind == TermKind::Abs ||
           table[term].kind == TermKind::Sqrt;
  });
  signs = llvm::any_of(
      terms, [&](TermId term) { return table[term].kind == TermKind::Abs; });
  std::vector<TermId> linear = collect(arguments, [&](TermId term) {
    return LinearForms::getExpandedOperands(table, term);
  });
  llvm::copy_if(linear, std::back_inserter(linearPicks), isPick);
  if (!picks.empty())
    divisorDegree = findDivisorDegree(table, arguments, terms);
}

unsigned ExponentSets::add(std::vector<TermId> arguments) {
  auto [entry, isNew] = numbers.try_emplace(arguments, entries.size());
  if (isNew)
    entries.push_back({ExponentSet(table, std::move(arguments)), {}});
  return entry->second;
}

std::vector<BatchWeights> ExponentSets::weigh(const TrialBatch &batch) {
  std::vector<BatchWeights> weights;
  for (Entry &entry : entries)
    weights.push_back(weigh(entry, batch));
  return weights;
}

/// The rank of the vectors of values that some terms have at the 16 points.
static unsigned computeRank(const TrialBatch &batch,
                            llvm::ArrayRef<TermId> terms) {
  if (terms.empty()) // and perhaps no second component
    return 0;
  const PrimeField &field = batch.getFields().tower[1];
  auto isNonZero = [](uint32_t x) { return x != 0; };
  struct Row {
    std::array<uint32_t, kLanes> values;
    size_t pivot; ///< where it has its leading 1
  };
  llvm::SmallVector<Row> rows;
  for (TermId term : terms) {
    const uint32_t *value = batch.getValues().get(term, 1);
    Row row;
    std::copy(value, value + kLanes, row.values.begin());
    if (llvm::any_of(row.values, kernels::isSpecial))
      return 0;
    for (const Row &other : rows) {
      uint32_t factor = row.values[other.pivot];
      for (unsigned t = 0; t < kLanes; ++t)
        row.values[t] =
            field.sub(row.values[t], field.mul(factor, other.values[t]));
    }
    row.pivot = llvm::find_if(row.values, isNonZero) - row.values.begin();
    if (row.pivot == kLanes)
      continue;
    uint32_t scale = field.inverse(row.values[row.pivot]);
    for (uint32_t &entry : row.values)
      entry = field.mul(entry, scale);
    rows.push_back(row);
  }
  return rows.size();
}

/// The operand that a maximum or minimum picked, at all points alike.
static TermId findPicked(const TermTable &table, const TrialBatch &batch,
                         TermId pick) {
  const uint32_t *value = batch.getValues().get(pick, 1);
  for (TermId operand : table.getOperands(pick))
    if (std::equal(value, value + kLanes, batch.getValues().get(operand, 1)))
      return operand;
  return table.getOperands(pick)[0];
}

BatchWeights ExponentSets::weigh(Entry &entry, const TrialBatch &batch) {
  const ExponentSet &set = entry.set;
  if (!set.getArguments().empty() && batch.getFields().tower.getHeight() < 2)
    return {};
  std::vector<TermId> picked;
  for (TermId pick : set.getLinearPicks())
    picked.push_back(findPicked(table, batch, pick));
  auto known = entry.known.find(picked);
  if (known == entry.known.end()) {
    if (entry.known.size() == kMaxKnown)
      entry.known.clear();
    ExponentWeights weights = computeWeights(set, picked);
    known = entry.known.emplace(std::move(picked), std::move(weights)).first;
  }
  const ExponentWeights &weights = known->second;
  bool isSpokenOf =
      !set.hasSigns() && (set.getPicks().empty() || !picksAreBiased);
  return {&weights, isSpokenOf,
          weights.basis && isSpokenOf && weights.basis->size() <= kLanes &&
              computeRank(batch, *weights.basis) == weights.basis->size()};
}

ExponentWeights ExponentSets::computeWeights(const ExponentSet &set,
                                             llvm::ArrayRef<TermId> picked) {
  llvm::ArrayRef<TermId> arguments = set.getArguments(),
                         picks = set.getLinearPicks();
  ExponentWeights weights;
  weights.number = ++numWeights;
  auto resolve = [&](TermId pick) {
    return picked[llvm::lower_bound(picks, pick) - picks.begin()];
  };
  std::optional<ExponentBasis> basis = forms.findBasis(arguments, resolve);
  if (!basis) { // as if all were independent
    for (unsigned j = 0; j < arguments.size(); ++j) {
      weights.powers.emplace_back(arguments.size(), 0);
      weights.powers.back()[j] = 1;
    }
    return weights;
  }
  weights.basis.emplace();
  for (unsigned j : basis->basis)
    weights.basis->push_back(arguments[j]);
  weights.powers = std::move(basis->coefficients);
  return weights;
}
