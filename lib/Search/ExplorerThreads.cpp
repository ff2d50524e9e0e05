//===- ExplorerThreads.cpp - Items of a walk, on threads ------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExplorerState.h"
#include "llvm/Support/xxhash.h"
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using llvm::ArrayRef;

//===----------------------------------------------------------------------===//
// Who has what
//===----------------------------------------------------------------------===//

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

//===----------------------------------------------------------------------===//
// What each does
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
ItemResult Explorer::runShared(ItemRun &run, RunningItem &running,
                               Worker &worker,
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
    // Who asks a solver with a limit may get other answers than another does.
    if (limits.pruner.make)
      return enumerateItem(worker, item, site, run.budget, isCancelled);
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

/// The item that crosses the limit on states gets exactly what is left.
ItemResult Explorer::runAlone(ItemRun &run, const Item &item,
                              uint64_t maxStates) {
  Worker &worker = *workers[0];
  KernelSite site = makeSite(worker, item);
  if (auto recalled = recall(worker, item, site, maxStates))
    return std::move(*recalled);
  auto isOutOfTime = [&] {
    if (limits.isOutOfTime && limits.isOutOfTime())
      run.isOutOfTime = true;
    return run.isOutOfTime.load();
  };
  ItemResult result = enumerateItem(worker, item, site, maxStates, isOutOfTime);
  record(item, result);
  return result;
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
      result = runAlone(run, run.items[i], left);
    if (result.recalled)
      result.recalledFrom->countUse(*result.recalled);
    numStates += result.counts.states;
    rounds.back().counts += result.counts;
    done(run.items[i], result);
    noteRefusals(run.items[i], result.counts);
    if (!result.isComplete)
      return endRound(run.isOutOfTime ? Stop::OutOfTime : Stop::StateLimit);
  }
  return true;
}
