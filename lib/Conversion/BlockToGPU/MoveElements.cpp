//===- MoveElements.cpp - Where elements of a tile come from --------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MoveElements.h"
#include "Mirage/Conversion/ScalarToArith.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::mirage;

ArrayRef<int64_t> mlir::mirage::getTileShape(Value memref) {
  return cast<MemRefType>(memref.getType()).getShape();
}

SmallVector<Value>
mlir::mirage::broadcastCoordinates(BlockEmitter &emitter,
                                   ValueRange coordinates,
                                   ArrayRef<int64_t> operandShape) {
  SmallVector<Value> own(coordinates.take_back(operandShape.size()));
  for (auto [coordinate, size] : llvm::zip_equal(own, operandShape))
    if (size == 1)
      coordinate = emitter.getIndex(0);
  return own;
}

/// The place in the whole tensor of a coordinate in a tile of `size`.
static Value emitPosition(BlockEmitter &emitter, ArrayRef<Axis> axes,
                          int64_t size, Value coordinate) {
  return arith::AddIOp::create(emitter.builder, emitter.getBegin(axes, size),
                               coordinate);
}

/// The operand's element, or a constant where a condition does not hold.
static Value emitElementIf(BlockEmitter &emitter, Value condition,
                           Value operand, ValueRange coordinates,
                           double otherwise) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  Value element = emitter.readElement(operand, coordinates);
  Value constant = emitConstant(builder, builder.getLoc(), otherwise);
  return arith::SelectOp::create(builder, condition, element, constant);
}

/// Beyond the tensor's extent stands a constant.
static Value emitMaskedElement(BlockEmitter &emitter,
                               const Attributes &attributes, Value operand,
                               ValueRange coordinates) {
  int64_t dim = attributes.dims.front();
  Value position = emitPosition(emitter, attributes.axes,
                                getTileShape(operand)[dim], coordinates[dim]);
  Value inside =
      arith::CmpIOp::create(emitter.builder, arith::CmpIPredicate::ult,
                            position, emitter.getIndex(attributes.extent));
  return emitElementIf(emitter, inside, operand, coordinates,
                       attributes.scalars.front());
}

/// Behind the diagonal stands minus infinity.
static Value emitCausalElement(BlockEmitter &emitter,
                               const Attributes &attributes, Value operand,
                               ValueRange coordinates) {
  ArrayRef<int64_t> shape = getTileShape(operand);
  Value row = emitPosition(emitter, attributes.axes, shape.rbegin()[1],
                           coordinates[shape.size() - 2]);
  Value column = emitPosition(emitter, attributes.columnAxes, shape.back(),
                              coordinates.back());
  Value last = arith::AddIOp::create(emitter.builder, row,
                                     emitter.getIndex(attributes.offset));
  // Signed: the first rows may see nothing.
  Value isKept = arith::CmpIOp::create(emitter.builder,
                                       arith::CmpIPredicate::sle, column, last);
  return emitElementIf(emitter, isKept, operand, coordinates,
                       getNeutral(Combiner::Max));
}

static Value emitSlicedElement(BlockEmitter &emitter,
                               const Attributes &attributes, Value operand,
                               ValueRange coordinates) {
  SmallVector<Value> source;
  for (auto [offset, stride, coordinate] :
       llvm::zip_equal(attributes.offsets, attributes.strides, coordinates)) {
    Value scaled = arith::MulIOp::create(emitter.builder, coordinate,
                                         emitter.getIndex(stride));
    source.push_back(arith::AddIOp::create(emitter.builder, scaled,
                                           emitter.getIndex(offset)));
  }
  return emitter.readElement(operand, source);
}

/// Of the first operand, or else of the others, whose coordinates count from
/// its end.
static Value emitConcatenatedElement(BlockEmitter &emitter, int64_t dim,
                                     ValueRange operands,
                                     SmallVector<Value> coordinates) {
  if (operands.size() == 1)
    return emitter.readElement(operands[0], coordinates);
  ImplicitLocOpBuilder &builder = emitter.builder;
  Value size = emitter.getIndex(getTileShape(operands[0])[dim]);
  Value isFirst = arith::CmpIOp::create(builder, arith::CmpIPredicate::ult,
                                        coordinates[dim], size);
  auto choice = scf::IfOp::create(builder, TypeRange(builder.getF32Type()),
                                  isFirst, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard insertion(builder);
  builder.setInsertionPointToStart(choice.thenBlock());
  scf::YieldOp::create(builder, emitter.readElement(operands[0], coordinates));
  builder.setInsertionPointToStart(choice.elseBlock());
  coordinates[dim] = arith::SubIOp::create(builder, coordinates[dim], size);
  scf::YieldOp::create(builder, emitConcatenatedElement(emitter, dim,
                                                        operands.drop_front(),
                                                        coordinates));
  return choice.getResult(0);
}

Value mlir::mirage::emitMovedElement(BlockEmitter &emitter, Opcode opcode,
                                     const Attributes &attributes,
                                     ValueRange operands,
                                     ValueRange coordinates) {
  Value operand = operands[0];
  switch (opcode) {
  case Opcode::Mask:
    return emitMaskedElement(emitter, attributes, operand, coordinates);
  case Opcode::CausalMask:
    return emitCausalElement(emitter, attributes, operand, coordinates);
  case Opcode::Slice:
    return emitSlicedElement(emitter, attributes, operand, coordinates);
  case Opcode::Concat:
    return emitConcatenatedElement(emitter, attributes.dims[0], operands,
                                   SmallVector<Value>(coordinates));
  case Opcode::Transpose: {
    SmallVector<Value> source(coordinates.size());
    for (auto [to, from] : llvm::enumerate(attributes.dims))
      source[from] = coordinates[to];
    return emitter.readElement(operand, source);
  }
  default:
    assert((opcode == Opcode::Broadcast || opcode == Opcode::Cast) &&
           "a reshape is no step");
    return emitter.readElement(
        operand,
        broadcastCoordinates(emitter, coordinates, getTileShape(operand)));
  }
}
