//===- SplitLargeOperator.cpp - Operators that no block can hold ----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SplitLargeOperator.h"
#include "Mirage/Analysis/TensorView.h"
#include "Mirage/Dialect/Kernel/IR/Kernel.h"
#include "Mirage/Graph/DeviceTraffic.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::mirage;

static RankedTensorType getType(Value tensor) {
  return cast<RankedTensorType>(tensor.getType());
}

static ArrayRef<int64_t> getShape(Value tensor) {
  return getType(tensor).getShape();
}

bool mlir::mirage::canReshape(Operation *kernel) {
  auto liesApart = [](Value operand) {
    std::optional<TensorView> view = findView(operand);
    return !view || !isRowMajor(getShape(operand), view->strides);
  };
  auto goesApart = [](Value result) {
    ElementPlaces places = getWantedPlaces(result);
    return places.offset != 0 ||
           !isRowMajor(getShape(result), places.strides) ||
           llvm::any_of(result.getUsers(), llvm::IsaPred<kernel::ConcatOp>);
  };
  return llvm::none_of(kernel->getOperands(), liesApart) &&
         llvm::none_of(kernel->getResults(), goesApart);
}

namespace {
class LargeOperator {
public:
  LargeOperator(RewriterBase &rewriter, OperatorOpInterface op)
      : rewriter(rewriter), op(op), opcode(op.getTableOpcode()),
        kind(getOperatorInfo(opcode).kind),
        attributes(readOperatorAttributes(op)),
        result(getType(op->getResult(0))), rank(result.getRank()) {
    for (unsigned number = 0; number < op->getNumOperands(); ++number)
      operandDims.push_back(findOperandDims(number));
    rewriter.setInsertionPoint(op);
  }

  SmallVector<OperatorOpInterface> split() {
    if (kind == OperatorKind::Reduction && attributes.dims.size() > 1)
      return reduceOneByOne();
    SmallVector<Group> groups = findGroups();
    if (static_cast<int>(groups.size()) < rank && mayReshape())
      return {mergeDims(groups)};
    return halve();
  }

  OperatorOpInterface joinRows() {
    SmallVector<Group> groups = findGroups();
    int64_t row = groups.empty() ? 0 : getSize(groups.back());
    bool areJoined =
        row == result.getNumElements() && row != result.getShape().back();
    return areJoined && mayReshape() ? mergeDims(groups)
                                     : OperatorOpInterface();
  }

private:
  /// Neighbouring dimensions of the result: from, and before.
  struct Group {
    int begin, end;
  };

  int64_t getSize(const Group &group) const {
    return llvm::product_of(
        result.getShape().slice(group.begin, group.end - group.begin));
  }
  SmallVector<int> findOperandDims(unsigned number) const;
  bool isFixed(int dim) const;
  bool areNeighbours(int dim, int next) const;
  SmallVector<Group> findGroups() const;
  bool mayReshape() const;

  SmallVector<OperatorOpInterface> reduceOneByOne();
  OperatorOpInterface mergeDims(ArrayRef<Group> groups);
  Value mergeOperand(unsigned number, ArrayRef<Group> groups);
  SmallVector<OperatorOpInterface> halve();
  Value cut(unsigned number, int dim, int64_t offset, int64_t size);

  OperatorOpInterface create(ValueRange operands, RankedTensorType type,
                             const Attributes &own) {
    OperationState state(op->getLoc(), op->getName());
    state.addOperands(operands);
    state.addTypes(type);
    state.addAttributes(
        writeOperatorAttributes(rewriter.getContext(), opcode, own));
    return cast<OperatorOpInterface>(rewriter.create(state));
  }

  RewriterBase &rewriter;
  OperatorOpInterface op;
  Opcode opcode;
  OperatorKind kind;
  Attributes attributes;
  RankedTensorType result;
  int rank;
  /// By operand: its dimension by dimension of the result, or -1.
  SmallVector<SmallVector<int>> operandDims;
};
} // namespace

SmallVector<int> LargeOperator::findOperandDims(unsigned number) const {
  ArrayRef<int64_t> shape = getType(op->getOperand(number)).getShape();
  int operandRank = shape.size();
  if (opcode == Opcode::Transpose)
    return SmallVector<int>(attributes.dims.begin(), attributes.dims.end());
  SmallVector<int> dims(rank, -1);
  bool isMatmul = kind == OperatorKind::Contraction;
  for (int dim = 0; dim < rank - (isMatmul ? 2 : 0); ++dim) {
    int own = dim + operandRank - rank;
    bool stretches = own >= 0 && shape[own] == 1 && result.getDimSize(dim) != 1;
    dims[dim] = own < 0 || stretches ? -1 : own;
  }
  if (isMatmul && number == 0)
    dims[rank - 2] = operandRank - 2;
  if (isMatmul && number == 1)
    dims[rank - 1] = operandRank - 1;
  return dims;
}

/// Whether a dimension means more to the operator than that it has elements.
bool LargeOperator::isFixed(int dim) const {
  if (kind == OperatorKind::Reduction)
    return llvm::is_contained(attributes.dims, dim);
  bool areMatrices =
      kind == OperatorKind::Contraction || opcode == Opcode::CausalMask;
  return areMatrices && dim >= rank - 2;
}

bool LargeOperator::areNeighbours(int dim, int next) const {
  return !isFixed(dim) && !isFixed(next) &&
         llvm::all_of(operandDims, [&](ArrayRef<int> dims) {
           return dims[dim] < 0 ? dims[next] < 0 : dims[next] == dims[dim] + 1;
         });
}

SmallVector<LargeOperator::Group> LargeOperator::findGroups() const {
  SmallVector<Group> groups;
  for (int dim = 0; dim < rank; ++dim) {
    if (dim > 0 && areNeighbours(dim - 1, dim))
      groups.back().end = dim + 1;
    else
      groups.push_back({dim, dim + 1});
  }
  return groups;
}

bool LargeOperator::mayReshape() const { return canReshape(op); }

/// The last dimension first; all but the final one reduce with count 1, of
/// which the table's reductions are associative.
SmallVector<OperatorOpInterface> LargeOperator::reduceOneByOne() {
  Value value = op->getOperand(0);
  int64_t count = getAveragedCount(attributes, getType(value).getShape());
  SmallVector<OperatorOpInterface> created;
  for (int64_t dim : llvm::reverse(attributes.dims)) {
    bool isLast = dim == attributes.dims.front();
    Attributes single = attributes;
    single.dims = {dim};
    if (getOperatorInfo(opcode).averages())
      single.count = isLast ? count : 1;
    SmallVector<int64_t> shape(getType(value).getShape());
    shape[dim] = 1;
    auto type = RankedTensorType::get(shape, rewriter.getF32Type());
    created.push_back(create(value, isLast ? result : type, single));
    value = created.back()->getResult(0);
  }
  rewriter.replaceOp(op, value);
  return created;
}

/// A tensor with another shape: as it was before a reshape, where it had that.
static Value reshape(RewriterBase &rewriter, Location location, Value tensor,
                     ArrayRef<int64_t> shape) {
  if (auto before = tensor.getDefiningOp<kernel::ReshapeOp>())
    if (getType(before.getOperand()).getShape() == shape &&
        getType(before.getOperand()).getElementType() ==
            getType(tensor).getElementType())
      return before.getOperand();
  return kernel::ReshapeOp::create(
      rewriter, location,
      RankedTensorType::get(shape, getType(tensor).getElementType()), tensor);
}

/// An operand whose dimensions are those of the merged result, but for the two
/// that a matrix has.
Value LargeOperator::mergeOperand(unsigned number, ArrayRef<Group> groups) {
  Value operand = op->getOperand(number);
  ArrayRef<int64_t> own = getType(operand).getShape();
  SmallVector<std::pair<int, int64_t>> sizes; // by dimension of the operand
  for (const Group &group : groups) {
    int first = operandDims[number][group.begin];
    int64_t size = 1;
    for (int dim = group.begin; dim < group.end && first >= 0; ++dim)
      size *= own[operandDims[number][dim]];
    sizes.push_back({first, size});
  }
  if (opcode == Opcode::Transpose)
    llvm::sort(sizes);
  SmallVector<int64_t> shape;
  for (auto [first, size] : sizes)
    shape.push_back(size);
  if (kind == OperatorKind::Contraction)
    llvm::copy(own.take_back(2), shape.end() - 2);
  return reshape(rewriter, op->getLoc(), operand, shape);
}

OperatorOpInterface LargeOperator::mergeDims(ArrayRef<Group> groups) {
  SmallVector<Value> operands;
  for (unsigned number = 0; number < op->getNumOperands(); ++number)
    operands.push_back(mergeOperand(number, groups));
  Attributes merged = attributes;
  SmallVector<int64_t> shape, firstDims;
  for (auto [number, group] : llvm::enumerate(groups)) {
    shape.push_back(getSize(group));
    if (kind == OperatorKind::Reduction && isFixed(group.begin))
      merged.dims = {static_cast<int64_t>(number)};
    if (opcode == Opcode::Transpose)
      firstDims.push_back(attributes.dims[group.begin]);
  }
  if (opcode == Opcode::Transpose) {
    merged.dims.clear();
    for (int64_t first : firstDims)
      merged.dims.push_back(llvm::count_if(
          firstDims, [&](int64_t other) { return other < first; }));
  }
  OperatorOpInterface created = create(
      operands, RankedTensorType::get(shape, result.getElementType()), merged);
  rewriter.replaceOp(op, reshape(rewriter, op->getLoc(), created->getResult(0),
                                 result.getShape()));
  return created;
}

/// A part of an operand along a dimension of the result; all of one that does
/// not have it.
Value LargeOperator::cut(unsigned number, int dim, int64_t offset,
                         int64_t size) {
  Value operand = op->getOperand(number);
  int own = operandDims[number][dim];
  if (own < 0)
    return operand;
  SmallVector<int64_t> shape(getType(operand).getShape());
  SmallVector<int64_t> offsets(shape.size(), 0), strides(shape.size(), 1);
  shape[own] = size;
  offsets[own] = offset;
  return kernel::SliceOp::create(
      rewriter, op->getLoc(),
      RankedTensorType::get(shape, getType(operand).getElementType()), operand,
      offsets, strides);
}

SmallVector<OperatorOpInterface> LargeOperator::halve() {
  int smallest = -1;
  for (int dim = 0; dim < rank; ++dim) {
    int64_t size = result.getDimSize(dim);
    bool mayCut = size > 1 && (opcode != Opcode::CausalMask || !isFixed(dim));
    if (mayCut && (smallest < 0 || size < result.getDimSize(smallest)))
      smallest = dim;
  }
  if (smallest < 0)
    return {};
  int64_t size = result.getDimSize(smallest), half = llvm::divideCeil(size, 2);
  SmallVector<OperatorOpInterface> created;
  SmallVector<Value> parts;
  for (auto [offset, length] :
       {std::pair(int64_t(0), half), std::pair(half, size - half)}) {
    SmallVector<Value> operands;
    for (unsigned number = 0; number < op->getNumOperands(); ++number)
      operands.push_back(cut(number, smallest, offset, length));
    SmallVector<int64_t> shape(result.getShape());
    shape[smallest] = length;
    created.push_back(
        create(operands, RankedTensorType::get(shape, result.getElementType()),
               attributes));
    parts.push_back(created.back()->getResult(0));
  }
  rewriter.replaceOpWithNewOp<kernel::ConcatOp>(op, result, parts,
                                                ArrayRef<int64_t>{smallest});
  return created;
}

SmallVector<OperatorOpInterface>
mlir::mirage::splitLargeOperator(RewriterBase &rewriter,
                                 OperatorOpInterface op) {
  return LargeOperator(rewriter, op).split();
}

/// Whether rows of a tensor begin and end inside sectors of device memory.
static bool hasPartsOfSectors(Type tensor) {
  auto type = cast<RankedTensorType>(tensor);
  return type.getShape().back() * type.getElementTypeBitWidth() / 8 %
             kSectorBytes !=
         0;
}

bool mlir::mirage::hasOddRows(Operation *kernel) {
  return llvm::any_of(llvm::concat<const Type>(kernel->getOperandTypes(),
                                               kernel->getResultTypes()),
                      hasPartsOfSectors);
}

OperatorOpInterface mlir::mirage::joinOddRows(RewriterBase &rewriter,
                                              OperatorOpInterface op) {
  auto result = cast<RankedTensorType>(op->getResult(0).getType());
  if (!isElementwise(op.getTableOpcode()) || result.getRank() < 2 ||
      !hasOddRows(op))
    return nullptr;
  return LargeOperator(rewriter, op).joinRows();
}
