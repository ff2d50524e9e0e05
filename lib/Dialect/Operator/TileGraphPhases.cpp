//===- TileGraphPhases.cpp - When values of a graph op are known ----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Dialect/Operator/TileGraphInterface.h"
#include "Mirage/Graph/VaryingAxes.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;
using namespace mlir::mirage;

/// The row of a nested op and its attributes; a nested graph is a row as well.
static std::pair<Opcode, Attributes> readRow(Operation &op) {
  auto row = dyn_cast<OperatorOpInterface>(op);
  Opcode opcode = row ? row.getTableOpcode() : Opcode::Graph;
  return {opcode, readOperatorAttributes(&op)};
}

static SmallVector<Phase> lookUpOperands(Operation &op,
                                         const DenseMap<Value, Phase> &phases) {
  return llvm::map_to_vector(
      op.getOperands(), [&](Value operand) { return phases.lookup(operand); });
}

DenseMap<Value, Phase> mlir::mirage::computePhases(TileGraphOpInterface op) {
  DenseMap<Value, Phase> phases;
  for (auto [tile, fmap] :
       llvm::zip_equal(op.getBody().getArguments(), op.getFmaps()))
    phases[tile] = fmap == kReplicated ? Phase::Invariant : Phase::Loop;
  for (Operation &nested : op.getBody().front().without_terminator()) {
    auto [opcode, attributes] = readRow(nested);
    Phase phase =
        inferPhase(opcode, attributes, lookUpOperands(nested, phases));
    for (Value result : nested.getResults())
      phases[result] = phase;
  }
  return phases;
}

Phase mlir::mirage::getExecutionPhase(Operation *op,
                                      const DenseMap<Value, Phase> &phases) {
  auto [opcode, attributes] = readRow(*op);
  return getExecutionPhase(opcode, attributes, phases.lookup(op->getResult(0)));
}

LogicalResult mlir::mirage::detail::verifyPhases(TileGraphOpInterface op,
                                                 const TileGraph &header) {
  DenseMap<Value, Phase> phases = computePhases(op);
  for (Operation &nested : op.getBody().front().without_terminator()) {
    auto [opcode, attributes] = readRow(nested);
    SmallVector<TensorSpec> types =
        llvm::map_to_vector(nested.getOperandTypes(),
                            [](Type type) { return convertTensor(type); });
    if (llvm::Error error = checkInTileGraph(
            opcode, attributes, lookUpOperands(nested, phases), types, header))
      return nested.emitOpError() << llvm::toString(std::move(error));
  }
  Operation *yield = op.getBody().front().getTerminator();
  for (auto [number, yielded] : llvm::enumerate(yield->getOperands()))
    if (op.getLoop() > 1 && phases.lookup(yielded) == Phase::Loop)
      return yield->emitOpError()
             << "expects values from after the loop, got operand " << number
             << " of the loop";
  return success();
}

/// \param header  as `readTileGraphHeader` gives it.
static DenseMap<Value, AxisSet> computeVaryingAxes(TileGraphOpInterface op,
                                                   const TileGraph &header) {
  DenseMap<Value, AxisSet> varying;
  for (BlockArgument tile : op.getBody().getArguments())
    varying[tile] = getVaryingAxes(header, tile.getArgNumber());
  for (Operation &nested : op.getBody().front().without_terminator()) {
    auto [opcode, attributes] = readRow(nested);
    SmallVector<AxisSet, 2> operands =
        llvm::map_to_vector<2>(nested.getOperands(), [&](Value operand) {
          return varying.lookup(operand);
        });
    AxisSet results = inferVaryingAxes(header, opcode, attributes, operands);
    for (Value result : nested.getResults())
      varying[result] = results;
  }
  return varying;
}

DenseMap<Value, AxisSet>
mlir::mirage::computeVaryingAxes(TileGraphOpInterface op) {
  return ::computeVaryingAxes(op, readTileGraphHeader(op));
}

LogicalResult mlir::mirage::detail::verifyOutputJoins(TileGraphOpInterface op,
                                                      const TileGraph &header) {
  DenseMap<Value, AxisSet> varying = ::computeVaryingAxes(op, header);
  for (auto [number, yielded] : llvm::enumerate(op.getYielded()))
    if (llvm::Error error =
            checkOutputJoins(header, number, varying.lookup(yielded)))
      return op->emitOpError() << llvm::toString(std::move(error));
  return success();
}
