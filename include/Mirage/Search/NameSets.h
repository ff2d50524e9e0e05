//===- NameSets.h - Tensors as sets of dimensions ---------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The search thinks of a tensor as a *set of names* (Graph/DimensionNames.h):
// in O = rms(X)·W the tensors are X{m,k}, W{k,n}, O{m,n}. Where a dimension
// stands in its tensor, and so transposes, reshapes and broadcasts, do not
// matter until tiles get layouts (TileLayout.h).
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_SEARCH_NAMESETS_H
#define MIRAGE_SEARCH_NAMESETS_H

#include "Mirage/Graph/DimensionNames.h"
#include <optional>

namespace mlir::mirage::search {

/// A set of names, bit n for name n: those of a program, and those of parts
/// that kernels leave to one another (TargetProgram::getPartName).
using NameSet = uint64_t;
constexpr unsigned kMaxNames = 64;
/// Of a program.
constexpr unsigned kMaxProgramNames = 32;

inline bool contains(NameSet set, NameId name) { return set >> name & 1; }
inline NameSet toSet(NameId name) { return NameSet(1) << name; }
NameSet toSet(llvm::ArrayRef<NameId> dimensions);
/// In ascending order.
llvm::SmallVector<NameId> toList(NameSet set);

/// What a causal mask compares: the row's place in `rows` with the column's in
/// `columns`. Of a dimension of size 1 there is no name, and the place is 0.
struct CausalNames {
  NameId rows = kNoName, columns = kNoName;
  int64_t offset = 0;

  NameSet getNames() const { return toSet({rows, columns}); }
  bool operator==(const CausalNames &other) const {
    return rows == other.rows && columns == other.columns &&
           offset == other.offset;
  }
};

/// The first operation in which a dimension meets another one of the same
/// tensor, as rows do in X·Xᵀ.
std::optional<unsigned> findMeetingDimensions(const Graph &graph,
                                              const DimensionNames &names);

/// Gives dimensions of one extent one name where nothing that has one depends
/// on anything that has the other: columns of Q = X·A and of K = X·B, so that
/// an axis of a grid, or a loop, goes over both at once. Both are reduced
/// somewhere, or neither is: a loop sums over one kind only. No tensor and no
/// operation has a name twice that had it once.
void shareNames(const Graph &graph, DimensionNames &names);

/// Names the dimensions of a program of kernel-level operators, whose tensors
/// are sets, and shares names. Fails, naming the operation, where a dimension
/// meets another one of the same tensor, where a reshape splits or joins
/// dimensions (what Search/RewrittenProgram.h removes), and for nested graphs.
llvm::Expected<DimensionNames> nameProgram(const Graph &graph);

} // namespace mlir::mirage::search

#endif // MIRAGE_SEARCH_NAMESETS_H
