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
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;
using namespace mlir::mirage;

/// Those of the block with the present number.
void BlockWalk::setCoordinates() {
  SmallVector<int64_t, 3> slowestFirst(llvm::reverse(persistent->order));
  auto extents = llvm::map_to_vector(
      slowestFirst, [&](int64_t axis) { return emitter.header.grid[axis]; });
  SmallVector<Value, 3> coordinates(extents.size());
  for (auto [axis, coordinate] :
       llvm::zip_equal(slowestFirst, emitter.delinearize(number, extents)))
    coordinates[axis] = coordinate;
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
