//===- Sample.h - Some elements of a graph's outputs ------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A graph of large tensors need not be evaluated as a whole to know some
// elements of its outputs. What these depend on is found backwards, from the
// outputs to the inputs, as a region of each value: the product of a set of
// indices for each dimension. Rows 0 and 63 and columns 5 and 7 of O in
//
//   S[4096, 4096] = Q[4096, 128] · K[128, 4096]     rows 0 and 63, all columns
//   P = exp(S)                                      the same
//   Z[4096, 1] = sum of P's rows                    rows 0 and 63
//   O[4096, 128] = P · V[4096, 128] / Z             rows 0 and 63, columns 5, 7
//
// take rows 0 and 63 of Q, all of K, and columns 5 and 7 of V: 2·2^19
// multiply-adds for S and 2·2·2^12 for O, of 2^32. Values are kept as tensors
// of what their regions have. A tile graph is evaluated block by whole block:
// those that write some element that is needed, and those that these join with.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_VERIFY_SAMPLE_H
#define MIRAGE_LIB_VERIFY_SAMPLE_H

#include "BlockSet.h"

namespace mlir::mirage {

/// What is evaluated of a kernel graph.
struct Sample {
  /// One operation of it.
  struct Operation {
    bool isNeeded = false;
    /// By operand: what it reads, a part of what there is; empty for one that
    /// it does not read at all.
    llvm::SmallVector<Region, 2> operands = {};
    BlockSet blocks = {}; ///< of a tile graph
  };

  /// By output: the elements that were asked for.
  std::vector<Region> outputs;
  /// By ValueId: what is kept; empty for what nobody needs.
  std::vector<Region> regions;
  std::vector<Operation> operations; ///< by position

  /// The types of what an operation reads and gives, as tensors of these
  /// elements alone; of operands that it does not read, none.
  llvm::SmallVector<TensorSpec> getReadTypes(const Graph &graph,
                                             unsigned operation) const;
  TensorSpec getKeptType(const Graph &graph, ValueId value) const;
};

/// Finds what some elements of the outputs take. Where that is no product of
/// sets, as behind a reshape, or more than is worth finding out, it is the next
/// larger product or the whole.
/// \param graph    without composed operators.
/// \param outputs  by output, none empty.
Sample findSample(const Graph &graph, llvm::ArrayRef<Region> outputs);

/// The smallest region that has some elements of a tensor, row-major.
Region makeRegionOf(llvm::ArrayRef<int64_t> shape,
                    llvm::ArrayRef<int64_t> elements);
/// All elements of a region, row-major in the whole tensor, ascending.
std::vector<int64_t> listElements(llvm::ArrayRef<int64_t> shape,
                                  const Region &region);

/// What an evaluation over fields takes, in multiply-adds of matrix products:
/// an operation on an element anywhere else takes as long as eight.
double countWork(const Graph &graph);
double countWork(const Graph &graph, const Sample &sample);

/// Dimensions of a reshape that become each other: of 6x4x5 to 24x5 these are
/// {6, 4} to {24} and {5} to {5}.
struct ReshapeGroup {
  unsigned fromBegin, fromEnd, toBegin, toEnd;
};
llvm::SmallVector<ReshapeGroup, 4> groupReshape(llvm::ArrayRef<int64_t> from,
                                                llvm::ArrayRef<int64_t> to);

} // namespace mlir::mirage

#endif // MIRAGE_LIB_VERIFY_SAMPLE_H
