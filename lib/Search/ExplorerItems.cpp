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

/// An item that some thread has begun. Others may join it.
struct Explorer::RunningItem {
  explicit RunningItem(size_t number) : number(number) {}

  enum class Stage : uint8_t {
    Begun,
    Open,    ///< it is enumerated, and prefixes of it may be left
    AllTaken ///< some thread came to its end
  };
  const size_t number;
  PrefixShares shares;
  std::atomic<Stage> stage{Stage::Begun};
  unsigned numThreads = 1;
  std::optional<ItemResult> result; ///< of threads that are through with it
};

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
  std::condition_variable hasChanged; ///< what runs
  llvm::SmallVector<std::shared_ptr<RunningItem>> running;
  std::vector<std::thread> threads; ///< but for the calling one
  size_t numBegun = 0;
  size_t numJoined = 0;      ///< items that are done, as are all before
  uint64_t joinedStates = 0; ///< of these
  std::atomic<uint64_t> doneStates{0};
  std::atomic<size_t> end;
  std::atomic<bool> isOutOfTime{false};

  std::shared_ptr<RunningItem> findWork(llvm::function_ref<void()> tell);
  void open(RunningItem &item);
  bool leave(RunningItem &item, ItemResult result);
  void finish(RunningItem &item);
};

/// An item that nobody has begun, or one that has prefixes left; waits as long
/// as one may turn up. \returns null once nothing runs any more.
/// \param tell  called now and then meanwhile, if it is not null.
std::shared_ptr<Explorer::RunningItem>
Explorer::ItemRun::findWork(llvm::function_ref<void()> tell) {
  std::unique_lock<std::mutex> lock(mutex);
  while (true) {
    if (numBegun < end)
      return running.emplace_back(std::make_shared<RunningItem>(numBegun++));
    for (const std::shared_ptr<RunningItem> &item : running)
      if (item->stage == RunningItem::Stage::Open && item->number < end) {
        ++item->numThreads;
        return item;
      }
    if (running.empty())
      return nullptr;
    if (!tell) {
      hasChanged.wait(lock);
      continue;
    }
    hasChanged.wait_for(lock, std::chrono::milliseconds(50));
    lock.unlock();
    tell();
    lock.lock();
  }
}

void Explorer::ItemRun::open(RunningItem &item) {
  std::lock_guard<std::mutex> lock(mutex);
  item.stage = RunningItem::Stage::Open;
  hasChanged.notify_all();
}

/// With what the thread found of the item. \returns whether it was the last
/// one; then it has to finish it.
bool Explorer::ItemRun::leave(RunningItem &item, ItemResult result) {
  std::lock_guard<std::mutex> lock(mutex);
  item.stage = RunningItem::Stage::AllTaken;
  if (item.result)
    item.result->join(std::move(result));
  else
    item.result = std::move(result);
  return --item.numThreads == 0;
}

void Explorer::ItemRun::finish(RunningItem &item) {
  std::lock_guard<std::mutex> lock(mutex);
  doneStates += item.result->counts.states;
  results[item.number] = std::move(*item.result);
  isDone[item.number] = true;
  while (numJoined < end && isDone[numJoined] && joinedStates < budget)
    joinedStates += results[numJoined++].counts.states;
  if (isOutOfTime)
    end = 0;
  else if (joinedStates >= budget)
    end = std::min<size_t>(end, numJoined);
  llvm::erase_if(running,
                 [&](const auto &other) { return other.get() == &item; });
  hasChanged.notify_all();
}

void Explorer::ItemResult::join(ItemResult other) {
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
                         ItemResult::Found one{kernel, {}, 0};
                         for (const KernelResult &tensor : left)
                           one.tensors.push_back(worker.space.describe(tensor));
                         result.found.push_back(std::move(one));
                       });
    if (result.found.size() != numBefore + 1)
      return std::nullopt;
  }
  return result;
}

std::optional<Explorer::ItemResult> Explorer::recall(Worker &worker,
                                                     const Item &item,
                                                     const KernelSite &site,
                                                     uint64_t maxStates) {
  if (limits.records.empty())
    return std::nullopt;
  std::string name = getName(item);
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

/// Whoever enumerates with the same shares has the rest.
Explorer::ItemResult
Explorer::enumerateItem(Worker &worker, const Item &item,
                        const KernelSite &site, uint64_t maxStates,
                        llvm::function_ref<bool()> isCancelled,
                        PrefixShares *shares) {
  EnumerationLimits bounds{item.numOperators, maxStates, limits.joins};
  bounds.ignoresBounds = limits.ignoresBounds;
  bounds.ignoresPairs = limits.ignoresPairs;
  bounds.shares = shares;
  ItemResult result;
  bounds.isOutOfTime = [&] {
    worker.numStates.store(result.counts.states, std::memory_order_relaxed);
    return isCancelled();
  };
  Enumerator enumerator(worker.space, bounds, result.counts);
  result.isComplete = enumerator.run(
      site, item.choice,
      [&](const KernelStructure &kernel, ArrayRef<KernelResult> left) {
        ItemResult::Found one{kernel, {}, enumerator.getPrefix()};
        for (const KernelResult &tensor : left)
          one.tensors.push_back(worker.space.describe(tensor));
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

/// The item that crosses the limit on states gets exactly what is left.
Explorer::ItemResult Explorer::runAlone(const Item &item, uint64_t maxStates) {
  Worker &worker = *workers[0];
  KernelSite site = makeSite(worker, item);
  if (auto recalled = recall(worker, item, site, maxStates))
    return std::move(*recalled);
  ItemResult result = enumerateItem(
      worker, item, site, maxStates,
      limits.isOutOfTime ? limits.isOutOfTime : [] { return false; });
  record(item, result);
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
  auto noteOwn = [&] { noteProgress(run); };
  llvm::function_ref<void()> tell = nullptr;
  if (&worker == workers.front().get())
    tell = noteOwn;
  while (std::shared_ptr<RunningItem> item = run.findWork(tell)) {
    auto isCancelled = [&] {
      if (tell)
        tell();
      if (limits.isOutOfTime && limits.isOutOfTime())
        run.isOutOfTime = true;
      return run.isOutOfTime || item->number >= run.end;
    };
    ItemResult result = runShared(run, *item, worker, isCancelled);
    if (!run.leave(*item, std::move(result)))
      continue;
    record(run.items[item->number], *item->result);
    run.finish(*item);
  }
}

/// What the thread has of the item.
Explorer::ItemResult
Explorer::runShared(ItemRun &run, RunningItem &running, Worker &worker,
                    llvm::function_ref<bool()> isCancelled) {
  ItemResult nothing;
  if (isCancelled()) // small items never ask
    return nothing;
  nothing.isComplete = true;
  if (isElsewhere(run, running.number))
    return nothing;
  const Item &item = run.items[running.number];
  KernelSite site = makeSite(worker, item);
  if (running.stage == RunningItem::Stage::Begun) {
    if (auto recalled = recall(worker, item, site, run.budget))
      return std::move(*recalled);
    run.open(running);
  }
  auto asks = [&] {
    callThread(run); // the item is large enough to ask
    return isCancelled();
  };
  return enumerateItem(worker, item, site, run.budget, asks, &running.shares);
}

/// Has one thread more take part, if there is one.
void Explorer::callThread(ItemRun &run) {
  std::lock_guard<std::mutex> lock(run.mutex);
  size_t number = run.threads.size() + 1;
  if (number < workers.size())
    run.threads.emplace_back(
        [this, &run, number] { work(run, *workers[number]); });
}

/// The calling thread is the first. As many as there are items are called at
/// once, others when items turn out to be large.
void Explorer::runOnThreads(ItemRun &run) {
  for (size_t number = 1; number < run.items.size(); ++number)
    callThread(run);
  work(run, *workers[0]);
  for (std::thread &thread : run.threads)
    thread.join();
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
    uint64_t left = limits.maxStates - numStates;
    bool isOver = result.isComplete || result.isShared
                      ? result.counts.states >= left
                      : result.counts.states > left;
    if (isOver && !run.isOutOfTime)
      result = runAlone(run.items[i], left);
    numStates += result.counts.states;
    rounds.back().counts += result.counts;
    done(run.items[i], result);
    noteRefusals(run.items[i], result.counts);
    if (!result.isComplete)
      return endRound(run.isOutOfTime ? Stop::OutOfTime : Stop::StateLimit);
  }
  return true;
}
