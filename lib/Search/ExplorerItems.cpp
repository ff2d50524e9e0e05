//===- ExplorerItems.cpp - Items of a walk, on threads --------------------===//
//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExplorerState.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using llvm::ArrayRef;

/// Items that threads share out.
struct Explorer::ItemRun {
  ItemRun(ArrayRef<Item> items, uint64_t budget)
      : items(items), budget(budget), results(items.size()),
        isDone(items.size(), false), end(items.size()) {}

  ArrayRef<Item> items;
  uint64_t budget; ///< states
  std::vector<ItemResult> results;
  std::vector<char> isDone;
  std::mutex mutex;
  std::condition_variable hasEnded; ///< a thread other than the first
  unsigned numRunning = 0;          ///< of these
  size_t numJoined = 0;             ///< items that are done, as are all before
  uint64_t joinedStates = 0;        ///< of these
  std::atomic<uint64_t> doneStates{0};
  std::atomic<size_t> next{0}, end;
  std::atomic<bool> isOutOfTime{false};

  void finish(size_t item, ItemResult result) {
    std::lock_guard<std::mutex> lock(mutex);
    doneStates += result.counts.states;
    results[item] = std::move(result);
    isDone[item] = true;
    while (numJoined < end && isDone[numJoined] && joinedStates < budget)
      joinedStates += results[numJoined++].counts.states;
    if (isOutOfTime)
      end = 0;
    else if (joinedStates >= budget)
      end = std::min<size_t>(end, numJoined);
  }
};

//===----------------------------------------------------------------------===//
// One item
//===----------------------------------------------------------------------===//

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
std::optional<Explorer::ItemResult> Explorer::recall(Worker &worker,
                                                     const Item &item,
                                                     const KernelSite &site,
                                                     const ItemRecord &record) {
  ItemResult result;
  result.isComplete = true;
  result.counts = record.counts;
  EnumerationLimits bounds{item.numOperators, limits.maxStates, limits.joins};
  EnumerationCounts counts;
  Enumerator enumerator(worker.space, bounds, counts);
  for (const KernelStructure &kernel : record.found) {
    size_t numBefore = result.found.size();
    enumerator.retrace(site, item.choice, kernel,
                       [&](ArrayRef<KernelResult> left) {
                         ItemResult::Found one{kernel, {}};
                         for (const KernelResult &tensor : left)
                           one.tensors.push_back(worker.space.describe(tensor));
                         result.found.push_back(std::move(one));
                       });
    if (result.found.size() != numBefore + 1)
      return std::nullopt;
  }
  return result;
}

std::optional<Explorer::ItemResult>
Explorer::recall(Worker &worker, const Item &item, const KernelSite &site,
                 llvm::StringRef name, uint64_t maxStates) {
  for (ItemRecords *records : limits.records) {
    const ItemRecord *record = records->find(name);
    if (!record || record->counts.states >= maxStates)
      continue;
    if (auto result = recall(worker, item, site, *record)) {
      for (ItemRecords *others : limits.records)
        if (others != records)
          others->add(name, *record);
      return result;
    }
  }
  return std::nullopt;
}

Explorer::ItemResult Explorer::runItem(Worker &worker, const Item &item,
                                       uint64_t maxStates,
                                       llvm::function_ref<bool()> isCancelled) {
  KernelSite site = makeSite(worker, item);
  std::string name;
  if (!limits.records.empty()) {
    name = getName(item);
    if (auto recalled = recall(worker, item, site, name, maxStates))
      return std::move(*recalled);
  }
  EnumerationLimits bounds{item.numOperators, maxStates, limits.joins};
  bounds.ignoresBounds = limits.ignoresBounds;
  bounds.ignoresPairs = limits.ignoresPairs;
  ItemResult result;
  bounds.isOutOfTime = [&] {
    worker.numStates.store(result.counts.states, std::memory_order_relaxed);
    return isCancelled();
  };
  Enumerator enumerator(worker.space, bounds, result.counts);
  result.isComplete = enumerator.run(
      site, item.choice,
      [&](const KernelStructure &kernel, ArrayRef<KernelResult> left) {
        ItemResult::Found one{kernel, {}};
        for (const KernelResult &tensor : left)
          one.tensors.push_back(worker.space.describe(tensor));
        result.found.push_back(std::move(one));
      });
  worker.numStates.store(0, std::memory_order_relaxed);
  if (limits.records.empty() || !result.isComplete)
    return result;
  ItemRecord record{result.counts, {}};
  for (const ItemResult::Found &one : result.found)
    record.found.push_back(one.kernel);
  for (ItemRecords *records : limits.records)
    records->add(name, record);
  return result;
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

/// Items of last kernels are another shard's, but for some; what leads to them
/// is everybody's.
bool Explorer::isElsewhere(const ItemRun &run, size_t item) const {
  return run.items[item].isLast && !limits.shard.isWhole() &&
         !limits.shard.has(llvm::xxh3_64bits(getName(run.items[item])));
}

void Explorer::noteProgress(const ItemRun &run) {
  if (!limits.onProgress)
    return;
  uint64_t states = numStates + run.doneStates;
  for (const auto &worker : workers)
    states += worker->numStates.load(std::memory_order_relaxed);
  limits.onProgress({limits.maxKernels, rounds.back().numOperators,
                     std::min(states, limits.maxStates), limits.maxStates});
}

void Explorer::work(ItemRun &run, Worker &worker) {
  bool isFirst = &worker == workers.front().get();
  for (size_t i = run.next++; i < run.end; i = run.next++) {
    auto isCancelled = [&] {
      if (isFirst)
        noteProgress(run);
      if (limits.isOutOfTime && limits.isOutOfTime())
        run.isOutOfTime = true;
      return run.isOutOfTime || i >= run.end;
    };
    // Small items never ask.
    if (isCancelled()) {
      if (run.isOutOfTime)
        run.end = 0;
      return;
    }
    ItemResult result;
    if (isElsewhere(run, i))
      result.isComplete = true;
    else
      result = runItem(worker, run.items[i], run.budget, isCancelled);
    run.finish(i, std::move(result));
  }
}

/// The calling thread is the first; when it has nothing left to do it tells how
/// far the others are.
void Explorer::runOnThreads(ItemRun &run) {
  unsigned numThreads = std::min<size_t>(workers.size(), run.items.size());
  run.numRunning = numThreads == 0 ? 0 : numThreads - 1;
  std::vector<std::thread> others;
  for (unsigned i = 1; i < numThreads; ++i)
    others.emplace_back([this, &run, i] {
      work(run, *workers[i]);
      std::lock_guard<std::mutex> lock(run.mutex);
      --run.numRunning;
      run.hasEnded.notify_one();
    });
  if (numThreads > 0)
    work(run, *workers[0]);
  std::unique_lock<std::mutex> lock(run.mutex);
  while (!run.hasEnded.wait_for(lock, std::chrono::milliseconds(50),
                                [&] { return run.numRunning == 0; }))
    noteProgress(run);
  lock.unlock();
  for (std::thread &other : others)
    other.join();
}

/// Runs items on all threads and hands their results over in order. \returns
/// false, with the reason noted, if a limit ended the round.
bool Explorer::runItems(
    ArrayRef<Item> items,
    llvm::function_ref<void(const Item &, ItemResult &)> done) {
  ItemRun run(items, limits.maxStates - numStates);
  runOnThreads(run);
  return join(run, done);
}

bool Explorer::join(ItemRun &run,
                    llvm::function_ref<void(const Item &, ItemResult &)> done) {
  for (size_t i = 0; i < run.items.size(); ++i) {
    if (!run.isDone[i])
      return endRound(Stop::OutOfTime);
    ItemResult &result = run.results[i];
    // The item that crosses the limit gets exactly what is left.
    uint64_t left = limits.maxStates - numStates;
    bool isOver = result.isComplete ? result.counts.states >= left
                                    : result.counts.states > left;
    if (isOver && !run.isOutOfTime)
      result = runItem(
          *workers[0], run.items[i], left,
          limits.isOutOfTime ? limits.isOutOfTime : [] { return false; });
    numStates += result.counts.states;
    rounds.back().counts += result.counts;
    done(run.items[i], result);
    noteRefusals(run.items[i], result.counts);
    if (!result.isComplete)
      return endRound(run.isOutOfTime ? Stop::OutOfTime : Stop::StateLimit);
  }
  return true;
}
