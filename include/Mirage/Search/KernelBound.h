//===- KernelBound.h - What kernels of one tiling take at least -*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A bound in two steps. What extents and inputs' tiles give is the same for all
// structures that share them, and is worked out once. What a structure
// multiplies does not depend on its tiles: all blocks together take at least
// that long. What else it does depends on them, through the names that its
// operators walk. Both are added before the structure is built.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_SEARCH_KERNELBOUND_H
#define MIRAGE_SEARCH_KERNELBOUND_H

#include "Mirage/Search/BlockTime.h"
#include "Mirage/Search/KernelPlan.h"
#include <optional>

namespace mlir::mirage::search {

/// Products of two elements that a kernel adds up, whatever its tiles are: at
/// least, as blocks may do the same ones, and pad.
struct ProductCounts {
  double onTensorCores = 0; ///< of two inputs that tensor cores take
  double others = 0;        ///< of which it is not known yet
};
/// \param extents  by name, parts of earlier kernels included.
ProductCounts countProducts(const KernelPlan &plan,
                            llvm::ArrayRef<int64_t> extents);

/// One operation that a block carries out.
struct OperationWalk {
  /// Of all its operands: what an elementwise operator writes, a reduction
  /// reads, and a product multiplies.
  NameSet names = 0;
  bool isInLoop = false;
  bool isProduct = false;
};
/// Those of a kernel, at least: masks and whatever keeps exponentials small
/// come on top.
llvm::SmallVector<OperationWalk, 12> listOperations(const KernelPlan &plan);

/// What no kernel goes below whose extents and inputs are a header's, with any
/// number of threads among `kBlockSizes` and any number of stages that may be
/// chosen.
struct KernelBound {
  /// A way to load what the loop reads.
  struct Blocks {
    BlockTime time; ///< of one, without operations
    int64_t mostPerSM = 1;
  };
  Blocks atOnce;               ///< with one stage
  std::optional<Blocks> ahead; ///< with more; none where they do not fit
  int64_t numBlocks = 1;
  int64_t numSMs = 1;
  double memoryUs = 0; ///< device memory alone
  double cacheUs = 0;  ///< L2 alone
  double otherUs = 0;  ///< launches and joins

  /// \param productsUs  what its products take on one SM, all blocks together.
  /// \param stepsUs     what one block takes for all operations, products and
  ///                    loads aside.
  double getUs(double productsUs, double stepsUs = 0) const;

private:
  /// What a block of some structure does, products and all else.
  struct OwnWork {
    double productsUs, stepsUs;
  };
  double getBlocksUs(const Blocks &blocks, const OwnWork &work) const;
  double getBlocksUs(const BlockTime &block, const OwnWork &work,
                     int64_t blocksPerSM) const;
};

/// The largest of three times that overlap, a little more where they are close.
double overlap(double a, double b, double c);

} // namespace mlir::mirage::search

#endif // MIRAGE_SEARCH_KERNELBOUND_H
