//===- DefaultTileGraphTest.cpp - Every operator as a kernel of its own ---===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Graph/DefaultTileGraph.h"
#include "Mirage/Verify/Verify.h"
#include "Programs.h"
#include "gtest/gtest.h"

using namespace mlir::mirage;
using namespace mlir::mirage::test;

namespace {
/// Operands that an operator takes, of sizes that no tile divides.
struct Example {
  llvm::SmallVector<Shape, 2> operands;
  Attributes attributes;
  Shape result;
};
} // namespace

static Example makeMovement(Opcode opcode) {
  Example example;
  example.operands = {{5, 3, 13}};
  example.result = {5, 3, 13};
  if (opcode == Opcode::Transpose) {
    example.attributes.dims = {2, 0, 1};
    example.result = {13, 5, 3};
  } else if (opcode == Opcode::Broadcast) {
    example.operands = {{3, 1}};
  }
  return example;
}

/// Attributes that any operator of as many parameters takes.
static Example makeExample(const OperatorInfo &row) {
  Example example;
  example.attributes.scalars.assign(row.parameters.size(), 1.5);
  if (row.numOperands == 0) {
    example.result = {5, 3, 13};
    return example;
  }
  switch (row.kind) {
  case OperatorKind::Contraction:
    example.operands = {{3, 1, 9, 11}, {2, 11, 7}};
    break;
  case OperatorKind::Reduction:
    example.operands = {{5, 3, 13}};
    example.attributes.dims = {0, 2};
    break;
  case OperatorKind::Movement:
    return makeMovement(row.opcode);
  default:
    example.operands = {{5, 3, 13}};
    if (row.numOperands > 1)
      example.operands.push_back({3, 1});
    break;
  }
  llvm::SmallVector<TensorSpec> types;
  for (const Shape &shape : example.operands)
    types.push_back(tensor(shape));
  example.result =
      llvm::cantFail(inferShape(row.opcode, example.attributes, types));
  return example;
}

static Graph makeProgram(Opcode opcode, const Example &example) {
  Graph program;
  llvm::SmallVector<ValueId> operands;
  for (const Shape &shape : example.operands)
    operands.push_back(program.addInput(tensor(shape)));
  program.addOutput(program.add(opcode, operands, tensor(example.result),
                                example.attributes));
  return program;
}

/// In so little shared memory that there are several blocks, and iterations.
static Graph makeKernel(const Graph &program) {
  llvm::Expected<TileGraph> tiles = buildDefaultTileGraph(
      program, program.getNodes()[0], /*sharedBytes=*/768);
  if (!tiles) {
    ADD_FAILURE() << llvm::toString(tiles.takeError());
    return program;
  }
  EXPECT_GT(tiles->getNumBlocks() * tiles->loop, 1);
  Graph kernel;
  for (ValueId input = 0; input < program.getNumInputs(); ++input)
    kernel.addInput(program.getType(input));
  const Node &operation = program.getNodes()[0];
  kernel.addOutput(kernel.addGraph(
      operation.operands, std::make_shared<TileGraph>(std::move(*tiles)),
      program.getTypes(operation.results)));
  return kernel;
}

TEST(DefaultTileGraph, EqualsItsOperatorForEachOfTheTable) {
  unsigned numOperators = 0;
  for (const OperatorInfo &row : getOperatorTable()) {
    if (!row.existsAt(Level::Kernel) || !hasDefaultTileGraph(row.opcode))
      continue;
    SCOPED_TRACE(row.name.str());
    Graph program = makeProgram(row.opcode, makeExample(row));
    Graph kernel = makeKernel(program);
    for (const Graph *graph : {&program, &kernel})
      ASSERT_EQ(llvm::toString(verify(*graph)), "");
    llvm::Expected<Verdict> verdict = verifyEqual(program, kernel, {});
    ASSERT_TRUE(static_cast<bool>(verdict))
        << llvm::toString(verdict.takeError());
    EXPECT_EQ(verdict->kind, Verdict::Equal) << verdict->reason;
    ++numOperators;
  }
  // All but views, graphs, and what is written in others or as copies first.
  EXPECT_EQ(numOperators,
            llvm::count_if(getOperatorTable(), [](const OperatorInfo &row) {
              return row.existsAt(Level::Kernel) &&
                     row.kind != OperatorKind::Graph &&
                     row.kind != OperatorKind::Composed &&
                     row.opcode != Opcode::Reshape &&
                     row.opcode != Opcode::Transpose &&
                     row.opcode != Opcode::Slice &&
                     row.opcode != Opcode::Concat;
            }));
}
