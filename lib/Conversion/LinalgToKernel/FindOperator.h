//===- FindOperator.h - What ops of arith and math mean ---------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_CONVERSION_LINALGTOKERNEL_FINDOPERATOR_H
#define MIRAGE_LIB_CONVERSION_LINALGTOKERNEL_FINDOPERATOR_H

#include "Mirage/Graph/Operators.h"
#include "mlir/IR/Value.h"

namespace mlir::mirage {

/// The operator of one operand that an op means.
std::optional<Opcode> findUnary(Operation *op);

/// An operator of the table on two values.
struct Join {
  Opcode opcode;
  Value lhs, rhs;
};

/// What an op with one result means as an operator of two operands; besides ops
/// that are one, a selection of the larger or the smaller of what was compared:
///   %c = arith.cmpf ogt, %x, %y ; arith.select %c, %x, %y  ->  maximum %x, %y
/// Where an operand is NaN, the operator gives NaN, and which operand a
/// selection gives depends on how the comparison is spelled. These spellings
/// come from programs whose own maximum keeps NaN, so that is how they are read
/// (docs/rationale/Import.md).
std::optional<Join> findJoin(Operation *op);

} // namespace mlir::mirage

#endif // MIRAGE_LIB_CONVERSION_LINALGTOKERNEL_FINDOPERATOR_H
