//===- DimensionClasses.cpp - What operations walk together ---------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DimensionClasses.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::mirage;

DimensionClasses::DimensionClasses(const Graph &graph) : graph(graph) {
  for (ValueId value = 0; value < graph.getNumValues(); ++value) {
    firstDimension.push_back(numDimensions);
    numDimensions += getRank(value);
  }
  classes.grow(numDimensions);
}

void DimensionClasses::join(ValueId lhs, unsigned lhsDim, ValueId rhs,
                            unsigned rhsDim) {
  if (getSize(lhs, lhsDim) > 1 && getSize(lhs, lhsDim) == getSize(rhs, rhsDim))
    classes.join(firstDimension[lhs] + lhsDim, firstDimension[rhs] + rhsDim);
}

/// Joins dimensions counted from the last one, of those that both have.
void DimensionClasses::joinFromBack(ValueId lhs, ValueId rhs, unsigned skip) {
  unsigned count = std::min(getRank(lhs), getRank(rhs));
  for (unsigned i = skip + 1; i <= count; ++i)
    join(lhs, getRank(lhs) - i, rhs, getRank(rhs) - i);
}

void DimensionClasses::unify(const Node &operation) {
  ValueId result = operation.results.front();
  switch (getOperatorInfo(operation.opcode).kind) {
  case OperatorKind::Elementwise:
  case OperatorKind::Reduction:
  case OperatorKind::Accumulate:
  case OperatorKind::Copy:
    for (ValueId operand : operation.operands)
      joinFromBack(operand, result, 0);
    break;
  case OperatorKind::Contraction:
    unifyMatmul(operation.operands[0], operation.operands[1], result);
    break;
  case OperatorKind::Movement:
    unifyMovement(operation);
    break;
  case OperatorKind::Composed:
  case OperatorKind::Graph:
    break;
  }
}

void DimensionClasses::unifyMatmul(ValueId lhs, ValueId rhs, ValueId result) {
  unsigned l = getRank(lhs), r = getRank(rhs), o = getRank(result);
  join(lhs, l - 1, rhs, r - 2);
  join(lhs, l - 2, result, o - 2);
  join(rhs, r - 1, result, o - 1);
  joinFromBack(lhs, result, 2);
  joinFromBack(rhs, result, 2);
}

void DimensionClasses::unifyMovement(const Node &operation) {
  ValueId operand = operation.operands[0], result = operation.results[0];
  switch (operation.opcode) {
  case Opcode::Reshape:
    assert(false && "reshapes are the caller's");
    break;
  case Opcode::Transpose:
    for (auto [to, from] : llvm::enumerate(operation.attributes.dims))
      join(operand, from, result, to);
    break;
  case Opcode::Slice:
  case Opcode::Concat:
    // A dimension of which a part is taken, or that is put together, has
    // nothing to do with that of the whole. Of as many elements, all are taken.
    for (ValueId part : operation.operands)
      for (unsigned dim = 0; dim < getRank(result); ++dim)
        join(part, dim, result, dim);
    break;
  default:
    joinFromBack(operand, result, 0);
  }
}
