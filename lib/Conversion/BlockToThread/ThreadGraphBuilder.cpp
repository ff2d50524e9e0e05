//===- ThreadGraphBuilder.cpp - One step of a block, under construction ---===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ThreadGraphBuilder.h"
#include "Mirage/Layout/MatrixInstructions.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::mirage;

WorkSplit::WorkSplit(ArrayRef<int64_t> sizes, ArrayRef<int64_t> fragment,
                     int loopDim, int64_t numParts)
    : sizes(sizes), fragment(fragment), loopDim(loopDim), numParts(numParts) {
  assert(sizes.size() == fragment.size() && "a fragment of the index space");
  if (numParts > 1)
    axes.push_back(loopDim);
  for (int dim = 0; dim < static_cast<int>(sizes.size()); ++dim)
    if (dim != loopDim && countFragments(dim) > 1)
      axes.push_back(dim);
}

int64_t WorkSplit::countFragments(int dim) const {
  return llvm::divideCeil(sizes[dim], fragment[dim]);
}

int64_t WorkSplit::getExtent(int dim) const {
  return dim == loopDim ? numParts : countFragments(dim);
}

int64_t WorkSplit::countItems() const {
  int64_t items = 1;
  for (int dim : axes)
    items *= getExtent(dim);
  return items;
}

int64_t WorkSplit::getNumSteps() const {
  return loopDim < 0 ? 1 : llvm::divideCeil(countFragments(loopDim), numParts);
}

/// Operations of the thread dialect are named as the table names them.
static OperationState startRow(Location location, Opcode opcode) {
  return {location, (thread::MirageThreadDialect::getDialectNamespace() + "." +
                     getOperatorInfo(opcode).name)
                        .str()};
}

ThreadGraphBuilder::ThreadGraphBuilder(OpBuilder &builder, Location location,
                                       WorkSplit split)
    : builder(builder), location(location), split(std::move(split)),
      state(location, thread::GraphOp::getOperationName()), body(new Block),
      bodyBuilder(builder.getContext()) {
  state.addRegion()->push_back(body);
  bodyBuilder.setInsertionPointToEnd(body);
  header.level = Level::Thread;
  header.threads = 1 << kLaneBits;
  header.loop = this->split.getNumSteps();
  for (int dim : this->split.getAxes())
    header.grid.push_back(this->split.getExtent(dim));
}

SmallVector<int, 3> ThreadGraphBuilder::mapAxes(ArrayRef<int> dims) const {
  SmallVector<int, 3> map;
  for (int axis : split.getAxes()) {
    auto found = llvm::find(dims, axis);
    map.push_back(found == dims.end() ? kReplicated : found - dims.begin());
  }
  return map;
}

/// Tiles lie row by row; ldmatrix wants rows of 16 bytes, aligned.
static Opcode chooseLoad(RankedTensorType tile, const LinearLayout &layout) {
  bool areRowsAligned =
      tile.getElementTypeBitWidth() == 16 && tile.getShape().back() % 8 == 0;
  return areRowsAligned && planMatrixLoad(layout) ? Opcode::Ldmatrix
                                                  : Opcode::Load;
}

Value ThreadGraphBuilder::addOperand(Value tile, ArrayRef<int> dims,
                                     const LinearLayout &layout) {
  TileInput input{mapAxes(dims)};
  auto looped = llvm::find(dims, split.getLoopDim());
  if (split.getLoopDim() >= 0 && looped != dims.end())
    input.loopMap = looped - dims.begin();
  header.tileInputs.push_back(input);
  tiles.push_back(tile);
  auto tileType = cast<RankedTensorType>(tile.getType());
  Value window = body->addArgument(
      RankedTensorType::get(layout.getShape(), tileType.getElementType()),
      location);
  return addRow(chooseLoad(tileType, layout), window, {}, layout,
                tileType.getElementType());
}

Value ThreadGraphBuilder::addRow(Opcode opcode, ValueRange operands,
                                 const Attributes &attributes,
                                 const LinearLayout &layout, Type elementType) {
  OperationState row = startRow(location, opcode);
  row.addOperands(operands);
  row.addTypes(thread::getFragmentType(layout, elementType));
  row.addAttributes(
      writeOperatorAttributes(builder.getContext(), opcode, attributes));
  return bodyBuilder.create(row)->getResult(0);
}

Value ThreadGraphBuilder::addMma(Value lhs, Value rhs,
                                 const LinearLayout &layout) {
  bool isInTF32 = getElementTypeOrSelf(lhs.getType()).isF32();
  return thread::MmaOp::create(
      bodyBuilder, location,
      thread::getFragmentType(layout, builder.getF32Type()), lhs, rhs,
      ArrayRef<int64_t>{16, 8, isInTF32 ? 8 : 16});
}

Value ThreadGraphBuilder::addCast(Value fragment, Type elementType) {
  if (getElementTypeOrSelf(fragment.getType()) == elementType)
    return fragment;
  return addRow(Opcode::Cast, fragment, {},
                *thread::getFragmentLayout(fragment.getType()), elementType);
}

Value ThreadGraphBuilder::finish(Value fragment, ArrayRef<int> dims,
                                 RankedTensorType tile) {
  auto type = cast<RankedTensorType>(fragment.getType());
  OperationState store = startRow(location, Opcode::Store);
  store.addOperands(fragment);
  store.addTypes(RankedTensorType::get(type.getShape(), type.getElementType()));
  thread::YieldOp::create(bodyBuilder, location,
                          bodyBuilder.create(store)->getResult(0));
  header.tileOutputs.push_back({mapAxes(dims)});
  state.addOperands(tiles);
  state.addTypes(tile);
  state.addAttributes(writeTileGraphHeader(builder.getContext(), header));
  state.addAttribute(
      "operandSegmentSizes",
      builder.getDenseI32ArrayAttr({static_cast<int32_t>(tiles.size()), 0}));
  return builder.create(state)->getResult(0);
}
