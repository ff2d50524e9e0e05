//===- KernelSketch.h - What a kernel does, by names ------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a kernel loads and computes with any tiling between two, at the least:
// a cost model's bound on that (CostModel::boundUs) is one on what each of them
// takes, so that whole boxes of tilings need no look (TilingSearch.h).
//
// A block is taken to hold the smallest tiles, and the grid and the loop to
// have as few blocks and iterations as the largest ones leave. With that alone
// a box twice as wide along three axes would have a bound of an eighth. So it
// is also said what all blocks do together, whatever their tiles are: each
// element of a tensor is read by one block at least, and by as many as there
// are along axes that do not cut it.
//
// Of a single tiling a sketch has all but masks, the padding of rows, and the
// tiles that reductions keep.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_SEARCH_KERNELSKETCH_H
#define MIRAGE_SEARCH_KERNELSKETCH_H

#include "Mirage/Graph/Phases.h"
#include "Mirage/Search/JoinedParts.h"
#include "Mirage/Search/KernelWork.h"
#include "Mirage/Search/SizelessKernel.h"
#include "Mirage/Search/TilingSpace.h"

namespace mlir::mirage::search {

/// What a kernel loads and stores: the same of all structures that share axes,
/// inputs and results. Program and plan must outlive it.
class LoadSketch {
public:
  /// \param extents  by name; of parts that the kernel reads as well.
  LoadSketch(const TargetProgram &program, const KernelPlan &plan,
             llvm::ArrayRef<int64_t> extents);

  /// Without operations.
  KernelWork getWork(const TilingEnds &ends) const;

private:
  void addResult(const StoredTensor &stored);
  KernelWork::Load getLoad(unsigned input, const TilingEnds &ends) const;

  const TargetProgram &program;
  const KernelPlan &plan;
  llvm::SmallVector<int64_t> extents;
  llvm::SmallVector<TensorSpec> operands; ///< in device memory
  llvm::SmallVector<NameSet, 4> operandNames;
  /// What is stored: so many bytes for each block along these axes, of which
  /// there are parts.
  struct Result {
    double bytes = 1;
    llvm::SmallVector<unsigned, 3> axes;
  };
  std::vector<Result> results;
  llvm::SmallVector<unsigned, 3> joinedAxes;
  bool hasProducts;
};

/// Operations as well. Program and plan must outlive it.
class KernelSketch {
public:
  KernelSketch(const TargetProgram &program, const KernelPlan &plan,
               llvm::ArrayRef<int64_t> extents);

  KernelWork getWork(const TilingEnds &ends) const;

private:
  struct Operation {
    const Node *node = nullptr;
    Phase executed = Phase::Invariant, known = Phase::Invariant;
    bool isInLoop = false;
    bool isStep = true; ///< and no sum that grows as its parts are computed
    /// Of some tilings: is on rows that warps hold, which are those of its
    /// result or the result's columns.
    bool leavesRows = false, leavesColumns = false;
    bool mayBeHeld = false; ///< by those warps, for all that reads it
    NameSet result = 0;
    llvm::SmallVector<NameSet, 2> operands;
    NameSet summed = 0; ///< of a product, what it sums over
    /// Of a product's matrices; kNoName: of size 1.
    NameId rows = kNoName, columns = kNoName;
  };
  Operation read(const Node &node, llvm::ArrayRef<Phase> phases) const;
  void add(const Operation &operation, const TilingEnds &ends,
           KernelWork &work) const;
  void add(const JoinedParts &join, const TilingEnds &ends,
           KernelWork &work) const;
  void addProduct(const Operation &operation, const TilingEnds &ends,
                  KernelWork::Operation &product) const;
  double countAll(NameSet names, bool isInLoop, const TilingEnds &ends) const;

  const KernelPlan &plan;
  llvm::SmallVector<int64_t> extents;
  LoadSketch loads;
  SizelessKernel kernel;
  std::vector<Operation> operations;
  std::vector<JoinedParts> joins;
  llvm::BitVector isRepeated; ///< by value
};

} // namespace mlir::mirage::search

#endif // MIRAGE_SEARCH_KERNELSKETCH_H
