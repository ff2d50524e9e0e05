//===- FindsItselfTest.cpp - Programs are structures themselves -----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program whose operations stand in one block, one operator each, without
// axes and loop, is a structure of as many operators: what the search
// guarantees (docs/Search.md) holds for it, whatever rules there are on places,
// signs, constants and offers. Asked of all pairs of operators in the table.
//
//===----------------------------------------------------------------------===//

#include "Mirage/Search/Enumerator.h"
#include "Mirage/Search/RewrittenProgram.h"
#include "Programs.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using namespace mlir::mirage::test;

namespace {

/// Operators that the operation is: none where it only changes shapes, which
/// are names; reductions take one name at a time, and the root mean square of
/// several is a mean of squares.
unsigned countOperators(const Node &operation) {
  const OperatorInfo &row = getOperatorInfo(operation.opcode);
  if (row.kind == OperatorKind::Movement)
    return operation.opcode == Opcode::CausalMask;
  unsigned numNames = operation.attributes.dims.size();
  if (row.kind != OperatorKind::Reduction || numNames == 1)
    return 1;
  return numNames + (row.isAtom ? 2 : 0);
}

unsigned countOperators(const Graph &program) {
  unsigned count = 0;
  for (const Node &operation : program.getNodes())
    count += countOperators(operation);
  return count;
}

/// Whether one block without axes and loop computes the program in so many
/// operators, or fewer.
bool isFound(const TargetProgram &program, AtomReading reading,
             unsigned numOperators) {
  EnumerationSpace space(program, reading);
  // Signs may cancel: the program is its input.
  bool found = space.isOutput(space.getInput(program.inputs[0]).form,
                              program.getNames(program.inputs[0]), 0);
  for (unsigned size = 1; size <= numOperators && !found; ++size) {
    EnumerationCounts counts;
    EnumerationLimits limits;
    limits.numOperators = size;
    limits.maxStates = 100000;
    Enumerator(space, limits, counts)
        .run(makeWholeSite(space), KernelChoice(),
             [&](const KernelStructure &, auto) { found = true; });
  }
  return found;
}

void expectFindsItself(const Graph &graph, llvm::StringRef what) {
  RewrittenProgram rewritten = llvm::cantFail(rewriteForSearch(graph));
  TargetProgram program = llvm::cantFail(makeTargetProgram(rewritten.body));
  EXPECT_TRUE(
      isFound(program, AtomReading::Function, countOperators(rewritten.body)))
      << what.str() << "\n"
      << toString(rewritten.body);
}

/// Rows that a program may have anywhere, with that many operands.
std::vector<const OperatorInfo *> listElementwise(unsigned numOperands) {
  std::vector<const OperatorInfo *> rows;
  for (const OperatorInfo &row : getOperatorTable())
    if (row.kind == OperatorKind::Elementwise && row.existsAt(Level::Kernel) &&
        row.existsAt(Level::Block) && row.numOperands == numOperands)
      rows.push_back(&row);
  return rows;
}

/// \param from  of the parameters, so that two rows have different ones.
ValueId apply(ProgramBuilder &b, const OperatorInfo &row,
              llvm::ArrayRef<ValueId> operands, double from = 0.25) {
  Attributes attributes;
  for (unsigned i = 0; i < row.parameters.size(); ++i)
    attributes.scalars.push_back(from * (i + 2));
  return b.apply(row.opcode, operands, attributes);
}

std::string nameOf(const OperatorInfo &first, const OperatorInfo &second) {
  return (second.name + " of " + first.name).str();
}

TEST(FindsItselfTest, AnOperatorOfAnOperator) {
  for (const OperatorInfo *first : listElementwise(1))
    for (const OperatorInfo *second : listElementwise(1)) {
      ProgramBuilder b;
      ValueId inner = apply(b, *first, {b.input({8, 64})});
      expectFindsItself(b.finish({apply(b, *second, {inner}, 0.75)}),
                        nameOf(*first, *second));
    }
}

TEST(FindsItselfTest, AnOperatorOfTwoOperands) {
  for (const OperatorInfo *first : listElementwise(2))
    for (const OperatorInfo *second : listElementwise(1)) {
      ProgramBuilder b;
      ValueId x = b.input({8, 64}), y = b.input({8, 64});
      expectFindsItself(
          b.finish({apply(b, *second, {apply(b, *first, {x, y})})}),
          nameOf(*first, *second));
    }
}

TEST(FindsItselfTest, TwoOperandsOneOfWhichIsComputed) {
  for (const OperatorInfo *first : listElementwise(1))
    for (const OperatorInfo *second : listElementwise(2))
      for (bool isLeft : {true, false}) {
        ProgramBuilder b;
        ValueId x = b.input({8, 64}), y = b.input({8, 64});
        y = apply(b, *first, {y});
        ValueId lhs = isLeft ? y : x, rhs = isLeft ? x : y;
        expectFindsItself(b.finish({apply(b, *second, {lhs, rhs})}),
                          nameOf(*first, *second));
      }
}

TEST(FindsItselfTest, TwoOperandsBothOfWhichAreComputed) {
  for (const OperatorInfo *first : listElementwise(1))
    for (const OperatorInfo *second : listElementwise(2)) {
      ProgramBuilder b;
      ValueId x = b.input({8, 64}), y = b.input({8, 64});
      x = apply(b, *first, {x});
      y = apply(b, *first, {y});
      expectFindsItself(b.finish({apply(b, *second, {x, y})}),
                        nameOf(*first, *second));
    }
}

TEST(FindsItselfTest, TwoOperandsOfTwoOperands) {
  for (const OperatorInfo *first : listElementwise(2))
    for (const OperatorInfo *second : listElementwise(2))
      for (bool isLeft : {true, false}) {
        ProgramBuilder b;
        ValueId x = b.input({8, 64}), a = b.input({8, 64}),
                c = b.input({8, 64});
        ValueId y = apply(b, *first, {a, c});
        ValueId lhs = isLeft ? y : x, rhs = isLeft ? x : y;
        expectFindsItself(b.finish({apply(b, *second, {lhs, rhs})}),
                          nameOf(*first, *second));
      }
}

/// Numbers in the place of tensors, on either side.
TEST(FindsItselfTest, ANumberAndAnOperator) {
  for (const OperatorInfo *first : listElementwise(1))
    for (const OperatorInfo *second : listElementwise(2))
      for (bool isLeft : {true, false}) {
        ProgramBuilder b;
        Attributes number;
        number.scalars = {1.0};
        ValueId x = b.input({8, 64});
        ValueId one = b.graph.add(Opcode::Constant, {},
                                  {{8, 64}, ElementType::F32}, number);
        ValueId y = apply(b, *first, {x});
        ValueId lhs = isLeft ? one : y, rhs = isLeft ? y : one;
        expectFindsItself(b.finish({apply(b, *second, {lhs, rhs})}),
                          nameOf(*first, *second));
      }
}

/// A reduction over one dimension and over two, of an operator and under one.
TEST(FindsItselfTest, Reductions) {
  for (const OperatorInfo &row : getOperatorTable()) {
    if (row.kind != OperatorKind::Reduction || !row.existsAt(Level::Block))
      continue;
    for (int64_t first : {1, 2})
      for (const OperatorInfo *other : listElementwise(1))
        for (bool isInside : {true, false}) {
          ProgramBuilder b;
          ValueId x = b.input({4, 8, 16});
          Attributes over;
          for (int64_t dim = first; dim < 3; ++dim)
            over.dims.push_back(dim);
          ValueId inner =
              isInside ? apply(b, *other, {x}) : b.apply(row.opcode, {x}, over);
          ValueId outer = isInside ? b.apply(row.opcode, {inner}, over)
                                   : apply(b, *other, {inner});
          expectFindsItself(
              b.finish({outer}),
              (isInside ? nameOf(*other, row) : nameOf(row, *other)) +
                  " over " + std::to_string(over.dims.size()));
        }
  }
}

TEST(FindsItselfTest, MatmulsOfOperators) {
  for (const OperatorInfo *row : listElementwise(1))
    for (unsigned which : {0, 1, 2}) {
      ProgramBuilder b;
      ValueId x = b.input({8, 64}), w = b.input({64, 16});
      if (which == 0)
        x = apply(b, *row, {x});
      if (which == 1)
        w = apply(b, *row, {w});
      ValueId product = b.matmul(x, w);
      if (which == 2)
        product = apply(b, *row, {product});
      expectFindsItself(b.finish({product}),
                        row->name.str() + " at " + std::to_string(which));
    }
}

/// A matrix product whose operands have the same names.
TEST(FindsItselfTest, ARowTimesAColumn) {
  ProgramBuilder b;
  expectFindsItself(
      b.finish({b.matmul(b.input({8, 1, 64}), b.input({8, 64, 1}))}),
      "rows times columns");
}

/// An operator whose result is read twice, by others that are no better off
/// with another spelling of it.
TEST(FindsItselfTest, WhatIsReadTwice) {
  for (const OperatorInfo *row : listElementwise(1)) {
    ProgramBuilder b;
    ValueId x = b.input({8, 64}), y = b.input({8, 64});
    y = apply(b, *row, {y});
    ValueId product = b.apply(Opcode::Mul, {x, y});
    expectFindsItself(b.finish({product, y}), "output: " + row->name.str());
    ProgramBuilder c;
    ValueId z = c.input({64, 16});
    x = c.input({8, 64});
    y = apply(c, *row, {c.input({8, 64})});
    expectFindsItself(c.finish({c.matmul(y, z), c.apply(Opcode::Add, {x, y})}),
                      "product and sum: " + row->name.str());
  }
}

} // namespace
