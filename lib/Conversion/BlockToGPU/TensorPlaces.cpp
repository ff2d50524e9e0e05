//===- TensorPlaces.cpp - Tiles that stay in device memory ----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorPlaces.h"
#include "Mirage/Analysis/BypassingTiles.h"
#include "Mirage/Dialect/Thread/IR/Thread.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include <numeric>

using namespace mlir;
using namespace mlir::mirage;

/// Of type i1: whether the block's tile ends where there is a whole one.
static Value emitIsWhole(BlockEmitter &emitter, const TileEdge &edge) {
  return arith::CmpIOp::create(emitter.builder, arith::CmpIPredicate::ult,
                               emitter.getTileNumber(edge.axes),
                               emitter.getIndex(edge.size / edge.tile));
}

Value mlir::mirage::emitEndsInside(BlockEmitter &emitter, ValueRange values) {
  // Tiles of one step mostly have the same edges.
  SmallVector<TileEdge> seen;
  Value isInside;
  for (Value value : values)
    for (TileEdge &edge : findTileEdges(value)) {
      if (!edge.isUneven() || llvm::is_contained(seen, edge))
        continue;
      Value isWhole = emitIsWhole(emitter, edge);
      isInside = isInside
                     ? arith::AndIOp::create(emitter.builder, isInside, isWhole)
                           .getResult()
                     : isWhole;
      seen.push_back(std::move(edge));
    }
  return isInside;
}

/// The elements that a block's tile has.
static Value emitSize(BlockEmitter &emitter, const TileEdge &edge) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  Value begin = emitter.getBegin(edge.axes, edge.tile);
  Value rest =
      arith::SubIOp::create(builder, emitter.getIndex(edge.size), begin);
  return arith::MinUIOp::create(builder, rest, emitter.getIndex(edge.tile));
}

static Value emitClip(BlockEmitter &emitter, Value place,
                      ArrayRef<TileEdge> edges) {
  SmallVector<int64_t> dims, multiples;
  SmallVector<Value> sizes;
  for (auto [dim, edge] : llvm::enumerate(edges)) {
    if (!edge.isUneven())
      continue;
    dims.push_back(dim);
    sizes.push_back(emitSize(emitter, edge));
    multiples.push_back(edge.getDivisor());
  }
  if (dims.empty())
    return place;
  return thread::ClipOp::create(emitter.builder, place, dims, sizes, multiples);
}

Value mlir::mirage::emitPlace(BlockEmitter &emitter, Value value, Value tensor,
                              bool isClipped) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  SmallVector<TileEdge> edges = findTileEdges(value);
  auto type = cast<MemRefType>(tensor.getType());
  auto [strides, offset] = type.getStridesAndOffset();
  Value first = emitter.getIndex(offset);
  int64_t distances = offset; // of all that tiles begin at, what divides them
  SmallVector<int64_t> shape;
  for (auto [edge, stride] : llvm::zip_equal(edges, strides)) {
    shape.push_back(edge.getElements());
    if (edge.numTiles == 1)
      continue;
    Value distance =
        arith::MulIOp::create(builder, emitter.getBegin(edge.axes, edge.tile),
                              emitter.getIndex(stride));
    first = arith::AddIOp::create(builder, first, distance);
    distances = std::gcd(distances, edge.tile * stride);
  }
  auto layout = StridedLayoutAttr::get(builder.getContext(),
                                       ShapedType::kDynamic, strides);
  auto placeType = MemRefType::get(shape, type.getElementType(), layout,
                                   type.getMemorySpace());
  auto whole = memref::ReinterpretCastOp::create(
      builder, placeType, tensor, OpFoldResult(first),
      getAsIndexOpFoldResult(builder.getContext(), shape),
      getAsIndexOpFoldResult(builder.getContext(), strides));
  // Tensors start at multiples of 16 bytes.
  int64_t elementBytes = type.getElementTypeBitWidth() / 8;
  int64_t alignment = std::gcd(distances * elementBytes, int64_t(16));
  Value place = memref::AssumeAlignmentOp::create(builder, whole, alignment);
  return isClipped ? emitClip(emitter, place, edges) : place;
}
