//===- StepFusion.cpp - Operations that are one step of a block -----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StepFusion.h"
#include "Mirage/Analysis/HeldTiles.h"
#include "Mirage/Dialect/Operator/OperatorInterface.h"
#include "Mirage/Dialect/Operator/TileGraphInterface.h"
#include "Mirage/Graph/TileMemory.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::mirage;

/// Tiles of one group, as a lane holds up to 16 registers of each.
static constexpr unsigned kMostOperands = 6;

std::optional<StepKind> mlir::mirage::getStepKind(Operation *op) {
  auto row = dyn_cast<OperatorOpInterface>(op);
  if (!row)
    return std::nullopt;
  const OperatorInfo &info = getOperatorInfo(row.getTableOpcode());
  if (!info.existsAt(Level::Thread))
    return std::nullopt;
  switch (info.kind) {
  case OperatorKind::Elementwise:
    return StepKind::Elementwise;
  case OperatorKind::Reduction:
    return StepKind::Reduction;
  case OperatorKind::Contraction:
    return StepKind::Contraction;
  case OperatorKind::Movement:
    if (info.opcode == Opcode::Transpose || info.opcode == Opcode::Broadcast ||
        info.opcode == Opcode::Cast)
      return StepKind::Elementwise;
    return std::nullopt;
  case OperatorKind::Copy:
  case OperatorKind::Accumulate:
  case OperatorKind::Composed:
  case OperatorKind::Graph:
    return std::nullopt;
  }
  return std::nullopt;
}

static ArrayRef<int64_t> getShape(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

StepFusion::StepFusion(block::GraphOp graph)
    : phases(computePhases(cast<TileGraphOpInterface>(graph.getOperation()))) {
  Block &body = graph.getBody().front();
  for (Operation &op : llvm::reverse(body.without_terminator())) {
    std::optional<StepKind> kind = getStepKind(&op);
    if (!kind || tryFuse(&op, *kind))
      continue;
    groups[&op] = {*kind == StepKind::Elementwise ? nullptr : &op,
                   op.getNumOperands()};
    members[&op] = {&op, *kind == StepKind::Elementwise};
  }
}

Operation *StepFusion::findUser(Operation *op) const {
  Operation *user = nullptr;
  for (Operation *other : op->getUsers()) {
    if (user && user != other)
      return nullptr;
    user = other;
  }
  bool isTogether =
      user && members.contains(user) &&
      getExecutionPhase(user, phases) == getExecutionPhase(op, phases);
  return isTogether ? user : nullptr;
}

bool mlir::mirage::isReadTransposed(Operation *op) {
  auto transpose = dyn_cast_or_null<block::TransposeOp>(op);
  return transpose && exchangesRowsAndColumns(transpose.getDims());
}

/// A product whose rows warps keep for the next step is handed on in registers
/// all the same, and by itself it can be started while they compute
/// (Mirage/Analysis/AheadProducts.h).
static bool isProductOfRows(Operation *op, Operation *user) {
  return getStepKind(op) == StepKind::Contraction &&
         op->hasAttr(kWholeRowsAttr) && user->hasAttr(kWholeRowsAttr);
}

/// A cast that makes the left operand of such a product: registers that a
/// product in flight still reads are written when all else is computed.
static bool isLeftOfRows(Operation *op) {
  return isa<block::CastOp>(op) && op->hasAttr(kWholeRowsAttr) &&
         llvm::any_of(op->getUses(), [](OpOperand &use) {
           Operation *product = use.getOwner();
           return isa<block::MatmulOp>(product) &&
                  product->hasAttr(kWholeRowsAttr) &&
                  use.getOperandNumber() == 0;
         });
}

bool StepFusion::tryFuse(Operation *op, StepKind kind) {
  Operation *user = findUser(op);
  if (!user || isLeftOfRows(user) || !hasStepDims(getShape(op->getResult(0))) ||
      !hasStepDims(getShape(user->getResult(0))))
    return false;
  auto [root, isAligned, isUserReduced, isOperandOfProduct] = members.at(user);
  Group &group = groups[root];
  unsigned numReads = llvm::count(user->getOperands(), op->getResult(0));
  unsigned numOperands = group.numOperands - numReads + op->getNumOperands();
  // An element of a product's operand is read for many of the result, so that
  // it is not computed there; but it may be read from where it lies.
  bool isOperand = getStepKind(user) == StepKind::Contraction;
  if (numOperands > kMostOperands || isOperandOfProduct ||
      (isOperand && !isReadTransposed(op)))
    return false;
  // Of what is stretched along the dimension that a reduction walks through, no
  // step would read anything.
  bool isReduced = isUserReduced || getStepKind(user) == StepKind::Reduction;
  auto isWhole = [&](Value operand) {
    return isa<block::TransposeOp>(op) ||
           getShape(operand) == getShape(op->getResult(0));
  };
  if (isReduced && kind == StepKind::Elementwise &&
      llvm::none_of(op->getOperands(), isWhole))
    return false;
  bool keepsElements =
      isAligned && getStepKind(user) == StepKind::Elementwise &&
      !isa<block::TransposeOp>(user) &&
      getShape(op->getResult(0)) == getShape(user->getResult(0));
  if (op->hasAttr(kJoinsRowPartsAttr)) {
    if (isReduced || getStepKind(user) != StepKind::Elementwise ||
        isa<block::TransposeOp>(user))
      return false;
  } else if (kind != StepKind::Elementwise) {
    if (group.core || !keepsElements || isProductOfRows(op, user))
      return false;
    group.core = op;
  }
  group.numOperands = numOperands;
  members[op] = {root, keepsElements && kind == StepKind::Elementwise,
                 isReduced, isOperand};
  return true;
}

bool StepFusion::isFused(Operation *op) const {
  auto member = members.find(op);
  return member != members.end() && member->second.root != op;
}

Operation *StepFusion::getRoot(Operation *op) const {
  return members.at(op).root;
}

Operation *StepFusion::getCore(Operation *root) const {
  return groups.at(root).core;
}
