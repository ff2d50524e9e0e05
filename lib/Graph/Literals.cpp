//===- Literals.cpp - The numbers that graphs state -----------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Graph/Literals.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::mirage;

static bool isMeant(const Node &node, LiteralsOf operations) {
  bool isMask = node.opcode == Opcode::Mask;
  return operations == LiteralsOf::AllOperations ||
         isMask == (operations == LiteralsOf::Masks);
}

void mlir::mirage::forEachLiteral(const Graph &graph,
                                  llvm::function_ref<void(double)> visit,
                                  LiteralsOf operations) {
  for (const Node &node : graph.getNodes())
    if (node.body)
      forEachLiteral(*node.body, visit, operations);
    else if (isMeant(node, operations))
      llvm::for_each(node.attributes.scalars, visit);
}
