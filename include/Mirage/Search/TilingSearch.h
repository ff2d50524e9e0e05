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
#include <map>
#include <memory>

namespace mlir::mirage::search {

/// Finds the cheapest tilings of structures of one program, by a cost model.
/// Tilings are tried by ascending bounds on their cost, which extents and
/// inputs give before there are operators; kernels with the same axes and
/// inputs share these bounds. Kernels of a structure depend on one another only
/// through how many parts one leaves to the next.
class TilingSearch {
public:
  /// \param cuts  what bounds exclude is not tried. False for tests.
  TilingSearch(const TargetProgram &program, const Target &target,
               const CostModel &costModel, bool cuts, unsigned numThreads);

  struct Choice {
    std::vector<Tiling> tilings; ///< by kernel
    double predictedUs = 0;
  };
  /// None if nothing fits into the target or takes at most `limitUs`.
  std::optional<Choice> findCheapest(llvm::ArrayRef<KernelPlan> plans,
                                     double limitUs);

  uint64_t getNumTried() const { return numTried; }
  /// Of these, within shared memory and registers.
  uint64_t getNumFitting() const { return numFitting; }

private:
  /// A tiling and what it cannot go below.
  struct BoundedTiling {
    double boundUs = 0;
    size_t number = 0;
    KernelBound bound;
    Tiling tiling;
    llvm::SmallVector<int64_t> parts; ///< how many it leaves
  };
  /// By ascending bounds, of tilings that leave equally many parts.
  using BoundedTilings = std::vector<BoundedTiling>;
  /// By how many parts there are along each axis that leaves any.
  using TilingGroups = std::map<llvm::SmallVector<int64_t>, BoundedTilings>;
  struct BestTiling {
    std::optional<Tiling> tiling;
    double us = 0;
    double limitUs = 0; ///< what costs more was not looked at
  };

  const TilingGroups &getGroups(const KernelPlan &plan,
                                llvm::ArrayRef<int64_t> extents);
  BoundedTiling boundTiling(const KernelPlan &plan,
                            llvm::ArrayRef<int64_t> extents,
                            Tiling tiling) const;
  TilingGroups boundTilings(const KernelPlan &plan,
                            llvm::ArrayRef<int64_t> extents) const;
  const BestTiling &getBest(const KernelPlan &plan,
                            llvm::ArrayRef<int64_t> extents,
                            llvm::ArrayRef<int64_t> parts,
                            const BoundedTilings &tilings, double limitUs);
  BestTiling findBest(const KernelPlan &plan, llvm::ArrayRef<int64_t> extents,
                      const BoundedTilings &tilings, double limitUs);
  double getLaunchUs(const KernelPlan &plan) const;
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
  const Target &target;
  const CostModel &costModel;
  bool cuts;
  unsigned numThreads; ///< that bound tilings
  uint64_t numTried = 0, numFitting = 0;
  std::map<std::string, TilingGroups> groups;
  std::map<std::string, BestTiling> bests;
};

} // namespace mlir::mirage::search

#endif // MIRAGE_SEARCH_TILINGSEARCH_H
