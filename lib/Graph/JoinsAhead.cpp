//===- JoinsAhead.cpp - What a loop waits for other blocks with -----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Graph/JoinsAhead.h"
#include "Mirage/Graph/Phases.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::mirage;

/// The operations that some values are computed by.
/// \param isGiven  by operation: whose results are there, and have no part in
///                 it.
/// \param values   these values; all that is read on the way joins them.
static llvm::BitVector collectOperations(const TileGraph &graph,
                                         const llvm::BitVector &isGiven,
                                         llvm::BitVector &values) {
  llvm::BitVector operations(graph.getNodes().size());
  for (unsigned number = graph.getNodes().size(); number-- > 0;) {
    const Node &operation = graph.getNodes()[number];
    bool isRead = llvm::any_of(operation.results,
                               [&](ValueId result) { return values[result]; });
    if (!isRead || isGiven[number])
      continue;
    operations.set(number);
    for (ValueId operand : operation.operands)
      values.set(operand);
  }
  return operations;
}

JoinsAhead mlir::mirage::findJoinsAhead(const TileGraph &graph) {
  llvm::ArrayRef<Node> nodes = graph.getNodes();
  llvm::BitVector isJoin(nodes.size());
  for (auto [number, phase] : llvm::enumerate(computeExecutionPhases(graph)))
    isJoin[number] = phase == Phase::Joined && joinsBlocks(nodes[number]);
  JoinsAhead joins;
  llvm::BitVector read(graph.getNumValues()), joined(graph.getNumValues());
  for (ValueId output : graph.getOutputs())
    read.set(output);
  joins.withLoop = collectOperations(graph, isJoin, read);
  for (unsigned number : isJoin.set_bits()) {
    ValueId result = nodes[number].results[0];
    if (!read[result])
      continue;
    joins.joined.push_back(result);
    joined.set(result);
  }
  joins.ahead = collectOperations(graph, llvm::BitVector(nodes.size()), joined);
  return joins;
}
