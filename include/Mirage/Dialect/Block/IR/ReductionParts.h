//===- ReductionParts.h - Reductions whose parts are joined -----*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A reduction of a tile that is computed in parts, by iterations of a loop, by
// blocks or by warps, is a sum or a maximum of parts, with something done with
// each element before or with the whole behind:
//
//   rms x = sqrt(1/n · sum x²)      square | sum | unscale, sqrt
//   mean x = 1/n · sum x                     sum | unscale
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_DIALECT_BLOCK_IR_REDUCTIONPARTS_H
#define MIRAGE_DIALECT_BLOCK_IR_REDUCTIONPARTS_H

#include "Mirage/Dialect/Block/IR/Block.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::mirage::block {

/// What joins the parts of a reduction, `sum` or `max`.
/// \param reduction  a row of the operator table.
/// \returns none for a variance, whose parts are more than a number each.
std::optional<ReductionKind> findJoin(Opcode reduction);

/// What is reduced instead of the operand.
Value emitElements(ImplicitLocOpBuilder &builder, Opcode reduction,
                   Value operand);

/// The part that a tile is: what joins parts, along dimensions of the tile.
Value emitPart(ImplicitLocOpBuilder &builder, ReductionKind join, Value tile,
               DenseI64ArrayAttr dims);

/// The reduction, of which all parts are joined.
/// \param count  elements that it averages.
Value emitWhole(ImplicitLocOpBuilder &builder, Opcode reduction, Value joined,
                double count);

/// Makes of an accumulation that reduces dimensions of its tiles one that joins
/// what each tile is reduced to. Others, and variances, are left as they are.
void reduceBeforeJoining(AccumulateOp op);
/// Makes of an accumulation that averages element by element a sum, which is
/// divided behind it. Others are left as they are.
/// \returns the sum, or what is left.
AccumulateOp sumBeforeAveraging(AccumulateOp op);

} // namespace mlir::mirage::block

#endif // MIRAGE_DIALECT_BLOCK_IR_REDUCTIONPARTS_H
