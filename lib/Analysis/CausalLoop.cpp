//===- CausalLoop.cpp - Loops that a causal mask ends ---------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Analysis/CausalLoop.h"
#include "Mirage/Dialect/Thread/IR/Thread.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace mlir::mirage;

int64_t CausalLoop::countIterations(const TileGraph &header,
                                    ArrayRef<int64_t> block) const {
  auto getNumber = [&](ArrayRef<Axis> axes) {
    int64_t number = 0;
    for (Axis axis : axes)
      number =
          number * header.getExtent(axis) + block[static_cast<unsigned>(axis)];
    return number;
  };
  int64_t lastColumn = (getNumber(rowAxes) + 1) * rows - 1 + offset;
  int64_t lastTile = llvm::divideFloorSigned(lastColumn, columns);
  int64_t before = getNumber(columnAxes) * header.loop;
  return std::clamp<int64_t>(lastTile - before + 1, 1, header.loop);
}

/// Where the columns' tiles change from one iteration to the next.
static std::optional<CausalLoop> readMask(Operation *op) {
  auto tile = cast<RankedTensorType>(op->getResult(0).getType()).getShape();
  Attributes attributes = readOperatorAttributes(op);
  if (attributes.columnAxes.empty() ||
      attributes.columnAxes.back() != Axis::Loop ||
      llvm::is_contained(attributes.axes, Axis::Loop))
    return std::nullopt;
  CausalLoop mask;
  mask.rowAxes.assign(attributes.axes.begin(), attributes.axes.end());
  mask.columnAxes.assign(attributes.columnAxes.begin(),
                         std::prev(attributes.columnAxes.end()));
  mask.rows = tile[tile.size() - 2];
  mask.columns = tile.back();
  mask.offset = attributes.offset;
  return mask;
}

static bool operator==(const CausalLoop &a, const CausalLoop &b) {
  return a.rowAxes == b.rowAxes && a.rows == b.rows &&
         a.columnAxes == b.columnAxes && a.columns == b.columns &&
         a.offset == b.offset;
}

namespace {
/// What every element of a value is in an iteration of which a mask leaves
/// nothing: a number, or none that is known. What is not known is finite.
using Known = std::optional<double>;

bool isMinusInfinity(Known value) {
  return value && std::isinf(*value) && *value < 0;
}

/// Carries such an iteration out.
class HiddenIteration {
public:
  explicit HiddenIteration(const CausalLoop &mask) : mask(mask) {}

  /// \returns whether nothing is left of it behind the loop.
  bool addsNothing(block::GraphOp graph) {
    for (Operation &op : graph.getBody().front().without_terminator()) {
      if (auto accumulate = dyn_cast<block::AccumulateOp>(op)) {
        if (readOperatorAttributes(&op).axis == Axis::Loop &&
            !addsNothing(accumulate))
          return false;
      } else if (auto step = dyn_cast<thread::GraphOp>(op)) {
        runStep(step);
      } else {
        run(&op);
      }
    }
    return true;
  }

private:
  Known get(Value value) const {
    auto found = values.find(value);
    return found == values.end() ? Known() : found->second;
  }
  void set(Value value, Known known) {
    if (known)
      values[value] = *known;
  }

  /// Whether no element is less in any iteration: minus infinity, or what is
  /// clamped to it.
  bool isLeast(Value value) const {
    return isMinusInfinity(get(value)) || least.contains(value);
  }
  void copy(Value to, Value from) {
    set(to, get(from));
    if (isLeast(from))
      least.insert(to);
  }

  bool addsNothing(block::AccumulateOp op);
  void run(Operation *op);
  void runStep(thread::GraphOp graph);
  Known compute(Operation *op) const;
  Known computeElement(Operation *op, const OperatorInfo &row) const;
  Known move(Operation *op) const;

  const CausalLoop &mask;
  DenseMap<Value, double> values;
  DenseSet<Value> least;
};
} // namespace

static Known known(double value) {
  return std::isnan(value) ? Known() : Known(value);
}

static Known apply(ScalarFunction function, Known lhs, Known rhs) {
  auto isZero = [](Known value) { return value && *value == 0; };
  if (lhs && (rhs || getArity(function) == 1))
    return known(applyDouble(function, *lhs, rhs.value_or(0)));
  switch (function) {
  case ScalarFunction::Add: // of minus infinity and a finite number
  case ScalarFunction::Min:
    return isMinusInfinity(lhs) ? lhs : isMinusInfinity(rhs) ? rhs : Known();
  case ScalarFunction::Mul:
    return isZero(lhs) ? lhs : isZero(rhs) ? rhs : Known();
  case ScalarFunction::Div:
    return isZero(lhs) ? lhs : Known();
  case ScalarFunction::Vanish:
    return isZero(lhs) ? lhs : isMinusInfinity(rhs) ? Known(0) : Known();
  default:
    return Known();
  }
}

/// By a definition, with the values of its leaves given.
static Known applyDefinition(const ScalarDefinition &definition,
                             ArrayRef<Known> arguments,
                             const Attributes &attributes) {
  return evaluate<Known>(
      definition, [&](const ScalarNode &node, Known lhs, Known rhs) -> Known {
        switch (node.function) {
        case ScalarFunction::Argument:
          return arguments[node.index];
        case ScalarFunction::Parameter:
          return attributes.scalars[node.index];
        case ScalarFunction::Constant:
          return node.value;
        case ScalarFunction::Ln2:
          return kLn2;
        case ScalarFunction::Size:
          return Known();
        default:
          return apply(node.function, lhs, rhs);
        }
      });
}

/// Of a reduction: what its combiner joins of each element.
static Known getPart(const OperatorInfo &row, Known operand) {
  return row.definition.empty()
             ? operand
             : applyDefinition(row.definition, {operand}, Attributes());
}

static bool isNeutral(const OperatorInfo &row, Known operand) {
  return row.kind == OperatorKind::Reduction &&
         getPart(row, operand) == Known(getNeutral(row.combiner));
}

/// Of a reduction of what is neutral.
static Known reduce(const OperatorInfo &row, Known operand) {
  if (!isNeutral(row, operand))
    return Known();
  Known neutral(getNeutral(row.combiner));
  return row.finish.empty()
             ? neutral
             : applyDefinition(row.finish, {neutral}, Attributes());
}

bool HiddenIteration::addsNothing(block::AccumulateOp op) {
  // A part that is relative to minus infinity adds nothing, whatever it is. One
  // that is relative to the least of all has to be nothing.
  if (Value rescale = op.getRescale())
    return isMinusInfinity(get(rescale)) ||
           (isLeast(rescale) && get(op.getOperand()) == Known(0));
  const OperatorInfo &row =
      getOperatorInfo(readOperatorAttributes(op).reduction);
  bool isLargest = row.combiner == Combiner::Max && row.definition.isArgument();
  return isNeutral(row, get(op.getOperand())) ||
         (isLargest && isLeast(op.getOperand()));
}

void HiddenIteration::run(Operation *op) {
  Value result = op->getResult(0);
  set(result, compute(op));
  auto row = dyn_cast<OperatorOpInterface>(op);
  if (!row)
    return;
  const OperatorInfo &info = getOperatorInfo(row.getTableOpcode());
  bool isMoved =
      info.kind == OperatorKind::Movement || info.kind == OperatorKind::Copy;
  bool isClamped =
      row.getTableOpcode() == Opcode::Clamp &&
      get(result) == Known(readOperatorAttributes(op).scalars.front());
  if (isClamped || (isMoved && get(result) && isLeast(op->getOperand(0))))
    least.insert(result);
}

/// Steps of a thread graph take parts of the same tiles, of which every element
/// is the same.
void HiddenIteration::runStep(thread::GraphOp graph) {
  Block &body = graph.getBody().front();
  for (auto [window, tile] :
       llvm::zip_equal(body.getArguments(), graph.getInputs()))
    copy(window, tile);
  for (Operation &op : body.without_terminator())
    run(&op);
  for (auto [result, window] :
       llvm::zip_equal(graph.getResults(), body.getTerminator()->getOperands()))
    copy(result, window);
}

Known HiddenIteration::computeElement(Operation *op,
                                      const OperatorInfo &row) const {
  auto operands = llvm::map_to_vector(
      op->getOperands(), [&](Value operand) { return get(operand); });
  return applyDefinition(row.definition, operands, readOperatorAttributes(op));
}

Known HiddenIteration::move(Operation *op) const {
  Known operand = get(op->getOperand(0));
  switch (cast<OperatorOpInterface>(op).getTableOpcode()) {
  case Opcode::CausalMask: { // axes of the block's, not of items
    auto own = isa<block::CausalMaskOp>(op) ? readMask(op)
                                            : std::optional<CausalLoop>();
    return own && *own == mask ? Known(getNeutral(Combiner::Max)) : Known();
  }
  case Opcode::Mask: // what it puts in, or leaves
    return operand && *operand == readOperatorAttributes(op).scalars.front()
               ? operand
               : Known();
  case Opcode::Concat:
    return llvm::all_of(op->getOperands(),
                        [&](Value other) { return get(other) == operand; })
               ? operand
               : Known();
  default:
    return operand;
  }
}

Known HiddenIteration::compute(Operation *op) const {
  auto row = dyn_cast<OperatorOpInterface>(op);
  if (!row)
    return Known();
  const OperatorInfo &info = getOperatorInfo(row.getTableOpcode());
  switch (info.kind) {
  case OperatorKind::Elementwise:
    return computeElement(op, info);
  case OperatorKind::Reduction:
    return reduce(info, get(op->getOperand(0)));
  case OperatorKind::Contraction:
    return apply(ScalarFunction::Mul, get(op->getOperand(0)),
                 get(op->getOperand(1))) == Known(0)
               ? Known(0)
               : Known();
  case OperatorKind::Movement:
  case OperatorKind::Copy:
    return move(op);
  case OperatorKind::Accumulate: // over the steps of an item
    return op->getNumOperands() == 1
               ? reduce(getOperatorInfo(readOperatorAttributes(op).reduction),
                        get(op->getOperand(0)))
               : Known();
  case OperatorKind::Composed:
  case OperatorKind::Graph:
    break;
  }
  return Known();
}

std::optional<CausalLoop> mlir::mirage::findCausalLoop(block::GraphOp graph) {
  if (graph.getLoop() == 1)
    return std::nullopt;
  for (auto op : graph.getBody().getOps<block::CausalMaskOp>())
    if (std::optional<CausalLoop> mask = readMask(op))
      if (HiddenIteration(*mask).addsNothing(graph))
        return mask;
  return std::nullopt;
}

std::optional<CausalLoop> mlir::mirage::findEarlyEnd(block::GraphOp graph) {
  return graph->hasAttr(kEndsEarlyAttr) ? findCausalLoop(graph)
                                        : std::optional<CausalLoop>();
}
