//===- SplitPair.h - Two graphs without products of names ----- -*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_VERIFY_SPLITPAIR_H
#define MIRAGE_LIB_VERIFY_SPLITPAIR_H

#include "Mirage/Graph/DimensionFactors.h"

namespace mlir::mirage {

/// Two graphs of equal interfaces, in which every dimension is split into the
/// factors that reshapes of one or the other make of it, but for those that a
/// kernel takes as one, and no other operation tells apart. So each dimension
/// has a size that can be chosen.
class SplitPair {
public:
  /// Errors are factorDimensions' and splitDimensions'.
  static llvm::Expected<SplitPair> make(const Graph &lhs, const Graph &rhs);

  const Graph &getLhs() const { return lhs; }
  const Graph &getRhs() const { return rhs; }
  /// A graph of the interface that the split ones have, at these sizes or
  /// others, with dimensions joined to those that the pair had.
  Graph joinDimensions(const Graph &split) const;

private:
  /// By dimension how many factors it has.
  using Counts = llvm::SmallVector<unsigned, 4>;
  static Shape join(llvm::ArrayRef<int64_t> shape,
                    llvm::ArrayRef<unsigned> counts);

  Graph lhs, rhs;
  std::vector<Counts> ofInputs, ofOutputs;
};

} // namespace mlir::mirage

#endif // MIRAGE_LIB_VERIFY_SPLITPAIR_H
