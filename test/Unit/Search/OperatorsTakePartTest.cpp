//===- OperatorsTakePartTest.cpp - Every operator is searched -------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of each operator of the table a program that ends with it, for which the
// search has to find a looped kernel that has the operator in it. A new row
// takes part without a word here.
//
//===----------------------------------------------------------------------===//

#include "RewritingSupport.h"

using namespace mlir::mirage;
using namespace mlir::mirage::test;

namespace {

/// Parameters that no operator takes for nothing, two at most.
Attributes makeAttributes(const OperatorInfo &row) {
  Attributes attributes;
  for (double scalar : {0.25, 3.0})
    if (attributes.scalars.size() < row.parameters.size())
      attributes.scalars.push_back(scalar);
  if (row.kind == OperatorKind::Reduction)
    attributes.dims = {1};
  return attributes;
}

/// op(X·W), or op(X·W, Z).
Graph makeProgram(const OperatorInfo &row) {
  ProgramBuilder b;
  ValueId x = b.input({8, 64}), w = b.input({64, 48});
  llvm::SmallVector<ValueId, 2> operands;
  if (row.numOperands == 2)
    operands.push_back(b.input({8, 48}));
  operands.insert(operands.begin(), b.matmul(x, w));
  return b.finish({b.apply(row.opcode, operands, makeAttributes(row))});
}

/// Whether one kernel computes everything, in a loop, and has the operator.
bool isLoopedKernelWith(Opcode opcode, const Structure &structure) {
  if (structure.kernels.size() != 1 || structure.kernels[0].loopName == kNoName)
    return false;
  return llvm::any_of(
      structure.kernels[0].operators, [&](const StructureOperator &op) {
        return op.opcode == opcode || (op.opcode == Opcode::Accumulate &&
                                       op.reduction == opcode && !op.gridAxis);
      });
}

/// Constants are parameters, and variances are what accumulations carry out.
bool takesPart(const OperatorInfo &row) {
  bool computes = row.kind == OperatorKind::Elementwise ||
                  row.kind == OperatorKind::Reduction;
  return computes && row.numOperands > 0 && row.existsAt(Level::Kernel) &&
         row.existsAt(Level::Block);
}

TEST(OperatorsTakePartTest, EachIsInALoopedKernel) {
  unsigned numOperators = 0;
  for (const OperatorInfo &row : getOperatorTable()) {
    if (!takesPart(row))
      continue;
    SCOPED_TRACE(row.name.str());
    ++numOperators;
    SearchOptions options;
    options.maxKernels = 1;
    options.maxBlockOps = 4;
    bool isFound = false;
    options.onStructure = [&](const TargetProgram &,
                              const Structure &structure) {
      isFound |= isLoopedKernelWith(row.opcode, structure);
    };
    expectFused(makeProgram(row), options);
    EXPECT_TRUE(isFound);
  }
  EXPECT_GE(numOperators, 31u);
}

} // namespace
