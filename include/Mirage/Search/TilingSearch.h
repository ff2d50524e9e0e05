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
#include <atomic>
#include <map>
#include <mutex>
#include <tuple>

namespace mlir::mirage::search {

/// Finds the cheapest tilings of structures of one program, by a cost model.
/// Bounds on their cost come in two steps (KernelSketch.h): by what kernels
/// with the same axes and inputs load, which all of them share; and by what the
/// structure computes. Only what both let pass is built, the cheapest first.
/// Kernels of a structure depend on one another only through how many parts one
/// leaves to the next. What is common to structures is worked out once.
class TilingSearch {
public:
  /// \param cuts  what bounds exclude is not tried.
  TilingSearch(const TargetProgram &program, const CostModel &costModel,
               bool cuts);

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

  /// Tilings that were built; whatever the order of calls was.
  uint64_t getNumTried() const { return numTried; }
  /// Of these, within shared memory and registers.
  uint64_t getNumFitting() const { return numFitting; }

private:
  /// A tiling and what it cannot go below.
  struct BoundedTiling {
    double boundUs = 0;
    uint32_t number = 0; ///< in the kernel's TilingSpace

    bool operator<(const BoundedTiling &other) const {
      return std::tie(boundUs, number) < std::tie(other.boundUs, other.number);
    }
    bool operator>(const BoundedTiling &other) const { return other < *this; }
  };
  /// By ascending bounds, of tilings that leave equally many parts.
  using BoundedTilings = std::vector<BoundedTiling>;
  /// By how many parts there are along each axis that leaves any.
  using TilingGroups = std::map<llvm::SmallVector<int64_t>, BoundedTilings>;
  struct BestTiling {
    std::optional<Tiling> tiling;
    uint32_t number = 0;
    double us = 0;
  };
  /// Bounds of kernels with one header, made by the first who asks.
  struct Header {
    std::once_flag isBounded;
    TilingGroups groups;
  };
  /// What is known of one kernel that leaves a certain number of parts.
  struct SizedKernel {
    std::mutex mutex;
    BestTiling best;
    std::optional<double> limitUs; ///< what costs more was not looked at
    BoundedTiling last;            ///< that was built, by ascending bounds
  };

  const TilingGroups &getGroups(const KernelPlan &plan,
                                llvm::ArrayRef<int64_t> extents);
  TilingGroups boundTilings(const KernelPlan &plan,
                            llvm::ArrayRef<int64_t> extents) const;
  BestTiling getBest(const KernelPlan &plan, llvm::ArrayRef<int64_t> extents,
                     llvm::ArrayRef<int64_t> parts,
                     const BoundedTilings &tilings, double limitUs);
  void findBest(const KernelPlan &plan, llvm::ArrayRef<int64_t> extents,
                const BoundedTilings &tilings, double limitUs,
                SizedKernel &kernel);
  void build(const KernelPlan &plan, llvm::ArrayRef<int64_t> extents,
             const BoundedTiling &bounded, Tiling tiling, SizedKernel &kernel);
  double boundTraffic(llvm::ArrayRef<KernelPlan> plans) const;
  llvm::SmallVector<double> boundRests(llvm::ArrayRef<KernelPlan> plans);
  /// What is fixed and what is found while a structure's kernels get sizes.
  struct Walk {
    llvm::ArrayRef<KernelPlan> plans;
    llvm::ArrayRef<double> restsUs; ///< bounds, from each kernel on
    double limitUs;
    std::vector<Tiling> tilings; ///< so far
    std::optional<Choice> best;
  };
  void search(Walk &walk, size_t kernel, llvm::ArrayRef<int64_t> extents,
              double spentUs);

  const TargetProgram &program;
  const CostModel &costModel;
  bool cuts;
  std::atomic<uint64_t> numTried = 0, numFitting = 0;
  std::mutex mutex; ///< of the maps, whose entries stay where they are
  /// By all that bounds depend on, and by all that sizes do.
  std::map<TextHash, Header> headers;
  std::map<TextHash, SizedKernel> kernels;
};

} // namespace mlir::mirage::search

#endif // MIRAGE_SEARCH_TILINGSEARCH_H
