//===- Work.cpp - How much there is to compute ----------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Graph/Work.h"

using namespace mlir::mirage;

double mlir::mirage::countFlops(const Graph &graph) {
  double flops = 0;
  for (const Node &node : graph.getNodes()) {
    if (const TileGraph *tiles = node.body.get())
      flops += countFlops(static_cast<const Graph &>(*tiles)) *
               double(tiles->getNumBlocks()) * double(tiles->loop);
    else
      flops += double(countFlops(node.opcode, node.attributes,
                                 graph.getTypes(node.operands),
                                 graph.getType(node.results[0])));
  }
  return flops;
}
