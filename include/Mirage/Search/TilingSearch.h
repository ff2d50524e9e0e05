//===- TilingSearch.h - The cheapest sizes of a structure -------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_SEARCH_TILINGSEARCH_H
#define MIRAGE_SEARCH_TILINGSEARCH_H

#include "Mirage/Search/CostModel.h"
#include "Mirage/Search/Instantiator.h"
#include "Mirage/Search/TextHash.h"
#include "Mirage/Search/TilingSpace.h"
#include <atomic>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <queue>
#include <set>
#include <tuple>

namespace mlir::mirage::search {

/// Finds the cheapest tilings of structures of one program, by a cost model,
/// among all that TilingSpace.h has. Branch and bound: boxes of tilings are
/// taken by ascending bounds (KernelSketch.h) and halved, until the next bound
/// is no less than what the best tiling takes. Boxes and numbers of parts may
/// be too many to be looked at (Limits); then what is found need not be the
/// cheapest, nor need anything be found. The same holds once it is time to end.
/// Kernels of a structure depend on one another only through how many parts one
/// leaves to the next. What is common to structures is worked out once.
class TilingSearch {
public:
  /// \param cuts     whether limits hold.
  /// \param isToEnd  may be empty; is asked by all threads. Once it is true,
  ///                 boxes are too many, however few there were.
  TilingSearch(const TargetProgram &program, const CostModel &costModel,
               TileSizeSet sizes, bool cuts,
               std::function<bool()> isToEnd = {});

  /// Boxes to be bounded, of numbers of parts and of one kernel, before the
  /// search goes on with the next one alone, to the first in it that is of use,
  /// or until there were as many again; and numbers of parts to be tried.
  struct Limits {
    size_t boxes = std::numeric_limits<size_t>::max();
    size_t groups = std::numeric_limits<size_t>::max();
  };

  struct Choice {
    std::vector<Tiling> tilings; ///< by kernel
    double predictedUs = 0;
  };
  /// What no sizes take less than, infinite if there are none that could fit.
  double boundUs(llvm::ArrayRef<KernelPlan> plans);
  /// None if nothing fits into the target or takes at most `limitUs`. May, as
  /// the bound, be called by several threads.
  std::optional<Choice> findCheapest(llvm::ArrayRef<KernelPlan> plans,
                                     double limitUs);

  /// Tilings whose block graph was looked at; whatever the order of calls was.
  uint64_t getNumTried() const { return numTried; }
  /// Of these, within shared memory and registers.
  uint64_t getNumFitting() const { return numFitting; }

private:
  /// Some tilings and what none of them goes below.
  struct BoundedBox {
    double boundUs = 0;
    TilingBox box;

    bool operator<(const BoundedBox &other) const {
      return std::tie(boundUs, box) < std::tie(other.boundUs, other.box);
    }
    bool operator>(const BoundedBox &other) const { return other < *this; }
  };
  using BoxQueue =
      std::priority_queue<BoundedBox, std::vector<BoundedBox>, std::greater<>>;
  /// Boxes by ascending bounds, until they are too many or it is time to end:
  /// then, of the box that is next, the better half of the better half, and so
  /// on down, and back from what is of no use, until something is found. Where
  /// bounds are no guide, since what they promise does not fit, it starts over
  /// after a while, from the largest box that is left to the smallest tiles.
  class BoxFrontier {
  public:
    void add(llvm::SmallVector<BoundedBox, 2> boxes, size_t maxBoxes,
             bool isToEnd);
    /// Whether there is no next one.
    bool isOver() const;
    const BoundedBox &top() const {
      return isDiving ? stack.back() : queue.top();
    }
    BoundedBox pop();
    void noteFound() { hasEnough = isDiving; }
    bool hasDived() const { return isDiving; }

  private:
    void startDive();

    size_t numBoxes = 0; ///< so far
    size_t mostDiving = 0;
    bool isDiving = false, takesSmall = false, hasEnough = false;
    BoxQueue queue;
    std::vector<BoundedBox> stack;
  };
  /// Tilings that leave equally many parts.
  struct Group {
    double boundUs = 0;
    /// Along axes that leave parts to later kernels; 0 along others.
    BlockCounts grid;
  };
  /// What kernels with one header share, made by the first who asks.
  struct Header {
    std::mutex mutex;
    std::optional<double> leastUs; ///< of all tilings
    /// By ascending bounds, but for one that is found when boxes are too many.
    std::vector<Group> groups;
    bool hasBoxes = false;
    BoxFrontier boxes;           ///< of which more groups are to be had
    std::set<BlockCounts> grids; ///< that groups have
  };
  struct BestTiling {
    std::optional<Tiling> tiling;
    double us = 0;
    bool isLeast = true; ///< nothing was left out but what is above the limit
  };
  /// What is known of one kernel that leaves a certain number of parts.
  struct SizedKernel {
    std::mutex mutex;
    BestTiling best;
    std::optional<double> limitUs; ///< what costs more was not looked at
    BoundedBox last;               ///< that was looked at, by ascending bounds
  };

  void addBoxes(BoxFrontier &boxes, llvm::MutableArrayRef<TilingBox> more,
                llvm::function_ref<double(const TilingBox &)> boundUs);
  Header &getHeader(const KernelPlan &plan, llvm::ArrayRef<int64_t> extents);
  SizedKernel &getSizedKernel(const KernelPlan &plan,
                              llvm::ArrayRef<int64_t> extents,
                              llvm::ArrayRef<int64_t> grid);
  double getLeastUs(const KernelPlan &plan, llvm::ArrayRef<int64_t> extents);
  double findLeastUs(const KernelPlan &plan, llvm::ArrayRef<int64_t> extents);
  void findGroups(const KernelPlan &plan, llvm::ArrayRef<int64_t> extents,
                  size_t number, double limitUs, Header &header);
  std::optional<Group> getGroup(const KernelPlan &plan,
                                llvm::ArrayRef<int64_t> extents, size_t number,
                                double limitUs);
  BestTiling getBest(const KernelPlan &plan, llvm::ArrayRef<int64_t> extents,
                     llvm::ArrayRef<int64_t> grid, double limitUs);
  void findBest(const KernelPlan &plan, llvm::ArrayRef<int64_t> extents,
                llvm::ArrayRef<int64_t> grid, double limitUs,
                SizedKernel &kernel);
  bool tryTiling(const BoundedBox &box, Tiling tiling,
                 std::optional<BlockSize> size, double launchUs,
                 SizedKernel &kernel);
  double boundTraffic(llvm::ArrayRef<KernelPlan> plans) const;
  llvm::SmallVector<double> boundKernels(llvm::ArrayRef<KernelPlan> plans);
  bool tighten(llvm::ArrayRef<KernelPlan> plans, double limitUs,
               llvm::MutableArrayRef<double> kernelsUs);
  /// What is fixed and what is found while a structure's kernels get sizes.
  struct Walk {
    llvm::ArrayRef<KernelPlan> plans;
    llvm::SmallVector<double> restsUs; ///< bounds, from each kernel on
    double limitUs;
    std::vector<Tiling> tilings; ///< so far
    std::optional<Choice> best;
  };
  void search(Walk &walk, size_t kernel, llvm::ArrayRef<int64_t> extents,
              double spentUs);

  const TargetProgram &program;
  const CostModel &costModel;
  bool cuts;
  std::function<bool()> isToEnd;
  Limits limits;
  std::atomic<uint64_t> numTried = 0, numFitting = 0;
  TileSizes sizes;
  std::mutex mutex; ///< of the maps, whose entries stay where they are
  /// By all that bounds depend on, and by all that sizes do.
  std::map<TextHash, Header> headers;
  std::map<TextHash, SizedKernel> kernels;
};

} // namespace mlir::mirage::search

#endif // MIRAGE_SEARCH_TILINGSEARCH_H
