//===- Work.h - How much there is to compute --------------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_GRAPH_WORK_H
#define MIRAGE_GRAPH_WORK_H

#include "Mirage/Graph/Graph.h"

namespace mlir::mirage {

/// Floating-point operations of one evaluation of a verified graph: those of
/// its operations (`countFlops` of the operator table), and of a tile graph
/// those of all blocks and iterations, whether an operation depends on the
/// iteration or not. A double, since nested extents multiply.
double countFlops(const Graph &graph);

} // namespace mlir::mirage

#endif // MIRAGE_GRAPH_WORK_H
