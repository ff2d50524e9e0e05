//===- CanonicalGraph.h - One graph for all ways to write it ----*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A graph can be written in many ways: operations that do not depend on each
// other stand in any order, and values are numbered by it. Its canonical form
// has the operations in the order in which they are asked for: depth first from
// output 0 on, operand 0 first, each once all its operands are there. That
// order is read off what the operations are and do, so all ways to write a
// graph have the same form; and the form is a graph equal to each of them, so
// graphs of the same form are equal. What no output depends on is left out.
//
//   %2 = exp %1                     %2 = square %0
//   %3 = square %0                  %3 = exp %1
//   %4 = add %3, %2                 %4 = add %2, %3
//
// The left one is written as on the right. These stay different: the order of
// inputs and of outputs, which is how whoever calls a program knows them; that
// of operands, also where the operator commutes; two equal operations and one
// that is used twice.
//
// The hash of a graph is that of its canonical form, without the names of
// inputs, its own and those of nested graphs. It is the same on all machines,
// as long as kGraphHashVersion is.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_GRAPH_CANONICALGRAPH_H
#define MIRAGE_GRAPH_CANONICALGRAPH_H

#include "Mirage/Graph/Graph.h"

namespace mlir::mirage {

/// The canonical form; nested graphs have theirs.
Graph canonicalize(const Graph &graph);
TileGraph canonicalize(const TileGraph &graph);

/// Goes up whenever some graph gets another hash.
constexpr unsigned kGraphHashVersion = 2;

/// 256 bits as 64 hexadecimal digits. Two graphs that have the same are the
/// same but for what is said above.
std::string hashGraph(const Graph &graph);

/// The same without sizes: each dimension counts by its name alone
/// (Mirage/Graph/DimensionNames.h), and a mean of all elements by the names
/// that it reduces. So a program has one such hash at all batch sizes and
/// sequence lengths, as long as the same dimensions have size 1 and the same
/// ones agree. Fails where dimensions cannot be named, and for graphs that nest
/// others: their tiles have sizes.
llvm::Expected<std::string> hashWithoutSizes(const Graph &graph);

} // namespace mlir::mirage

#endif // MIRAGE_GRAPH_CANONICALGRAPH_H
