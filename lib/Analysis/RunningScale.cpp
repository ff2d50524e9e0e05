//===- RunningScale.cpp - Parts relative to a running maximum -------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Analysis/RunningScale.h"
#include "Mirage/Analysis/BlockSteps.h"
#include "Mirage/Analysis/HeldTiles.h"
#include "Mirage/Dialect/Thread/IR/Thread.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::mirage;

namespace {
/// What becomes of a value if t grows by d: `shift`·d is added to it, or it is
/// multiplied by exp(`power`·d), never both. Powers are not positive: the
/// maximum so far is larger than t by any amount.
struct Change {
  int64_t shift = 0, power = 0;

  bool isNone() const { return shift == 0 && power == 0; }
  bool operator==(const Change &other) const {
    return shift == other.shift && power == other.power;
  }
};

/// Follows a change through the ops of a block graph, and of thread graphs.
class ChangeWalker {
public:
  explicit ChangeWalker(block::AccumulateOp maximum)
      : maximum(maximum), changed(maximum.getOperand()) {}

  /// Whether nothing of it is left in what the graph yields.
  bool run();

private:
  bool visitGraph(thread::GraphOp graph);
  bool visitAccumulate(block::AccumulateOp op);
  bool visit(Operation *op);
  std::optional<Change> findChange(OperatorOpInterface op,
                                   ArrayRef<Change> operands) const;
  Change get(Value value) const {
    return value == changed ? Change{/*shift=*/1} : changes.lookup(value);
  }
  bool isUnchanged(ValueRange values) const {
    return llvm::all_of(values,
                        [&](Value value) { return get(value).isNone(); });
  }

  block::AccumulateOp maximum;
  Value changed; ///< t
  DenseMap<Value, Change> changes;
};
} // namespace

static std::optional<Change> addChanges(Change lhs, Change rhs, int64_t sign) {
  if (lhs.power == 0 && rhs.power == 0)
    return Change{lhs.shift + sign * rhs.shift};
  return lhs == rhs && lhs.shift == 0 ? std::optional(lhs) : std::nullopt;
}

static std::optional<Change> multiplyChanges(Change lhs, Change rhs) {
  if (lhs.shift != 0 || rhs.shift != 0)
    return std::nullopt;
  return Change{/*shift=*/0, lhs.power + rhs.power};
}

static std::optional<Change> changeElements(Opcode opcode,
                                            ArrayRef<Change> operands) {
  switch (opcode) {
  case Opcode::Add:
    return addChanges(operands[0], operands[1], 1);
  case Opcode::Sub:
    return addChanges(operands[0], operands[1], -1);
  case Opcode::Mul:
    return multiplyChanges(operands[0], operands[1]);
  case Opcode::Div:
    // What shrinks may be 0 where it was none.
    return operands[1].isNone() && operands[0].shift == 0
               ? std::optional(operands[0])
               : std::nullopt;
  case Opcode::Exp:
    // What grows may be infinite.
    return operands[0].power == 0 && operands[0].shift < 0
               ? std::optional(Change{/*shift=*/0, operands[0].shift})
               : std::nullopt;
  default:
    return std::nullopt;
  }
}

/// Of an op some of whose operands change.
std::optional<Change>
ChangeWalker::findChange(OperatorOpInterface op,
                         ArrayRef<Change> operands) const {
  Attributes attributes = readOperatorAttributes(op);
  auto addUp = [&](Opcode reduction) {
    bool isLinear = reduction == Opcode::Sum || reduction == Opcode::Mean;
    return isLinear && operands[0].shift == 0 ? std::optional(operands[0])
                                              : std::nullopt;
  };
  switch (getOperatorInfo(op.getTableOpcode()).kind) {
  case OperatorKind::Elementwise:
    return changeElements(op.getTableOpcode(), operands);
  case OperatorKind::Contraction:
    return multiplyChanges(operands[0], operands[1]);
  case OperatorKind::Reduction:
    return addUp(op.getTableOpcode());
  case OperatorKind::Accumulate:
    return operands.size() == 1 ? addUp(attributes.reduction) : std::nullopt;
  case OperatorKind::Movement:
    // Padding that is 0 stays 0 when it is multiplied.
    if (op.getTableOpcode() == Opcode::CausalMask ||
        (op.getTableOpcode() == Opcode::Mask &&
         (operands[0].shift != 0 || attributes.scalars[0] != 0)))
      return std::nullopt;
    return operands.size() == 1 ? std::optional(operands[0]) : std::nullopt;
  case OperatorKind::Copy:
    return operands[0];
  case OperatorKind::Composed:
  case OperatorKind::Graph:
    break;
  }
  return std::nullopt;
}

bool ChangeWalker::visit(Operation *op) {
  if (isUnchanged(op->getOperands()))
    return true;
  auto row = dyn_cast<OperatorOpInterface>(op);
  if (!row || op->getNumResults() != 1)
    return false;
  SmallVector<Change> operands;
  for (Value operand : op->getOperands())
    operands.push_back(get(operand));
  std::optional<Change> change = findChange(row, operands);
  if (change)
    changes[op->getResult(0)] = *change;
  return change.has_value();
}

bool ChangeWalker::visitGraph(thread::GraphOp graph) {
  Block &body = graph.getBody().front();
  for (auto [window, tile] :
       llvm::zip_equal(body.getArguments(), graph.getInputs()))
    changes[window] = get(tile);
  for (Operation &op : body.without_terminator())
    if (!visit(&op))
      return false;
  for (auto [result, window] :
       llvm::zip_equal(graph.getResults(), body.getTerminator()->getOperands()))
    if (result != changed)
      changes[result] = get(window);
  return true;
}

bool ChangeWalker::visitAccumulate(block::AccumulateOp op) {
  Change part = get(op.getOperand());
  // The maximum stays what it is.
  if (op == maximum)
    return true;
  if (op.getAxis() == AxisKind::Loop && op.getRescale() == changed)
    return part == Change{/*shift=*/0, /*power=*/-1};
  return isUnchanged(op->getOperands());
}

bool ChangeWalker::run() {
  Block &body = block::GraphOp(maximum->getParentOfType<block::GraphOp>())
                    .getBody()
                    .front();
  for (Operation &op : body.without_terminator()) {
    auto graph = dyn_cast<thread::GraphOp>(op);
    auto accumulate = dyn_cast<block::AccumulateOp>(op);
    bool isKept = graph        ? visitGraph(graph)
                  : accumulate ? visitAccumulate(accumulate)
                               : visit(&op);
    if (!isKept)
      return false;
  }
  return isUnchanged(body.getTerminator()->getOperands());
}

bool mlir::mirage::hasRunningScale(block::AccumulateOp maximum) {
  return maximum && maximum->hasAttr(kRunningScaleAttr);
}

bool mlir::mirage::canHaveRunningScale(block::AccumulateOp maximum) {
  Value scale = maximum.getOperand();
  if (!isRunningMaximum(maximum, scale) || !isCarriedSum(maximum.getResult()) ||
      !canCarry(maximum))
    return false;
  bool hasSum = false;
  for (auto sum : maximum->getBlock()->getOps<block::AccumulateOp>()) {
    if (sum.getRescale() != scale)
      continue;
    hasSum = true;
    if (findRunningMaximum(sum) != maximum || !isCarriedSum(sum.getResult()))
      return false;
  }
  return hasSum && ChangeWalker(maximum).run();
}
