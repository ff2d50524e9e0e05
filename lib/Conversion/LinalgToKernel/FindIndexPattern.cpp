//===- FindIndexPattern.cpp - Values that follow from indices alone -------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FindConstant.h"
#include "IndexPattern.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::mirage;

using MaybePattern = std::optional<IndexPattern>;

/// Ops that number, compare and select are few; more of them one after the
/// other are something else.
constexpr unsigned kLargestDepth = 32;

namespace {
/// Goes from a value back to the indices it follows from.
class PatternFinder {
public:
  MaybePattern find(Value value, unsigned numIndices);

private:
  MaybePattern findDefined(Value value, unsigned numIndices);
  MaybePattern findOperand(BlockArgument argument);
  MaybePattern findResult(linalg::LinalgOp op, OpResult result);
  MaybePattern findReshaped(Operation *op);
  MaybePattern findSlice(tensor::ExtractSliceOp op);
  MaybePattern findComputed(Operation *op, unsigned numIndices);

  DenseMap<Value, MaybePattern> known;
  unsigned depth = 0;
};
} // namespace

//===----------------------------------------------------------------------===//
// Leaves
//===----------------------------------------------------------------------===//

static LinearIndex makeZero(unsigned numIndices) {
  LinearIndex form;
  form.coefficients.assign(numIndices, 0);
  return form;
}

/// Numbers of integer types too, which masks are made of.
static Attribute findNumber(Value value) {
  if (auto element = dyn_cast<FloatType>(getElementTypeOrSelf(value))) {
    std::optional<double> number = findConstant(value);
    return number ? FloatAttr::get(element, *number) : Attribute();
  }
  Attribute constant;
  if (matchPattern(value, m_Constant(&constant))) {
    if (auto dense = dyn_cast<DenseElementsAttr>(constant))
      return dense.isSplat() ? dense.getSplatValue<Attribute>() : Attribute();
    return isa<IntegerAttr>(constant) ? constant : Attribute();
  }
  if (auto fill = value.getDefiningOp<linalg::FillOp>())
    return findNumber(fill.getInputs()[0]);
  return {};
}

/// An operand of a structured op, whose indices are some of the op's loops.
MaybePattern PatternFinder::findOperand(BlockArgument argument) {
  auto op = dyn_cast<linalg::LinalgOp>(argument.getOwner()->getParentOp());
  if (!op)
    return std::nullopt;
  OpOperand &operand = op->getOpOperand(argument.getArgNumber());
  auto type = dyn_cast<RankedTensorType>(operand.get().getType());
  unsigned rank = type ? type.getRank() : 0;
  MaybePattern pattern =
      op.isDpsInit(&operand) ? std::nullopt : find(operand.get(), rank);
  if (!pattern)
    return std::nullopt;
  LinearIndex form = pattern->form;
  form.coefficients.assign(op.getNumLoops(), 0);
  if (type)
    for (auto [expr, coefficient] :
         llvm::zip_equal(op.getMatchingIndexingMap(&operand).getResults(),
                         pattern->form.coefficients)) {
      auto loop = dyn_cast<AffineDimExpr>(expr);
      if (!loop && coefficient != 0)
        return std::nullopt;
      if (loop)
        form.coefficients[loop.getPosition()] += coefficient;
    }
  pattern->form = form;
  return pattern;
}

/// A result of a structured op: what the body yields, by the loops that index
/// the result.
MaybePattern PatternFinder::findResult(linalg::LinalgOp op, OpResult result) {
  if (op.getNumLoops() != op.getNumParallelLoops())
    return std::nullopt;
  OpOperand *init = op.getDpsInitOperand(result.getResultNumber());
  MaybePattern pattern =
      find(op.getMatchingYieldValue(init)->get(), op.getNumLoops());
  if (!pattern)
    return std::nullopt;
  SmallVector<int64_t> left = pattern->form.coefficients;
  SmallVector<int64_t> coefficients;
  for (AffineExpr expr : op.getMatchingIndexingMap(init).getResults()) {
    auto loop = dyn_cast<AffineDimExpr>(expr);
    if (!loop)
      return std::nullopt;
    coefficients.push_back(std::exchange(left[loop.getPosition()], 0));
  }
  if (llvm::any_of(left, [](int64_t c) { return c != 0; }))
    return std::nullopt;
  pattern->form.coefficients = coefficients;
  return pattern;
}

/// Dimensions of size 1 come and go; their only index is 0.
MaybePattern PatternFinder::findReshaped(Operation *op) {
  auto from = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  auto to = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!from || !to)
    return std::nullopt;
  auto isLarge = [](int64_t size) { return size != 1; };
  if (!llvm::equal(llvm::make_filter_range(from.getShape(), isLarge),
                   llvm::make_filter_range(to.getShape(), isLarge)))
    return std::nullopt;
  MaybePattern pattern = find(op->getOperand(0), from.getRank());
  if (!pattern)
    return std::nullopt;
  SmallVector<int64_t> large;
  for (auto [size, coefficient] :
       llvm::zip_equal(from.getShape(), pattern->form.coefficients))
    if (isLarge(size))
      large.push_back(coefficient);
  ArrayRef<int64_t> next = large;
  pattern->form.coefficients =
      llvm::map_to_vector(to.getShape(), [&](int64_t size) {
        return isLarge(size) ? next.consume_front() : 0;
      });
  return pattern;
}

/// Index i of a slice is index offset + i · stride.
/// (A dynamic offset or stride is a number out of range.)
MaybePattern PatternFinder::findSlice(tensor::ExtractSliceOp op) {
  MaybePattern pattern = find(op.getSource(), op.getSourceType().getRank());
  if (!pattern)
    return std::nullopt;
  LinearIndex form{{}, pattern->form.constant};
  llvm::SmallBitVector dropped = op.getDroppedDims();
  for (auto [dim, coefficient] : llvm::enumerate(pattern->form.coefficients)) {
    int64_t offset = coefficient == 0 ? 0 : op.getStaticOffsets()[dim];
    int64_t stride = coefficient == 0 ? 0 : op.getStaticStrides()[dim];
    if (!LinearIndex{{stride}, offset}.isInRange())
      return std::nullopt;
    form.constant += coefficient * offset;
    if (!dropped[dim])
      form.coefficients.push_back(coefficient * stride);
  }
  if (!form.isInRange())
    return std::nullopt;
  pattern->form = form;
  return pattern;
}

MaybePattern PatternFinder::findComputed(Operation *op, unsigned numIndices) {
  if (!isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) ||
      op->getNumResults() != 1)
    return std::nullopt;
  SmallVector<IndexPattern> operands;
  for (Value operand : op->getOperands()) {
    MaybePattern pattern = find(operand, numIndices);
    if (!pattern)
      return std::nullopt;
    operands.push_back(*pattern);
  }
  return combinePatterns(op, operands);
}

MaybePattern PatternFinder::findDefined(Value value, unsigned numIndices) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return findOperand(argument);
  Operation *op = value.getDefiningOp();
  return llvm::TypeSwitch<Operation *, MaybePattern>(op)
      .Case([&](linalg::IndexOp index) {
        LinearIndex form = makeZero(numIndices);
        form.coefficients[index.getDim()] = 1;
        return IndexPattern{form, {}, {}};
      })
      .Case([&](linalg::LinalgOp structured) {
        return findResult(structured, cast<OpResult>(value));
      })
      .Case<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::ReshapeOp>(
          [&](auto) { return findReshaped(op); })
      .Case([&](tensor::ExtractSliceOp slice) { return findSlice(slice); })
      .Default([&](Operation *) { return findComputed(op, numIndices); });
}

MaybePattern PatternFinder::find(Value value, unsigned numIndices) {
  if (Attribute number = findNumber(value))
    return IndexPattern{makeZero(numIndices), number, number};
  auto found = known.find(value);
  if (found != known.end())
    return found->second;
  if (depth == kLargestDepth)
    return std::nullopt;
  ++depth;
  MaybePattern pattern = findDefined(value, numIndices);
  --depth;
  known.try_emplace(value, pattern);
  return pattern;
}

//===----------------------------------------------------------------------===//
// What is asked
//===----------------------------------------------------------------------===//

std::optional<IndexPattern>
mlir::mirage::findIndexPattern(Value value, unsigned numIndices) {
  return PatternFinder().find(value, numIndices);
}

bool mlir::mirage::statesPattern(Operation *op) {
  auto isPattern = [](Value result) {
    auto type = dyn_cast<RankedTensorType>(result.getType());
    if (!type)
      return false;
    MaybePattern pattern = findIndexPattern(result, type.getRank());
    bool isFloat = isa<FloatType>(type.getElementType());
    return pattern && !(isFloat && pattern->isConstant());
  };
  return op->getNumResults() > 0 && llvm::all_of(op->getResults(), isPattern);
}
