//===- BlockWalk.cpp - The blocks of a grid that one computes -------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockWalk.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::mirage;

/// Those of the block with the present number.
void BlockWalk::setCoordinates() {
  ImplicitLocOpBuilder &builder = emitter.builder;
  ArrayRef<int64_t> grid = emitter.header.grid;
  SmallVector<Value, 3> coordinates(grid.size());
  Value rest = number;
  for (int64_t axis : persistent->order) {
    Value extent = emitter.getIndex(grid[axis]);
    bool isSlowest = axis == persistent->order.back();
    coordinates[axis] =
        isSlowest ? rest : arith::RemUIOp::create(builder, rest, extent);
    if (!isSlowest)
      rest = arith::DivUIOp::create(builder, rest, extent);
  }
  emitter.setBlockCoordinates(coordinates);
}

void BlockWalk::forEach(
    ValueRange initial,
    llvm::function_ref<SmallVector<Value>(ValueRange carried)> body) {
  if (!persistent) {
    body(initial);
    return;
  }
  ImplicitLocOpBuilder &builder = emitter.builder;
  int64_t numBlocks = ShapedType::getNumElements(emitter.header.grid);
  auto loop = scf::ForOp::create(
      builder, gpu::BlockIdOp::create(builder, gpu::Dimension::x),
      emitter.getIndex(numBlocks), emitter.getIndex(persistent->numLaunched),
      initial);
  setUnrolling(loop, /*count=*/1);
  OpBuilder::InsertionGuard insertion(builder);
  builder.setInsertionPointToStart(loop.getBody());
  number = loop.getInductionVar();
  setCoordinates();
  SmallVector<Value> next = body(loop.getRegionIterArgs());
  if (!next.empty())
    scf::YieldOp::create(builder, next);
}

Value BlockWalk::emitHasNext() {
  ImplicitLocOpBuilder &builder = emitter.builder;
  int64_t numBlocks = ShapedType::getNumElements(emitter.header.grid);
  return arith::CmpIOp::create(
      builder, arith::CmpIPredicate::ult, number,
      emitter.getIndex(numBlocks - persistent->numLaunched));
}
