//===- ComputeTiles.cpp - Any operator, element by element ----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ComputeTiles.h"
#include "AccumulateMoments.h"
#include "Mirage/Analysis/BlockSteps.h"
#include "Mirage/Conversion/ScalarToArith.h"
#include "MoveElements.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;
using namespace mlir::mirage;

//===----------------------------------------------------------------------===//
// Reductions and contractions
//===----------------------------------------------------------------------===//

/// Joins what `body` gives for every combination of `extents`, starting from
/// `first`.
static Value emitReduction(BlockEmitter &emitter, ArrayRef<int64_t> extents,
                           Value first, SmallVector<Value> indices,
                           llvm::function_ref<Value(Value, ValueRange)> body) {
  if (extents.empty())
    return body(first, indices);
  ImplicitLocOpBuilder &builder = emitter.builder;
  auto loop = scf::ForOp::create(builder, emitter.getIndex(0),
                                 emitter.getIndex(extents.front()),
                                 emitter.getIndex(1), ValueRange(first));
  OpBuilder::InsertionGuard insertion(builder);
  builder.setInsertionPointToStart(loop.getBody());
  indices.push_back(loop.getInductionVar());
  Value joined = emitReduction(emitter, extents.drop_front(),
                               loop.getRegionIterArg(0), indices, body);
  scf::YieldOp::create(builder, joined);
  return loop.getResult(0);
}

/// `first` joined with all elements of `operand` that one element of the result
/// stands for.
static Value emitReduceInto(BlockEmitter &emitter, const OperatorInfo &info,
                            ArrayRef<int64_t> dims, Value operand, Value first,
                            ValueRange coordinates) {
  SmallVector<int64_t> extents = llvm::map_to_vector(
      dims, [&](int64_t dim) { return getTileShape(operand)[dim]; });
  return emitReduction(
      emitter, extents, first, {}, [&](Value sum, ValueRange indices) {
        SmallVector<Value> position(coordinates);
        for (auto [dim, index] : llvm::zip_equal(dims, indices))
          position[dim] = index;
        Value element = emitter.readElement(operand, position);
        element =
            emitScalarDefinition(emitter.builder, emitter.builder.getLoc(),
                                 info.definition, element);
        return emitCombine(emitter.builder, emitter.builder.getLoc(),
                           info.combiner, sum, element);
      });
}

static Value getNeutralValue(BlockEmitter &emitter, const OperatorInfo &info) {
  return emitConstant(emitter.builder, emitter.builder.getLoc(),
                      getNeutral(info.combiner));
}

static Value emitReductionElement(BlockEmitter &emitter,
                                  const OperatorInfo &info,
                                  const Attributes &attributes, Value operand,
                                  ValueRange coordinates) {
  Value joined = emitReduceInto(emitter, info, attributes.dims, operand,
                                getNeutralValue(emitter, info), coordinates);
  int64_t size = getAveragedCount(attributes, getTileShape(operand));
  return emitScalarDefinition(emitter.builder, emitter.builder.getLoc(),
                              info.finish, joined, {}, size);
}

static Value emitMatmulElement(BlockEmitter &emitter, Value lhs, Value rhs,
                               ValueRange coordinates) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  Value zero = emitConstant(builder, builder.getLoc(), 0.0);
  return emitReduction(
      emitter, getTileShape(lhs).back(), zero, {},
      [&](Value sum, ValueRange k) {
        SmallVector<Value> left =
            broadcastCoordinates(emitter, coordinates, getTileShape(lhs));
        SmallVector<Value> right =
            broadcastCoordinates(emitter, coordinates, getTileShape(rhs));
        // The last two coordinates are the row and the column.
        unsigned rank = coordinates.size();
        left[left.size() - 2] = coordinates[rank - 2];
        left.back() = k[0];
        right[right.size() - 2] = k[0];
        right.back() = coordinates[rank - 1];
        return math::FmaOp::create(builder, emitter.readElement(lhs, left),
                                   emitter.readElement(rhs, right), sum)
            .getResult();
      });
}

//===----------------------------------------------------------------------===//
// All operators
//===----------------------------------------------------------------------===//

static Value emitElement(BlockEmitter &emitter, OperatorOpInterface op,
                         const Attributes &attributes, ValueRange coordinates) {
  const OperatorInfo &info = getOperatorInfo(op.getTableOpcode());
  SmallVector<Value> operands =
      llvm::map_to_vector(op->getOperands(), [&](Value operand) {
        return emitter.getTile(operand);
      });
  switch (info.kind) {
  case OperatorKind::Elementwise: {
    SmallVector<Value> elements =
        llvm::map_to_vector(operands, [&](Value operand) {
          return emitter.readElement(
              operand, broadcastCoordinates(emitter, coordinates,
                                            getTileShape(operand)));
        });
    return emitElementwise(emitter.builder, emitter.builder.getLoc(),
                           info.opcode, elements, attributes.scalars);
  }
  case OperatorKind::Reduction:
    return emitReductionElement(emitter, info, attributes, operands[0],
                                coordinates);
  case OperatorKind::Contraction:
    return emitMatmulElement(emitter, operands[0], operands[1], coordinates);
  case OperatorKind::Movement:
    return emitMovedElement(emitter, info.opcode, attributes, operands,
                            coordinates);
  case OperatorKind::Copy:
  case OperatorKind::Accumulate:
  case OperatorKind::Composed:
  case OperatorKind::Graph:
    break;
  }
  llvm_unreachable("not computed element by element");
}

static Attributes readAttributes(Operation *op, Opcode opcode) {
  return readOperatorAttributes(op);
}

void mlir::mirage::emitCompute(BlockEmitter &emitter, OperatorOpInterface op) {
  Value tile = emitter.getTile(op->getResult(0));
  Attributes attributes = readAttributes(op, op.getTableOpcode());
  emitter.forEachElement(getTileShape(tile), 1, [&](ValueRange coordinates) {
    emitter.writeElement(tile, coordinates,
                         emitElement(emitter, op, attributes, coordinates));
  });
}

// The loops of these three have the same shape and width, so that each thread
// meets the same elements and no barrier is needed between them.

void mlir::mirage::emitInit(BlockEmitter &emitter, block::AccumulateOp op) {
  if (carriesMoments(op))
    return emitInitMoments(emitter, op);
  Value tile = emitter.getTile(op.getResult());
  const OperatorInfo &info =
      getOperatorInfo(readAttributes(op, Opcode::Accumulate).reduction);
  emitter.forEachElement(getTileShape(tile), 1, [&](ValueRange coordinates) {
    emitter.writeElement(tile, coordinates, getNeutralValue(emitter, info));
  });
}

/// value · exp(from - to); 0 where `from` is minus infinity, whatever the value
/// is.
static Value emitRescaled(BlockEmitter &emitter, Value value, Value from,
                          Value to) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  Location location = builder.getLoc();
  Value difference = arith::SubFOp::create(builder, from, to);
  Value factor =
      emitElementwise(builder, location, Opcode::Exp, difference, {});
  Value product = arith::MulFOp::create(builder, value, factor);
  return emitElementwise(builder, location, Opcode::Vanish, {product, from},
                         {});
}

/// The sum so far and the new part become relative to the larger maximum of
/// the two. The running maximum is still the old one.
static void emitRescaledUpdate(BlockEmitter &emitter, block::AccumulateOp op) {
  Value tile = emitter.getTile(op.getResult());
  Value operand = emitter.getTile(op.getOperand());
  Value own = emitter.getTile(op.getRescale());
  Value running = emitter.getTile(findRunningMaximum(op).getResult());
  Attributes attributes = readAttributes(op, Opcode::Accumulate);
  const OperatorInfo &sum = getOperatorInfo(attributes.reduction);
  ImplicitLocOpBuilder &builder = emitter.builder;
  emitter.forEachElement(getTileShape(tile), 1, [&](ValueRange coordinates) {
    auto readFor = [&](Value maxima) {
      return emitter.readElement(
          maxima,
          broadcastCoordinates(emitter, coordinates, getTileShape(maxima)));
    };
    Value before = readFor(running), next = readFor(own);
    Value larger =
        emitCombine(builder, builder.getLoc(), Combiner::Max, before, next);
    Value joined = emitReduceInto(emitter, sum, attributes.dims, operand,
                                  getNeutralValue(emitter, sum), coordinates);
    Value part = emitRescaled(emitter, joined, next, larger);
    Value old = emitRescaled(emitter, emitter.readElement(tile, coordinates),
                             before, larger);
    emitter.writeElement(
        tile, coordinates,
        emitCombine(builder, builder.getLoc(), sum.combiner, old, part));
  });
}

void mlir::mirage::emitUpdate(BlockEmitter &emitter, block::AccumulateOp op) {
  if (op.getRescale())
    return emitRescaledUpdate(emitter, op);
  if (carriesMoments(op))
    return emitUpdateMoments(emitter, op);
  Value tile = emitter.getTile(op.getResult());
  Value operand = emitter.getTile(op.getOperand());
  Attributes attributes = readAttributes(op, Opcode::Accumulate);
  const OperatorInfo &info = getOperatorInfo(attributes.reduction);
  emitter.forEachElement(getTileShape(tile), 1, [&](ValueRange coordinates) {
    Value before = emitter.readElement(tile, coordinates);
    emitter.writeElement(tile, coordinates,
                         emitReduceInto(emitter, info, attributes.dims, operand,
                                        before, coordinates));
  });
}

void mlir::mirage::emitFinish(BlockEmitter &emitter, block::AccumulateOp op) {
  if (carriesMoments(op))
    return emitFinishMoments(emitter, op);
  Value tile = emitter.getTile(op.getResult());
  Attributes attributes = readAttributes(op, Opcode::Accumulate);
  const OperatorInfo &info = getOperatorInfo(attributes.reduction);
  int64_t size = getAveragedCount(
      attributes, cast<RankedTensorType>(op.getOperand().getType()).getShape(),
      emitter.header.getExtent(attributes.axis));
  emitter.forEachElement(getTileShape(tile), 1, [&](ValueRange coordinates) {
    Value joined = emitter.readElement(tile, coordinates);
    emitter.writeElement(tile, coordinates,
                         emitScalarDefinition(emitter.builder,
                                              emitter.builder.getLoc(),
                                              info.finish, joined, {}, size));
  });
}
