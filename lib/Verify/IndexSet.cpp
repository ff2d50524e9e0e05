//===- IndexSet.cpp - Some indices of a dimension -------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IndexSet.h"
#include "llvm/ADT/STLExtras.h"
#include <cassert>

using namespace mlir::mirage;

IndexSet IndexSet::fromRanges(std::vector<Range> given) {
  llvm::sort(given);
  IndexSet set;
  int64_t place = 0;
  for (auto [begin, end] : given) {
    if (!set.empty() && begin <= set.ranges.back().end) {
      int64_t &last = set.ranges.back().end;
      place += std::max<int64_t>(end - last, 0);
      last = std::max(last, end);
    } else if (begin < end) {
      set.ranges.push_back({begin, end, place});
      place += end - begin;
    }
  }
  return set;
}

IndexSet IndexSet::fromIndices(llvm::ArrayRef<int64_t> indices) {
  std::vector<Range> ranges;
  for (int64_t index : indices)
    ranges.emplace_back(index, index + 1);
  return fromRanges(std::move(ranges));
}

IndexSet IndexSet::join(const IndexSet &a, const IndexSet &b) {
  std::vector<Range> ranges;
  for (const IndexSet *set : {&a, &b})
    for (const Run &run : set->ranges)
      ranges.emplace_back(run.begin, run.end);
  return fromRanges(std::move(ranges));
}

int64_t IndexSet::findIndex(int64_t place) const {
  auto next =
      llvm::upper_bound(ranges, place, [](int64_t value, const Run &run) {
        return value < run.place;
      });
  const Run &run = *std::prev(next);
  return run.begin + place - run.place;
}

int64_t IndexSet::findPlace(int64_t index) const {
  auto next =
      llvm::upper_bound(ranges, index, [](int64_t value, const Run &run) {
        return value < run.begin;
      });
  if (next == ranges.begin())
    return 0;
  const Run &run = *std::prev(next);
  return run.place + std::min(index, run.end) - run.begin;
}

Region mlir::mirage::makeWholeRegion(llvm::ArrayRef<int64_t> shape) {
  Region region;
  for (int64_t size : shape)
    region.push_back(IndexSet::all(size));
  return region;
}

Region mlir::mirage::join(const Region &a, const Region &b) {
  Region region;
  for (auto [left, right] : llvm::zip_equal(a, b))
    region.push_back(IndexSet::join(left, right));
  return region;
}

Shape mlir::mirage::getShape(llvm::ArrayRef<IndexSet> region) {
  Shape shape;
  for (const IndexSet &set : region)
    shape.push_back(set.size());
  return shape;
}

bool mlir::mirage::isWhole(llvm::ArrayRef<IndexSet> region,
                           llvm::ArrayRef<int64_t> shape) {
  return llvm::all_of(llvm::zip_equal(region, shape), [](auto pair) {
    return std::get<0>(pair).isAll(std::get<1>(pair));
  });
}
