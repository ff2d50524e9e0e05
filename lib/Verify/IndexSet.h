//===- IndexSet.h - Some indices of a dimension -----------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_VERIFY_INDEXSET_H
#define MIRAGE_LIB_VERIFY_INDEXSET_H

#include "Mirage/Graph/TensorSpec.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cassert>
#include <vector>

namespace mlir::mirage {

/// Some indices of a dimension, ascending, kept as runs of consecutive ones:
/// {0, 1, 2, 63} is 0..2 and 63..63. The *place* of an index is how many are
/// before it, which is where a tensor has it that holds no others.
class IndexSet {
public:
  struct Run {
    int64_t begin, end; ///< without `end`
    int64_t place;      ///< of `begin`
    bool operator==(const Run &other) const {
      return begin == other.begin && end == other.end;
    }
  };
  using Range = std::pair<int64_t, int64_t>; ///< without the second

  IndexSet() = default;
  /// Ranges may overlap, be empty and come in any order.
  static IndexSet fromRanges(std::vector<Range> ranges);
  static IndexSet fromIndices(llvm::ArrayRef<int64_t> indices);
  static IndexSet all(int64_t size) {
    IndexSet set;
    if (size > 0)
      set.ranges.push_back({0, size, 0});
    return set;
  }
  static IndexSet join(const IndexSet &a, const IndexSet &b);

  llvm::ArrayRef<Run> runs() const { return ranges; }
  bool empty() const { return ranges.empty(); }
  int64_t size() const {
    return empty()
               ? 0
               : ranges.back().place + ranges.back().end - ranges.back().begin;
  }
  /// Whether it has all indices of a dimension.
  bool isAll(int64_t extent) const { return size() == extent; }
  /// The index at a place.
  int64_t operator[](int64_t place) const {
    assert(place >= 0 && place < size() && "no index has this place");
    const Run &first = ranges.front();
    return place < first.end - first.begin ? first.begin + place
                                           : findIndex(place);
  }
  /// How many indices are below this one, which need not be there itself.
  int64_t findPlace(int64_t index) const;

  bool operator==(const IndexSet &other) const {
    return ranges == other.ranges;
  }
  bool operator!=(const IndexSet &other) const { return !(*this == other); }

private:
  int64_t findIndex(int64_t place) const;

  llvm::SmallVector<Run, 1> ranges; ///< ascending, with gaps between
};

/// Some elements of a tensor: those whose index is, along each dimension, one
/// of a set.
using Region = llvm::SmallVector<IndexSet, 4>;

Region makeWholeRegion(llvm::ArrayRef<int64_t> shape);
/// The smallest that has both.
Region join(const Region &a, const Region &b);
/// Of a tensor that holds these elements alone.
Shape getShape(llvm::ArrayRef<IndexSet> region);
bool isWhole(llvm::ArrayRef<IndexSet> region, llvm::ArrayRef<int64_t> shape);

} // namespace mlir::mirage

#endif // MIRAGE_LIB_VERIFY_INDEXSET_H
