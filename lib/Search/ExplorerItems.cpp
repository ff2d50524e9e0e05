//===- ExplorerItems.cpp - One item of a walk -----------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExplorerState.h"
#include "llvm/Support/raw_ostream.h"
#include <limits>

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using llvm::ArrayRef;

constexpr uint64_t kNoLimit = std::numeric_limits<uint64_t>::max();

/// What the item's result depends on.
std::string Explorer::getName(const Item &item) const {
  std::string name;
  llvm::raw_string_ostream os(name);
  os << limits.programHash << (reading == AtomReading::Function ? " f " : " w ")
     << boundaries[item.boundary]->hash << " read";
  for (unsigned tensor : item.read)
    os << ' ' << tensor;
  os << " grid";
  for (NameId axis : item.choice.gridNames)
    os << ' ' << axis;
  if (item.choice.loopName != kNoName)
    os << " loop " << item.choice.loopName;
  os << (item.isLast ? " last " : " other ") << item.numOperators;
  // Which ways there are to a boundary depends on what bounds cut off.
  if (!item.isLast)
    os << " before " << getOperatorsToCome(item);
  return name;
}

/// What the item gave when it was enumerated; none if the record says what no
/// enumeration of the item would give.
std::optional<ItemResult> Explorer::recall(Worker &worker, const Item &item,
                                           const KernelSite &site,
                                           const ItemRecord &record) {
  ItemResult result;
  result.isComplete = true;
  result.counts = record.counts;
  EnumerationLimits bounds{item.numOperators, kNoLimit, limits.joins};
  bounds.off = limits.off;
  EnumerationCounts counts;
  Enumerator enumerator(worker.getSpace(), bounds, counts);
  for (const KernelStructure &kernel : record.found) {
    size_t numBefore = result.found.size();
    enumerator.retrace(
        site, item.choice, kernel, [&](ArrayRef<KernelResult> left) {
          ItemResult::Found one{kernel, {}, 0};
          for (const KernelResult &tensor : left)
            one.tensors.push_back(worker.getSpace().describe(tensor));
          result.found.push_back(std::move(one));
        });
    if (result.found.size() != numBefore + 1)
      return std::nullopt;
  }
  return result;
}

std::optional<ItemResult> Explorer::recall(Worker &worker, const Item &item,
                                           const KernelSite &site,
                                           uint64_t maxStates) {
  if (limits.records.empty())
    return std::nullopt;
  std::string name = getName(item);
  for (ItemRecords *records : limits.records) {
    const ItemRecords::Entry *entry = records->find(name);
    if (!entry || entry->record.counts.states >= maxStates)
      continue;
    auto result = recall(worker, item, site, entry->record);
    if (!result)
      continue;
    for (ItemRecords *others : limits.records)
      if (others != records)
        others->add(name, entry->record);
    result->recalledFrom = records;
    result->recalled = entry;
    return result;
  }
  return std::nullopt;
}

/// Whoever enumerates with the same shares has the rest.
ItemResult Explorer::enumerateItem(Worker &worker, const Item &item,
                                   const KernelSite &site, uint64_t maxStates,
                                   llvm::function_ref<bool()> isCancelled,
                                   PrefixShares *shares) {
  EnumerationLimits bounds{item.numOperators, maxStates, limits.joins};
  bounds.off = limits.off;
  bounds.shares = shares;
  ItemResult result;
  bounds.isOutOfTime = [&] {
    worker.numStates.store(result.counts.states, std::memory_order_relaxed);
    return isCancelled();
  };
  Enumerator enumerator(worker.getSpace(), bounds, result.counts);
  result.isComplete = enumerator.run(
      site, item.choice,
      [&](const KernelStructure &kernel, ArrayRef<KernelResult> left) {
        ItemResult::Found one{kernel, {}, enumerator.getPrefix()};
        for (const KernelResult &tensor : left)
          one.tensors.push_back(worker.getSpace().describe(tensor));
        result.found.push_back(std::move(one));
      });
  worker.numStates.store(0, std::memory_order_relaxed);
  result.isEnumerated = true;
  return result;
}

void Explorer::record(const Item &item, const ItemResult &result) {
  if (limits.records.empty() || !result.isComplete || !result.isEnumerated)
    return;
  ItemRecord record{result.counts, {}};
  for (const ItemResult::Found &one : result.found)
    record.found.push_back(one.kernel);
  std::string name = getName(item);
  for (ItemRecords *records : limits.records)
    records->add(name, record);
}

void ItemResult::join(ItemResult other) {
  counts += other.counts;
  isComplete &= other.isComplete;
  isEnumerated |= other.isEnumerated;
  isShared = true;
  std::vector<Found> both;
  std::merge(std::make_move_iterator(found.begin()),
             std::make_move_iterator(found.end()),
             std::make_move_iterator(other.found.begin()),
             std::make_move_iterator(other.found.end()),
             std::back_inserter(both), [](const Found &lhs, const Found &rhs) {
               return lhs.prefix < rhs.prefix;
             });
  found = std::move(both);
}
