//===- RandomGraphs.h - Small programs drawn at random ----------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TEST_UNIT_VERIFY_RANDOMGRAPHS_H
#define MIRAGE_TEST_UNIT_VERIFY_RANDOMGRAPHS_H

#include "Mirage/Algebra/Random.h"
#include "Mirage/Graph/DefaultTileGraph.h"
#include <optional>

namespace mlir::mirage::test {

/// A few operations over two or three small matrices: arithmetic, functions,
/// reductions, products, movements, composed operators; with values of moderate
/// size in float64 on most inputs, as exponentials do not nest.
/// \param scale  that sizes, which are 2 to 4, are multiplied by.
Graph makeRandomProgram(RandomStream &random, int64_t scale = 1);

/// One to four operations over two tensors of 2x3 elements, of all elementwise
/// operators, some reductions and movements, with a result of that shape. So
/// small that two of them are equal by chance now and then.
Graph makeTinyProgram(RandomStream &random);

/// The same with a block graph in place of each operation that has one, of
/// tiles so small that most of them have several blocks and iterations even
/// where a matrix has no more than 2x3 elements. None if no operation has.
std::optional<Graph> makeTiled(const Graph &program,
                               DefaultTileSizes sizes = {4, 2});

/// Of all tile graphs of a graph.
unsigned countBlocks(const Graph &graph);
/// How many tile graphs of a graph loop.
unsigned countLoops(const Graph &graph);

/// The same with one operation spelled another way, by a law that fields and
/// numbers have: x - y as x + (-y), A·B as the sum over halves of the
/// contracted dimension, exp(x + y) as a product. None if the law drawn does
/// not apply to the operation drawn.
std::optional<Graph> respell(const Graph &program, RandomStream &random);

} // namespace mlir::mirage::test

#endif // MIRAGE_TEST_UNIT_VERIFY_RANDOMGRAPHS_H
