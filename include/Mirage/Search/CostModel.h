//===- CostModel.h - How long a µGraph takes, predicted ---------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ranks candidates without a GPU. Deterministic: the same graph and target give
// the same number everywhere.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_SEARCH_COSTMODEL_H
#define MIRAGE_SEARCH_COSTMODEL_H

#include "Mirage/Graph/Graph.h"
#include "Mirage/Planning/Target.h"
#include "Mirage/Search/KernelTime.h"
#include "Mirage/Search/KernelWork.h"
#include "Mirage/Search/LibraryKernels.h"
#include <array>
#include <optional>

namespace mlir::mirage::search {

/// The numbers of threads that a block may have, ascending. Powers of two, as
/// the work items of most steps are; from two warps, as one has nobody to wait
/// beside, to half of what a launch takes, as more leave a thread 64 registers.
constexpr std::array<unsigned, 4> kBlockSizes = {64, 128, 256, 512};

/// The most stages that are chosen. An H200 has all on its way that it takes
/// with 3 to 6 of a hand-written kernel's.
constexpr unsigned kMostChosenStages = 6;

/// Whether one block's tiles fit into shared memory, each with a place of its
/// own, and its accumulators into the registers that its threads can have. The
/// planner gives one place to tiles that are not there at once, so more would
/// fit; which ones depends on the order of steps, which the search does not
/// know. Code keeps accumulators in shared memory today: they are in both sums
/// (docs/Search.md).
bool fits(const TileGraph &kernel, const Target &target);

/// What a kernel moves at the least, whatever its tiles and operators are
/// (KernelTraffic.h).
struct KernelTraffic {
  struct Input {
    double bytes = 0;          ///< in device memory
    double maxShares = 1;      ///< blocks that may each read another part of it
    double minReaders = 1;     ///< blocks that at least read each part of it
    double leastTileBytes = 0; ///< in one block, at a time
  };
  llvm::SmallVector<Input, 4> inputs;
  double resultBytes = 0;
  unsigned numJoins = 0; ///< axes along which blocks are joined
  /// Whether all axes can have two blocks and the loop two iterations.
  bool canBeSplit = true;
};

struct BlockSize {
  unsigned threads = 0;
  unsigned stages = 1;
  double us = 0; ///< what the kernel takes with them
};

/// Bounds are sums in another order than estimates: what they exceed by less
/// than this is rounding.
constexpr double kBoundRounding = 1 - 1e-9;

class CostModel {
public:
  virtual ~CostModel() = default;
  /// One kernel, launched alone, with its numbers of threads and stages. Tiles
  /// must have been checked to fit.
  virtual double estimateKernelUs(const TileGraph &kernel,
                                  llvm::ArrayRef<TensorSpec> operands,
                                  llvm::ArrayRef<TensorSpec> results) const = 0;
  /// The numbers of threads, among `kBlockSizes`, and of stages with which a
  /// kernel fits and takes least; the smallest of several. None if it fits with
  /// none.
  virtual std::optional<BlockSize>
  chooseBlockSize(const TileGraph &kernel, llvm::ArrayRef<TensorSpec> operands,
                  llvm::ArrayRef<TensorSpec> results) const = 0;
  /// What no kernel goes below, with any number of threads among `kBlockSizes`
  /// and of stages that may be chosen, that does at least this; infinite if
  /// none fits.
  virtual double boundUs(const KernelWork &work) const = 0;
  /// What no kernel goes below that moves as much; infinite if none fits into
  /// the target. It is never above what `boundUs` gives of such a kernel.
  virtual double boundTrafficUs(const KernelTraffic &traffic) const = 0;
  /// What a kernel after another one takes more than alone: less than nothing,
  /// as its launch is hidden.
  virtual double getFurtherKernelUs() const = 0;
  /// The same of a kernel with so many before it.
  double getLaunchUs(unsigned position) const {
    return position == 0 ? 0 : getFurtherKernelUs();
  }
  /// A matmul that is left to a library, launched alone.
  virtual double estimateLibraryUs(const LibraryMatmul &matmul) const = 0;
  /// A kernel graph of nested graphs, of matmuls that are left to a library,
  /// and of views, which cost nothing but where an output is part of what a
  /// kernel writes, and is copied. It is what graphs are compared by: calls
  /// of the library count for what `getLibraryCostUs` says.
  virtual double estimateUs(const Graph &graph) const = 0;
};

/// Gives a kernel the numbers of threads and stages that a model chooses. One
/// that fits with none stays as it is.
void assignBlockSize(TileGraph &kernel, llvm::ArrayRef<TensorSpec> operands,
                     llvm::ArrayRef<TensorSpec> results,
                     const CostModel &costModel);

/// Bytes, arithmetic, waves and latencies, each against the target's rate.
/// Constants and their measurement: docs/Search.md.
class AnalyticCostModel : public CostModel {
public:
  /// \param stages  what kernels get, or the most that fit and their loops have
  ///                a use for; 0: what is predicted to take least.
  explicit AnalyticCostModel(
      Target target, unsigned stages = 0,
      LibraryKernels libraryKernels = LibraryKernels::Auto)
      : target(target), forcedStages(stages), libraryKernels(libraryKernels) {}

  double estimateKernelUs(const TileGraph &kernel,
                          llvm::ArrayRef<TensorSpec> operands,
                          llvm::ArrayRef<TensorSpec> results) const override;
  /// What `estimateKernelUs` is the sum of.
  KernelTime predictKernel(const TileGraph &kernel,
                           llvm::ArrayRef<TensorSpec> operands,
                           llvm::ArrayRef<TensorSpec> results) const;
  std::optional<BlockSize>
  chooseBlockSize(const TileGraph &kernel, llvm::ArrayRef<TensorSpec> operands,
                  llvm::ArrayRef<TensorSpec> results) const override;
  double boundUs(const KernelWork &work) const override;
  double boundTrafficUs(const KernelTraffic &traffic) const override;
  double getFurtherKernelUs() const override;
  double estimateLibraryUs(const LibraryMatmul &matmul) const override;
  double estimateUs(const Graph &graph) const override;

private:
  double estimateCopyUs(const TensorSpec &tensor) const;
  KernelTime predict(const KernelWork &work, const BlockTime &block,
                     BlockShape shape) const;
  /// How many numbers of stages there are to choose from.
  struct StageRange {
    unsigned least = 1, most = 1;
  };
  StageRange getStages(const KernelWork &work) const;
  double getJoinUs(const KernelWork &work) const;
  double getJoinComputeUs(const KernelWork &work, int64_t threads) const;
  double getLeastJoinUs() const;

  Target target;
  unsigned forcedStages;
  LibraryKernels libraryKernels;
};

/// The time that no kernel for the program can go below: its inputs and outputs
/// pass through device memory once.
double getStreamingLimitUs(const Target &target, const Graph &program);

} // namespace mlir::mirage::search

#endif // MIRAGE_SEARCH_COSTMODEL_H
