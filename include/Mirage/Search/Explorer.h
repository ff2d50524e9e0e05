//===- Explorer.h - Structures of one and of several kernels ----*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks the space of structures by ascending number of operators. What a kernel
// leaves to later ones is a *boundary*: a set of tensors, each with a form and
// names. The next kernel depends on nothing else, so kernels after a boundary
// are enumerated once, whatever kernels lead to it; a structure of several
// kernels is a way to a boundary and a last kernel.
//
// A round is cut into *items*: a boundary, what of it and of the program's
// inputs a kernel reads, and the names of its axes. Items are shared out among
// threads and joined in their order, so that the result is that of one thread,
// limits on states included.
//
// Branch and bound: an item is cut if a lower bound on what its kernel moves
// (KernelTraffic.h), the cheapest way to its boundary and what is left to be
// read and written is above the cost of the N-th best structure of the rounds
// before. That is a value fixed before the round, so threads do not matter. If
// a cheaper way to the boundary is found later, the item is looked at again.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_SEARCH_EXPLORER_H
#define MIRAGE_SEARCH_EXPLORER_H

#include "Mirage/Search/Checkpoint.h"
#include "Mirage/Search/CostModel.h"
#include "Mirage/Search/Enumerator.h"
#include "Mirage/Search/SpaceLimits.h"
#include "llvm/ADT/SmallBitVector.h"
#include <atomic>
#include <map>
#include <memory>

namespace mlir::mirage::search {

/// How far a walk is.
struct WalkProgress {
  unsigned maxKernels = 1, numOperators = 0;
  uint64_t states = 0, maxStates = 0;
};

struct ExplorationLimits {
  unsigned maxBlockOps = 16; ///< operators of one kernel
  unsigned maxOps = 16;      ///< of all kernels together
  unsigned minKernels = 1;
  unsigned maxKernels = 1;
  unsigned maxGridAxes = 3;
  GridJoins joins = {};
  PrunerChoice pruner = {};
  uint64_t maxStates = 0;
  unsigned numThreads = 1;
  /// Asked now and then, by all threads; true ends the walk. Empty: never.
  std::function<bool()> isOutOfTime = {};
  /// Told whenever the thread that runs the walk asks isOutOfTime, thousands of
  /// times a second.
  std::function<void(const WalkProgress &)> onProgress = {};
  /// What was enumerated before, and is added to.
  llvm::SmallVector<ItemRecords *, 2> records = {};
  /// Items whose bound on cost is above the limit are not enumerated. Null:
  /// all are.
  const CostModel *costModel = nullptr;
  /// What a structure must not exceed to be of use, in us, asked before each
  /// round; it never rises. Not empty if there is a cost model.
  std::function<double()> getLimitUs = {};
  /// Stands for the program, at whatever sizes, in names of items.
  std::string programHash;
  /// Of the items of last kernels only these are enumerated.
  Shard shard = {};
  /// Choices of what kernels read that are looked at, of the kernels that are
  /// not the last of one number of operators, or of the last ones. They are no
  /// states, and with many inputs there are more of them.
  uint64_t maxReads = uint64_t(1) << 22;
  PruningSwitches off = {};
};

/// What one number of operators brought.
struct SearchRound {
  AtomReading reading = AtomReading::Function;
  unsigned maxKernels = 1;
  unsigned numOperators = 0;
  EnumerationCounts counts;
  unsigned structures = 0;
  /// Choices of boundaries, inputs and axes that were not enumerated, as a
  /// bound on their cost is above the limit.
  unsigned cuts = 0;
  /// Whether no limit on states or time ended it.
  bool isComplete = true;
  /// It took, with the sizes of what the round before found. 0 if recalled.
  double seconds = 0;
};

struct ItemResult;

class Explorer {
public:
  Explorer(const TargetProgram &program, AtomReading reading,
           const ExplorationLimits &limits);
  ~Explorer();

  /// False where the program's forms are too large for this reading.
  bool isSearchable() const;
  /// Whether some part of the program was read as an atom.
  bool hasAtoms() const;

  enum class Stop : uint8_t { Exhausted, StateLimit, TooManyReads, OutOfTime };
  /// Takes a structure and what it cannot cost less than, in us, 0 without a
  /// cost model. \returns whether the structure counts, as those do that nobody
  /// has found yet.
  using Callback = llvm::function_ref<bool(const Structure &, double leastUs)>;

  /// Calls `found` for each structure, fewest operators first.
  Stop run(Callback found);

  llvm::ArrayRef<SearchRound> getRounds() const { return rounds; }
  const SpaceLimits &getLimitsHit() const { return limitsHit; }

private:
  class Worker;
  struct Item;
  struct ItemRun;
  struct RunningItem;
  struct Way;
  struct Boundary;

  struct Look;

  bool makeItems(bool isLast, unsigned numOperators, std::vector<Item> &items);
  bool addItems(unsigned boundary, const Look &look, bool isLast,
                unsigned numOperators, std::vector<Item> &items);
  bool goesOnReading();
  void addItems(Item item, const Look &look, std::vector<Item> &items);
  bool runItems(llvm::ArrayRef<Item> items,
                llvm::function_ref<void(const Item &, ItemResult &)> done);
  void work(ItemRun &run, Worker &worker);
  void callThread(ItemRun &run);
  void runOnThreads(ItemRun &run);
  bool join(ItemRun &run,
            llvm::function_ref<void(const Item &, ItemResult &)> done);
  void noteShortage(const Item &item);
  void noteRefusals(const Item &item, const EnumerationCounts &counts);
  void noteGridAxes(const Item &item, const Look &look, const KernelSite &site);
  void noteKernels();
  bool isElsewhere(const ItemRun &run, size_t item) const;
  void noteProgress(const ItemRun &run);
  ItemResult runShared(ItemRun &run, RunningItem &running, Worker &worker,
                       llvm::function_ref<bool()> isCancelled);
  ItemResult runAlone(ItemRun &run, const Item &item, uint64_t maxStates);
  ItemResult enumerateItem(Worker &worker, const Item &item,
                           const KernelSite &site, uint64_t maxStates,
                           llvm::function_ref<bool()> isCancelled,
                           PrefixShares *shares = nullptr);
  void record(const Item &item, const ItemResult &result);
  std::optional<ItemResult> recall(Worker &worker, const Item &item,
                                   const KernelSite &site,
                                   const ItemRecord &record);
  std::optional<ItemResult> recall(Worker &worker, const Item &item,
                                   const KernelSite &site, uint64_t maxStates);
  std::string getName(const Item &item) const;
  KernelSite makeSite(Worker &worker, const Item &item);
  KernelsToCome getKernelsToCome(Worker &worker, const Item &item);
  unsigned getOperatorsToCome(const Item &item) const;
  bool hasOperatorsFor(const Item &item, unsigned numNeeded) const;
  llvm::SmallBitVector getInputsToRead(const Item &item) const;
  KernelTraffic getTraffic(const Item &item) const;
  double boundUs(const Item &item) const;
  double boundRestUs(const Item &item) const;
  double boundMovedUs(const Item &item) const;
  double boundWayUs(const Way &way, const Boundary &to) const;
  using Bound = double (Explorer::*)(const Item &) const;
  bool isCut(const Item &item, const Look &look, Bound bound);
  bool isDone(const Item &item, const Look &look) const;
  void boundBoundaries();
  llvm::SmallBitVector getInputsRead(const Way &way) const;
  void replay(Worker &worker, unsigned boundary);
  bool endRound(Stop why);
  bool runRound(unsigned numOperators);
  bool runLastKernels(unsigned numOperators);
  bool runOtherKernels(unsigned numOperators);
  void addWay(const Item &item, const KernelStructure &kernel,
              std::vector<BoundaryTensor> tensors, unsigned numOperators);
  void emitStructures(unsigned boundary, unsigned numOperators);
  void emitStructure(llvm::ArrayRef<const KernelStructure *> lastFirst,
                     const Boundary &last, double leastUs);

  const TargetProgram &program;
  AtomReading reading;
  ExplorationLimits limits;
  std::vector<std::unique_ptr<Worker>> workers;
  std::vector<std::unique_ptr<Boundary>> boundaries;
  std::map<std::string, unsigned> boundaryNumbers;
  std::vector<SearchRound> rounds;
  Callback found = nullptr;
  double limitUs = 0; ///< of the round
  uint64_t numStates = 0;
  SpaceLimits limitsHit;
  bool hasNamesForKernels = true; ///< for as many as the limits allow
  uint64_t numReads = 0;          ///< as maxReads counts them
  Stop stop = Stop::Exhausted;
};

} // namespace mlir::mirage::search

#endif // MIRAGE_SEARCH_EXPLORER_H
