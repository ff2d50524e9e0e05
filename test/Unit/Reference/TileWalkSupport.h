//===- TileWalkSupport.h - Kernels for tests of the walk --------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TEST_UNIT_REFERENCE_TILEWALKSUPPORT_H
#define MIRAGE_TEST_UNIT_REFERENCE_TILEWALKSUPPORT_H

#include "Mirage/Graph/DefaultTileGraph.h"
#include "Mirage/Reference/Reference.h"

namespace mlir::mirage::test {

inline TensorSpec f16(Shape shape) { return {shape, ElementType::F16}; }
inline TensorSpec f32(Shape shape) { return {shape, ElementType::F32}; }

inline Attributes accumulate(Opcode reduction, Shape dims = {},
                             int64_t count = 0, Axis axis = Axis::Loop) {
  Attributes attributes;
  attributes.reduction = reduction;
  attributes.dims = dims;
  attributes.count = count;
  attributes.axis = axis;
  return attributes;
}

inline Attributes over(Shape dims) {
  Attributes attributes;
  attributes.dims = dims;
  return attributes;
}

/// A program of one kernel with the inputs and outputs of another.
inline Graph makeKernel(const Graph &program, TileGraph tiles) {
  Graph graph;
  llvm::SmallVector<ValueId> operands;
  llvm::SmallVector<TensorSpec> types;
  for (unsigned input = 0; input < program.getNumInputs(); ++input) {
    operands.push_back(graph.addInput(program.getType(input)));
    types.push_back(program.getType(input));
  }
  auto body = std::make_shared<TileGraph>(
      llvm::cantFail(maskPartialTiles(std::move(tiles), types)));
  ValueId first =
      graph.addGraph(operands, body, program.getTypes(program.getOutputs()));
  for (size_t i = 0; i < program.getOutputs().size(); ++i)
    graph.addOutput(first + i);
  return graph;
}

} // namespace mlir::mirage::test

#endif // MIRAGE_TEST_UNIT_REFERENCE_TILEWALKSUPPORT_H
