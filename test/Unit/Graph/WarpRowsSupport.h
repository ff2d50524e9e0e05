//===- WarpRowsSupport.h - Graphs whose warps keep rows ---------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TEST_UNIT_GRAPH_WARPROWSSUPPORT_H
#define MIRAGE_TEST_UNIT_GRAPH_WARPROWSSUPPORT_H

#include "Mirage/Graph/WarpRows.h"
#include "TileGraphs.h"

namespace mlir::mirage::test {

inline Attributes over(Shape dims) {
  Attributes attributes;
  attributes.dims = dims;
  return attributes;
}

/// A block graph whose loop cuts some inputs along dimension 0.
class Tiles : public TileGraph {
public:
  explicit Tiles(unsigned numThreads) {
    loop = 4;
    threads = numThreads;
  }
  ValueId addLooped(TensorSpec type) {
    tileInputs.push_back({{}, 0});
    return addInput(type);
  }
  ValueId addWhole(TensorSpec type) {
    tileInputs.push_back({{}, kReplicated});
    return addInput(type);
  }
};

/// Attention up to the sums over the loop and what divides them, of tiles of
/// queries whose rows are these dimensions.
struct Attention : Tiles {
  ValueId scores, largest, shifted, exponentials, halves, product, total;

  explicit Attention(Shape rows, int64_t keys = 64, int64_t width = 32,
                     unsigned numThreads = 128)
      : Tiles(numThreads) {
    auto with = [&](int64_t columns) {
      Shape shape = rows;
      shape.push_back(columns);
      return shape;
    };
    ValueId q = addWhole(f16(with(16))), k = addLooped(f16({16, keys})),
            v = addLooped(f16({keys, width}));
    Attributes lastDim = over({int64_t(rows.size())});
    scores = add(Opcode::Matmul, {q, k}, f32(with(keys)));
    largest = add(Opcode::Max, {scores}, f32(with(1)), lastDim);
    shifted = add(Opcode::Sub, {scores, largest}, f32(with(keys)));
    exponentials = add(Opcode::Exp, {shifted}, f32(with(keys)));
    halves = add(Opcode::Cast, {exponentials}, f16(with(keys)));
    product = add(Opcode::Matmul, {halves, v}, f32(with(width)));
    ValueId sum = add(Opcode::Accumulate, {product}, f32(with(width)));
    total = add(Opcode::Sum, {halves}, f32(with(1)), lastDim);
    ValueId totals = add(Opcode::Accumulate, {total}, f32(with(1)));
    addOutput(add(Opcode::Div, {sum, totals}, f32(with(width))));
  }
};

/// The operators of the members, in order.
inline std::string listMembers(const TileGraph &graph) {
  std::string names;
  WarpRows rows = findWarpRows(graph);
  for (unsigned number : rows.members.set_bits())
    names += " " + getOperatorInfo(graph.getNodes()[number].opcode).name.str();
  return names;
}

/// The members of attention: the division, too, which comes behind the loop.
inline constexpr const char *kAttention =
    " matmul max sub exp cast matmul accumulate sum accumulate div";

inline bool isHeld(const TileGraph &graph, ValueId value) {
  return areRowsHeld(graph, findWarpRows(graph), value);
}

} // namespace mlir::mirage::test

#endif // MIRAGE_TEST_UNIT_GRAPH_WARPROWSSUPPORT_H
