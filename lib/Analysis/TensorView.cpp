//===- TensorView.cpp - Where a tensor lies in device memory --------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Analysis/TensorView.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::mirage;

static ArrayRef<int64_t> getShape(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getShape();
}

static Type getElementType(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getElementType();
}

static Strides readStrides(Attribute attribute, Type type) {
  if (auto strides = dyn_cast_or_null<DenseI64ArrayAttr>(attribute))
    return Strides(strides.asArrayRef());
  return getRowMajorStrides(cast<RankedTensorType>(type).getShape());
}

Strides mlir::mirage::getArgumentStrides(func::FuncOp function,
                                         unsigned number) {
  return readStrides(function.getArgAttr(number, kernel::kStridesAttr),
                     function.getArgumentTypes()[number]);
}

Strides mlir::mirage::getResultStrides(func::FuncOp function, unsigned number) {
  return readStrides(function.getResultAttr(number, kernel::kStridesAttr),
                     function.getResultTypes()[number]);
}

bool mlir::mirage::isView(Operation *op) {
  return isa_and_nonnull<kernel::ReshapeOp, kernel::TransposeOp,
                         kernel::SliceOp>(op);
}

//===----------------------------------------------------------------------===//
// Roots
//===----------------------------------------------------------------------===//

ElementPlaces mlir::mirage::getElementPlaces(MemRefType type) {
  auto [strides, offset] = type.getStridesAndOffset();
  return {offset, Strides(ArrayRef<int64_t>(strides))};
}

/// Of a result of a kernel graph, the first that the function has of it.
static std::optional<unsigned> findReturned(Value result) {
  std::optional<unsigned> first;
  for (OpOperand &use : result.getUses())
    if (isa<func::ReturnOp>(use.getOwner()))
      first = std::min(first.value_or(use.getOperandNumber()),
                       use.getOperandNumber());
  return first;
}

/// Where the result of the function is that an operand of a kernel graph's
/// yield is returned as, or the memref that it is written to.
static std::optional<ElementPlaces> findReturnedPlaces(OpOperand &yielded) {
  auto graph = dyn_cast<kernel::GraphOp>(yielded.getOwner()->getParentOp());
  if (!graph || !isa<kernel::YieldOp>(yielded.getOwner()))
    return std::nullopt;
  unsigned number = yielded.getOperandNumber();
  if (graph.isOnBuffers())
    return getElementPlaces(
        cast<MemRefType>(graph.getInits()[number].getType()));
  std::optional<unsigned> result = findReturned(graph.getResult(number));
  if (!result)
    return std::nullopt;
  return ElementPlaces{
      0, getResultStrides(graph->getParentOfType<func::FuncOp>(), *result)};
}

bool mlir::mirage::isHandedOut(OpOperand &yielded) {
  return findReturnedPlaces(yielded).has_value();
}

/// Of all operands that a value is, the first that is handed out.
static OpOperand *findHandedOut(Value yielded) {
  OpOperand *first = nullptr;
  for (OpOperand &use : yielded.getUses())
    if ((!first || use.getOperandNumber() < first->getOperandNumber()) &&
        isHandedOut(use))
      first = &use;
  return first;
}

/// The view that alone reads a value and has its rows as rows, which a kernel
/// can write as it writes the value; null if there is none.
static Operation *findViewOfRows(Value value) {
  Operation *view = value.hasOneUse() ? *value.user_begin() : nullptr;
  if (!isa_and_nonnull<kernel::ReshapeOp, kernel::TransposeOp>(view) ||
      getElementType(value) != getElementType(view->getResult(0)))
    return nullptr;
  auto transpose = dyn_cast<kernel::TransposeOp>(view);
  bool keepsRows = !transpose || transpose.getDims().back() ==
                                     int64_t(transpose.getDims().size()) - 1;
  return keepsRows ? view : nullptr;
}

/// Where a value has to lie so that what is handed out is there: the value
/// itself, or a view of it; none if neither is.
static std::optional<ElementPlaces> findPlacesHandedOut(Value yielded) {
  if (OpOperand *operand = findHandedOut(yielded))
    return findReturnedPlaces(*operand);
  Operation *view = findViewOfRows(yielded);
  std::optional<ElementPlaces> places =
      view ? findPlacesHandedOut(view->getResult(0)) : std::nullopt;
  if (!places)
    return std::nullopt;
  if (auto reshape = dyn_cast<kernel::ReshapeOp>(view)) {
    std::optional<Strides> strides = reshapeStrides(
        getShape(reshape.getResult()), places->strides, getShape(yielded));
    return strides ? std::optional(ElementPlaces{places->offset, *strides})
                   : std::nullopt;
  }
  Strides strides(places->strides.size());
  for (auto [to, from] :
       llvm::enumerate(cast<kernel::TransposeOp>(view).getDims()))
    strides[from] = places->strides[to];
  return ElementPlaces{places->offset, strides};
}

ElementPlaces mlir::mirage::getWantedPlaces(Value yielded) {
  return findPlacesHandedOut(yielded).value_or(
      ElementPlaces{0, getRowMajorStrides(getShape(yielded))});
}

ElementPlaces mlir::mirage::getWantedPlaces(OpOperand &yielded) {
  std::optional<ElementPlaces> places = findReturnedPlaces(yielded);
  return places ? std::move(*places) : getWantedPlaces(yielded.get());
}

static TensorView makeRoot(Value tensor) {
  if (auto memref = dyn_cast<MemRefType>(tensor.getType())) {
    ElementPlaces places = getElementPlaces(memref);
    return {tensor, places.offset, std::move(places.strides)};
  }
  if (auto argument = dyn_cast<BlockArgument>(tensor))
    if (auto function =
            dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()))
      return {tensor, 0, getArgumentStrides(function, argument.getArgNumber())};
  ElementPlaces places = getWantedPlaces(tensor);
  return {tensor, places.offset, std::move(places.strides)};
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

static std::optional<TensorView> reshape(TensorView view,
                                         kernel::ReshapeOp op) {
  std::optional<Strides> strides = reshapeStrides(
      getShape(op.getOperand()), view.strides, getShape(op.getResult()));
  if (!strides)
    return std::nullopt;
  view.strides = std::move(*strides);
  return view;
}

static TensorView transpose(TensorView view, kernel::TransposeOp op) {
  Strides strides;
  for (int64_t from : op.getDims())
    strides.push_back(view.strides[from]);
  view.strides = std::move(strides);
  return view;
}

static TensorView slice(TensorView view, kernel::SliceOp op) {
  for (auto [offset, step, stride] :
       llvm::zip_equal(op.getOffsets(), op.getStrides(), view.strides)) {
    view.offset += offset * stride;
    stride *= step;
  }
  return view;
}

static std::optional<TensorView> follow(Operation *op) {
  if (getElementType(op->getOperand(0)) != getElementType(op->getResult(0)))
    return std::nullopt;
  std::optional<TensorView> view = findView(op->getOperand(0));
  if (!view)
    return std::nullopt;
  return TypeSwitch<Operation *, std::optional<TensorView>>(op)
      .Case([&](kernel::ReshapeOp op) { return reshape(*view, op); })
      .Case([&](kernel::TransposeOp op) { return transpose(*view, op); })
      .Case([&](kernel::SliceOp op) { return slice(*view, op); });
}

/// The part of a concat's result that its operand `number` is; the result may
/// be such a part itself.
static TensorView findPart(kernel::ConcatOp concat, unsigned number) {
  TensorView view = *findView(concat.getResult());
  int64_t dim = concat.getDims()[0];
  for (Value before : concat.getParts().take_front(number))
    view.offset += getShape(before)[dim] * view.strides[dim];
  return view;
}

std::optional<TensorView> mlir::mirage::findView(Value tensor) {
  if (isa<MemRefType>(tensor.getType()))
    return makeRoot(tensor);
  if (auto argument = dyn_cast<BlockArgument>(tensor)) {
    auto graph = dyn_cast<kernel::GraphOp>(argument.getOwner()->getParentOp());
    return graph ? findView(graph.getInputs()[argument.getArgNumber()])
                 : makeRoot(tensor);
  }
  if (auto graph = tensor.getDefiningOp<kernel::GraphOp>())
    return findView(
        graph.getYield()->getOperand(cast<OpResult>(tensor).getResultNumber()));
  if (isView(tensor.getDefiningOp()))
    return follow(tensor.getDefiningOp());
  if (tensor.hasOneUse())
    if (auto concat = dyn_cast<kernel::ConcatOp>(*tensor.user_begin()))
      return findPart(concat, tensor.use_begin()->getOperandNumber());
  return makeRoot(tensor);
}

bool mlir::mirage::liesByColumns(Value tensor) {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (!type || type.getRank() < 2)
    return false;
  std::optional<TensorView> view = findView(tensor);
  ArrayRef<int64_t> shape = type.getShape().take_back(2);
  return view && shape[0] > 1 && shape[1] > 1 && view->strides.back() != 1 &&
         view->strides[type.getRank() - 2] == 1;
}

bool mlir::mirage::canReturn(Value tensor, const ElementPlaces &wanted) {
  std::optional<TensorView> view = findView(tensor);
  if (!view || !isa<RankedTensorType>(view->root.getType()) ||
      isa<BlockArgument>(view->root) || view->offset != wanted.offset ||
      cast<RankedTensorType>(view->root.getType()).getNumElements() !=
          cast<RankedTensorType>(tensor.getType()).getNumElements())
    return false;
  return llvm::all_of(
      llvm::zip_equal(getShape(tensor), view->strides, wanted.strides),
      [](auto dim) {
        auto [size, stride, wantedStride] = dim;
        return size == 1 || stride == wantedStride;
      });
}
