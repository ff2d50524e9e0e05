//===- WindowAccess.cpp - Fragments of a graph's operands -----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads of windows and stores of results: where the fragment of an item and a
// step begins in the operand's tile, and whether it reaches beyond that.
//
//===----------------------------------------------------------------------===//

#include "GraphLowering.h"
#include "OperandForms.h"
#include "TileAccess.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::mirage;

bool GraphLowering::reachesBeyond(Value tile, unsigned dim, ArrayRef<Axis> axes,
                                  int64_t size) const {
  auto clip = tile.getDefiningOp<thread::ClipOp>();
  return (clip && clip.find(dim)) ||
         !header.areWhole(axes, size,
                          cast<MemRefType>(tile.getType()).getDimSize(dim));
}

TileAccess GraphLowering::accessInput(BlockArgument window,
                                      const LinearLayout &layout) {
  unsigned input = window.getArgNumber();
  Value tile = graph.getInputs()[input];
  SmallVector<Value> origin;
  SmallVector<bool> overhang;
  for (auto [dim, size] : llvm::enumerate(layout.getShape())) {
    SmallVector<Axis, 2> axes = header.getCuttingAxes(input, dim);
    origin.push_back(emitOrigin(axes, size));
    overhang.push_back(reachesBeyond(tile, dim, axes, size));
  }
  std::optional<SwizzledWindow> swizzled;
  bool stepsAlongRows = header.tileInputs[input].loopMap + 1 ==
                        static_cast<int>(layout.getRank());
  if (std::optional<BoxedTile> boxed = findSwizzled(graph, input))
    swizzled = {*boxed, stepsAlongRows};
  return TileAccess(builder, location, tile, layout, origin, overhang,
                    position.lane, swizzled);
}

/// Of shared memory a read that nobody needs costs less than a branch.
bool GraphLowering::mayLieBeyond(BlockArgument window,
                                 const LinearLayout &layout) {
  Value tile = graph.getInputs()[window.getArgNumber()];
  auto type = cast<MemRefType>(tile.getType());
  if (nvgpu::NVGPUDialect::hasSharedMemoryAddressSpace(type))
    return false;
  auto clip = tile.getDefiningOp<thread::ClipOp>();
  for (auto [dim, size] : llvm::enumerate(layout.getShape())) {
    int64_t last =
        (header.getExtent(header.getCuttingAxes(window.getArgNumber(), dim)) -
         1) *
        size;
    if (last > 0 && ((clip && clip.find(dim)) || last >= type.getDimSize(dim)))
      return true;
  }
  return false;
}

LogicalResult GraphLowering::lowerLoad(Operation *op) {
  LinearLayout layout = *thread::getFragmentLayout(op->getResult(0).getType());
  auto window = dyn_cast<BlockArgument>(op->getOperand(0));
  if (!window)
    return op->emitOpError() << "expects a window of the graph's operands";
  if (isHeld(window.getArgNumber())) {
    set(op->getResult(0), loadHeld(window, layout));
    return success();
  }
  TileAccess access = accessInput(window, layout);
  if (!isa<thread::LdmatrixOp>(op)) {
    set(op->getResult(0),
        mayLieBeyond(window, layout) ? access.loadIfInside() : access.load());
    return success();
  }
  if (!access.hasMatrixRows())
    return op->emitOpError()
           << "expects a tile in shared memory, whose rows are multiples of 16 "
              "bytes, got "
           << graph.getInputs()[window.getArgNumber()].getType();
  set(op->getResult(0), access.loadMatrices(*planMatrixLoad(layout)));
  return success();
}

/// Of the items that hold the same fragment of an output, the first writes it.
Value GraphLowering::emitOutputGuard(const TileOutput &output) {
  Value guard = isOwner;
  for (auto [axis, dim] : llvm::enumerate(output.gridMap)) {
    if (dim != kReplicated || !coordinates[axis])
      continue;
    Value isFirst = arith::CmpIOp::create(
        builder, location, arith::CmpIPredicate::eq, coordinates[axis],
        emitIndex(builder, location, 0));
    guard = guard ? arith::AndIOp::create(builder, location, guard, isFirst)
                        .getResult()
                  : isFirst;
  }
  return guard;
}

void GraphLowering::storeOutputs() {
  Operation *yield = graph.getBody().front().getTerminator();
  for (auto [number, window] : llvm::enumerate(yield->getOperands())) {
    auto store = window.getDefiningOp<thread::StoreOp>();
    const Fragment &fragment = get(store.getOperand());
    if (graph->getNumResults() > 0) {
      llvm::append_range(
          heldResults[number],
          ops.cast(fragment, getElementTypeOrSelf(window.getType())).registers);
      continue;
    }
    Value tile = graph.getInits()[number];
    const TileOutput &output = header.tileOutputs[number];
    SmallVector<Value> origin;
    SmallVector<bool> overhang;
    for (auto [dim, size] : llvm::enumerate(fragment.layout.getShape())) {
      SmallVector<Axis, 2> axes = header.getJoinedAxes(number, dim);
      origin.push_back(emitOrigin(axes, size));
      overhang.push_back(reachesBeyond(tile, dim, axes, size));
    }
    TileAccess access(builder, location, tile, fragment.layout, origin,
                      overhang, position.lane);
    access.store(fragment, emitOutputGuard(output));
  }
}
