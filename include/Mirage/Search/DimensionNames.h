//===- DimensionNames.h - Which dimensions of a program are the same *- C++
//-*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The search thinks of a tensor as a *set of names*: in O = rms(X)·W the
// tensors are X{m,k}, W{k,n}, O{m,n}. Names come from the program: dimensions
// that some operation walks together are one. Where a dimension stands in its
// tensor, and so transposes, reshapes and broadcasts, do not matter until tiles
// get layouts (TileLayout.h). A dimension of size 1 has no name.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_SEARCH_DIMENSIONNAMES_H
#define MIRAGE_SEARCH_DIMENSIONNAMES_H

#include "Mirage/Algebra/Letter.h"
#include "Mirage/Graph/Graph.h"

namespace mlir::mirage::search {

/// One entry per dimension of a tensor: its name, or kNoName for size 1.
constexpr NameId kNoName = ~NameId(0);
using DimensionList = llvm::SmallVector<NameId, 4>;

/// A set of names, bit n for name n.
using NameSet = uint32_t;
constexpr unsigned kMaxNames = 32;

inline bool contains(NameSet set, NameId name) { return set >> name & 1; }
inline NameSet toSet(NameId name) { return NameSet(1) << name; }
NameSet toSet(llvm::ArrayRef<NameId> dimensions);
/// In ascending order.
llvm::SmallVector<NameId> toList(NameSet set);

struct DimensionNames {
  llvm::SmallVector<int64_t> extents;  ///< by name
  std::vector<DimensionList> ofValues; ///< by ValueId

  unsigned getNumNames() const { return extents.size(); }
  /// The shape that `dimensions` have when names have these extents.
  static Shape getShape(llvm::ArrayRef<NameId> dimensions,
                        llvm::ArrayRef<int64_t> extents);
};

/// Names the dimensions of a program of kernel-level operators. Fails, naming
/// the operation, where a dimension meets another one of the same tensor
/// (X·Xᵀ), where a reshape splits or joins dimensions, and for nested graphs
/// and masks.
llvm::Expected<DimensionNames> nameDimensions(const Graph &graph);

/// The same program with other extents: every named dimension gets
/// `extents[name]`.
Graph resize(const Graph &graph, const DimensionNames &names,
             llvm::ArrayRef<int64_t> extents);

} // namespace mlir::mirage::search

#endif // MIRAGE_SEARCH_DIMENSIONNAMES_H
