//===- ExchangeSteps.h - What loading by columns takes ----------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A product's operand that lies by columns in device memory is loaded as it
// lies, with rows and columns exchanged (--mirage-load-as-stored). Most
// products read such tiles: then the exchange takes nothing. Of tiles with too
// many dimensions, or that products of different phases read, it is a step of
// the block, whose result is a second tile of the same size.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_GRAPH_EXCHANGESTEPS_H
#define MIRAGE_GRAPH_EXCHANGESTEPS_H

#include "Mirage/Graph/Graph.h"

namespace mlir::mirage {

/// Exchanges the last two of so many dimensions, as `dims` of a transpose.
llvm::SmallVector<int64_t> getRowColumnExchange(int64_t rank);

/// A block graph as it is once these inputs, of at least two dimensions, are
/// loaded by columns.
TileGraph exchangeInputs(const TileGraph &graph,
                         llvm::ArrayRef<unsigned> inputs);

/// The inputs among these whose exchange would be a step.
/// \param byColumns  inputs that products read, and nothing else.
llvm::SmallVector<unsigned>
findExchangeSteps(const TileGraph &graph, llvm::ArrayRef<unsigned> byColumns);

/// The bytes of shared memory that a block needs which loads these inputs by
/// columns.
int64_t getSharedBytesByColumns(const TileGraph &graph,
                                llvm::ArrayRef<unsigned> byColumns);

} // namespace mlir::mirage

#endif // MIRAGE_GRAPH_EXCHANGESTEPS_H
