//===- SampleChoice.h - Which elements are worth a look ---------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What goes wrong at a graph's own sizes and not at smaller ones goes wrong
// where tiles begin and end. So indices are drawn in *windows*: the largest
// tiles that some kernel cuts a dimension of that size into, of which the
// first, the last (which may be partial) and some others are taken. In a window
// the indices on either side of where a tile of any size begins are taken, its
// first and last one, and some at random. Rows of 4096 in tiles of 64, by items
// of 16, with two windows more than those at the ends:
//
//   window    0..63          1344..1407       2880..2943    4032..4095
//   edges     0 15 16 47 ..  1344 1359 ..     ..            .. 4048 4095
//   random    5 9 28 ..      1350 1377 ..     ..            ..
//
// A kernel evaluates whole blocks whatever is asked of them, so that more
// indices of one window cost it nothing. A dimension that nobody cuts has
// random indices, the first and the last.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_VERIFY_SAMPLECHOICE_H
#define MIRAGE_LIB_VERIFY_SAMPLECHOICE_H

#include "Mirage/Algebra/Random.h"
#include "Sample.h"
#include <map>
#include <optional>
#include <set>

namespace mlir::mirage {

/// By size of a dimension, the sizes of the tiles that some tile graph cuts it
/// into, or cuts such tiles into.
class TileSizes {
public:
  void add(const Graph &graph);
  std::set<int64_t> get(int64_t size) const;

private:
  void addCuts(llvm::ArrayRef<int64_t> whole, llvm::ArrayRef<int64_t> tile);
  std::map<int64_t, std::set<int64_t>> tiles;
};

/// \param numWindows  of tiles, two at least where there are two; 0 for the
///                    last index alone.
IndexSet drawIndices(int64_t size, const std::set<int64_t> &tiles,
                     unsigned numWindows, RandomStream &random);

/// The elements of both graphs' outputs that are tried.
struct TrialSample {
  std::vector<Region> outputs;
  Sample lhs, rhs;
  double work; ///< (countWork) of the graph that takes more
};

struct SampleLimits {
  double work;     ///< of either graph; more where two windows take more
  double mostWork; ///< more where even one element takes more
  double bytes;    ///< of an evaluation of either graph; never more
};

/// Draws as many windows as limits allow, 2 to 64 a dimension, or one element
/// of each output.
/// \param height  of the tower that trials are to have.
/// \returns none if one element of each output takes too much memory.
std::optional<TrialSample> drawSample(const Graph &lhs, const Graph &rhs,
                                      unsigned height, const Seed &seed,
                                      const SampleLimits &limits);

} // namespace mlir::mirage

#endif // MIRAGE_LIB_VERIFY_SAMPLECHOICE_H
