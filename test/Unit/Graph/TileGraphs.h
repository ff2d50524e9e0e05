//===- TileGraphs.h - Graphs that tests share -------------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TEST_UNIT_GRAPH_TILEGRAPHS_H
#define MIRAGE_TEST_UNIT_GRAPH_TILEGRAPHS_H

#include "Mirage/Graph/Graph.h"
#include "llvm/ADT/STLExtras.h"

namespace mlir::mirage::test {

inline TensorSpec f16(Shape shape) { return {shape, ElementType::F16}; }
inline TensorSpec f32(Shape shape) { return {shape, ElementType::F32}; }

inline Attributes accumulate(Opcode reduction, Shape dims = {},
                             int64_t count = 0) {
  Attributes attributes;
  attributes.reduction = reduction;
  attributes.dims = dims;
  attributes.count = count;
  return attributes;
}

/// RMSNorm and linear in one kernel, M x K by K x N, with tiles K/l by N/g.
inline std::shared_ptr<TileGraph> fusedRmsLinear(int64_t m, int64_t k,
                                                 int64_t tileK, int64_t loop,
                                                 int64_t tileN, int64_t grid) {
  auto tiles = std::make_shared<TileGraph>();
  tiles->grid = {grid};
  tiles->loop = loop;
  ValueId x = tiles->addInput(f16({m, tileK}));
  ValueId w = tiles->addInput(f16({tileK, tileN}));
  tiles->tileInputs = {{{kReplicated}, 1}, {{1}, 0}};
  ValueId rms = tiles->add(Opcode::Accumulate, {x}, f32({m, 1}),
                           accumulate(Opcode::Rms, {1}, k));
  ValueId product = tiles->add(Opcode::Matmul, {x, w}, f32({m, tileN}));
  ValueId sum = tiles->add(Opcode::Accumulate, {product}, f32({m, tileN}));
  tiles->addOutput(tiles->add(Opcode::Div, {sum, rms}, f32({m, tileN})));
  tiles->tileOutputs = {{{1}}};
  return tiles;
}

inline Graph program(Shape x, Shape w, std::shared_ptr<TileGraph> tiles) {
  Graph graph;
  ValueId left = graph.addInput(f16(x), "X"),
          right = graph.addInput(f16(w), "W");
  graph.addOutput(graph.addGraph({left, right}, tiles, {f16({x[0], w[1]})}));
  return graph;
}

inline std::string verifyMessage(const Graph &graph) {
  llvm::Error error = verify(graph);
  return error ? llvm::toString(std::move(error)) : "";
}

/// exp of rows in online form: Σ exp(x - m) relative to the largest m, over the
/// loop, in two stages, and over the blocks of a cluster.
inline std::shared_ptr<TileGraph> onlineSum(int64_t width, int64_t tile) {
  auto tiles = std::make_shared<TileGraph>();
  tiles->grid = {2, 4};
  tiles->cluster = {1, 4};
  tiles->loop = (width + 4 * tile - 1) / (4 * tile);
  tiles->stages = 2;
  ValueId x = tiles->addInput(f16({4, tile}));
  tiles->tileInputs = {{{0, 1}, 1}};
  Attributes rows;
  rows.dims = {1};
  ValueId m = tiles->add(Opcode::Max, {x}, f32({4, 1}), rows);
  ValueId d = tiles->add(Opcode::Sub, {x, m}, f32({4, tile}));
  ValueId e = tiles->add(Opcode::Exp, {d}, f32({4, tile}));
  ValueId sum = tiles->add(Opcode::Accumulate, {e, m}, f32({4, 1}),
                           accumulate(Opcode::Sum, {1}));
  ValueId largest =
      tiles->add(Opcode::Accumulate, {m}, f32({4, 1}), accumulate(Opcode::Max));
  Attributes blocks = accumulate(Opcode::Sum);
  blocks.axis = Axis::Y;
  tiles->addOutput(
      tiles->add(Opcode::Accumulate, {sum, largest}, f32({4, 1}), blocks));
  tiles->tileOutputs = {{{0, kReplicated}}};
  return tiles;
}

inline Graph onlineSumProgram(std::shared_ptr<TileGraph> tiles) {
  Graph graph;
  ValueId x = graph.addInput(f16({8, 100}));
  graph.addOutput(graph.addGraph({x}, tiles, {f32({8, 1})}));
  return graph;
}

/// How many masks a completed tile graph has.
inline int countMasks(const TileGraph &graph) {
  return llvm::count_if(graph.getNodes(), [](const Node &operation) {
    return operation.opcode == Opcode::Mask;
  });
}

} // namespace mlir::mirage::test

#endif // MIRAGE_TEST_UNIT_GRAPH_TILEGRAPHS_H
