//===- WrittenGraph.h - A graph's outputs written out as terms --*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_VERIFY_WRITTENGRAPH_H
#define MIRAGE_LIB_VERIFY_WRITTENGRAPH_H

#include "Mirage/Graph/Graph.h"
#include "TermTable.h"
#include <optional>

namespace mlir::mirage {

/// Elements of all inputs of a graph together.
size_t countInputElements(const Graph &graph);
/// The shapes of all inputs, "4x6, 6x8".
std::string printInputSizes(const Graph &graph);

/// Adds every output element to a table, over inputs that are numbered through.
/// \returns the terms by output element, or none once the table costs more than
/// `maxCost`.
std::optional<std::vector<TermId>> writeOut(const Graph &graph,
                                            TermTable &table, size_t maxCost);

} // namespace mlir::mirage

#endif // MIRAGE_LIB_VERIFY_WRITTENGRAPH_H
