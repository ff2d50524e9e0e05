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

/// By axis, of what has a number in the order of the axes.
/// \param extents  by axis.
SmallVector<Value, 3> BlockWalk::emitCoordinates(Value number,
                                                 ArrayRef<int64_t> extents) {
  SmallVector<int64_t, 3> slowestFirst(llvm::reverse(persistent->order));
  auto sizes = llvm::map_to_vector(slowestFirst,
                                   [&](int64_t axis) { return extents[axis]; });
  SmallVector<Value, 3> coordinates(extents.size());
  for (auto [axis, coordinate] :
       llvm::zip_equal(slowestFirst, emitter.delinearize(number, sizes)))
    coordinates[axis] = coordinate;
  return coordinates;
}

/// Those of the block with the present number: of its cluster among clusters,
/// and in it.
void BlockWalk::setCoordinates() {
  ArrayRef<int64_t> grid = emitter.header.grid, cluster = persistent->cluster;
  if (cluster.empty())
    return emitter.setBlockCoordinates(emitCoordinates(number, grid));
  ImplicitLocOpBuilder &builder = emitter.builder;
  Value numBlocks = emitter.getIndex(ShapedType::getNumElements(cluster));
  SmallVector<int64_t, 3> clusters;
  for (auto [blocks, extent] : llvm::zip_equal(grid, cluster))
    clusters.push_back(blocks / extent);
  SmallVector<Value, 3> coordinates = emitCoordinates(
      arith::DivUIOp::create(builder, number, numBlocks), clusters);
  SmallVector<Value, 3> inside = emitCoordinates(
      arith::RemUIOp::create(builder, number, numBlocks), cluster);
  for (auto [coordinate, extent, distance] :
       llvm::zip_equal(coordinates, cluster, inside)) {
    Value first =
        arith::MulIOp::create(builder, coordinate, emitter.getIndex(extent));
    coordinate = arith::AddIOp::create(builder, first, distance);
  }
  emitter.setBlockCoordinates(coordinates);
}

SmallVector<Value> BlockWalk::forEach(
    ValueRange initial,
    llvm::function_ref<SmallVector<Value>(ValueRange carried)> body) {
  if (!persistent)
    return body(initial);
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
  return SmallVector<Value>(loop.getResults());
}

Value BlockWalk::emitHasNext() {
  ImplicitLocOpBuilder &builder = emitter.builder;
  int64_t numBlocks = ShapedType::getNumElements(emitter.header.grid);
  return arith::CmpIOp::create(
      builder, arith::CmpIPredicate::ult, number,
      emitter.getIndex(numBlocks - persistent->numLaunched));
}
