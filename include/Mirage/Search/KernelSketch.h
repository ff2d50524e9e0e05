//===- KernelSketch.h - What a kernel does, by names ------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A structure has thousands of tilings, and to build a block graph of each
// would take longer than all else. What a kernel loads and computes follows
// from names and tile sizes alone: a sketch. The block graph does that, and
// what layouts, masks and maxima of tiles add; so what a cost model says of a
// sketch is a lower bound (CostModel::boundUs), and few tilings have to be
// built.
//
// Loads alone are the same for all structures that share axes and inputs.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_SEARCH_KERNELSKETCH_H
#define MIRAGE_SEARCH_KERNELSKETCH_H

#include "Mirage/Graph/Phases.h"
#include "Mirage/Search/KernelWork.h"
#include "Mirage/Search/Tilings.h"

namespace mlir::mirage::search {

/// A kernel without sizes.
class KernelSketch {
public:
  /// \param extents  by name; of parts that the kernel reads as well.
  KernelSketch(const TargetProgram &program, const KernelPlan &plan,
               llvm::ArrayRef<int64_t> extents);

  /// At the least.
  KernelWork getWork(const Tiling &tiling) const;
  /// Without operations.
  KernelWork getLoads(const Tiling &tiling) const;

private:
  /// An input, or an operator's result.
  struct Tensor {
    NameSet names = 0;
    ElementType element = ElementType::F32;
    Phase phase = Phase::Invariant;
    /// Of an input: its dimensions, in order.
    std::optional<llvm::ArrayRef<NameId>> layout = std::nullopt;
  };
  /// The names of a product's rows and columns, where layouts leave no choice.
  struct Sides {
    NameId rows = kNoName, columns = kNoName;
  };
  std::optional<Sides> findSides(const StructureOperator &op) const;
  bool isLooped(llvm::ArrayRef<NameId> names) const;
  Attributes getPhaseAttributes(const StructureOperator &op) const;
  void addResult(const StoredTensor &stored);
  void addOperator(const StructureOperator &op);
  void measure(unsigned number, const Tiling &tiling, KernelWork &work) const;
  void measureProduct(const StructureOperator &op, const Tiling &tiling,
                      KernelWork::Operation &product) const;

  const TargetProgram &program;
  const KernelPlan &plan;
  llvm::SmallVector<int64_t> extents;
  llvm::SmallVector<TensorSpec> operands; ///< in device memory
  std::vector<Tensor> tensors;
  /// What is stored: so many bytes for each block along these axes, of which
  /// there are parts.
  struct Result {
    double bytes = 1;
    llvm::SmallVector<unsigned, 3> axes;
  };
  std::vector<Result> results;
  unsigned numJoins;
};

} // namespace mlir::mirage::search

#endif // MIRAGE_SEARCH_KERNELSKETCH_H
