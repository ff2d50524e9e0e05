//===- SmallerSizes.h - The same graphs with small dimensions ---*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A bound needs every element written out, which large graphs are too large
// for. But a µGraph says what it does whatever its sizes are: rows, columns,
// tiles, blocks. So both graphs of a pair are rebuilt with small sizes, the
// same for what is the same dimension, and judged there.
//
// Two dimensions are the same if an operation says so (the columns of a
// matmul's left operand are its right operand's rows), if they are at the same
// place of an input or output of both graphs, or if a tile graph does not cut
// one into the other. A dimension that is cut stays cut, into tiles of at least
// 2, evenly if it was cut evenly and with a partial tile if not. Different
// dimensions get different sizes, and where something is picked no size is one
// that a literal stands for. Example:
//
//   X[8, 4096], W[4096, 6144], tiles of 64 and 32   becomes
//   X[4, 6],    W[6, 8],       tiles of 3 and 4
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_VERIFY_SMALLERSIZES_H
#define MIRAGE_VERIFY_SMALLERSIZES_H

#include "Mirage/Graph/Graph.h"
#include "llvm/Support/Error.h"
#include <map>

namespace mlir::mirage {

/// What becomes of literals, and of the counts that means divide by.
enum class SizeNumbers {
  Follow, ///< those that sizes explain become what the small sizes explain
  Stay,   ///< all of them are literals: a mean of 4096 divides by 4096 still
};

/// Numbers that are others in the small graphs, with those. A literal may be as
/// large as an offset, and become something else.
struct ReplacedNumbers {
  std::map<double, double> literals = {};
  /// Of causal masks, where no sizes explain them.
  std::map<int64_t, int64_t> maskOffsets = {};
  /// All literals and counts are what they were (SizeNumbers::Stay).
  bool keepsNumbers = false;

  SizeNumbers getNumbers() const {
    return keepsNumbers ? SizeNumbers::Stay : SizeNumbers::Follow;
  }
};

struct SmallerGraphs {
  Graph lhs, rhs;
  ReplacedNumbers replaced = {};
};

/// Rebuilds two verified graphs of equal interfaces with small sizes. Counts of
/// averages and the extents of masks follow the dimensions they are of, and so
/// do *all* literals that are a dimension's size, its root, or one over these,
/// to within 2^-20 or as f16 or bf16 round it, whether they mean it or not. The
/// offset of a causal mask stays 0 or how many more columns than rows there
/// are; of any other one the sign stays. Different literals must stay
/// different, and along dimensions that may be one, places where masks begin
/// and end must stay in their order (lib/Verify/MaskOffsets.h).
///
/// With `SizeNumbers::Stay` literals and counts are the same numbers in the
/// small graphs, and a count that is not stated is stated. So one graph may
/// divide by any product of sizes, or by what is no size at all, if the other
/// does so too; but no mean of n equal numbers is that number, and no variance
/// a mean.
/// \returns the pair, or an error that says what stands in the way.
llvm::Expected<SmallerGraphs>
withSmallerSizes(const Graph &lhs, const Graph &rhs,
                 SizeNumbers numbers = SizeNumbers::Follow);

/// The same with larger sizes than these, and with others again if axes have
/// more than two extents: what is equal at some small sizes need not be at
/// others. 3·x + x is 4·x, where it stands for 64·x + x and 96·x. Of two axes
/// of different extents one has 4 and one 8 in some of them, or as many as do
/// not make graphs large.
/// \returns one at least, or why there is none.
llvm::Expected<std::vector<SmallerGraphs>>
withOtherSizes(const Graph &lhs, const Graph &rhs,
               SizeNumbers numbers = SizeNumbers::Follow);

} // namespace mlir::mirage

#endif // MIRAGE_VERIFY_SMALLERSIZES_H
