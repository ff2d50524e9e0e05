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

namespace mlir::mirage::search {

/// Whether one block's tiles fit into shared memory, each with a place of its
/// own, and its accumulators into registers. The planner gives one place to
/// tiles that are not there at once, so more would fit; which ones depends on
/// the order of steps, which the search does not know (docs/Search.md).
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

class CostModel {
public:
  virtual ~CostModel() = default;
  /// One kernel, launched alone. Tiles must have been checked to fit.
  virtual double estimateKernelUs(const TileGraph &kernel,
                                  llvm::ArrayRef<TensorSpec> operands,
                                  llvm::ArrayRef<TensorSpec> results) const = 0;
  /// What no kernel goes below whose extents and inputs are the header's,
  /// whatever its operations are, and which joins blocks along at least
  /// `numJoins` axes.
  virtual double boundKernelUs(const TileGraph &header,
                               llvm::ArrayRef<TensorSpec> operands,
                               llvm::ArrayRef<TensorSpec> results,
                               unsigned numJoins) const = 0;
  /// What no kernel goes below that moves as much; infinite if none fits into
  /// the target. It is never above `boundKernelUs`.
  virtual double boundTrafficUs(const KernelTraffic &traffic) const = 0;
  /// What a kernel after another one takes more than alone: less than nothing,
  /// as its launch is hidden.
  virtual double getFurtherKernelUs() const = 0;
  /// A kernel graph of nested graphs, and of views, which cost nothing.
  virtual double estimateUs(const Graph &graph) const = 0;
};

/// Bytes, arithmetic, waves and latencies, each against the target's rate; the
/// loop's loads overlap its arithmetic. Constants and their measurement:
/// docs/Search.md.
class AnalyticCostModel : public CostModel {
public:
  explicit AnalyticCostModel(Target target) : target(target) {}

  double estimateKernelUs(const TileGraph &kernel,
                          llvm::ArrayRef<TensorSpec> operands,
                          llvm::ArrayRef<TensorSpec> results) const override;
  double boundKernelUs(const TileGraph &header,
                       llvm::ArrayRef<TensorSpec> operands,
                       llvm::ArrayRef<TensorSpec> results,
                       unsigned numJoins) const override;
  double boundTrafficUs(const KernelTraffic &traffic) const override;
  double getFurtherKernelUs() const override;
  double estimateUs(const Graph &graph) const override;

private:
  struct Phases;
  double getComputeUs(const TileGraph &kernel, const Node &op) const;
  Phases getBlockUs(const TileGraph &kernel,
                    llvm::ArrayRef<TensorSpec> operands,
                    int64_t blocksPerSM) const;
  int64_t getBlocksPerSM(const TileGraph &kernel) const;
  double getBlocksUs(const TileGraph &kernel,
                     llvm::ArrayRef<TensorSpec> operands,
                     int64_t blocksPerSM) const;
  double getTrafficUs(const TileGraph &kernel,
                      llvm::ArrayRef<TensorSpec> operands,
                      llvm::ArrayRef<TensorSpec> results,
                      double blocksUs) const;
  double getJoinUs(const TileGraph &kernel) const;

  Target target;
};

/// The time that no kernel for the program can go below: its inputs and outputs
/// pass through device memory once.
double getStreamingLimitUs(const Target &target, const Graph &program);

} // namespace mlir::mirage::search

#endif // MIRAGE_SEARCH_COSTMODEL_H
