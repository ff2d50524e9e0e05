//===- JointGraph.h - Two graphs on the same inputs -------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_VERIFY_JOINTGRAPH_H
#define MIRAGE_LIB_VERIFY_JOINTGRAPH_H

#include "Mirage/Graph/Graph.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

namespace mlir::mirage {

/// One graph with the operations of two that have one interface. Values of the
/// first keep their numbers, and those that operations of the second give come
/// next, in their order.
struct JointGraph {
  Graph graph; ///< without outputs
  llvm::SmallVector<ValueId> lhsOutputs, rhsOutputs;

  JointGraph(const Graph &lhs, const Graph &rhs) {
    for (unsigned input = 0; input < lhs.getNumInputs(); ++input)
      graph.addInput(lhs.getType(input), lhs.getInputName(input));
    auto inputs = llvm::to_vector(llvm::seq<ValueId>(lhs.getNumInputs()));
    lhsOutputs = inlineGraph(lhs, inputs, graph);
    rhsOutputs = inlineGraph(rhs, inputs, graph);
  }
};

} // namespace mlir::mirage

#endif // MIRAGE_LIB_VERIFY_JOINTGRAPH_H
